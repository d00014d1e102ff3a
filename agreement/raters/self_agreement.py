"""Agreement of raters with themselves: they label an issue a second time without being told.

It shows how steadily a rater labels; low agreement with oneself over time is drift. It does not bound
agreement with others, who can agree for other reasons.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.coefficients import Coefficient, with_interval
from agreement.intervals.doubts import Basis, doubt_of
from agreement.patterns import MISSING
from agreement.reasons import Reason
from agreement.shares import share

FEW = 30
"""A kappa of fewer issues has no interval: the formula of its error holds for large samples."""


@dataclass(frozen=True)
class SelfAgreement:
    """A rater's agreement with themselves over `issues` labelled twice; `rater` None is all raters pooled."""

    rater: str | None
    issues: int
    percent_agreement: Coefficient
    cohen_kappa: Coefficient

    def as_dict(self) -> dict[str, Any]:
        """As in the JSON of reports; pooled agreement has no name."""
        name = {} if self.rater is None else {"volunteer": self.rater}
        return name | {
            "issues": self.issues,
            "percent_agreement": self.percent_agreement.as_dict(),
            "cohen_kappa": self.cohen_kappa.as_dict(),
        }


@dataclass(frozen=True)
class IntraRater:
    """The drift check of a round; `left_out` counts the second labels that are not compared, by reason."""

    pooled: SelfAgreement
    raters: tuple[SelfAgreement, ...]
    left_out: Mapping[str, int]

    def as_dict(self) -> dict[str, Any]:
        """As in the JSON of reports."""
        return {
            "pooled": self.pooled.as_dict(),
            "volunteers": [one.as_dict() for one in self.raters],
            "left_out": dict(self.left_out),
        }


def intra_rater(
    twice: Mapping[str, Sequence[tuple[int, int, int]]],
    categories: int,
    *,
    left_out: Mapping[str, int] | None = None,
) -> IntraRater:
    """Every rater's agreement with themselves, and the agreement of all raters pooled.

    `twice[rater]` lists (first, second, issues): category indexes below `categories`, or -1 for a missing
    label, which is not compared. Raters are pooled into one table, so raters with more labels weigh more.
    """
    tables = {rater: _table(rows, categories) for rater, rows in twice.items()}
    whole = sum(tables.values(), start=np.zeros((categories, categories), dtype=np.int64))
    return IntraRater(
        pooled=_self_agreement(None, whole),
        raters=tuple(_self_agreement(rater, table) for rater, table in tables.items()),
        left_out=dict(left_out or {}),
    )


def _table(rows: Sequence[tuple[int, int, int]], categories: int) -> NDArray[np.int64]:
    table = np.zeros((categories, categories), dtype=np.int64)
    for first, second, issues in rows:
        if MISSING not in {first, second}:
            table[first, second] += issues
    return table


def _self_agreement(rater: str | None, table: NDArray[np.int64]) -> SelfAgreement:
    issues = int(table.sum())
    if not issues:
        nothing = Coefficient(None, reason=Reason.NOT_TWICE)
        return SelfAgreement(rater, 0, nothing, nothing)
    same = int(np.trace(table))
    return SelfAgreement(rater, issues, share(same, issues), _kappa(table, issues))


def _kappa(table: NDArray[np.int64], issues: int) -> Coefficient:
    """Cohen's kappa of first and second labels, with the large-sample error for any true kappa.

    Sources: Cohen (1960), Educational and Psychological Measurement 20(1), 37-46; Fleiss, Cohen and Everitt
    (1969), Psychological Bulletin 72(5), 323-327, equation 13.
    """
    first, second = (
        [Fraction(number, issues) for number in table.sum(axis=axis).tolist()] for axis in (1, 0)
    )
    observed = Fraction(int(np.trace(table)), issues)
    expected = sum(one * other for one, other in zip(first, second, strict=True))
    if expected == 1:
        return Coefficient(None, reason=Reason.TWICE_ONE_CATEGORY)
    kappa = (observed - expected) / (1 - expected)
    if issues < FEW:
        return Coefficient(float(kappa), reason=Reason.FEW_TWICE)
    on, off = Fraction(), Fraction()
    for row, column in np.argwhere(table).tolist():
        share = Fraction(int(table[row, column]), issues)
        if row == column:
            on += share * (1 - (first[row] + second[row]) * (1 - kappa)) ** 2
        else:
            off += share * (second[row] + first[column]) ** 2
    chance = (kappa - expected * (1 - kappa)) ** 2
    variance = (on + (1 - kappa) ** 2 * off - chance) / (issues * (1 - expected) ** 2)
    se = sqrt(variance)
    same, most = int(np.trace(table)), int((table.sum(axis=0) + table.sum(axis=1)).argmax())
    basis = Basis(issues, issues, issues - same, same, issues - int(table[most, most]))
    return with_interval(float(kappa), se, issues, -1.0, doubt_of(basis, by_shares=True))
