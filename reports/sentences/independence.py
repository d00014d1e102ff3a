"""Sentences for how independent the labels of a report are: what was enforced, and what a search found."""

from collections.abc import Sequence

from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agreement import Sign
from reports.agreement_report import AgreementReport
from reports.queries.independence import Signs, leading_volunteers
from reports.sentences.numbers import grouped, listed
from rounds.models import Round


def sign_of_dependence(sign: Sign, columns: Sequence[str]) -> str:
    """The sentence for a sign, with the pseudonyms of the volunteers."""
    said = {
        "volunteers": listed([columns[rater] for rater in sign.raters]),
        "issues": grouped(sign.issues),
        "observed": formats.number_format(round(sign.observed, 2), force_grouping=True),
        "reference": formats.number_format(round(sign.reference, 1), force_grouping=True),
        "differing": sign.differing,
    }
    return _(sign.kind.text) % said


def how_labels_were_given(report: AgreementReport) -> str:
    """What kept the labels independent, or that nobody observed it; "" for one volunteer."""
    if report.overall.raters < 2:
        return ""
    if report.round.is_imported:
        return _("Their independence was not observed: the labels were imported.")
    if report.round.reveal == Round.Reveal.ROUND_CLOSED:
        enforced = _(
            "The platform enforced this: it hid all labels from all members until the round was closed."
        )
    else:
        enforced = _(
            "The platform enforced this: it hid the labels of an issue from all members until the issue had"
            " all of its labels. Volunteers could read the labels of such issues while they labelled others."
        )
    leading = leading_volunteers(report)
    if not leading:
        return enforced
    also = ngettext(
        "%(volunteers)s also led the study, with the same labels hidden.",
        "%(volunteers)s also led the study, with the same labels hidden.",
        len(leading),
    )
    return f"{enforced} {also % {'volunteers': listed(leading)}}"


def what_the_search_found(report: AgreementReport, signs: Signs | None) -> str:
    """The result of the search for signs of dependence; `signs` is None while it is unknown. "" if columns
    are not volunteers, or if there is one volunteer.
    """
    if not report.columns or report.overall.raters < 2:
        return ""
    if signs is None:
        return _("[The search for signs of dependence is still being computed.]")
    if not signs:
        return _("A search for signs that labels, or decisions, do not look independent found nothing.")
    return ngettext(
        "A search found %(n)s sign that labels, or decisions, do not look independent.",
        "A search found %(n)s signs that labels, or decisions, do not look independent.",
        len(signs),
    ) % {"n": grouped(len(signs))}
