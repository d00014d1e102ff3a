"""How the labels of an issue split: all the same, 6 : 1, 5 : 2, 5 : 1 : 1, …"""

from dataclasses import dataclass

import numpy as np

from agreement.patterns import Patterns
from agreement.tally import Tally


@dataclass(frozen=True)
class Split:
    """`issues` whose labels split into groups of these `sizes`, largest first: (7,) is unanimous.

    `share` is their share of all issues with two labels or more.
    """

    sizes: tuple[int, ...]
    issues: int
    share: float


def splits(patterns: Patterns) -> tuple[Split, ...]:
    """The splits of the issues with two labels or more; () if there is no such issue.

    Missing and open labels do not count: of seven labels with one missing, (6,) is unanimous. The split with
    the largest share of equal pairs of labels comes first, of equal shares more labels. Cost: O(P R log R).
    """
    tally = Tally.of(patterns).several()
    if not tally.issues:
        return ()
    place = np.arange(len(tally.row)) - np.searchsorted(tally.row, tally.row)
    sizes = np.zeros((len(tally.sizes), int(place.max()) + 1), dtype=np.int32)
    sizes[tally.row, place] = tally.chosen
    # Equal rows of sizes are added up like equal rows of labels.
    distinct = Patterns(-np.sort(-sizes, axis=1), tally.weights, patterns.columns + 1).merged()
    found = [
        Split(tuple(size for size in row if size), number, number / tally.issues)
        for row, number in zip(distinct.codes.tolist(), distinct.counts.tolist(), strict=True)
    ]
    return tuple(sorted(found, key=_most_agreeing_first))


def _most_agreeing_first(split: Split) -> tuple[float, int, tuple[int, ...]]:
    labels = sum(split.sizes)
    alike = sum(size * (size - 1) for size in split.sizes) / (labels * (labels - 1))
    return -alike, -labels, tuple(-size for size in split.sizes)
