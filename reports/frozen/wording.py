"""The numbers of a frozen report, and their changes since, as texts for people."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.templatetags.crosscheck import count
from reports.formats.tables import number
from reports.frozen.document import NumberChange
from reports.frozen.figures import group_name
from reports.sections.registry import JSON_PARTS, SECTIONS
from reports.sentences.numbers import reason_in_words, span

DIGITS = 4
"""Digits of old and new numbers side by side: three digits could hide the change from one decision."""
PARTS = {name: text for one in JSON_PARTS for name, text in one.parts.items()}
NAMES = {(part, name): text for one in JSON_PARTS for part in one.parts for name, text in one.names.items()}
HEADINGS = {
    column.name: column.heading
    for section in SECTIONS
    if not callable(section.columns)
    for column in section.columns
}
GROUPS = {
    "type": gettext_lazy("Type %(of)s"),
    "repository": gettext_lazy("Repository %(of)s"),
    "month": gettext_lazy("Month %(of)s"),
}


def group_lines(groups: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """All groups as texts; a single month is left out, because it contains all issues."""
    groups = list(groups)
    months = sum("month" in group["group"] for group in groups)
    return [_group_line(group) for group in groups if months > 1 or "month" not in group["group"]]


def _group_line(group: Mapping[str, Any]) -> dict[str, Any]:
    found = group["coefficients"]
    kappa = found["fleiss_kappa"]
    said = number(kappa["value"])
    if not said:
        said = _("undefined: %(reason)s") % {"reason": reason_in_words(kappa["reason"])}
    return {
        "name": _of("groups", group_name(group["group"])),
        "issues": group["issues"],
        "labels": group["labels"],
        "agreement": number(found["percent_agreement"]["value"]) or "–",
        "kappa": said,
        "span": span(kappa["low"], kappa["high"]),
        "alpha": number(found["krippendorff_alpha"]["value"]) or "–",
        "ac1": number(found["gwet_ac1"]["value"]) or "–",
    }


def change_lines(changes: Iterable[NumberChange]) -> list[dict[str, Any]]:
    """The changes as texts, in their order, with changes of one group, category or volunteer together.

    `is_next`: the change belongs to the same group, category or volunteer as the line above.
    """
    together: dict[str, list[NumberChange]] = {}
    for one in changes:
        together.setdefault(_of(one.part, one.of), []).append(one)
    return [
        {
            "of": of,
            "name": str(NAMES.get((one.part, one.name)) or HEADINGS.get(one.name, one.name)),
            "then": _text(one.then),
            "then_span": _span(one.then_interval),
            "now": _text(one.now),
            "now_span": _span(one.now_interval),
            "change": _signed(one.change),
            "is_next": place > 0,
        }
        for of, found in together.items()
        for place, one in enumerate(found)
    ]


def figure_name(part: str, of: str, name: str) -> str:
    """A number of a report as text, by its key: "All issues: Fleiss’ kappa"."""
    return f"{_of(part, of)}: {NAMES.get((part, name)) or HEADINGS.get(name, name)}"


def _of(part: str, of: str) -> str:
    if part in ("groups", "left-out"):
        kind, _space, value = of.partition(" ")
        return str(GROUPS[kind]) % {"of": value} if kind in GROUPS else _("All issues")
    return str(PARTS[part]) % {"of": _("all") if of == "all" else of.replace(":", " : ")}


def _text(value: float | None) -> str:
    if value is None:
        return "–"
    return count(value) if isinstance(value, int) else number(value, DIGITS)


def _span(interval: tuple[float, float] | None) -> str:
    low, high = interval or (None, None)
    return span(low, high, DIGITS)


def _signed(value: float | None) -> str:
    if value is None:
        return ""
    sign = "+" if value > 0 else "−" if value < 0 else ""
    return sign + _text(abs(value))
