"""The numbers of a report, each with a key, so that two reports can be compared."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple


class FigureKey(NamedTuple):
    """The `part` of the report, its element `of` ("all", "type C", a code, a name), the number's `name`."""

    part: str
    of: str
    name: str


class Figure(NamedTuple):
    """A number, None if undefined, with its interval (low, high), or None without an interval."""

    value: float | None
    interval: tuple[float, float] | None = None


KeyedFigures = Iterator[tuple[FigureKey, Figure]]


def group_name(key: Mapping[str, str]) -> str:
    """The name of a group in files: "all", "type C"."""
    return ", ".join(f"{name} {value}" for name, value in key.items()) or "all"


def plain(part: str, of: str, one: Mapping[str, Any], *names: str) -> KeyedFigures:
    """Numbers without an interval, without those that an older report lacks."""
    return ((FigureKey(part, of, name), Figure(one[name])) for name in names if name in one)


def listed(
    part: str, *names: str, of: Callable[[Mapping[str, Any]], str]
) -> Callable[[Iterable[Mapping[str, Any]]], KeyedFigures]:
    """The figures of a list in the JSON: the numbers `names` of each element; `of` names the element."""
    return lambda found: (figure for one in found for figure in plain(part, of(one), one, *names))


def estimate(
    part: str, of: str, name: str, found: Mapping[str, Any], value: str = "value"
) -> tuple[FigureKey, Figure]:
    """A number with its interval."""
    low, high = found.get("low"), found.get("high")
    interval = None if low is None or high is None else (low, high)
    return FigureKey(part, of, name), Figure(found[value], interval)


def decision_figures(part: str, of: str, found: Mapping[str, Any]) -> KeyedFigures:
    """The figures of a rater's agreement with the decisions."""
    for name in ("issues", "percent_agreement", "cohen_kappa"):
        yield FigureKey(part, of, f"decision_{name}"), Figure(found[name])
