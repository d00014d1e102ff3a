"""The numbers of a frozen report, and what changed since, in words for people."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate import statements as say
from annotate.frozen import Change
from annotate.frozen_numbers import group_name
from annotate.tables import number
from core.templatetags.crosscheck import count

DIGITS = 4
"""Of a number beside its successor: three hide what one decision changes."""
PARTS = {
    "categories": gettext_lazy("Category %(of)s"),
    "issues": gettext_lazy("Repository %(of)s"),
    "years": gettext_lazy("By year: %(of)s"),
    "types": gettext_lazy("By decided type: %(of)s"),
    "decided": gettext_lazy("Decided as %(of)s"),
    "over-time": gettext_lazy("Over time: %(of)s"),
    "over-time-test": gettext_lazy("Change over time"),
    "splits": gettext_lazy("Split %(of)s"),
    "pairs": gettext_lazy("Pair %(of)s"),
    "confusion": gettext_lazy("Both chosen: %(of)s"),
    "against-decision": gettext_lazy("Overruled: %(of)s"),
    "volunteers": gettext_lazy("Volunteer %(of)s"),
    "models": gettext_lazy("Model %(of)s"),
    "intra-rater": gettext_lazy("Intra-rater, %(of)s"),
}
GROUPS = {
    "type": gettext_lazy("Type %(of)s"),
    "repository": gettext_lazy("Repository %(of)s"),
    "month": gettext_lazy("Month %(of)s"),
}
NAMES = {
    "issues": gettext_lazy("Issues"),
    "raters": gettext_lazy("Volunteers"),
    "labels": gettext_lazy("Labels"),
    **{key: name for key, (name, _hint) in say.COEFFICIENTS.items()},
    "undecided_issues": gettext_lazy("Left out: issues without a decision"),
    "open_labels": gettext_lazy("Left out: open labels"),
    "labels_above_the_level": gettext_lazy("Left out: labels that stop above this level"),
    "kappa": gettext_lazy("Kappa"),
    "agreement": gettext_lazy("Same as others"),
    "mean_kappa": gettext_lazy("Mean κ with others"),
    "without": gettext_lazy("κ without them"),
    "effect": gettext_lazy("Effect"),
    "alone": gettext_lazy("Alone"),
    "others_agree": gettext_lazy("Others agree"),
    "decision_issues": gettext_lazy("Decided issues"),
    "decision_percent_agreement": gettext_lazy("Same as the decision"),
    "decision_cohen_kappa": gettext_lazy("κ with the decision"),
    "cohen_kappa": gettext_lazy("Cohen’s kappa"),
    "undecided": gettext_lazy("Issues without a decision"),
    "share": gettext_lazy("Share"),
    "decided": gettext_lazy("Decided so"),
    "compared": gettext_lazy("Issues compared"),
    "volunteers_percent_agreement": gettext_lazy("Volunteers among themselves"),
    "volunteers_light_kappa": gettext_lazy("κ of the volunteers"),
    "decided_issues": gettext_lazy("Decided issues"),
    "months": gettext_lazy("Months"),
    "categories": gettext_lazy("Categories"),
    "chi2": gettext_lazy("χ²"),
    "df": gettext_lazy("Degrees of freedom"),
    "p": gettext_lazy("p"),
    "cramers_v": gettext_lazy("Cramér’s V"),
    "smallest_expected": gettext_lazy("Smallest number expected"),
}


@dataclass(frozen=True)
class GroupLine:
    """One group of a frozen report as texts; `kappa` says why where there is none."""

    name: str
    issues: int
    labels: int
    agreement: str
    kappa: str
    span: str
    alpha: str
    ac1: str


@dataclass(frozen=True)
class ChangeLine:
    """One number that changed, as texts, with intervals. `is_next`: it is of the same as the line above."""

    of: str
    name: str
    then: str
    then_span: str
    now: str
    now_span: str
    change: str
    is_next: bool


def group_lines(groups: Iterable[Mapping[str, Any]]) -> list[GroupLine]:
    """All groups but a month that stands alone: it is all issues again."""
    groups = list(groups)
    months = sum("month" in group["group"] for group in groups)
    return [_group_line(group) for group in groups if months > 1 or "month" not in group["group"]]


def _group_line(group: Mapping[str, Any]) -> GroupLine:
    found = group["coefficients"]
    kappa = found["fleiss_kappa"]
    said = number(kappa["value"])
    if not said:
        said = _("undefined: %(reason)s") % {"reason": _(kappa["reason"])}
    return GroupLine(
        name=_of("groups", group_name(group["group"])),
        issues=group["issues"],
        labels=group["labels"],
        agreement=number(found["percent_agreement"]["value"]) or "–",
        kappa=said,
        span=say.span(kappa["low"], kappa["high"]),
        alpha=number(found["krippendorff_alpha"]["value"]) or "–",
        ac1=number(found["gwet_ac1"]["value"]) or "–",
    )


def change_lines(changes: Iterable[Change]) -> list[ChangeLine]:
    """The changes, those of one group, category or volunteer together, in the order in which they come."""
    together: dict[str, list[Change]] = {}
    for one in changes:
        together.setdefault(_of(one.part, one.of), []).append(one)
    return [
        ChangeLine(
            of=of,
            name=str(NAMES.get(one.name, one.name)),
            then=_text(one.then),
            then_span=_span(one.then_interval),
            now=_text(one.now),
            now_span=_span(one.now_interval),
            change=_signed(one.change),
            is_next=place > 0,
        )
        for of, found in together.items()
        for place, one in enumerate(found)
    ]


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
    if interval is None:
        return ""
    low, high = (number(bound, DIGITS) for bound in interval)
    return _("%(low)s to %(high)s") % {"low": low, "high": high}


def _signed(value: float | None) -> str:
    if value is None:
        return ""
    sign = "+" if value > 0 else "−" if value < 0 else ""
    return sign + _text(abs(value))
