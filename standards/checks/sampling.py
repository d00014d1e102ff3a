"""Items about sampling. Pure."""

from django.utils.translation import gettext as _

from standards.checks import pages
from standards.facts import Facts
from standards.outcomes import Outcome, asked, later, met, not_applicable, not_met
from standards.sentences import issues, numbers
from standards.sentences.saying import ISSUES, REPORT, say


def _everything(facts: Facts) -> Outcome | None:
    """The answer for a study that labels all that it has; None if it drew a sample, or could."""
    if facts.samples:
        return None
    if facts.is_imported:
        text = _("The issues were imported. Crosscheck did not observe how they were selected.")
        return asked([say(text), issues.issues(facts)], pages.study(facts, "issues"))
    text = _("No sample was drawn: the rounds take the issues that remain after keywords and screening.")
    return not_applicable([say(text), issues.main_round(facts)], pages.study(facts, "rounds"))


def sampling_strategy(facts: Facts) -> Outcome:
    return _everything(facts) or met(issues.samples(facts), pages.sample(facts))


def probability_sampling(facts: Facts) -> Outcome:
    text = _("Each issue of a stratum had the same chance; the seed repeats the draw.")
    return _everything(facts) or met([say(text), *issues.samples(facts)], pages.sample(facts))


def sampling_described(facts: Facts) -> Outcome:
    said = [
        issues.issues(facts), issues.keywords(facts), issues.screened(facts), *issues.samples(facts),
        issues.main_round(facts),
    ]  # fmt: skip
    return asked(said, pages.sample(facts))


def representativeness(facts: Facts) -> Outcome:
    if early := _everything(facts):
        return early
    said = issues.samples(facts)
    with_margin = [one for one in facts.samples if one.margin is not None]
    if not with_margin:
        text = _("The sample was drawn without a margin of error.")
        return not_met([*said, say(text)], pages.sample(facts))
    one = with_margin[-1]
    said.append(
        say(
            _(
                "The plan of the sample names a margin of error of %(margin)s at a confidence of"
                " %(confidence)s. The page of the sample repeats the draw and compares."
            ),
            margin=float(one.margin or 0),
            confidence=float(one.confidence or 0),
        )
    )
    return met(said, pages.sample(facts))


def bias_of_steps(facts: Facts) -> Outcome:
    steps = [
        *issues.acquired(facts), issues.keywords(facts), issues.screened(facts), *issues.samples(facts),
        issues.main_round(facts),
    ]  # fmt: skip
    text = _(
        "Each step counts its losses: refused rows, issues without a keyword, false"
        " positives, issues that were not drawn, issues without all labels."
    )
    if not facts.issues.total:
        return not_met([say(_("The study has no issues yet."))], pages.study(facts, "issues"))
    if facts.screening is not None and not facts.screening.decided:
        return later([say(_("The numbers appear once labels are revealed."))], pages.screening(facts))
    return met([say(text), *steps], pages.screening(facts) or pages.study(facts, "issues"))


def frame_supplied(facts: Facts) -> Outcome:
    if early := _everything(facts):
        return early
    text = _("The page of the sample gives the sample and its frame as CSV.")
    return met([*issues.samples(facts), say(text)], pages.sample(facts))


def stratified(facts: Facts) -> Outcome:
    if early := _everything(facts):
        return early
    layers = max(one.strata for one in facts.samples)
    said = [say(_("Strata of the sample, which are its repositories: %(strata)s."), strata=layers)]
    page = pages.sample(facts)
    return met(said, page) if layers > 1 else not_met(said, page)


MOST_WIDTH = 0.2


def large_enough(facts: Facts) -> Outcome:
    found = facts.agreement
    if facts.main is None:
        return not_met([say(_("No pilot or main round is open yet."))], pages.study(facts, "rounds"))
    if found is None:
        text = _("The numbers appear once labels are revealed.")
        return later([say(text)], pages.main(facts, "round"))
    one = found.value("fleiss_kappa")
    page = pages.main(facts, "agreement")
    if one.low is None or one.high is None:
        text = _("Kappa has no interval: %(issues)s issues do not suffice.")
        return not_met([say(text, *ISSUES, issues=found.issues)], page)
    width = say(
        _("The interval of κ is %(width)s wide; up to %(most)s counts as narrow here."),
        *REPORT,
        width=one.high - one.low,
        most=MOST_WIDTH,
    )
    said = [numbers.kappa(facts), width]
    return met(said, page) if one.high - one.low <= MOST_WIDTH else not_met(said, page)
