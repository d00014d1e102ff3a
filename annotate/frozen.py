"""An agreement report to keep: its JSON, what it was made of, and how the numbers of now differ."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotate.exports import labels_csv
from annotate.models import FrozenReport, Round
from annotate.package import BY
from annotate.queries.withheld import NOTHING, Held
from annotate.reports import LEVELS, AgreementReport, agreement_report
from taxonomy.queries import codebook

COUNTS = ("issues", "raters", "labels")
UNFINISHED = ("incomplete_issues", "labels_of_incomplete_issues", "surplus_labels")
"""What a report leaves out because the round goes on: no number rests on it, so it makes no difference."""
Key = tuple[str, str, str]


def levels_of(round_: Round, held: Held = NOTHING) -> dict[str, AgreementReport]:
    """The report of now at every level at which the taxonomy has categories, by the level's name.

    It is of this round alone: what a screening excluded stands in the report of who may see that.
    """
    book = codebook(round_.version_id)
    return {
        name: agreement_report(round_, level=level, by=BY, held=held)
        for name, level in LEVELS.items()
        if book.at_level(level)
    }


def inputs_hash(round_: Round) -> str:
    """SHA-256 of the file labels_long.csv of now: what every number is made of but the drift check.

    It is the file that the replication package and REST give, a row per revealed label in the order of the
    round and of its columns, with the standing decision: `sha256sum` recomputes it. Streamed.
    """
    digest = hashlib.sha256()
    for chunk in labels_csv(round_, layout="long"):
        digest.update(chunk)
    return digest.hexdigest()


def as_text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2) + "\n"


# --- then and now


@dataclass(frozen=True)
class Change:
    """One number of a level that is another one now; None where there is none, or it is undefined.

    `part` is one of groups, left-out, categories, volunteers, decided, splits, intra-rater; `of` says which
    group ("all", "type C"), category, volunteer or split; `name` which number of it.
    """

    part: str
    of: str
    name: str
    then: float | None
    now: float | None

    @property
    def change(self) -> float | None:
        return None if self.then is None or self.now is None else self.now - self.then

    def as_dict(self) -> dict[str, Any]:
        """As in the JSON of REST."""
        return {
            "part": self.part,
            "of": self.of,
            "name": self.name,
            "then": self.then,
            "now": self.now,
            "change": self.change,
        }


@dataclass(frozen=True)
class Difference:
    """What is other now than in a frozen report: by level, only what changed.

    `issues_added` came to be complete and revealed since; none can leave again.
    """

    as_of: datetime
    issues_added: int
    levels: dict[str, tuple[Change, ...]]

    @property
    def count(self) -> int:
        return sum(map(len, self.levels.values()))


def difference(frozen: FrozenReport) -> Difference:
    """The numbers of now beside a frozen report, for who has nothing held back: a report for each level."""
    then, now = json.loads(frozen.document)["levels"], levels_of(frozen.round)
    newest = next(iter(now.values()))
    return Difference(
        as_of=newest.as_of,
        issues_added=newest.complete - frozen.issues,
        levels={name: changes(then[name], now[name].as_dict(issues=False)) for name in then if name in now},
    )


def changes(then: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[Change, ...]:
    """The numbers of one level's report (the JSON of `AgreementReport`) that are not the same in another one.

    A number that no report of then had, since Crosscheck did not compute it, is no change; nor is the last
    digit of a sum that was added up in another order.
    """
    old, new = dict(_numbers(then)), dict(_numbers(now))
    parts = {part for part, _of, _name in old}
    known = {(part, name) for part, _of, name in old}
    found = []
    for key in {**old, **new}:
        part, of, name = key
        is_new_to_us = part in parts and part != "left-out" and (part, name) not in known
        if not is_new_to_us and not _same(old.get(key), new.get(key)):
            found.append(Change(part, of, name, old.get(key), new.get(key)))
    return tuple(found)


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def group_name(key: Mapping[str, str]) -> str:
    """The name of a group in files: "all", "type C"."""
    return ", ".join(f"{name} {value}" for name, value in key.items()) or "all"


def _numbers(report: Mapping[str, Any]) -> Iterator[tuple[Key, float | None]]:
    """Every number of a report with its part, what it is of, and its name; intervals follow from the labels
    as the values do, and are not looked at, nor are groupings that a frozen report has not, such as by round.
    """
    for group in report["groups"]:
        if tuple(group["group"]) in ((), *BY):
            yield from _group(group)
    for one in report["groups"][0]["categories"]:
        yield ("categories", one["code"], "labels"), one["labels"]
        yield ("categories", one["code"], "kappa"), one["kappa"]
    for one in report["volunteers"]:
        yield from _volunteer(one)
    for one in report["distribution"]:
        yield ("decided", one["code"], "issues"), one["issues"]
    for one in report["splits"]:
        yield ("splits", ":".join(map(str, one["sizes"])), "issues"), one["issues"]
    twice = report["intra_rater"]
    for one in (twice["pooled"], *twice["volunteers"]) if twice else ():
        of = one.get("volunteer", "all")
        yield ("intra-rater", of, "issues"), one["issues"]
        for name in ("percent_agreement", "cohen_kappa"):
            yield ("intra-rater", of, name), one[name]["value"]


def _group(group: Mapping[str, Any]) -> Iterator[tuple[Key, float | None]]:
    of = group_name(group["group"])
    for name in COUNTS:
        yield ("groups", of, name), group[name]
    for name, found in group["coefficients"].items():
        yield ("groups", of, name), found["value"]
    for name, number in group["left_out"].items():
        if name not in UNFINISHED:
            yield ("left-out", of, name), number


def _volunteer(one: Mapping[str, Any]) -> Iterator[tuple[Key, float | None]]:
    of = one["volunteer"]
    for name in ("labels", "alone", "others_agree", "effect"):
        yield ("volunteers", of, name), one[name]
    for name in ("agreement", "mean_kappa", "without"):
        yield ("volunteers", of, name), one[name]["value"]
    for name in ("issues", "percent_agreement", "cohen_kappa"):
        yield ("volunteers", of, f"decision_{name}"), one["decision"][name]
