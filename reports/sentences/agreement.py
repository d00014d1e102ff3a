"""The sentences of an agreement report: warnings, what is left out, and a paragraph for the paper."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy

from agreement import Agreement, CategoryKappa, Reason
from reports.agreement_report import AgreementReport
from reports.queries.label_tuples import REASONS
from reports.queries.second_looks import is_looking_again
from reports.sentences.numbers import grouped
from rounds.models import Round
from taxonomy.models import Level

HIGH_AGREEMENT = 0.8
LOW_KAPPA = 0.6
"""The paradox of one category: agreement of at least the first, and a kappa of at most the second or none."""


def is_paradox(found: Agreement) -> bool:
    """Whether raters agree but kappa is low, because a very frequent category makes chance agreement high."""
    agreement = found.coefficients["percent_agreement"].value
    kappa = found.coefficients["fleiss_kappa"]
    if agreement is None or agreement < HIGH_AGREEMENT:
        return False
    return kappa.reason == Reason.ONE_CATEGORY or (kappa.value is not None and kappa.value <= LOW_KAPPA)


def few_issues(categories: Iterable[CategoryKappa]) -> list[CategoryKappa]:
    """The categories with a kappa that have few issues, or whose complement has."""
    return [one for one in categories if one.doubt or one.reason == Reason.FEW_OF_CATEGORY]


def categories_at(level: Level, count: int) -> str:
    """ "3 types", "18 themes", "69 sub-themes"."""
    said = {
        Level.TYPE: ngettext("%(n)s type", "%(n)s types", count),
        Level.THEME: ngettext("%(n)s theme", "%(n)s themes", count),
        Level.SUB_THEME: ngettext("%(n)s sub-theme", "%(n)s sub-themes", count),
    }
    return said[level] % {"n": grouped(count)}


@dataclass(frozen=True)
class LeftOut:
    """The number of things that are left out, and a text that names them with the reason."""

    count: int
    text: str


def left_out(report: AgreementReport) -> list[LeftOut]:
    """The counts of what the report leaves out; REASONS are listed with a count of 0 too."""
    said = counted(report.overall.left_out, LEFT_OUT, REASONS)
    if report.withheld:
        text = ngettext(
            "issue that the author of this report still has to label in another round",
            "issues that the author of this report still has to label in another round",
            report.withheld,
        )
        said.append(LeftOut(report.withheld, text))
    coached_out = report.coached if report.without_coached else 0
    return [*said, *([LeftOut(coached_out, COACHED % coached_out)] if coached_out else [])]


LEFT_OUT = {
    "incomplete_issues": ngettext_lazy("issue that lacks labels", "issues that lack labels"),
    "labels_of_incomplete_issues": ngettext_lazy("label of such an issue", "labels of such issues"),
    "surplus_labels": ngettext_lazy(
        "surplus label, given after its slot went to somebody else",
        "surplus labels, given after their slots went to somebody else",
    ),
    "open_labels": ngettext_lazy(
        "open label, which has no category yet", "open labels, which have no category yet"
    ),
    "second_look_labels": ngettext_lazy(
        "label of a second look, given after the labels of its issue were revealed",
        "labels of a second look, given after the labels of their issues were revealed",
    ),
    "labels_above_the_level": ngettext_lazy(
        "label that stops above this level", "labels that stop above this level"
    ),
}
"""Texts for what a report leaves out, by reason."""
COACHED = ngettext_lazy(
    "issue that volunteers were coached on in a pilot or training",
    "issues that volunteers were coached on in a pilot or training",
)
LEFT_OUT_TWICE = {
    "open_labels": ngettext_lazy("issue with an open label", "issues with an open label"),
    "labels_above_the_level": ngettext_lazy(
        "issue with a label that stops above this level", "issues with a label that stops above this level"
    ),
}
"""Texts for issues that the drift check does not compare, by reason."""


def counted(found: Mapping[str, int], texts: Mapping[str, Any], always: Iterable[str] = ()) -> list[LeftOut]:
    counts = {reason: found.get(reason, 0) for reason in texts}
    return [LeftOut(n, texts[reason] % n) for reason, n in counts.items() if n or reason in always]


def not_of_the_study(report: AgreementReport) -> str:
    """A warning not to publish these numbers, since issues are withheld; "" without withheld issues."""
    if not report.withheld:
        return ""
    return ngettext(
        "Do not publish these numbers: %(n)s of %(all)s issues is hidden from you. Ask a member who sees"
        " all issues for the numbers of the study.",
        "Do not publish these numbers: %(n)s of %(all)s issues are hidden from you. Ask a member who sees"
        " all issues for the numbers of the study.",
        report.withheld,
    ) % {"n": grouped(report.withheld), "all": grouped(report.complete + report.withheld)}


def undecided(report: AgreementReport) -> str:
    """How many issues without a decision the groups by type leave out, and the effect; "" for none."""
    count = report.undecided("type")
    if not count:
        return ""
    return ngettext(
        "%(n)s of %(all)s complete issues has no decision yet and counts in no type. Agreement within types"
        " therefore looks higher than it is.",
        "%(n)s of %(all)s complete issues have no decision yet and count in no type. Agreement within types"
        " therefore looks higher than it is.",
        count,
    ) % {"n": grouped(count), "all": grouped(report.complete)}


def compared(found: Agreement) -> str:
    """How many issues have two labels or more; "" if all issues do, or no issue does."""
    if not 0 < found.compared < found.issues:
        return ""
    return ngettext(
        "Only %(n)s of the %(all)s issues has two labels or more at this level. Agreement is measured on"
        " this issue only.",
        "Only %(n)s of the %(all)s issues have two labels or more at this level. Agreement is measured on"
        " these issues only.",
        found.compared,
    ) % {"n": grouped(found.compared), "all": grouped(found.issues)}


def what_is_missing(round_: Round, report: AgreementReport) -> str:
    """Why there is nothing to report yet."""
    if round_.opened_at is None:
        return _("This round is not open yet, so there are no labels.")
    if not round_.closed_at and round_.reveal == Round.Reveal.ROUND_CLOSED:
        return _(
            "The labels of this round are hidden until the round is closed. Then this page shows the"
            " agreement."
        )
    found = report.overall.left_out
    if found.get("labels_above_the_level"):
        return _("No label of this round has a category at this level.")
    issues, labels = found.get("incomplete_issues", 0), found.get("labels_of_incomplete_issues", 0)
    if not issues and report.withheld:
        return _("All issues of this round are hidden until you label them in another round.")
    if not issues:
        return _("This round has no issues.")
    return _lacking(round_, issues, labels, had_looks=report.had_looks)


def _lacking(round_: Round, issues: int, labels: int, *, had_looks: bool) -> str:
    if had_looks and is_looking_again(round_):
        return _(
            "No issue of this round counts now, because a second look is open: labels whose category changed"
            " are chosen again. Each issue counts again when all of its labels are chosen."
        )
    each = round_.labels_per_issue
    if each == 1:
        return ngettext(
            "The only issue has no label yet.", "None of the %(issues)s issues has its label yet.", issues
        ) % {"issues": grouped(issues)}
    return ngettext(
        "None of the %(issues)s issues has all of its %(each)s labels yet. There is %(labels)s label so far.",
        "None of the %(issues)s issues has all of its %(each)s labels yet. There are %(labels)s labels so"
        " far.",
        labels,
    ) % {"issues": grouped(issues), "each": each, "labels": grouped(labels)}


def intra_left_out(report: AgreementReport) -> list[LeftOut]:
    """The counts of issues that the drift check does not compare, by reason."""
    return counted(report.intra.left_out, LEFT_OUT_TWICE) if report.intra else []
