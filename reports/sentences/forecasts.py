"""The sentences on how many issues or volunteers an interval needs."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agreement import Range, Reason, Volunteers
from reports.agreement_report import AgreementReport
from reports.formats.tables import number
from reports.sentences.numbers import grouped, reason_in_words


def issues_needed(
    report: AgreementReport, within: float, issues: int, range_: Range | None, population: int
) -> list[str]:
    """How many issues narrow the interval of Fleiss' kappa to ± `within`; if all of the `population` are
    labelled, that there are no more.
    """
    now = report.overall.issues
    if now >= population:
        return [
            ngettext(
                "The %(n)s issue of the study is labelled. There are no more issues to label.",
                "All %(n)s issues of the study are labelled. There are no more issues to label.",
                population,
            )
            % {"n": grouped(population)}
        ]
    said = {"within": number(within), "issues": grouped(issues), "labels": report.round.labels_per_issue}
    first = (
        _("With %(labels)s labels per issue, ± %(within)s needs %(issues)s issues. This round has enough.")
        % said
        if issues <= now
        else ngettext(
            "With %(labels)s labels per issue, ± %(within)s needs %(issues)s issues. You need %(more)s more.",
            "With %(labels)s labels per issue, ± %(within)s needs %(issues)s issues. You need %(more)s more.",
            issues - now,
        )
        % {**said, "more": grouped(issues - now)}
    )
    sentences = [first]
    if range_ is not None and range_.low is not None and range_.high is not None:
        bounds = {"low": grouped(range_.low), "high": grouped(range_.high)}
        sentences.append(_("The range of this forecast is %(low)s to %(high)s issues.") % bounds)
    text = ngettext(
        "There is %(n)s issue to choose from, which the forecast takes into account.",
        "There are %(n)s issues to choose from, which the forecast takes into account.",
        population,
    )
    return [*sentences, text % {"n": grouped(population)}]


def volunteers_needed(volunteers: Volunteers, range_: Range | None) -> list[str]:
    """How many volunteers narrow the interval on the issues of the round, and how sure this is."""
    if volunteers.needed is None and volunteers.narrowest is None:
        text = _("The number of volunteers that you need is not known: %(reason)s.")
        return [text % {"reason": _((volunteers.reason or Reason.NO_LABELS).text)}]
    if volunteers.needed is not None:
        text = ngettext(
            "With the issues of this round, you need %(n)s volunteer for each issue.",
            "With the issues of this round, you need %(n)s volunteers for each issue.",
            volunteers.needed,
        )
        sentences = [text % {"n": grouped(volunteers.needed)}]
    else:
        text = _(
            "With the issues of this round, no number of volunteers is enough. The interval stays wider"
            " than ± %(narrowest)s."
        )
        sentences = [text % {"narrowest": number(volunteers.narrowest)}]
    return [*sentences, *_range_of_volunteers(range_)]


def doubt_of_forecasts(report: AgreementReport) -> list[str]:
    """The warning of forecasts that follow from an interval in doubt; none otherwise."""
    found = report.overall.coefficients["fleiss_kappa"]
    if found.doubt is None:
        return []
    text = _("Both forecasts are uncertain, as the interval of kappa is: %(reason)s.")
    return [text % {"reason": reason_in_words(found.doubt.text)}]


def _range_of_volunteers(range_: Range | None) -> list[str]:
    if range_ is None or range_.low is None:
        return []
    if range_.high is None:
        text = _(
            "The range of this forecast begins at %(low)s volunteers and has no end: perhaps no number is"
            " enough."
        )
        return [text % {"low": grouped(range_.low)}]
    text = _("The range of this forecast is %(low)s to %(high)s volunteers.")
    return [text % {"low": grouped(range_.low), "high": grouped(range_.high)}]
