"""Agreement of pairs of raters: Cohen's and Light's kappas, categories that meet on issues, the heat map."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.coefficients import Coefficient
from agreement.patterns import MISSING, Floats, Ints, Patterns
from agreement.reasons import Counted, Reason
from agreement.tally import Tally

Chains = dict[tuple[int, int], tuple[float, list[int]]]
"""By the two ends of a cluster: the sum of distances between neighbours, and the order with the least sum."""


@dataclass(frozen=True)
class PairKappa:
    """Cohen's kappa of the raters in columns `first` < `second`, over the `issues` that both labelled.

    They chose different categories on `differ` of these issues. `agreement` is the share of the same
    category; None without issues.
    """

    first: int
    second: int
    issues: int
    differ: int
    agreement: float | None
    kappa: float | None
    reason: Reason | None = None

    def as_dict(self) -> dict[str, Any]:
        """As in the JSON of reports, without the raters."""
        return {
            "issues": self.issues,
            "percent_agreement": self.agreement,
            "cohen_kappa": self.kappa,
            "reason": self.reason and self.reason.text,
        }


def pairs(patterns: Patterns) -> tuple[PairKappa, ...]:
    """Cohen's kappa of each pair of columns that have labels, in lexicographic order of columns."""
    used = np.flatnonzero((patterns.codes[patterns.counts > 0] != MISSING).any(axis=0)).tolist()
    return tuple(pair_of(patterns, first, second) for first, second in combinations(used, 2))


def light_kappa(found: Sequence[PairKappa]) -> Coefficient:
    """Light's kappa: the mean of Cohen's kappas over all pairs of raters; `found` comes from `pairs`.

    Undefined if a pair has no kappa: the mean of the others would leave out just those who agree wholly. The
    reason counts such pairs. There is no linearised standard error: `bootstrap` gives the interval.
    Source: Light (1971), Psychological Bulletin 76(5), 365-377.
    """
    kappas = [pair.kappa for pair in found if pair.kappa is not None]
    if not found:
        return Coefficient(None, reason=Reason.NO_PAIR)
    if len(kappas) < len(found):
        return Coefficient(None, reason=Counted(Reason.SOME_PAIRS, len(found) - len(kappas), len(found)))
    return Coefficient(fsum(kappas) / len(kappas), reason=Reason.BOOTSTRAP_ONLY)


def confusion(patterns: Patterns) -> Ints:
    """[q, q] the issues in which categories a and b both occur; on the diagonal all issues of a."""
    tally = Tally.of(patterns)
    q = tally.categories
    table = np.zeros(q * q, dtype=np.int64)
    weights = tally.weights[tally.row].astype(np.float64)
    for apart in range(patterns.columns):
        end = len(tally.row) - apart
        if end <= 0:
            break
        together = tally.row[:end] == tally.row[apart:]
        cell = (tally.category[:end] * q + tally.category[apart:])[together]
        table += np.bincount(cell, weights=weights[:end][together], minlength=q * q).astype(np.int64)
    upper = table.reshape(q, q)
    return upper + np.triu(upper, 1).T


def against_decision(patterns: Patterns, decided: npt.ArrayLike) -> Ints:
    """[q, q] the labels of category a on issues with the decision b; on the diagonal the confirmed labels.

    `decided` [P] is the decided category of each row, -1 for none; ValueError where it does not fit.
    Undecided issues do not count. Cost: O(P R).
    """
    decisions = np.asarray(decided)
    q = patterns.categories
    row, column = np.nonzero((patterns.codes != MISSING) & (decisions != MISSING)[:, np.newaxis])
    cell = patterns.codes[row, column].astype(np.int64) * q + decisions[row]
    weights = patterns.counts[row].astype(np.float64)
    return np.bincount(cell, weights=weights, minlength=q * q).astype(np.int64).reshape(q, q)


def pair_of(patterns: Patterns, first: int, second: int) -> PairKappa:
    """Cohen's kappa of two columns, or the reason why they have no kappa: 1 is perfect, 0 is chance.

    (p_o - p_e) / (1 - p_e), with p_o and p_e as whole numbers over N^2: rounded once. One issue in common is
    a table like any other: 0 if the two differ, undefined if they agree.
    Source: Cohen (1960), Educational and Psychological Measurement 20(1), 37-46.
    """
    table = square(patterns, first, second)
    issues, same = int(table.sum()), int(np.trace(table))
    if not issues:
        return PairKappa(first, second, 0, 0, None, None, Reason.NO_ISSUE_IN_COMMON)
    agreement, differ = same / issues, issues - same
    rows, columns = table.sum(axis=1).tolist(), table.sum(axis=0).tolist()
    by_chance = sum(one * other for one, other in zip(rows, columns, strict=True))
    if by_chance == issues**2:
        return PairKappa(first, second, issues, differ, agreement, None, Reason.PAIR_ONE_CATEGORY)
    kappa = (issues * same - by_chance) / (issues**2 - by_chance)
    return PairKappa(first, second, issues, differ, agreement, kappa)


def square(patterns: Patterns, first: int, second: int) -> Ints:
    """[q, q] the issues by the label of column `first` and by that of column `second`."""
    one, other = patterns.codes[:, first], patterns.codes[:, second]
    both = (one != MISSING) & (other != MISSING)
    q = patterns.categories
    flat = np.zeros(q * q, dtype=np.int64)
    np.add.at(flat, one[both].astype(np.int64) * q + other[both], patterns.counts[both])
    return flat.reshape(q, q)


def clustered(pairs: Sequence[PairKappa]) -> list[int]:
    """The columns of these pairs, in the order of `order_of`."""
    columns = sorted({column for pair in pairs for column in (pair.first, pair.second)})
    table = np.full((len(columns), len(columns)), np.nan)
    for pair in pairs:
        at = columns.index(pair.first), columns.index(pair.second)
        table[at] = table[at[::-1]] = np.nan if pair.kappa is None else pair.kappa
    return [columns[place] for place in order_of(table)]


def order_of(kappas: Sequence[Sequence[float | None]] | Floats) -> list[int]:
    """The order of raters for a heat map of their kappas with each other, clustered hierarchically.

    `kappas` [R, R] is symmetric, its diagonal unread; None or NaN, for a pair without a kappa, counts as the
    mean of the others. Average linkage on 1 - kappa makes a tree; the answer is the order of this tree whose
    neighbours agree most, from the end whose rater agrees more with all. Unless kappas tie, the order of the
    input does not matter. ValueError if the table is not square. O(R^4) at worst.
    Source: Bar-Joseph, Gifford and Jaakkola (2001), Bioinformatics 17, S22-S29. SciPy's own
    `optimal_ordering` misses the best order in many small trees (its issue 11227).
    """
    from scipy.cluster.hierarchy import linkage  # noqa: PLC0415 - SciPy loads for long

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
    """The order within this linkage with the smallest sum of distances between neighbours."""
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
