"""The input of all statistics: distinct label tuples, each with its number of issues."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

MISSING = -1


@dataclass(frozen=True, eq=False)
class Patterns:
    """Label tuples of a set of issues.

    `codes` [P, R]: row p has one category index (0 to `categories` - 1) per column, or -1 where that
    column has no label. A column is a rater, or a slot if the raters change from issue to issue.
    `counts` [P]: how many issues have exactly row p. Rows may repeat; `merged()` makes them distinct.
    `categories` is the size of the codebook at this level, used or not. `choosable` is q, how many of these
    the raters could choose, and others that are in no label: all `categories` by default.
    Raises ValueError where shapes or ranges disagree.
    """

    codes: Codes
    counts: Ints
    categories: int
    choosable: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", _whole_numbers(self.codes, np.int32))
        object.__setattr__(self, "counts", _whole_numbers(self.counts, np.int64))
        if self.codes.ndim != 2 or self.counts.shape != self.codes.shape[:1]:
            msg = f"codes {self.codes.shape} and counts {self.counts.shape} are not [P, R] and [P]"
            raise ValueError(msg)
        if self.codes.size and not MISSING <= self.codes.min() <= self.codes.max() < self.categories:
            msg = f"category indexes must be -1 (missing) to {self.categories - 1}"
            raise ValueError(msg)
        if self.counts.size and self.counts.min() < 0:
            raise ValueError("a pattern cannot have a negative number of issues")

    @property
    def q(self) -> int:
        return self.categories if self.choosable is None else self.choosable

    @property
    def columns(self) -> int:
        """R: raters or slots, with labels or without."""
        return int(self.codes.shape[1])

    @property
    def labels(self) -> int:
        return int(((self.codes != MISSING).sum(axis=1, dtype=np.int64) * self.counts).sum())

    @property
    def raters(self) -> int:
        """Columns with at least one label."""
        return int((self.codes[self.counts > 0] != MISSING).any(axis=0).sum())

    def merged(self) -> Self:
        """The same issues with equal rows added up, in lexicographic order, unlabelled issues dropped."""
        keep = (self.counts > 0) & (self.codes != MISSING).any(axis=1)
        codes, counts = self.codes[keep], self.counts[keep]
        if not len(codes):
            return replace(self, codes=codes, counts=counts)
        keys = _sort_keys(codes, self.categories + 1)
        order = np.lexsort(keys[::-1])
        differs = np.zeros(len(codes), dtype=np.bool_)
        differs[0] = True
        for key in keys:
            in_order = key[order]
            differs[1:] |= in_order[1:] != in_order[:-1]
        starts = np.flatnonzero(differs)
        return replace(self, codes=codes[order[starts]], counts=np.add.reduceat(counts[order], starts))

    def as_counts(self) -> Self:
        """The same issues with each row sorted: labels without their raters."""
        return replace(self, codes=np.sort(self.codes, axis=1)).merged()

    def relabel(self, mapping: npt.ArrayLike, categories: int) -> "Relabelled":
        """Roll the labels up (sub-theme to theme), or carry them to another version, and merge equal rows.

        `mapping[old]` is the new index, below `categories` (the size of the new codebook), or -1 for a
        category above the new level: its labels are dropped and counted in `left_out`. All new categories are
        choosable.
        """
        new = _whole_numbers(np.asarray(mapping), np.int32)
        if new.shape != (self.categories,):
            msg = f"the mapping has shape {new.shape}, the codebook has {self.categories} categories"
            raise ValueError(msg)
        # Index -1 (missing) reads the appended last element, which is missing again.
        codes = np.append(new, np.int32(MISSING))[self.codes]
        rolled = type(self)(codes, self.counts, categories)
        return Relabelled(rolled.merged(), self.labels - rolled.labels)


class Relabelled(NamedTuple):
    """Patterns at another level; `left_out` labels have no category at that level."""

    patterns: Patterns
    left_out: int


def _whole_numbers(values: npt.ArrayLike, kind: type[Any]) -> npt.NDArray[Any]:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        msg = f"whole numbers expected, not {array.dtype}"
        raise ValueError(msg)
    return array.astype(kind, copy=False)


def _sort_keys(codes: Codes, base: int) -> list[Ints]:
    """Each row as a few int64 numbers with the same order as the rows, most significant first."""
    per_key = max(1, int(62 // np.log2(max(base, 2))))
    keys = []
    for first in range(0, codes.shape[1], per_key):
        key = np.zeros(len(codes), dtype=np.int64)
        for column in codes[:, first : first + per_key].T:
            key = key * base + (column + 1)
        keys.append(key)
    return keys
