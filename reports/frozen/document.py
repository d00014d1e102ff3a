"""A frozen agreement report: its JSON, the hash of its labels, its difference from the current numbers."""

import hashlib
import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from consensus.models import Decision
from reports.agreement_report import BY, LEVELS, AgreementReport, agreement_report
from reports.exports import labels_csv
from reports.formats.json_report import report_as_dict
from reports.frozen.figures import Figure, KeyedFigures
from reports.models import FrozenReport
from reports.sections.registry import JSON_PARTS
from rounds.models import Round
from rounds.queries.coached import NOTHING, coached_issues
from taxonomy.queries.codebooks import codebook


def levels_of(round_: Round, *, without_coached: bool = False) -> dict[str, AgreementReport]:
    """The current report at every level with categories, by the level's name; `without_coached` leaves out
    the issues that volunteers were coached on.

    It reads this round alone: false positives of a screening are only for readers who may see them.
    """
    book = codebook(round_.version_id)
    return {
        name: agreement_report(round_, level=level, by=BY, without_coached=without_coached)
        for name, level in LEVELS.items()
        if book.at_level(level)
    }


def inputs_hash(round_: Round, *, without_coached: bool = False) -> str:
    """SHA-256 of the current labels_long.csv, the source of every number except the drift check. Streamed.

    The replication package and REST give the same file, with and without coached issues, so `sha256sum`
    recomputes the hash. It has a row per revealed label in the order of the round and of its columns, with
    the current decision.
    """
    digest = hashlib.sha256()
    blind = coached_issues(round_) if without_coached else NOTHING
    for chunk in labels_csv(round_, layout="long", blind=blind):
        digest.update(chunk)
    return digest.hexdigest()


def as_text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2) + "\n"


# --- then and now

OF_LABELS = frozenset(
    {
        "groups", "categories", "decided", "over-time", "over-time-test", "splits", "pairs", "confusion",
        "against-decision", "volunteers", "benchmark", "intervals",
    }
)  # fmt: skip
"""The parts of a report that follow from labels_long.csv alone. Others also count second labels, labels of
models, years, weights of the study, and what is left out.
"""


@dataclass(frozen=True)
class NumberChange:
    """A number of one level that changed, or whose interval changed; a missing or undefined number is None.

    `part`, `of` and `name` are those of reports.frozen.figures: ("groups", "type C", "fleiss_kappa").
    """

    part: str
    of: str
    name: str
    then: float | None
    now: float | None
    then_interval: tuple[float, float] | None = None
    now_interval: tuple[float, float] | None = None

    @property
    def change(self) -> float | None:
        return None if self.then is None or self.now is None else self.now - self.then

    def as_dict(self) -> dict[str, Any]:
        """As in the JSON of REST."""
        return asdict(self) | {"change": self.change}


@dataclass(frozen=True)
class Difference:
    """The changes since a frozen report, by level.

    `issues_added` became complete and revealed since then; no issue can leave again. `altered`: see
    `is_altered`.
    """

    as_of: datetime
    issues_added: int
    altered: bool
    levels: dict[str, tuple[NumberChange, ...]]

    @property
    def count(self) -> int:
        return sum(map(len, self.levels.values()))


def difference(frozen: FrozenReport) -> Difference:
    """Compare the current numbers with a frozen report, for a reader without withheld issues."""
    then = json.loads(frozen.document)["levels"]
    now = levels_of(frozen.round, without_coached=frozen.without_coached)
    newest = next(iter(now.values()))
    levels = {name: changes(then[name], report_as_dict(now[name])) for name in then if name in now}
    return Difference(
        as_of=newest.as_of,
        issues_added=newest.complete - frozen.issues,
        altered=is_altered(frozen, [one for found in levels.values() for one in found], newest.complete),
        levels=levels,
    )


def is_altered(frozen: FrozenReport, changed: Iterable[NumberChange], complete: int) -> bool:
    """Did numbers change that follow from labels and decisions alone, although all of these are the same as
    then? Then somebody changed the stored report, or this Crosscheck computes these numbers in another way.

    `complete`: the issues that are complete and revealed now. One query at most, and the labels are read only
    if there is no newer issue or decision.
    """
    if complete != frozen.issues or not any(one.part in OF_LABELS for one in changed):
        return False
    newer = Q(decided_at__gt=frozen.frozen_at) | Q(superseded_at__gt=frozen.frozen_at)
    if Decision.objects.filter(newer, round=frozen.round_id).exists():
        return False
    return inputs_hash(frozen.round, without_coached=frozen.without_coached) == frozen.inputs_hash


def changes(then: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[NumberChange, ...]:
    """The numbers that differ between two reports of one level, given as JSON.

    Three differences are no change: a number that Crosscheck did not compute at the time, the last digit of a
    sum in another order, and a count of 0 against a missing count.
    """
    within = set(then) & set(now)
    old, new = dict(figures(then, within)), dict(figures(now, within))
    parts, known = {key.part for key in old}, {(key.part, key.name) for key in old}
    order = list(dict.fromkeys(key.part for key in (*new, *old)))
    found = []
    for key in sorted({**old, **new}, key=lambda key: order.index(key.part)):
        is_new_to_us = key.part in parts and key.part != "left-out" and (key.part, key.name) not in known
        before, after = old.get(key, Figure(None)), new.get(key, Figure(None))
        is_nothing = (key not in old and after.value == 0) or (key not in new and before.value == 0)
        if not is_new_to_us and not is_nothing and not _same(before, after):
            found.append(NumberChange(*key, before.value, after.value, before.interval, after.interval))
    return tuple(found)


def figures(report: Mapping[str, Any], within: Collection[str]) -> KeyedFigures:
    """Every number of one level's report under the JSON keys in `within`."""
    for part in JSON_PARTS:
        if part.key in within and report.get(part.key) is not None:
            yield from part.figures(report[part.key])


def _same(one: Figure, other: Figure) -> bool:
    """Whether values and intervals are equal; a missing interval, as in older reports, is no difference."""
    if not _equal(one.value, other.value):
        return False
    return all(map(_equal, one.interval or (), other.interval or ()))


def _equal(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
