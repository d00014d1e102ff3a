"""Small pieces of all templates: icons, code chips, shares with their base, relative times."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from typing import Any

from django import template
from django.http import HttpRequest
from django.template.context import RequestContext
from django.utils import formats, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from core import clock
from core import panels as rooms_above
from core.icons import ICONS
from core.models import Job
from core.text.joining import colon, comma, listed, stop
from core.text.moments import day_time, exactly, weekday_time
from core.text.visible import visible
from core.watching.workers import absence

register = template.Library()
register.filter("worker_missing", absence)
register.filter(exactly)
register.filter(day_time)
register.filter(weekday_time)
register.filter(listed)
register.filter(visible)
register.simple_tag(comma)
register.simple_tag(colon)
register.simple_tag(stop)

HUES = ("ta", "tb", "tc")
THEMES = ("light", "dark")
NO_BREAK = "\N{NO-BREAK SPACE}"

Types = Mapping[str, int] | int | None

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_RELATIVE_DAYS = 30


@register.simple_tag
@cache
def icon(name: str, css: str = "") -> SafeString:
    """The 16 px icon of this name, hidden from assistive technology because the text beside it has the same
    meaning. Raises KeyError for a name that `core.icons.ICONS` lacks.
    """
    return format_html(
        '<svg class="i{}" viewBox="0 0 16 16" aria-hidden="true">{}</svg>',
        f" {css}" if css else "",
        mark_safe(ICONS[name]),  # noqa: S308 - a constant of this project
    )


@register.filter
def hue(code: str, types: Types) -> str:
    """The hue class of a code: `ta`, `tb`, `tc` for the first three types, "" for any other.

    `types` is the position of the code's type (from 0), or the positions by the codes of all types.
    Colour-blind readers could not tell a fourth hue apart, so further types are shown by their letter alone.
    """
    if types is None:
        return ""
    position = types if isinstance(types, int) else types.get(code.partition(".")[0], len(HUES))
    return HUES[position] if 0 <= position < len(HUES) else ""


@register.simple_tag
def code_chip(code: str, types: Types = None, css: str = "", title: str = "") -> SafeString:
    """A code in the hue of its type. `css`: `solid`, `plain`, `ghost`, `odd`; `title`: the name on hover."""
    classes = " ".join(filter(None, ("code", hue(code, types), css)))
    if title:
        return format_html('<span class="{}" title="{}">{}</span>', classes, title, code)
    return format_html('<span class="{}">{}</span>', classes, code)


@register.filter
def count(number: int | None) -> str:
    """A whole number with thousands separators in the reader's language; "" for None."""
    return "" if number is None else _grouped(number, get_language())


@lru_cache(maxsize=4096)
def _grouped(number: int, _language: str | None) -> str:
    return formats.number_format(number, use_l10n=True, force_grouping=True)


@register.simple_tag
def percent_of(part: int, base: int, digits: int = 0) -> str:
    """A share with its base: "71 % of 542"; "under 1 %" or "over 99 %" if it only rounds to 0 or 100."""
    if not base:
        return _("none of 0")
    share = 100 * part / base
    least = 10**-digits
    if 0 < share < least / 2:
        text = _("under %(share)s") % {"share": formats.number_format(least, digits)}
    elif 100 - least / 2 < share < 100:
        text = _("over %(share)s") % {"share": formats.number_format(100 - least, digits)}
    else:
        # number_format truncates; a share is rounded.
        text = formats.number_format(round(share, digits), digits)
    return _("%(share)s\N{NO-BREAK SPACE}%% of %(base)s") % {"share": text, "base": count(base)}


@register.filter
def percent(share: float) -> str:
    """`{{ 0.955|percent }}` is "95.5 %": two decimals at most, without trailing zeros."""
    text = f"{share * 100:.2f}".rstrip("0").rstrip(".")
    decimals = len(text.partition(".")[2])
    return f"{formats.number_format(text, decimals)}{NO_BREAK}%"


