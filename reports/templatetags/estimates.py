"""Numbers of an agreement report in its templates: values, reasons for missing values, intervals, shares."""

from collections.abc import Iterable

from django import template
from django.template import Context, Variable
from django.utils.translation import gettext as _

from agreement import Coefficient, Difference, PairKappa
from reports.formats.tables import number
from reports.sentences import numbers as say

register = template.Library()
register.filter("number", number)
register.filter("percent", say.percent)
register.filter("signed", say.signed)


@register.filter
def estimate(found: Coefficient) -> str:
    """The value, or why it is undefined."""
    return number(found.value) or say.undefined(found.reason)


@register.filter
def pair_kappa(found: PairKappa) -> str:
    """Cohen's kappa of a pair, or why it is undefined."""
    return number(found.kappa) or say.undefined(found.reason)


@register.filter
def span(found: Coefficient | Difference) -> str:
    """The interval; "" without one."""
    return say.span(found.low, found.high)


@register.filter
def doubt(found: Coefficient | Difference) -> str:
    """Why the interval is not to be trusted; "" if it is."""
    return say.reason_in_words(found.doubt.text) if found.doubt else ""


@register.filter
def doubts(rows: Iterable[object], places: str) -> list[str]:
    """Why intervals of these rows are not to be trusted, each reason once. `places` names the estimates of a
    `row`, as a template does: "row.1.agreement row.2".
    """
    chosen = [Variable(place) for place in places.split()]
    return say.doubts(place.resolve(Context({"row": row})) for row in rows for place in chosen)


@register.filter
def span_or_why(found: Coefficient | Difference) -> str:
    """The interval of a value, or why it has none; "" without a value."""
    return span(found) or (say.no_interval(found.reason) if found.value is not None else "")


@register.filter
def span_in_words(found: Coefficient) -> str:
    """The interval with its name, or why there is none."""
    interval = span(found)
    return _("95 %% interval %(span)s") % {"span": interval} if interval else span_or_why(found)


@register.filter
def probability(p: float | None) -> str:
    """A p-value; "–" without one."""
    return "–" if p is None else say.probability(p)


@register.filter
def share_of(part: int, whole: int) -> str:
    """A part of a whole as a share; "" for a whole of 0."""
    return say.percent(part / whole if whole else None)
