"""Items about the agreement of raters. Pure: facts in, a state with its sentences out."""

from django.utils.translation import gettext as _

from rounds.models import Round
from standards.checks import pages
from standards.facts import Facts
from standards.outcomes import MET, NOT_MET, Outcome, asked, later, met, not_met
from standards.sentences import numbers, raters
from standards.sentences.saying import LABELS, REPORT, say


def _before_labels(facts: Facts) -> Outcome | None:
    """The answer while nothing can be said of the labels; None once something can."""
    if facts.main is None:
        return not_met([say(_("No pilot or main round is open yet."))], pages.study(facts, "rounds"))
    if facts.agreement is None:
        return later([say(_("The numbers appear once labels are revealed."))], pages.main(facts, "round"))
    return None


def rated_properties(facts: Facts) -> Outcome:
    if facts.taxonomy is None:
        return not_met([say(_("No pilot or main round is open yet."))], pages.study(facts, "rounds"))
    return met([raters.what_was_rated(facts)], pages.taxonomy(facts))


def number_of_raters(facts: Facts) -> Outcome:
    if facts.main is None or not facts.raters.volunteers:
        return not_met([say(_("No pilot or main round is open yet."))], pages.study(facts, "rounds"))
    return met([raters.how_many_raters(facts)], pages.main(facts, "round"))


def independence(facts: Facts) -> Outcome:
    if facts.main is None:
        return not_met([say(_("No pilot or main round is open yet."))], pages.study(facts, "rounds"))
    if facts.is_imported:
        said = [raters.imported_independence(facts), raters.signs(facts)]
        return asked(said, pages.main(facts, "agreement"))
    said = [*raters.who_saw_what(facts), raters.signs(facts)]
    found = facts.agreement.signs if facts.agreement else None
    state = NOT_MET if found else MET
    page = pages.main(facts, "agreement" if facts.agreement else "round")
    return not_met(said, page) if state == NOT_MET else met(said, page)


def disagreements_settled(facts: Facts) -> Outcome:
    if facts.is_imported:
        return asked([raters.imported_decisions(facts)], pages.main(facts, "agreement"))
    if facts.settled is None or (not facts.settled.settled and facts.agreement is None):
        return _before_labels(facts) or later([], pages.main(facts, "round"))
    said = numbers.settled(facts)
    page = pages.main(facts, "consensus")
    is_done = facts.settled.settled or not facts.settled.open
    return met(said, page) if is_done else not_met(said, page)


def variable_type(facts: Facts) -> Outcome:
    if facts.taxonomy is None:
        return not_met([say(_("No pilot or main round is open yet."))], pages.study(facts, "rounds"))
    return met([numbers.variable_type(facts)], pages.taxonomy(facts))


def fitting_measure(facts: Facts) -> Outcome:
    return _before_labels(facts) or met(
        [numbers.kappa(facts), numbers.fit(facts)], pages.main(facts, "agreement")
    )


def rating_scheme(facts: Facts) -> Outcome:
    found = facts.taxonomy
    if found is None:
        return not_met([say(_("No pilot or main round is open yet."))], pages.study(facts, "rounds"))
    said = [
        say(
            _("%(defined)s of %(categories)s categories have a definition, and %(examples)s have examples."),
            "taxonomy.csv",
            defined=found.categories - found.undefined,
            categories=found.categories,
            examples=found.with_examples,
        ),
        raters.guideline(facts),
    ]
    links = pages.taxonomy(facts), pages.study(facts, "guideline")
    if facts.guideline.versions:
        return met(said, *links)
    return not_met([*said, say(_("The study has no guideline."))], *links)


def why_this_measure(facts: Facts) -> Outcome:
    said = [numbers.variable_type(facts), numbers.fit(facts)]
    return asked(said, pages.main(facts, "agreement") if facts.agreement else pages.study(facts, "rounds"))


def interpretation(facts: Facts) -> Outcome:
    if early := _before_labels(facts):
        return early
    said = [numbers.band(facts)]
    page = pages.main(facts, "agreement")
    return met(said, page) if said[0] else not_met([numbers.kappa(facts)], page)


def anomalies(facts: Facts) -> Outcome:
    return _before_labels(facts) or met(
        [numbers.paradox(facts), numbers.beside(facts)], pages.main(facts, "agreement")
    )