def relative(seconds: float) -> str | None:
    """The time since then in words ("3 minutes ago"); None after 30 days, when the date tells more."""
    # A moment slightly in the future, by another machine's clock, also counts as now.
    if seconds < 45:
        return _("just now")
    if seconds < _HOUR:
        minutes = max(1, round(seconds / _MINUTE))
        return ngettext("%(n)s minute ago", "%(n)s minutes ago", minutes) % {"n": minutes}
    if seconds < _DAY:
        hours = round(seconds / _HOUR)
        return ngettext("%(n)s hour ago", "%(n)s hours ago", hours) % {"n": hours}
    days = int(seconds // _DAY)
    if days <= _RELATIVE_DAYS:
        return ngettext("%(n)s day ago", "%(n)s days ago", days) % {"n": days}
    return None


@register.simple_tag
def since(when: datetime | date | None, css: str = "") -> str | SafeString:
    """A moment as a relative time, with the exact time on hover; a date as that date; "never" for None."""
    if when is None:
        return _("never")
    if not isinstance(when, datetime):
        day = formats.date_format(when, "SHORT_DATE_FORMAT")
        return format_html('<time class="{}" datetime="{}">{}</time>', css, when.isoformat(), day)
    exact = when.astimezone(UTC)
    words = relative((clock.now() - when).total_seconds())
    return format_html(
        '<time class="{}" datetime="{}" title="{} UTC"{}>{}</time>',
        css,
        exact.strftime("%Y-%m-%dT%H:%M:%SZ"),
        exact.strftime("%Y-%m-%d %H:%M"),
        "" if words is None else mark_safe(" data-since"),
        words or formats.date_format(timezone.localtime(when), "SHORT_DATE_FORMAT"),
    )


@register.simple_tag
def moment(at: datetime, words: str = "", css: str = "") -> SafeString:
    """These words, or else the day of the moment, with the exact time in the reader's zone on hover."""
    local = timezone.localtime(at) if timezone.is_aware(at) else at  # a forge may leave the zone out
    return format_html(
        '<time{} datetime="{}" title="{} {}">{}</time>',
        format_html(' class="{}"', css) if css else "",
        local.isoformat(),
        local.strftime("%Y-%m-%d %H:%M"),
        local.tzname() or "",
        words or formats.date_format(local, "SHORT_DATE_FORMAT"),
    )


@register.filter
def duration(seconds: float | None) -> str:
    """A duration in its two largest units: "38 s", "4 min", "1 h 26 min", "3 d 4 h"; "" for None."""
    if seconds is None:
        return ""
    whole = max(0, round(seconds))
    if whole < _MINUTE:
        return _("%(n)s s") % {"n": whole}
    if whole < _HOUR:
        return _("%(n)s min") % {"n": round(whole / _MINUTE)}
    if whole < _DAY:
        hours, minutes = divmod(round(whole / _MINUTE), 60)
        return _("%(h)s h %(m)s min") % {"h": hours, "m": minutes}
    days, hours = divmod(round(whole / _HOUR), 24)
    return _("%(d)s d %(h)s h") % {"d": days, "h": hours}


@dataclass(frozen=True)
class Pace:
    """The speed of a job: whole steps a second, seconds spent and seconds left; None for unknown values."""

    rate: int | None
    spent: float | None
    left: float | None


@register.filter
def pace(job: Job) -> Pace:
    """The pace of a job, averaged since its start."""
    if job.started_at is None:
        return Pace(None, None, None)
    spent = ((job.finished_at or clock.now()) - job.started_at).total_seconds()
    if job.done <= 0 or spent < 1:
        return Pace(None, spent, None)
    per_second = job.done / spent
    left = (job.total - job.done) / per_second if job.total and not job.finished_at else None
    return Pace(round(per_second) or None, spent, left if left is None else max(0.0, left))


@register.simple_tag(takes_context=True)
def panels(context: RequestContext, place: str, **about: object) -> SafeString:
    """The HTML of the rooms above for a place of this page: see `core.panels`."""
    return mark_safe("".join(rooms_above.panels(context["request"], place, **about)))  # noqa: S308 - drawn


@register.filter
def of(mapping: Mapping[Any, Any] | None, key: object) -> Any:
    """`{{ counts|of:category.pk }}`: the value of a key; None for a missing key or without a mapping."""
    return mapping.get(key) if mapping else None


@register.simple_tag
def form_key() -> SafeString:
    """The idempotency key of one rendering of a form, as a hidden field: a double click stores once."""
    return format_html('<input type="hidden" name="form_key" value="{}">', uuid.uuid4())


@register.filter
def initials(person: object) -> str:
    """Up to two letters for a person's avatar, from the words of `str(person)`."""
    words = [word for word in str(person).partition("@")[0].replace(".", " ").split() if word]
    return "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper()


@register.simple_tag(takes_context=True)
def theme_attribute(context: RequestContext) -> SafeString | str:
    """` data-theme="dark"` if the reader has chosen a theme (cookie `theme`), else the system's theme."""
    request: HttpRequest | None = context.get("request")
    chosen = request.COOKIES.get("theme") if request else None
    return format_html(' data-theme="{}"', chosen) if chosen in THEMES else ""


@register.simple_tag(takes_context=True)
def query(context: RequestContext, **changes: object) -> str:
    """This page's query string with changes: `{% query state="open" page=None %}`; None or "" removes."""
    request: HttpRequest = context["request"]
    parameters = request.GET.copy()
    for name, value in changes.items():
        if value is None or value == "":
            parameters.pop(name, None)
        elif isinstance(value, (list, tuple)):
            parameters.setlist(name, [str(item) for item in value])
        else:
            parameters[name] = str(value)
    encoded = parameters.urlencode()
    return f"?{encoded}" if encoded else request.path
