"""Items about participants, interviews, mixed methods and models. Pure."""

from django.utils.translation import gettext as _

from standards.checks import pages
from standards.facts import Facts
from standards.outcomes import Outcome, asked, met, not_applicable, not_met
from standards.sentences import issues
from standards.sentences.saying import say


def _without_interviews(facts: Facts) -> Outcome | None:
    if facts.interviews.sessions or facts.interviews.participants:
        return None
    return not_applicable([say(_("The study has no interviews."))], pages.study(facts, "interviews"))


def participants(facts: Facts) -> Outcome:
    if early := _without_interviews(facts):
        return early
    return asked([issues.interviews(facts)], pages.study(facts, "participants", leads_only=True))


def secondary_data(facts: Facts) -> Outcome:
    return asked([issues.issues(facts), *issues.acquired(facts)], pages.study(facts, "issues"))


def mixed_methods(facts: Facts) -> Outcome:
    if early := _without_interviews(facts):
        return early
    said = [issues.main_round(facts), issues.interviews(facts)]
    return asked(said, pages.study(facts, "study"))


def interviews_described(facts: Facts) -> Outcome:
    if early := _without_interviews(facts):
        return early
    found = facts.interviews
    said = [
        issues.interviews(facts),
        say(
            _(
                "%(described)s of %(interviewers)s interviewers described their experience and possible bias."
                " Interviews whose coding is settled: %(settled)s. The page “Coverage” shows saturation."
            ),
            described=found.described,
            interviewers=found.interviewers,
            settled=found.settled,
        ),
    ]
    links = pages.study(facts, "coverage"), pages.study(facts, "finding_chain")
    if found.described and found.described == found.interviewers and found.settled:
        return met(said, *links)
    text = _("Missing: an interviewer’s description, or a settled coding.")
    return not_met([*said, say(text)], *links)


def interview_material(facts: Facts) -> Outcome:
    if early := _without_interviews(facts):
        return early
    found = facts.interviews
    said = [
        say(
            _(
                "Versions of the guide: %(guides)s. Of %(participants)s participants, %(checked)s checked"
                " what the study made of their interview, and %(incentives)s received something."
            ),
            guides=found.guides,
            checked=found.checked,
            participants=found.participants,
            incentives=found.incentives,
        )
    ]
    return asked(said, pages.study(facts, "interviews"))


def models(facts: Facts) -> Outcome:
    labelling = [one for one in facts.models if one.labels]
    if not labelling:
        text = _("No model labelled in the main round.")
        return not_applicable([say(text)], pages.study(facts, "study"))
    said = [
        say(
            _(
                "%(model)s gave %(labels)s labels. They are compared with those of the raters and counted"
                " among them nowhere."
            ),
            model=one.pseudonym,
            labels=one.labels,
        )
        for one in labelling
    ]
    return asked(said, pages.main(facts, "agreement"))
