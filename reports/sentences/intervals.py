"""Sentences for what the intervals of a report take as a sample."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agreement import UnitIntervals
from agreement.reasons import Reason
from core.text.joining import remarks
from reports.agreement_report import AgreementReport
from reports.formats.tables import number
from reports.queries.intervals import intervals
from reports.queries.population import is_everything
from reports.sentences.numbers import grouped, reason_in_words

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

HEADLINE = "fleiss_kappa"

SAMPLED: "dict[str, StrPromise]" = {
    "issues": gettext_lazy("Issues"),
    "repositories": gettext_lazy("Repositories"),
    "volunteers": gettext_lazy("Volunteers"),
}
"""What an interval takes as a sample."""

QUESTIONS: "dict[str, StrPromise]" = {
    "issues": gettext_lazy(
        "How much would the value change with other issues of these repositories and the same volunteers?"
    ),
    "repositories": gettext_lazy(
        "How much would the value change with other repositories and the same volunteers?"
    ),
    "volunteers": gettext_lazy("How much would the value change with other volunteers and the same issues?"),
}
"""The question that each interval answers."""

NOTE = gettext_lazy(
    "The interval over issues takes issues as independent draws, and keeps volunteers and repositories fixed."
    " The other two leave out each repository, or each volunteer, in turn (jackknife)."
)


def units_of(sampled: str, units: int) -> str:
    """ "25,784 issues", "11 repositories", "7 volunteers"."""
    said = {
        "issues": ngettext("%(n)s issue", "%(n)s issues", units),
        "repositories": ngettext("%(n)s repository", "%(n)s repositories", units),
        "volunteers": ngettext("%(n)s volunteer", "%(n)s volunteers", units),
    }
    return said[sampled] % {"n": grouped(units)}


def everything_is_labelled(report: AgreementReport) -> str:
    """That no sample was drawn, and what the interval over issues then says; "" for a part of the issues."""
    if not is_everything(report):
        return ""
    if report.round.is_imported:
        return _(
            "All imported issues are labelled, and Crosscheck knows of no sample. If these are all issues of"
            " the population, the interval over issues describes the labelling process, not a sampling error."
        )
    return _(
        "All selected issues are labelled, and no sample was drawn. If these are all issues of the"
        " population, the interval over issues describes the labelling process, not a sampling error."
    )


def unequal_repositories(found: UnitIntervals) -> str:
    """How many repositories of equal size count as much as these; "" if these are equal, or without any."""
    if found.effective is None or found.units - found.effective < 0.05:
        return ""
    text = _("The %(repositories)s have unequal sizes, and count as %(effective)s of equal size.")
    return text % {
        "repositories": units_of("repositories", found.units), "effective": number(found.effective, 1)
    }  # fmt: skip


def narrower_repositories(found: UnitIntervals) -> str:
    """What it means that the interval over repositories is narrower than that over issues; "" if not."""
    if found.coefficients[HEADLINE].doubt is not Reason.NARROWER:
        return ""
    return _(
        "The interval over repositories is narrower than the interval over issues. These repositories differ"
        " by no more than chance explains, so use the interval over issues."
    )


def what_the_interval_assumes(report: AgreementReport) -> str:
    """For the paragraph: what its interval takes as a sample, and the two other intervals of kappa."""
    kappa = report.overall.coefficients[HEADLINE]
    if kappa.low is None:
        return ""
    found = intervals(report)
    said = [
        _("This interval treats issues as independent draws, with volunteers and repositories fixed."),
        _over(found["repositories"], "repositories"),
        _over(found["volunteers"], "volunteers"),
        everything_is_labelled(report),
    ]
    return " ".join(filter(None, said))


def _over(found: UnitIntervals, sampled: str) -> str:
    """The interval of kappa over repositories or volunteers, or why there is none."""
    kappa = found.coefficients[HEADLINE]
    if kappa.low is not None and kappa.high is not None:
        text = _("With the %(units)s as a sample, the 95 %% CI is [%(low)s, %(high)s] (%(beside)s).")
        doubt = [reason_in_words(kappa.doubt.text)] if kappa.doubt else []
        return text % {
            "units": units_of(sampled, found.units),
            "low": number(kappa.low),
            "high": number(kappa.high),
            "beside": remarks([_("jackknife"), *doubt]),
        }
    if kappa.reason is None:
        return ""
    texts = {
        "repositories": _("There is no interval over repositories: %(reason)s."),
        "volunteers": _("There is no interval over volunteers: %(reason)s."),
    }
    return texts[sampled] % {"reason": reason_in_words(kappa.reason.text)}
