"""Conger's kappa: Cohen's kappa of many raters, each with their own shares of the categories."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf, lcm
from typing import Any, Self

import numpy as np

from agreement.coefficients import Coefficient, lowest, why_undefined, with_doubt
from agreement.patterns import MISSING, Floats, Ints, Patterns
from agreement.standard_errors import per_size, products, quadratic_form, standard_error, times, whole
from agreement.tally import Tally

NAME = "conger_kappa"


@dataclass(frozen=True, eq=False)
class _Shares:
    """The shares p_gk of each rater g who labelled, in whole numbers.

    `codes` [P, G] and `weights` [P] are the patterns with a label. `labels` [G] is n_g, and p_gk is
    `parts`[g, k] / `unit`. `others` [G, k] is the sum over the other raters, sum_h p_hk - p_gk, in the same
    unit.
    """

    codes: Any
    weights: Ints
    labels: list[int]
    unit: int
    parts: Any
    others: Any

    @classmethod
    def of(cls, patterns: Patterns) -> Self:
        present = patterns.codes != MISSING
        keep = (patterns.counts > 0) & present.any(axis=1)
        used = np.flatnonzero(present[keep].any(axis=0))
        codes, weights = patterns.codes[keep][:, used], patterns.counts[keep]
        chosen = np.zeros((len(used), patterns.categories), dtype=np.int64)
        for rater, column in enumerate(codes.T):
            np.add.at(chosen[rater], column[column != MISSING], weights[column != MISSING])
        labels = chosen.sum(axis=1).tolist()
        unit = lcm(1, *labels)
        parts = chosen.astype(object) * np.array([unit // number for number in labels], dtype=object)[:, None]
        return cls(codes, weights, labels, unit, parts, parts.sum(axis=0) - parts)

    @property
    def pairs(self) -> int:
        """Ordered pairs of raters."""
        return len(self.labels) * (len(self.labels) - 1)

    @property
    def by_rater(self) -> list[int]:
        """[G] the sum over k of p_gk times the share of the others, in parts of unit^2."""
        return [int(number) for number in (self.parts * self.others).sum(axis=1)]

    def per_row(self) -> tuple[Any, Any]:
        """Two sums [P] over the raters with a label, each over n_g: of the others' share of the label, and of
        `by_rater`; in parts of unit^2 and unit^3.
        """
        weights = [self.unit // number for number in self.labels]
        shares = [
            [int(number) * weight for number in row] for row, weight in zip(self.others, weights, strict=True)
        ]
        means = [
            [number * weight] * len(shares[0]) for number, weight in zip(self.by_rater, weights, strict=True)
        ]
        return self._looked_up(shares), self._looked_up(means)

    @property
    def is_complete(self) -> bool:
        """Does every rater label every issue? Then the second of `per_row` is the same in all rows."""
        return bool((self.codes != MISSING).all())

    def _looked_up(self, table: list[list[int]]) -> Any:
        """[P] the sum over raters of `table`[g][category of the label]."""
        found: Any = np.zeros(len(self.codes), dtype=np.int64)
        most = max((abs(number) for row in table for number in row), default=0) * len(table)
        for column, row in zip(self.codes.T, table, strict=True):
            values = np.append(whole(row), 0).astype(np.int64 if most < 2**62 else object)
            found = found + values[column]
        return found


def conger_kappa(patterns: Patterns) -> Coefficient:
    """Conger's kappa of the columns, with Gwet's linearised standard error and a t interval.

    (p_a - p_e) / (1 - p_e), p_a as for Fleiss' kappa, p_e the mean over all pairs of raters g, h of
    sum_k p_gk p_hk, p_gk the share of category k among the labels of g. With two raters who label every issue
    this is Cohen's kappa. With missing labels it is Gwet's form. An issue adds to p_e
    N / (r (r - 1)) times the sum over its raters of (t_gk - u_g) / n_g, with t_gk the share of its label
    among the others, summed, and u_g the mean of t_gk over the labels of g. Fractions are rounded once.
    Where every rater labels every issue, it is at least Fleiss' kappa; otherwise it has no lowest value.
    Sources: Conger (1980), Psychological Bulletin 88(2), 322-328; Gwet (2021), Handbook of Inter-Rater
    Reliability, 5th ed.
    """
    tally = Tally.of(patterns)
    if reason := why_undefined("fleiss_kappa", tally):
        return Coefficient(None, reason=reason)
    shares = _Shares.of(patterns)
    n, compared = tally.issues, tally.compared
    expected = Fraction(sum(shares.by_rater), shares.unit**2 * shares.pairs)
    observed = Fraction(tally.sums.agreement.item()) / compared
    kappa = (observed - expected) / (1 - expected)
    unit, _by_label, by_pair = per_size(tally.sizes)
    of_label, of_rater = shares.per_row()
    weight = Fraction(n, compared) / (1 - expected)
    by_chance = -2 * (1 - kappa) / (1 - expected) * Fraction(n, shares.pairs)
    columns = [times(tally.same_pairs, by_pair), (tally.sizes >= 2).astype(np.int64), of_label]
    factors = [weight / unit, -weight * expected, by_chance / shares.unit**2]
    rest, by_rater = -kappa, -by_chance / shares.unit**3
    if shares.is_complete:
        rest += by_rater * int(of_rater[0])
    else:
        columns.append(of_rater)
        factors.append(by_rater)
    spread = quadratic_form(products(tally.weights, columns), [*factors, rest])
    least = lowest("fleiss_kappa", tally) if shares.is_complete else -inf
    return with_doubt("fleiss_kappa", tally, Coefficient(float(kappa), standard_error(spread, n)), n, least)


def resampled(patterns: Patterns, draws: Ints) -> Floats:
    """[B] Conger's kappa in each replicate, NaN where it is undefined; `draws` [B, P] issues of each row."""
    weights = draws.astype(np.float64)
    codes, q = patterns.codes, patterns.categories
    tally_sizes = (codes != MISSING).sum(axis=1)
    several = (tally_sizes >= 2).astype(np.float64)
    indicators = np.vstack([np.eye(q), np.zeros(q)])
    same = sum((indicators[column] for column in codes.T), start=np.zeros((len(codes), q)))
    agreeing = (same * (same - 1)).sum(axis=1) / np.maximum(tally_sizes * (tally_sizes - 1), 1)
    whole_share, squares = np.zeros((len(draws), q)), np.zeros(len(draws))
    raters = np.zeros(len(draws))
    for column in codes.T:
        chosen = weights @ indicators[column]
        labels = chosen.sum(axis=1)
        share = chosen / np.maximum(labels, 1.0)[:, None]
        whole_share += share
        squares += np.square(share).sum(axis=1)
        raters += labels > 0
    compared = weights @ several
    pairs = raters * (raters - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = weights @ agreeing / compared
        expected = (np.square(whole_share).sum(axis=1) - squares) / pairs
        usable = (compared >= 2) & (pairs > 0) & (expected < 1 - 1e-12)
        return np.where(usable, (observed - expected) / (1 - expected), np.nan)
