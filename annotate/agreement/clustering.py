"""The order of raters in a heat map: those who agree stand side by side."""

from collections.abc import Sequence

import numpy as np

from annotate.agreement.pairs import PairKappa
from annotate.agreement.patterns import Floats

Chains = dict[tuple[int, int], tuple[float, list[int]]]
"""Of a cluster, by its two ends: the orders whose neighbours agree most, with how far apart these are."""


def clustered(pairs: Sequence[PairKappa]) -> list[int]:
    """The columns that these pairs are of, in the order of `order_of`."""
    columns = sorted({column for pair in pairs for column in (pair.first, pair.second)})
    table = np.full((len(columns), len(columns)), np.nan)
    for pair in pairs:
        at = columns.index(pair.first), columns.index(pair.second)
        table[at] = table[at[::-1]] = np.nan if pair.kappa is None else pair.kappa
    return [columns[place] for place in order_of(table)]


def order_of(kappas: Sequence[Sequence[float | None]] | Floats) -> list[int]:
    """The order of raters for a heat map of their kappas with each other, clustered hierarchically.

    `kappas` [R, R] is symmetric, its diagonal unread; None or NaN, where a pair has no kappa, counts as the
    mean of the others. Average linkage on 1 - kappa, and of the orders that its tree allows the one whose
    neighbours agree most; it begins at the end whose rater agrees more with all. The raters in another order
    give the same answer for the same raters, unless kappas tie. ValueError if the table is not square.
    O(R^4) at worst. Source: Bar-Joseph, Gifford and Jaakkola (2001), Bioinformatics 17, S22-S29. SciPy's own
    `optimal_ordering` misses the best order in many small trees (its issue 11227).
    """
    from scipy.cluster.hierarchy import linkage  # noqa: PLC0415

    table = np.array(kappas, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"a square table of kappas is expected, not {table.shape}")
    raters = len(table)
    if raters < 2:
        return list(range(raters))
    between = table[np.triu_indices(raters, 1)]
    known = ~np.isnan(between)
    between[~known] = between[known].mean() if known.any() else 0.0
    apart = np.zeros((raters, raters))
    apart[np.triu_indices(raters, 1)] = 1 - between
    apart += apart.T
    order = _closest(linkage(1 - between, "average"), apart)
    totals = apart.sum(axis=1)
    return order[::-1] if totals[order[0]] > totals[order[-1]] else order


def _closest(tree: Floats, apart: Floats) -> list[int]:
    """Of the orders that a linkage allows, the one with the smallest sum of distances between neighbours."""
    clusters: list[Chains] = [{(leaf, leaf): (0.0, [leaf])} for leaf in range(len(apart))]
    for left, right in tree[:, :2].astype(int).tolist():
        joined: Chains = {}
        for (one, inner), (so_far, chain) in clusters[left].items():
            for (outer, other), (further, end) in clusters[right].items():
                length = so_far + float(apart[inner, outer]) + further
                if length < joined.get((one, other), (np.inf,))[0]:
                    joined[one, other] = (length, chain + end)
                    joined[other, one] = (length, [*reversed(end), *reversed(chain)])
        clusters.append(joined)
    return min(clusters[-1].values())[1]
