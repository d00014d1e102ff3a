"""How probable each category is for the issues of a round, beside the decision and never instead of it.

Two models of erring raters read the labels of complete, revealed issues: Dawid–Skene and MACE. Nothing is
stored: the numbers are computed of the distinct label tuples, and cached by these tuples, so no number can
be older than its labels (docs/decisions/0048).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from django.db import connection
from django.utils.functional import cached_property
from numpy.typing import NDArray

from agreement import MISSING, Patterns
from agreement.latent.dawid_skene import dawid_skene
from agreement.latent.mace import mace
from agreement.latent.posterior import Posterior
from rounds.models import Round, RoundVolunteer
from rounds.queries.blindness import NOTHING, WithheldIssues, seen_sql
from rounds.queries.categories import categories_of
from rounds.queries.rounds import reveals_complete_issues
from taxonomy.models import CategoryState, Level

MODELS = ("dawid_skene", "mace")

# Issues that were in a second look have labels that are not independent, so they are left out.
_COUNTED = """
    FROM rounds_roundissue c
    WHERE c.round_id = %(round)s AND c.completed_at IS NOT NULL AND c.first_revealed_at IS NULL
      AND c.labels <> '' AND {seen}
"""
_TUPLES = f"SELECT c.labels, c.whose, c.decided, count(*) {_COUNTED} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
_OF_ISSUES = f"SELECT c.issue_id, c.labels, c.whose, c.decided {_COUNTED} AND c.issue_id = ANY(%(issues)s)"
_BY_URL = f"""
    SELECT i.url, c.labels, c.whose, c.decided
    {_COUNTED.replace("WHERE", "JOIN ingest_issue i ON i.id = c.issue_id WHERE", 1)}
    ORDER BY c.position
"""
_ISSUES = f"""
    SELECT coalesce(string_agg(c.issue_id::text, ','), '')
    {_COUNTED} AND (c.labels, c.whose, c.decided) IN (
        SELECT * FROM unnest(%(labels)s::text[], %(whose)s::text[], %(decided)s::bigint[])
    )
"""

Key = tuple[str, str, int]
"""The labels of an issue, whose they are, and the decision, as on RoundIssue."""


class Probable(NamedTuple):
    """The most probable category of an issue by one model, and the probabilities of it and of the decision;
    `of_decision` is None without a decision at the level."""

    state: CategoryState
    probability: float
    of_decision: float | None


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Both models of the issues of a round at a level, without the issues withheld from a reader.

    `keys` [P] are the distinct label tuples, `decided` [P] the place of each decision among `states`, -1 for
    none or one above the level, and `patterns` has a column for each volunteer of `members`.
    """

    keys: tuple[Key, ...]
    patterns: Patterns
    decided: NDArray[np.int64]
    states: tuple[CategoryState, ...]
    members: tuple[int, ...]
    names: tuple[str, ...]
    models: MappingProxyType[str, Posterior]

    @cached_property
    def _rows(self) -> dict[Key, int]:
        return {key: row for row, key in enumerate(self.keys)}

    def of(self, key: Key) -> dict[str, Probable] | None:
        """By model, the most probable category of an issue; None if it does not count, or has no label at the
        level.
        """
        row = self._rows.get(key)
        if row is None:
            return None
        found = {}
        for name, model in self.models.items():
            likely = int(model.likely[row])
            if likely == MISSING:
                return None
            decision = int(self.decided[row])
            of_decision = None if decision == MISSING else _at(model, row, decision)
            found[name] = Probable(self.states[likely], _at(model, row, likely), of_decision)
        return found

    def apart(self, model: str) -> list[Key]:
        """The tuples for which the model finds another category more probable than the decision."""
        differs = self.models[model].differs(self.decided)
        return [self.keys[row] for row in np.flatnonzero(differs).tolist()]


def _at(model: Posterior, row: int, category: int) -> float:
    at = np.flatnonzero(model.categories == category)
    return float(model.probabilities[row, at[0]]) if len(at) else 0.0