def training_or_experience(facts: Facts) -> Outcome:
    said = [raters.training(facts), raters.admitted(facts), *raters.backgrounds(facts)]
    links = [pages.study(facts, "standards_method")]
    if facts.raters.trainings:
        links.insert(0, pages.study(facts, "training"))
    if facts.raters.trained or facts.backgrounds.told:
        return met(said, *links)
    nothing = _("No rater of the main round passed a training or described their experience.")
    return not_met([say(nothing)], *links)


def by_discussion(facts: Facts) -> Outcome:
    if facts.is_imported:
        return asked([raters.imported_decisions(facts)], pages.main(facts, "agreement"))
    found = facts.settled
    if found is None or not found.settled:
        return _before_labels(facts) or later(numbers.settled(facts), pages.main(facts, "consensus"))
    said = [numbers.argued(facts)]
    talked = found.unanimity + found.majority + found.chair + found.pair
    page = pages.main(facts, "consensus")
    return met(said, page) if 2 * talked >= found.settled else not_met(said, page)


def more_than_three(facts: Facts) -> Outcome:
    if facts.main is None:
        return not_met([say(_("No pilot or main round is open yet."))], pages.study(facts, "rounds"))
    said = [raters.how_many_raters(facts)]
    page = pages.main(facts, "round")
    return met(said, page) if facts.main.round.labels_per_issue > 3 else not_met(said, page)


def cycles(facts: Facts) -> Outcome:
    rounds = facts.of_kind(Round.Kind.PILOT, Round.Kind.TRAINING, Round.Kind.MAIN, Round.Kind.LOOK)
    versions = facts.taxonomy.number if facts.taxonomy else 0
    said = [
        say(
            _(
                "The study has %(rounds)s rounds of labelling, %(guidelines)s versions of the guideline and"
                " version %(versions)s of the taxonomy. The report compares the rounds."
            ),
            rounds=len(rounds),
            guidelines=facts.guideline.versions,
            versions=versions,
        )
    ]
    is_cycle = len(rounds) > 1 and (facts.guideline.versions > 1 or versions > 1)
    page = pages.study(facts, "study_report")
    return met(said, page) if is_cycle else not_met(said, page)


def quality_control(facts: Facts) -> Outcome:
    kinds = facts.of_kind(Round.Kind.PILOT, Round.Kind.TRAINING)
    twice = facts.agreement.twice if facts.agreement else 0
    said = [
        say(_("Pilots and trainings before or beside the main round: %(n)s."), n=len(kinds)),
        say(
            _("Issues that came to their raters a second time, to measure drift: %(twice)s."),
            "labels_twice.csv",
            twice=twice,
        )
        if twice
        else None,
    ]
    page = pages.study(facts, "study_report")
    return met(said, page) if kinds or twice else not_met(said[:1], page)


def agreement_not_reliability(facts: Facts) -> Outcome:
    text = _(
        "Pages, files and sentences use the word “agreement”. The word “reliability” is in none of them."
    )
    return met([say(text, *REPORT)], pages.main(facts, "agreement") or pages.study(facts, "study_report"))


def no_claim_below_threshold(facts: Facts) -> Outcome:
    if early := _before_labels(facts):
        return early
    said = [numbers.band(facts), say(_("The word follows the number; nobody can type another one."))]
    return met(said, pages.main(facts, "agreement"))


def no_cherry_picking(facts: Facts) -> Outcome:
    if early := _before_labels(facts):
        return early
    said = [
        numbers.beside(facts),
        say(_("The paragraph for the paper always has all coefficients together."), *REPORT),
    ]
    if facts.protocol is not None and facts.protocol.coefficient and facts.protocol.is_before:
        said.append(
            say(
                _("The protocol named %(coefficient)s at the level %(level)s before."),
                coefficient=facts.protocol.coefficient,
                level=facts.protocol.level,
            )
        )
    return met(said, pages.main(facts, "agreement"))


def agreement_assessed(facts: Facts) -> Outcome:
    if early := _before_labels(facts):
        return early
    assert facts.agreement is not None  # noqa: S101 - `_before_labels` answers for None
    said = [numbers.kappa(facts), numbers.beside(facts), *numbers.left_out(facts.agreement)]
    return met(said, pages.main(facts, "agreement"))


def units_of_analysis(facts: Facts) -> Outcome:
    if facts.main is None:
        return not_met([say(_("No pilot or main round is open yet."))], pages.study(facts, "rounds"))
    text = _("The unit is one issue in one round; each label is one rater’s choice for it.")
    said = [say(text, *LABELS), numbers.variable_type(facts)]
    return met(said, pages.main(facts, "round"))
