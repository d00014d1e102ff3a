"""Numbers in words: reasons for missing values, intervals, differences, probabilities, lists."""

from collections.abc import Iterable, Sequence

from django.utils import formats
from django.utils.translation import gettext as _

from agreement import Coefficient, Difference
from agreement.reasons import Reason, Why, message_of
from core.text.joining import listed as _listed
from reports.formats.tables import number

LEAST_P = 0.001
"""Smaller probabilities are only said to be smaller."""


def reason_in_words(text: str) -> str:
    """The English text of a reason, as files have it, in the reader's language."""
    message, numbers = message_of(text)
    return _(message) % numbers if numbers else _(message)


def doubts(found: Iterable[Coefficient | Difference]) -> list[str]:
    """Why intervals are not to be trusted, each reason once: what stands below a table with stars."""
    return list(dict.fromkeys(reason_in_words(one.doubt.text) for one in found if one.doubt))


def undefined(reason: Why | None) -> str:
    """Why a value is missing: "undefined: all labels are the same category"."""
    return _("undefined: %(reason)s") % {"reason": reason_in_words((reason or Reason.NO_LABELS).text)}


def no_interval(reason: Why | None) -> str:
    """Why a value has no interval; "" without a reason."""
    return _("no interval: %(reason)s") % {"reason": reason_in_words(reason.text)} if reason else ""


def span(low: float | None, high: float | None, digits: int = 3) -> str:
    """An interval for people: "0.784 to 0.789"; "" without one."""
    if low is None or high is None:
        return ""
    return _("%(low)s to %(high)s") % {"low": number(low, digits), "high": number(high, digits)}


def in_brackets(found: Coefficient) -> str:
    """An interval in a sentence: " [0.122, 0.981]", with a star if it is in doubt; "" without one."""
    if found.low is None or found.high is None:
        return ""
    return f" [{number(found.low)}, {number(found.high)}]{'*' if found.doubt else ''}"


def signed(value: float | None) -> str:
    """A difference for people: "+0.012", "−0.004", "0.000"; "" without one."""
    text = number(value)
    return text if not text or text[0] == "−" or float(text) == 0 else f"+{text}"


def percent(share: float | None) -> str:
    """A share from 0 to 1 for people, to a tenth of a percent; "" without one."""
    return _("%(share)s\N{NO-BREAK SPACE}%%") % {"share": number(100 * share, 1)} if share is not None else ""


def probability(p: float) -> str:
    """A p-value for people, everywhere: "0.012", and "< 0.001" below, also where it rounds to 0."""
    return number(p) if p >= LEAST_P else f"< {number(LEAST_P)}"


def p_value(p: float) -> str:
    """A p-value in a sentence: "p = 0.012", "p < 0.001"."""
    text = probability(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def listed(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return _("%(first)s and %(last)s") % {"first": _listed(parts[:-1]), "last": parts[-1]}


def grouped(value: int) -> str:
    return formats.number_format(value, use_l10n=True, force_grouping=True)
