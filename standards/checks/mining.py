"""Items about the mining of repositories. Pure."""

from django.utils.translation import gettext as _

from standards.checks import pages
from standards.facts import Facts
from standards.outcomes import Outcome, asked, later, met, not_applicable, not_met
from standards.sentences import issues, numbers, raters
from standards.sentences.saying import say


def sources(facts: Facts) -> Outcome:
    return asked([issues.issues(facts), issues.keywords(facts)], pages.study(facts, "issues"))


def criteria_validated(facts: Facts) -> Outcome:
    said = [issues.screened(facts), issues.keywords(facts)]
    if facts.screening is None:
        if facts.is_imported:
            text = _("The issues were imported. Crosscheck did not observe how they were selected.")
            return asked([say(text)], pages.study(facts, "imports", leads_only=True))
        text = _("No screening round checks what the search found.")
        return not_met([say(text), issues.keywords(facts)], pages.study(facts, "rounds"))
    if not facts.screening.decided:
        return later([say(_("The numbers appear once labels are revealed."))], pages.screening(facts))
    return met(said, pages.screening(facts))


def acquisition(facts: Facts) -> Outcome:
    said = issues.acquired(facts)
    harvested = pages.study(facts, "harvests", leads_only=True)
    imported = pages.study(facts, "imports", leads_only=True)
    if said:
        links = [harvested] if facts.sources.harvested else []
        return met([*said, issues.kinds(facts)], *links, imported)
    return not_met([say(_("No issue was harvested or imported yet."))], imported)


def dataset(facts: Facts) -> Outcome:
    said = [issues.issues(facts), issues.years(facts), issues.kinds(facts), issues.screened(facts)]
    page = pages.study(facts, "issues")
    if not facts.issues.total:
        return not_met([say(_("The study has no issues yet."))], page)
    return met(said, page, pages.main(facts, "agreement") if facts.agreement else None)


def annotators(facts: Facts) -> Outcome:
    if facts.main is None:
        return not_met([say(_("No pilot or main round is open yet."))], pages.study(facts, "rounds"))
    said = [raters.how_many_raters(facts), raters.training(facts), *raters.backgrounds(facts)]
    page = pages.main(facts, "round")
    method = pages.study(facts, "standards_method")
    if facts.backgrounds.told:
        return met(said, page, method)
    missing = say(_("No rater shares their experience yet. Each can do so on the page “My background”."))
    return not_met([*said, missing], page, method)


def procedure(facts: Facts) -> Outcome:
    if facts.main is None:
        return not_met([say(_("No pilot or main round is open yet."))], pages.study(facts, "rounds"))
    page, text = pages.main(facts, "round"), pages.study(facts, "guideline")
    if facts.is_imported:
        return asked([raters.imported(facts), raters.guideline(facts)], page)
    said = [raters.guideline(facts), raters.allocation(facts), *raters.who_saw_what(facts)]
    if facts.guideline.versions:
        return met(said, text, page)
    return not_met([say(_("The study has no guideline.")), *said], text, page)


def construct_validity(facts: Facts) -> Outcome:
    said = [raters.what_was_rated(facts), numbers.kappa(facts)]
    page = pages.main(facts, "agreement") if facts.agreement else None
    return asked(said, page or pages.study(facts, "taxonomies"))


def external_validity(facts: Facts) -> Outcome:
    said = [
        issues.issues(facts), issues.years(facts), issues.keywords(facts), issues.screened(facts),
        *issues.samples(facts),
    ]  # fmt: skip
    return asked(said, pages.study(facts, "issues"))


def supplement(facts: Facts) -> Outcome:
    text = _(
        "The package has the labels, issues, decisions and taxonomy, and a script that computes the report"
        " again."
    )
    page = pages.study(facts, "export")
    if facts.main is None:
        return not_met([say(_("No pilot or main round is open yet."))], page)
    return met([say(text, "README.md", "recompute.py"), *issues.acquired(facts)], page)


def triangulation(facts: Facts) -> Outcome:
    said = [raters.how_many_raters(facts), issues.interviews(facts)]
    page = pages.study(facts, "findings")
    several = facts.issues.repositories > 1 or facts.interviews.sessions
    if several and facts.raters.volunteers > 1:
        return met([*said, issues.issues(facts)], page)
    return not_met([say(_("The study has one source, or one rater.")), *said], page)


def own_biases(facts: Facts) -> Outcome:
    page = pages.study(facts, "standards_method")
    if facts.backgrounds.reflected:
        return met([raters.reflections(facts)], page)
    if facts.main is None:
        return not_applicable([say(_("No pilot or main round is open yet."))], page)
    text = _("No rater shares a reflection yet. Each can write one on the page “My background”.")
    return not_met([say(text)], page)


def ethics_of_mining(facts: Facts) -> Outcome:
    text = _("Texts of issues stay as their authors published them; exports name raters by pseudonyms only.")
    return asked([say(text, "issues.csv"), issues.kinds(facts)], pages.study(facts, "issues"))
