"""An agreement report to keep: its JSON, what it was made of, and how the numbers of now differ."""

import hashlib
import json
import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from reports.agreement_report import BY, LEVELS, AgreementReport, agreement_report
from reports.exports import labels_csv
from reports.formats.json_report import report_as_dict
from reports.frozen.figures import Figure, KeyedFigures
from reports.models import FrozenReport
from reports.sections.registry import JSON_PARTS
from rounds.models import Round
from rounds.queries.blindness import NOTHING, WithheldIssues
from taxonomy.queries.codebooks import codebook


def levels_of(round_: Round, blind: WithheldIssues = NOTHING) -> dict[str, AgreementReport]:
    """The report of now at every level at which the taxonomy has categories, by the level's name.

    It is of this round alone: what a screening excluded stands in the report of who may see that.
    """
    book = codebook(round_.version_id)
    return {
        name: agreement_report(round_, level=level, by=BY, blind=blind)
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
class NumberChange:
    """One number of a level that is another one now, or has another interval; None where there is none, or it
    is undefined.

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
    """What is other now than in a frozen report: by level, only what changed.

    `issues_added` came to be complete and revealed since; none can leave again.
    """

    as_of: datetime
    issues_added: int
    levels: dict[str, tuple[NumberChange, ...]]

    @property
    def count(self) -> int:
        return sum(map(len, self.levels.values()))


def difference(frozen: FrozenReport) -> Difference:
    """The current numbers compared with a frozen report, for a reader from whom nothing is withheld."""
    then, now = json.loads(frozen.document)["levels"], levels_of(frozen.round)
    newest = next(iter(now.values()))
    return Difference(
        as_of=newest.as_of,
        issues_added=newest.complete - frozen.issues,
        levels={name: changes(then[name], report_as_dict(now[name])) for name in then if name in now},
    )


def changes(then: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[NumberChange, ...]:
    """The numbers of one level's report, its JSON, that are not the same in another one.

    A number that no report of then had, since Crosscheck did not compute it, is no change; nor is the last
    digit of a sum that was added up in another order, nor a count of 0 of what was not there.
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
    """Every number of one level's report, of those keys of its JSON that are `within`."""
    for part in JSON_PARTS:
        if part.key in within and report.get(part.key) is not None:
            yield from part.figures(report[part.key])


def _same(one: Figure, other: Figure) -> bool:
    """An interval that one of the two lacks, as reports of an earlier Crosscheck may, is no difference."""
    if not _equal(one.value, other.value):
        return False
    return all(map(_equal, one.interval or (), other.interval or ()))


def _equal(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