def posteriors(round_: Round, level: int, blind: WithheldIssues = NOTHING) -> Posteriors:
    """Fit both models to the labels of the complete, revealed issues that are not `blind`. Two queries.

    A label counts as its ancestor at the level; one above the level is left out. About half a second for
    270,000 labels, and a tenth if this process has fitted the same tuples before.
    """
    seen, kept = seen_sql(blind, "c.issue_id")
    rows: list[tuple[str, str, int, int]] = []
    if reveals_complete_issues(round_):
        with connection.cursor() as cursor:
            cursor.execute(_TUPLES.format(seen=seen), {"round": round_.pk, **kept})
            rows = cursor.fetchall()
    seats = RoundVolunteer.objects.filter(round=round_).order_by("column")
    people = dict(seats.values_list("member", "member__pseudonym"))
    book = categories_of(round_.version_id)
    states = tuple(book.at_level(Level(level)))
    target = {state.category_id: place for place, state in enumerate(states)}
    above = book.rolled_up(Level(level))
    places = {category: target.get(ancestor or 0, MISSING) for category, ancestor in above.items()}
    columns = {member: column for column, member in enumerate(people)}
    codes = np.full((len(rows), len(columns)), MISSING, dtype=np.int32)
    for row, (labels, whose, _decided, _count) in enumerate(rows):
        at = [columns[int(member)] for member in whose.split()]
        codes[row, at] = [places.get(int(label), MISSING) for label in labels.split()]
    counts = np.array([count for *_key, count in rows], dtype=np.int64)
    fitted = _fitted(codes.tobytes(), counts.tobytes(), len(columns), len(states))
    return Posteriors(
        keys=tuple((labels, whose, decided) for labels, whose, decided, _count in rows),
        patterns=Patterns(codes, counts, len(states)),
        decided=np.array(
            [places.get(decided, MISSING) for *_labels, decided, _count in rows], dtype=np.int64
        ),
        states=states,
        members=tuple(people),
        names=tuple(people.values()),
        models=MappingProxyType(dict(zip(MODELS, fitted, strict=True))),
    )


@lru_cache(maxsize=8)
def _fitted(codes: bytes, counts: bytes, columns: int, categories: int) -> tuple[Posterior, Posterior]:
    """Both models of these tuples, which are the key of the cache: other labels are another key."""
    number = np.frombuffer(counts, dtype=np.int64)
    table = np.frombuffer(codes, dtype=np.int32).reshape(len(number), columns)
    patterns = Patterns(table, number, categories)
    return dawid_skene(patterns), mace(patterns)


def probable_by_url(
    round_: Round, found: Posteriors, blind: WithheldIssues = NOTHING
) -> Iterator[tuple[str, dict[str, Probable]]]:
    """The address of each issue that counts, in the order of the round, with what each model finds. `found`
    is of the same round and `blind` issues. One query, read piece by piece.
    """
    seen, kept = seen_sql(blind, "c.issue_id")
    with connection.chunked_cursor() as cursor:
        cursor.execute(_BY_URL.format(seen=seen), {"round": round_.pk, **kept})
        while rows := cursor.fetchmany(2000):
            for url, *key in rows:
                if one := found.of((key[0], key[1], key[2])):
                    yield url, one


def issues_apart(round_: Round, model: str, blind: WithheldIssues = NOTHING) -> str:
    """The issues for which the model finds another category more probable than the decision, at the depth of
    the round, as the text of an array of ids. Three queries.
    """
    keys = posteriors(round_, round_.depth, blind).apart(model)
    seen, kept = seen_sql(blind, "c.issue_id")
    labels, whose, decided = (list(part) for part in zip(*keys, strict=True)) if keys else ([], [], [])
    given: dict[str, Any] = {"round": round_.pk, "labels": labels, "whose": whose, "decided": decided, **kept}
    with connection.cursor() as cursor:
        cursor.execute(_ISSUES.format(seen=seen), given)
        (ids,) = cursor.fetchone()
    return f"{{{ids}}}"


def probable_of(
    round_: Round, issues: Iterable[int], blind: WithheldIssues = NOTHING
) -> dict[int, dict[str, Probable]]:
    """By issue and model, the most probable category at the depth of the round; issues that do not count are
    left out. Three queries.
    """
    found = posteriors(round_, round_.depth, blind)
    seen, kept = seen_sql(blind, "c.issue_id")
    with connection.cursor() as cursor:
        cursor.execute(_OF_ISSUES.format(seen=seen), {"round": round_.pk, "issues": list(issues), **kept})
        rows = cursor.fetchall()
    told = {issue: found.of((labels, whose, decided)) for issue, labels, whose, decided in rows}
    return {issue: one for issue, one in told.items() if one}
