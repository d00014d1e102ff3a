"""The agreement of a round's labels at one level of the taxonomy."""

from dataclasses import replace
from functools import lru_cache
from types import EllipsisType

import numpy as np
from numpy.typing import NDArray

from agreement import MISSING, Agreement, Patterns, report
from reports.queries.label_tuples import Tuples
from taxonomy.models import Level
from taxonomy.queries.codebooks import Codebook


def agreement_of(found: Tuples, book: Codebook, level: Level) -> Agreement:
    """The agreement at one level over all issues of these tuples; cached until the labels change."""
    compute = _agreement_of if found.edition else _agreement_of.__wrapped__
    return compute(found, book, level)


@lru_cache(maxsize=64)
def _agreement_of(found: Tuples, book: Codebook, level: Level) -> Agreement:
    codes = [state.code for state in book.at_level(level)]
    q = choosable_at(found, level)
    return agreement_within(found, places_at(book, level), codes, found.left_out, q=q)


def places_at(book: Codebook, level: Level) -> NDArray[np.int32]:
    """For each category of the codebook the place of its ancestor among the categories at `level`, or -1."""
    target = {state.category_id: place for place, state in enumerate(book.at_level(level))}
    ancestors = book.rolled_up(level)
    return np.array(
        [target.get(ancestors.get(state.category_id, 0), MISSING) for state in book.states], dtype=np.int32
    )


def choosable_at(found: Tuples, level: Level) -> int | None:
    """q: how many categories of the level these labels could be; None for all of the codebook."""
    if found.choosable is None:
        return None
    return sum(state.level == level for state in found.choosable.values())


def agreement_within(
    found: Tuples,
    rolled: NDArray[np.int32],
    codes: list[str],
    left_out: dict[str, int],
    chosen: NDArray[np.bool_] | EllipsisType = ...,
    *,
    q: int | None = None,
) -> Agreement:
    """The agreement of the `chosen` rows of these tuples, all by default; `rolled` are places in `codes`, of
    which the labels could be `q` (`choosable_at`).
    """
    part = Patterns(found.codes[chosen], found.counts[chosen], len(rolled)).relabel(rolled, len(codes))
    if part.left_out:
        left_out = left_out | {"labels_above_the_level": part.left_out}
    return report(
        replace(part.patterns, choosable=q),
        codes,
        columns_are_raters=bool(found.columns),
        raters=None if found.columns else found.raters,
        left_out=left_out,
    )
