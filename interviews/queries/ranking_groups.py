"""Two groups of participants whose rankings are compared: audiences, experience, or another column."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from interviews.models import Participant

AUDIENCE = "audience"
ATTRIBUTE = "attribute:"
OTHERS = ""
"""As the second group: all participants with another value than the first."""

_NUMBER = re.compile(r"\s*(\d{1,6}(?:[.,]\d{1,3})?)")
_UNITS = (
    (12.0, re.compile(r"[\s+-]*(?:months?\b|mos?\b|mths?\b|个?月)", re.IGNORECASE)),
    (52.0, re.compile(r"[\s+-]*(?:weeks?\b|wks?\b|个?周|星期)", re.IGNORECASE)),
    (365.0, re.compile(r"[\s+-]*(?:days?\b|天|日)", re.IGNORECASE)),
)
"""How many of each are a year; numbers without these words are years, or not of time at all."""


class UnknownGroupError(LookupError):
    """No participant of these rankings has such a column or value."""


@dataclass(frozen=True)
class GroupsAsked:
    """A column, and two of its values, or, in a column of numbers, where the second group begins. What is
    None is chosen: the first two audiences, the two most frequent values, the number that makes the groups
    as equal as possible. Never by the rankings.
    """

    column: str = AUDIENCE
    first: str | None = None
    second: str | None = None
    at: float | None = None


def groups_asked(address: Mapping[str, str]) -> GroupsAsked:
    """What the parameters `by`, `first`, `second` and `at` of an address ask for; an empty `second` are all
    others. A form says the column of its other fields in `was`: another one leaves nothing of them. Raises
    UnknownGroupError for an `at` that is no number.
    """
    if address.get("was", address.get("by")) != address.get("by"):
        return GroupsAsked(address.get("by") or AUDIENCE)
    at = address.get("at", "").strip()
    if at and not _NUMBER.fullmatch(at):
        raise UnknownGroupError(at)
    return GroupsAsked(
        column=address.get("by") or AUDIENCE,
        first=address.get("first") or None,
        second=address.get("second"),
        at=_number(at),
    )


@dataclass(frozen=True)
class Groups:
    """`columns` are the keys and names that this reader can choose. `values` are those of the chosen column,
    () if it has numbers, which `at` divides. `first` and `second` name the groups, `chosen` are their values,
    and `side` tells for the id of a participant whether they are in the first group.
    """

    columns: tuple[tuple[str, str], ...]
    column: str
    values: tuple[str, ...]
    first: str
    second: str
    chosen: tuple[str, str] = ("", "")
    at: float | None = None
    side: Mapping[int, bool] = field(default_factory=dict)


def groups_of(participants: Sequence[Participant], asked: GroupsAsked, *, leads: bool) -> Groups:
    """The two groups among these participants; who has no value in the column is in neither. Backgrounds are
    for those who lead the interviews: others compare audiences. Raises UnknownGroupError.
    """
    columns = _columns(participants) if leads else _columns([])
    if asked.column not in dict(columns):
        raise UnknownGroupError(asked.column)
    read = _reader(asked.column)
    texts = {one.pk: " ".join(read(one).split()) for one in participants}
    texts = {one: text for one, text in texts.items() if text}
    numbers = _numbers(texts) if asked.column != AUDIENCE else {}
    if numbers:
        return _divided(columns, asked, numbers)
    if asked.column == AUDIENCE:
        in_order = sorted(participants, key=lambda one: (one.audience.position, one.audience.pk))
        values = tuple(dict.fromkeys(one.audience.name for one in in_order))
        return _named(columns, asked, values, texts)
    spelled: dict[str, str] = {}
    for text in texts.values():
        spelled.setdefault(text.casefold(), text)
    known = {one: spelled[text.casefold()] for one, text in texts.items()}
    given = list(known.values())
    return _named(columns, asked, tuple(sorted(set(given), key=lambda one: (-given.count(one), one))), known)


def _columns(participants: Sequence[Participant]) -> tuple[tuple[str, str], ...]:
    """The audience, and other columns with two values or more."""
    names = {
        "experience": _("Experience"),
        "role": _("Role"),
        "context": _("Frameworks"),
        **{f"{ATTRIBUTE}{name}": str(name) for one in participants for name in one.attributes},
    }
    return (
        (AUDIENCE, _("Audience")),
        *(
            (key, name)
            for key, name in names.items()
            if len({_reader(key)(one).strip().casefold() for one in participants} - {""}) > 1
        ),
    )


def _reader(column: str) -> Callable[[Participant], str]:
    if column == AUDIENCE:
        return lambda one: one.audience.name
    if column.startswith(ATTRIBUTE):
        return lambda one: str(one.attributes.get(column.removeprefix(ATTRIBUTE), ""))
    return lambda one: str(getattr(one, column))


def _number(text: str) -> float | None:
    found = _NUMBER.match(text)
    return float(found[1].replace(",", ".")) if found else None


def _numbers(texts: Mapping[int, str]) -> dict[int, float]:
    """The numbers of a column; {} unless each text begins with one. Where "8 months" stands beside "3 years",
    all are years.
    """
    found: dict[int, float] = {}
    parts: dict[int, float] = {}
    for one, text in texts.items():
        match = _NUMBER.match(text)
        if match is None:
            return {}
        found[one] = float(match[1].replace(",", "."))
        rest = text[match.end() :]
        parts[one] = next((of_a_year for of_a_year, unit in _UNITS if unit.match(rest)), 1.0)
    if len(set(parts.values())) == 1:
        return found
    return {one: number / parts[one] for one, number in found.items()}


def _divided(
    columns: tuple[tuple[str, str], ...], asked: GroupsAsked, numbers: Mapping[int, float]
) -> Groups:
    if asked.first or asked.second:
        raise UnknownGroupError(asked.first, asked.second)
    found = list(numbers.values())

    def imbalance(at: float) -> int:
        return abs(2 * sum(number < at for number in found) - len(found))

    at = asked.at if asked.at is not None else min(sorted(set(found)), key=imbalance)
    names = {"number": f"{at:.3g}" if at < 1 else f"{at:g}"}
    return Groups(
        columns=columns,
        column=asked.column,
        values=(),
        first=_("below %(number)s") % names,
        second=_("%(number)s or more") % names,
        at=at,
        side={one: number < at for one, number in numbers.items()},
    )


def _named(
    columns: tuple[tuple[str, str], ...],
    asked: GroupsAsked,
    values: tuple[str, ...],
    known: Mapping[int, str],
) -> Groups:
    if {asked.first, asked.second} - {None, OTHERS, *values} or asked.at is not None:
        raise UnknownGroupError(asked.first, asked.second, asked.at)
    first = asked.first or next((one for one in values if one != asked.second), OTHERS)
    second = (
        asked.second if asked.second is not None else next((one for one in values if one != first), OTHERS)
    )
    second = OTHERS if second == first else second
    return Groups(
        columns=columns,
        column=asked.column,
        values=values,
        first=first,
        second=second or _("all others"),
        chosen=(first, second),
        side={
            one: value == first for one, value in known.items() if value == first or second in {OTHERS, value}
        },
    )
