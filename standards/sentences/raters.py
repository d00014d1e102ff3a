"""Sentences about raters: who they are, how they worked, who could see what."""

from django.utils.translation import gettext as _

from rounds.models import Round
from standards.facts import Facts
from standards.outcomes import Said
from standards.sentences.saying import DECISIONS, LABELS, TAXONOMY, say


def what_was_rated(facts: Facts) -> Said | None:
    """The property, its levels and its categories."""
    one = facts.taxonomy
    if one is None or facts.main is None:
        return None
    return say(
        _(
            "Raters chose one category of “%(taxonomy)s”, version %(version)s, for each issue:"
            " %(types)s types, %(themes)s themes, %(subs)s sub-themes."
        ),
        *TAXONOMY,
        taxonomy=one.name,
        version=one.number,
        types=one.types,
        themes=one.themes,
        subs=one.sub_themes,
    )


def how_many_raters(facts: Facts) -> Said | None:
    if facts.main is None:
        return None
    return say(
        _("%(raters)s raters labelled in the round “%(round)s”, with %(k)s labels for each issue."),
        *LABELS,
        raters=facts.raters.volunteers,
        round=facts.main.round.name,
        k=facts.main.round.labels_per_issue,
    )


def imported(facts: Facts) -> Said | None:
    """What cannot be known of imported labels."""
    if not facts.is_imported or facts.main is None:
        return None
    return say(
        _("The labels of “%(round)s” were imported. Crosscheck did not observe how they were made."),
        *LABELS,
        round=facts.main.round.name,
    )


def imported_independence(facts: Facts) -> Said | None:
    if not facts.is_imported:
        return None
    return say(_("The labels were imported; their independence was not observed."), *LABELS)


def imported_decisions(facts: Facts) -> Said | None:
    if not facts.is_imported:
        return None
    return say(_("The decisions were imported. How disagreements were settled was not observed."), *DECISIONS)


def who_saw_what(facts: Facts) -> list[Said]:
    """What the platform enforced in the main round."""
    if facts.main is None or facts.is_imported:
        return []
    round_ = facts.main.round
    said = [
        say(
            _(
                "Nobody could see a label of another rater before the issue had all its labels, not even"
                " leads."
            )
            if round_.reveal == Round.Reveal.ISSUE_COMPLETE
            else _("Nobody could see a label of another rater before the round was closed, not even leads.")
        ),
        say(
            _("Raters saw the labels that the forge shows on an issue.")
            if round_.forge_labels == Round.ForgeLabels.SHOWN
            else _("The labels of the forge were hidden from raters until the reveal.")
        ),
    ]
    if facts.raters.leads:
        said.append(
            say(
                _("%(leads)s of the %(raters)s raters also led the study."),
                leads=facts.raters.leads,
                raters=facts.raters.volunteers,
            )
        )
    return said


def signs(facts: Facts) -> Said | None:
    """What the search for signs of dependence found; None while it is unknown."""
    found = facts.agreement
    if found is None or found.signs is None:
        return None
    if not found.signs:
        return say(_("A search for patterns of copied or repeated labels found no sign of dependence."))
    return say(
        _("Signs of dependence that a search for copied or repeated labels found: %(signs)s."),
        "agreement.json",
        signs=found.signs,
    )


def training(facts: Facts) -> Said | None:
    found = facts.raters
    if not found.trainings:
        return None
    return say(
        _(
            "%(trained)s of the %(raters)s raters finished a training (closed trainings: %(trainings)s);"
            " %(passed)s passed."
        ),
        trained=found.trained,
        raters=found.volunteers,
        trainings=found.trainings,
        passed=found.passed,
    )


def admitted(facts: Facts) -> Said | None:
    if not facts.raters.admitted:
        return None
    return say(
        _("Raters whom leads let in without a passed training: %(admitted)s."), admitted=facts.raters.admitted
    )


def backgrounds(facts: Facts) -> list[Said]:
    """What raters share about themselves, in sums."""
    found = facts.backgrounds
    if not found.told:
        return []
    said = [
        say(
            _("%(told)s of the %(raters)s raters described their experience and training."),
            told=found.told,
            raters=max(facts.raters.volunteers, found.told),
        )
    ]
    if found.years:
        said.append(
            say(
                _("They have %(least)s to %(most)s years of experience with software."),
                least=found.years[0],
                most=found.years[1],
            )
        )
    return said


def reflections(facts: Facts) -> Said | None:
    if not facts.backgrounds.reflected:
        return None
    return say(
        _("Raters who wrote about their own biases: %(reflected)s."), reflected=facts.backgrounds.reflected
    )


def guideline(facts: Facts) -> Said | None:
    found = facts.guideline
    if not found.versions:
        return None
    return say(
        _(
            "Raters labelled by a written guideline (versions: %(versions)s). Members who confirmed that they"
            " read the newest one: %(readers)s."
        ),
        versions=found.versions,
        readers=found.readers,
    )


def allocation(facts: Facts) -> Said | None:
    if facts.main is None or facts.is_imported:
        return None
    if facts.main.round.allocation == Round.Allocation.CROSSED:
        return say(_("Every rater labelled every issue, each in an order of their own."))
    return say(
        _("%(k)s of the raters labelled each issue; the platform gave out the issues."),
        *LABELS,
        k=facts.main.round.labels_per_issue,
    )
