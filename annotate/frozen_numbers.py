"""Every number of an agreement report by what it is of, so that two reports can be held beside each other."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from annotate.package import BY

COUNTS = ("issues", "raters", "labels")
UNFINISHED = ("incomplete_issues", "labels_of_incomplete_issues", "surplus_labels")
"""What a report leaves out because the round goes on: no number rests on it, so it makes no difference."""


class Key(NamedTuple):
    """`part` of the report, `of` what in it ("all", "type C", a code, a name), and `name` which number."""

    part: str
    of: str
    name: str


class Figure(NamedTuple):
    """A number, None where it is undefined, with its interval: (low, high), or None where it has none."""

    value: float | None
    interval: tuple[float, float] | None = None


Found = Iterator[tuple[Key, Figure]]


def group_name(key: Mapping[str, str]) -> str:
    """The name of a group in files: "all", "type C"."""
    return ", ".join(f"{name} {value}" for name, value in key.items()) or "all"


def numbers(report: Mapping[str, Any], within: Collection[str]) -> Found:
    """Every number of one level's report (the JSON of `AgreementReport`), of those parts that are `within`.

    Groupings that a frozen report has not, such as by round, are not looked at.
    """
    parts: dict[str, Callable[[Any], Found]] = {
        "groups": _groups,
        "issues": _issues,
        "distribution": _distribution,
        "over_time": _over_time,
        "splits": _splits,
        "pairs": _pairs,
        "confusion": _confusion,
        "against_decision": _against_decision,
        "volunteers": _volunteers,
        "models": _models,
        "intra_rater": _intra_rater,
    }
    for name, read in parts.items():
        if name in within and report.get(name) is not None:
            yield from read(report[name])


def _plain(part: str, of: str, one: Mapping[str, Any], *names: str) -> Found:
    for name in names:
        yield Key(part, of, name), Figure(one[name])


def _estimate(part: str, of: str, name: str, found: Mapping[str, Any], value: str = "value") -> Found:
    low, high = found.get("low"), found.get("high")
    interval = None if low is None or high is None else (low, high)
    yield Key(part, of, name), Figure(found[value], interval)


def _groups(groups: list[dict[str, Any]]) -> Found:
    for group in groups:
        if tuple(group["group"]) not in ((), *BY):
            continue
        of = group_name(group["group"])
        yield from _plain("groups", of, group, *COUNTS)
        for name, found in group["coefficients"].items():
            yield from _estimate("groups", of, name, found)
        for name, number in group["left_out"].items():
            if name not in UNFINISHED:
                yield Key("left-out", of, name), Figure(number)
    for one in groups[0]["categories"]:
        yield from _plain("categories", one["code"], one, "labels")
        yield from _estimate("categories", one["code"], "kappa", one, "kappa")


def _issues(lines: list[dict[str, Any]]) -> Found:
    for line in lines:
        of = line["repository"]
        yield from _plain("issues", of, line, "issues", "undecided")
        for what in ("years", "types"):
            for key, number in line[what].items():
                yield Key(what, f"{of}, {key}", "issues"), Figure(number)


def _distribution(found: list[dict[str, Any]]) -> Found:
    for one in found:
        yield from _plain("decided", one["code"], one, "issues", "share")


def _over_time(found: dict[str, Any]) -> Found:
    for month in found["months"]:
        yield from _plain("over-time", month["month"], month, "issues", "labels")
        for code, one in month["categories"].items():
            yield from _plain("over-time", f"{month['month']}, {code}", one, "labels", "decided")
    for name, number in found["change"].items():
        if name != "reason":
            yield Key("over-time-test", "all", name), Figure(number)


def _splits(found: list[dict[str, Any]]) -> Found:
    for one in found:
        yield from _plain("splits", ":".join(map(str, one["sizes"])), one, "issues", "share")


def _pairs(found: list[dict[str, Any]]) -> Found:
    for one in found:
        of = f"{one['first']}, {one['second']}"
        yield from _plain("pairs", of, one, "issues", "percent_agreement", "cohen_kappa")


def _confusion(found: list[dict[str, Any]]) -> Found:
    for one in found:
        yield from _plain("confusion", f"{one['first']}, {one['second']}", one, "issues")


def _against_decision(found: list[dict[str, Any]]) -> Found:
    for one in found:
        yield from _plain("against-decision", f"{one['label']}, {one['decision']}", one, "labels")


def _volunteers(found: list[dict[str, Any]]) -> Found:
    for one in found:
        of = one["volunteer"]
        yield from _plain("volunteers", of, one, "labels", "alone", "others_agree", "effect")
        for name in ("agreement", "mean_kappa", "without"):
            yield from _estimate("volunteers", of, name, one[name])
        yield from _decision("volunteers", of, one["decision"])


def _models(found: list[dict[str, Any]]) -> Found:
    for one in found:
        of = one["model"]
        yield from _plain("models", of, one, "labels", "compared")
        for name in ("agreement", "mean_kappa"):
            yield from _estimate("models", of, name, one[name])
        for name, number in one["volunteers"].items():
            yield from _estimate("models", of, f"volunteers_{name}", number)
        yield from _decision("models", of, one["decision"])


def _decision(part: str, of: str, found: Mapping[str, Any]) -> Found:
    for name in ("issues", "percent_agreement", "cohen_kappa"):
        yield Key(part, of, f"decision_{name}"), Figure(found[name])


def _intra_rater(twice: dict[str, Any]) -> Found:
    for one in (twice["pooled"], *twice["volunteers"]):
        of = one.get("volunteer", "all")
        yield from _plain("intra-rater", of, one, "issues")
        for name in ("percent_agreement", "cohen_kappa"):
            yield from _estimate("intra-rater", of, name, one[name])
