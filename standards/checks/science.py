"""Items about data, analysis and open science. Pure."""

from django.utils.translation import gettext as _

from standards.checks import pages
from standards.facts import Facts
from standards.outcomes import Link, Outcome, asked, later, met, not_met
from standards.sentences import issues, raters
from standards.sentences.saying import REPORT, say

OPEN_LICENCES = frozenset({
    "CC0-1.0", "CC-BY-4.0", "CC-BY-3.0", "CC-BY-SA-4.0", "ODbL-1.0", "ODC-By-1.0", "PDDL-1.0", "MIT",
    "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CDLA-Permissive-2.0",
})  # fmt: skip


def what_when_how(facts: Facts) -> Outcome:
    said = [*issues.acquired(facts), issues.years(facts), issues.when(facts), raters.imported(facts)]
    page = pages.study(facts, "standards_method")
    if facts.main is None:
        return not_met([say(_("No pilot or main round is open yet."))], page)
    return met(said, page)


def assumptions(facts: Facts) -> Outcome:
    if facts.main is None:
        return not_met([say(_("No pilot or main round is open yet."))], pages.study(facts, "rounds"))
    if facts.agreement is None:
        text = _("The numbers appear once labels are revealed.")
        return later([say(text)], pages.main(facts, "round"))
    text = _(
        "The interval of κ assumes issues that are drawn by chance and labels that are independent. The"
        " report tells this beside the interval."
    )
    said = [say(text, *REPORT), raters.signs(facts), raters.imported_independence(facts)]
    page = pages.main(facts, "agreement")
    return not_met(said, page) if facts.agreement.signs else met(said, page)


def evidence_of_conclusions(facts: Facts) -> Outcome:
    found = facts.findings
    said = [
        say(
            _(
                "Findings of the study: %(written)s; with evidence: %(evidence)s; frozen with their numbers:"
                " %(frozen)s."
            ),
            "findings/findings.csv",
            written=found.written,
            evidence=found.with_evidence,
            frozen=found.frozen,
        )
    ]
    page = pages.study(facts, "findings")
    is_done = found.written and found.with_evidence == found.written
    return met(said, page) if is_done else not_met(said, page)


def honest_figures(facts: Facts) -> Outcome:
    text = _(
        "All figures are vectors (SVG, PDF). Their colours differ for colour-blind"
        " readers, and a letter is beside each colour."
    )
    return met([say(text)], pages.main(facts, "agreement") or pages.study(facts, "study_report"))


def availability_section(facts: Facts) -> Outcome:
    page = Link("standards_file", (facts.slug, "data_availability.md"))
    text = _("The section is made from the rows of the study, and is in the package.")
    return met([say(text, "data_availability.md")], page)


def archived(facts: Facts) -> Outcome:
    page = pages.study(facts, "citation")
    if facts.citation and facts.citation.doi:
        return met([say(_("The package has the DOI %(doi)s."), "CITATION.cff", doi=facts.citation.doi)], page)
    return asked([say(_("No DOI is stored."))], page)


def licence(facts: Facts) -> Outcome:
    page = pages.study(facts, "citation")
    chosen = facts.citation.licence if facts.citation else ""
    if not chosen:
        return not_met([say(_("No licence of labels and decisions is stored."))], page)
    said = [
        say(_("Labels and decisions are under %(licence)s."), "CITATION.cff", licence=chosen),
        say(
            _(
                "Texts of issues belong to their authors and follow the terms of their forge; the licence"
                " does not cover them."
            ),
            "data_availability.md",
        ),
    ]
    if chosen in OPEN_LICENCES:
        return met(said, page)
    text = _("This licence is not on Crosscheck’s list of open licences for data.")
    return not_met([*said, say(text)], page)


def de_identified(facts: Facts) -> Outcome:
    text = _(
        "Raters have pseudonyms in all exports. The package has the taxonomy with its definitions, and a"
        " script with a list of its libraries."
    )
    page = pages.study(facts, "export")
    return met([say(text, "taxonomy.csv", "recompute.py", "README.md")], page)


def artifact(facts: Facts) -> Outcome:
    text = _(
        "The package has a README, a manifest with the hash of each file, and a script that computes the"
        " report again and compares."
    )
    said = [say(text, "README.md", "manifest.json", "recompute.py")]
    page = pages.study(facts, "export")
    if facts.main is None:
        return not_met([say(_("No pilot or main round is open yet."))], page)
    return met(said, page)


def protocol_frozen(facts: Facts) -> Outcome:
    found = facts.protocol
    page = pages.study(facts, "protocol")
    if found is None:
        return not_met([say(_("No protocol was frozen."))], page)
    frozen = say(_("Protocol %(number)s was frozen on %(day)s."), number=found.number, day=found.frozen_at)
    if found.is_before:
        return met([frozen, say(_("That was before the main round opened."))], page)
    return not_met([frozen, say(_("The main round opened before that."))], page)


def deviations_justified(facts: Facts) -> Outcome:
    found = facts.protocol
    page = pages.study(facts, "deviations")
    if found is None:
        text = _("Without a frozen protocol nothing can be compared. All analyses are exploratory.")
        return not_met([say(text)], page)
    said = [
        say(
            _("Deviations found: %(deviations)s; without a reason: %(without)s."),
            deviations=len(found.deviations),
            without=found.without_reason,
        )
    ]
    return not_met(said, page) if found.without_reason else met(said, page)
