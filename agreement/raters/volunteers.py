"""Each volunteer compared with the others and with the decision, and their lone dissents."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from agreement.coefficients import Coefficient, coefficient, with_interval
from agreement.intervals.doubts import FEWEST, Basis, doubt_of
from agreement.pairs import PairKappa, light_kappa, pair_of, pairs
from agreement.patterns import MISSING, Ints, Patterns
from agreement.reasons import Reason
from agreement.standard_errors import standard_error
from agreement.tally import Tally

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Rater:
    """The rater of one column.

    `compared` of the rater's `labels` are on issues with another label. `agreement` is the mean over these
    issues of the share of the other labels that equal the rater's, with a t interval; `kappa` is the mean of
    the rater's Cohen's kappas with the others, undefined if one of them is. `decision` compares the rater
    with the decision, column R. `without` is Fleiss' kappa of the others; `effect` is `without` less the
    kappa of all: above 0 if the others agree better without this rater, None if either kappa is undefined.
    On `others_agree` of the rater's issues two others or more all chose one category; on `alone` of these the
    rater chose another.
    """

    column: int
    labels: int
    compared: int
    agreement: Coefficient
    kappa: Coefficient
    decision: PairKappa
    without: Coefficient
    effect: float | None
    alone: int
    others_agree: int


@dataclass(frozen=True)
class Stretch:
    """A part of the rater's issues in order: a lone dissent on `alone` of `issues` on which others agree."""

    issues: int
    alone: int


def raters(patterns: Patterns, decided: npt.ArrayLike) -> tuple[Rater, ...]:
    """A `Rater` for every column with at least one label, in the order of columns.

    `decided` [P] is the decided category of each row, -1 for none, among the same categories; rows with
    different decisions must stay separate. ValueError where `decided` does not fit. Cost: O(P R^2).
    """
    with_decision, found = beside(patterns, decided), pairs(patterns)
    whole = coefficient("fleiss_kappa", Tally.of(patterns)).value
    base, alone = lone_dissents(patterns.codes)
    present = (patterns.codes != MISSING) & (patterns.counts > 0)[:, np.newaxis]
    used = np.flatnonzero(present.any(axis=0)).tolist()
    answer = []
    for column in used:
        others = Patterns(np.delete(patterns.codes, column, axis=1), patterns.counts, patterns.categories)
        without = coefficient("fleiss_kappa", Tally.of(others))
        compared, agreement = agreement_with_others(patterns, column)
        answer.append(
            Rater(
                column=column,
                labels=int(patterns.counts[present[:, column]].sum()),
                compared=compared,
                agreement=agreement,
                kappa=light_kappa([pair for pair in found if column in {pair.first, pair.second}]),
                decision=kappa_with_decision(pair_of(with_decision, column, patterns.columns)),
                without=without,
                effect=None if without.value is None or whole is None else without.value - whole,
                alone=int(patterns.counts[alone[:, column]].sum()),
                others_agree=int(patterns.counts[base[:, column]].sum()),
            )
        )
    return tuple(answer)


def lone_dissents(codes: npt.ArrayLike) -> tuple[Flags, Flags]:
    """Two tables [N, R] for labels [N, R]: whether the others agree, and whether the rater dissents alone.

    The first is true if the rater labelled the issue and two others or more all chose one category; the
    second if the rater also chose another category. -1 is a missing label. Cost: O(N R).
    """
    labels = np.asarray(codes)
    present = labels != MISSING
    size = present.sum(axis=1, keepdims=True)
    high = labels.max(axis=1, keepdims=True, initial=MISSING)
    low = np.where(present, labels, high).min(axis=1, keepdims=True, initial=np.iinfo(labels.dtype).max)
    at_high, at_low = labels == high, labels == low
    highs = (at_high & present).sum(axis=1, keepdims=True)
    lows = (at_low & present).sum(axis=1, keepdims=True)
    several = present & (size >= 3)
    parted = several & (low < high) & (highs + lows == size)
    alone = parted & ((at_high & (highs == 1)) | (at_low & (lows == 1)))
    return alone | (several & (low == high)), alone


def dissents_by_place(
    places: npt.ArrayLike, alone: npt.ArrayLike, *, of: int, parts: int = 10
) -> tuple[Stretch, ...]:
    """How often a rater dissents alone in each of `parts` equal parts of their issues: it shows tiredness.

    `of` counts all issues of the rater. `places` [n], from 0 to `of` - 1 in the order of labelling, are the
    issues on which the others agree; `alone` [n] tells whether the rater dissents there. ValueError where
    these do not fit.
    """
    at, lone = np.asarray(places, dtype=np.int64), np.asarray(alone, dtype=np.bool_)
    if at.ndim != 1 or at.shape != lone.shape or (at.size and not 0 <= at.min() <= at.max() < of):
        raise ValueError(f"places from 0 to {of - 1}, each with a yes or no, are expected")
    part = at * parts // max(of, 1)
    issues, dissents = np.bincount(part, minlength=parts), np.bincount(part[lone], minlength=parts)
    return tuple(Stretch(*each) for each in zip(issues.tolist(), dissents.tolist(), strict=True))


def beside(patterns: Patterns, decided: npt.ArrayLike) -> Patterns:
    """The same rows with one more column, such as the decision; ValueError where the column does not fit."""
    decisions: Ints = np.asarray(decided)
    if decisions.shape != patterns.counts.shape:
        raise ValueError(f"{decisions.shape} decisions for {len(patterns.counts)} rows")
    return Patterns(np.column_stack([patterns.codes, decisions]), patterns.counts, patterns.categories)


def agreement_with_others(patterns: Patterns, column: int) -> tuple[int, Coefficient]:
    """The issues with a label of `column` and another, and the mean share of others that equal `column`'s."""
    codes = patterns.codes
    others = (codes != MISSING).sum(axis=1) - 1
    base = (codes[:, column] != MISSING) & (others > 0) & (patterns.counts > 0)
    weights, others = patterns.counts[base], others[base]
    issues = int(weights.sum())
    if not issues:
        return 0, Coefficient(None, reason=Reason.NO_OVERLAP)
    same = (codes[base] == codes[base, column][:, np.newaxis]).sum(axis=1) - 1
    total, squares = Fraction(), Fraction()
    for number in np.unique(others).tolist():
        at = others == number
        total += Fraction(int(np.dot(weights[at], same[at])), number)
        squares += Fraction(int(np.dot(weights[at], same[at] ** 2)), number**2)
    mean = total / issues
    if issues == 1:
        return 1, Coefficient(float(mean), reason=Reason.ONE_ISSUE)
    se = standard_error(squares - issues * mean**2, issues)
    if se and issues < FEWEST:
        return issues, Coefficient(float(mean), se, reason=Reason.FEW_ISSUES)
    different, equal = (int(weights[kind].sum()) for kind in (same < others, same > 0))
    basis = Basis(issues, issues, different, equal, different)
    return issues, with_interval(float(mean), se, issues, 0.0, doubt_of(basis))


def kappa_with_decision(found: PairKappa) -> PairKappa:
    """The pair of a rater and the decision, with reasons that name the decision."""
    if found.reason is Reason.NO_ISSUE_IN_COMMON:
        return replace(found, reason=Reason.NO_DECISION)
    return replace(found, reason=Reason.ONE_CATEGORY_DECIDED) if found.reason else found
