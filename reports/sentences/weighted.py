"""The sentences about agreement with partial credit."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agreement import Coefficient
from reports.agreement_report import AgreementReport
from reports.formats.tables import number
from reports.queries.weighted import WeightedGroup, WeightedReport, weighted_report
from reports.sentences.numbers import grouped, in_brackets, listed


def labels_above(found: WeightedGroup) -> str:
    """How many labels count here only; "" for none."""
    if not found.above:
        return ""
    labels = ngettext("%(n)s label", "%(n)s labels", found.above) % {"n": grouped(found.above)}
    return ngettext(
        "%(labels)s on %(n)s issue stop above this level. These labels count here with partial credit; the"
        " other numbers leave them out.",
        "%(labels)s on %(n)s issues stop above this level. These labels count here with partial credit; the"
        " other numbers leave them out.",
        found.issues_above,
    ) % {"labels": labels, "n": grouped(found.issues_above)}


def lacking(found: WeightedReport) -> str:
    """Why the study's own matrix is not used at this level; "" if it is, or if there is none."""
    if not found.lacking:
        return ""
    return ngettext(
        "The study’s own matrix has no weights for %(n)s category of this level, so the weights are those of"
        " the tree: %(codes)s.",
        "The study’s own matrix has no weights for %(n)s categories of this level, so the weights are those"
        " of the tree: %(codes)s.",
        len(found.lacking),
    ) % {"n": grouped(len(found.lacking)), "codes": listed(found.lacking)}


def with_partial_credit(report: AgreementReport) -> str:
    """The sentence for a paper, with the weights that were used; "" where they change nothing."""
    found = weighted_report(report)
    values = found.overall.coefficients
    kappa, alpha, ac2 = (values[name] for name in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac2"))
    if found.is_plain or kappa.value is None:
        return ""
    if found.matrix is None:
        said = _(
            "With partial credit for near categories (weight 1 − path length / %(longest)s in the taxonomy),"
            " weighted Fleiss’ %(kappa)s, Krippendorff’s %(alpha)s and Gwet’s %(ac2)s."
        )
    else:
        said = _(
            "With partial credit for near categories (weights of the study’s own matrix %(matrix)s), weighted"
            " Fleiss’ %(kappa)s, Krippendorff’s %(alpha)s and Gwet’s %(ac2)s."
        )
    sentence = said % {
        "longest": found.weights.longest,
        "matrix": found.matrix,
        "kappa": _said("κ", kappa),
        "alpha": _said("α", alpha),
        "ac2": _said("AC2", ac2),
    }
    whole = found.overall
    if not whole.above:
        return sentence
    base = ngettext(
        "These weighted numbers are of %(issues)s issues, with %(n)s label that stops above this level.",
        "These weighted numbers are of %(issues)s issues, with %(n)s labels that stop above this level.",
        whole.above,
    ) % {"issues": grouped(whole.issues), "n": grouped(whole.above)}
    return f"{sentence} {base}"


def _said(sign: str, found: Coefficient) -> str:
    if found.value is None:
        return _("%(sign)s undefined") % {"sign": sign}
    return f"{sign} = {number(found.value)}{in_brackets(found)}"
