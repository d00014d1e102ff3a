"""The result of a model of erring raters, and the label tuples as such a model reads them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.patterns import MISSING, Floats, Ints, Patterns

Flags = npt.NDArray[np.bool_]

MOST, FEWEST = 100, 10
"""Iterations after which a model that does not converge ends, and how many it has at least."""
WORK = 200_000_000
"""How often a label may be compared with a category in all iterations: seconds, whatever the study is."""
TOLERANCE = 1e-6
"""A model has converged when an iteration raises the log-likelihood by less than this for each label."""
SAME = 1e-9
"""Probabilities of categories that differ by less than this are tied."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """How probable each category is for each of the P label tuples, by one model.

    `categories` [K] are those with a label, in order; `probabilities` [P, K], each row with the sum 1, or all
    0 for a row without a label. `skill` [R], NaN without a label: by Dawid–Skene the probability that a rater
    gives the right label, by MACE that they know it (by habit they can still be right). `confusion`
    [R, K, K]: the probability that rater r chooses the last category where the middle one is right, NaN where
    the rater has no label; None if the model has none. `log_likelihood` in nats after `iterations`;
    `is_converged` if the last of them changed it by less than TOLERANCE for each label.
    """

    categories: Ints
    probabilities: Floats
    skill: Floats
    confusion: Floats | None
    log_likelihood: float
    iterations: int
    is_converged: bool

    @cached_property
    def likely(self) -> Ints:
        """[P] the most probable category, the first one of a tie; -1 for a row without a label."""
        if not len(self.categories):
            return np.full(len(self.probabilities), MISSING, dtype=np.int64)
        found = self.categories[self.probabilities.argmax(axis=1)]
        return np.where(self.probabilities.any(axis=1), found, MISSING)

    def of(self, category: npt.ArrayLike) -> Floats:
        """[P] the probability of one category for each row; 0 for a category without a label, and for -1."""
        given: Ints = np.asarray(category, dtype=np.int64)
        if not len(self.categories):
            return np.zeros(len(given))
        at = np.minimum(np.searchsorted(self.categories, given), len(self.categories) - 1)
        own = self.probabilities[np.arange(len(given)), at]
        return np.where(self.categories[at] == given, own, 0.0)

    def differs(self, decided: npt.ArrayLike) -> Flags:
        """[P] whether another category is more probable than the decided one; False for a row without a
        label or a decision (-1).
        """
        decisions: Ints = np.asarray(decided, dtype=np.int64)
        most = self.probabilities.max(axis=1, initial=0.0)
        found: Flags = (decisions != MISSING) & (most > self.of(decisions) + SAME)
        return found


@dataclass(frozen=True, eq=False)
class Labels:
    """Every label of the rows of `Patterns`: of row `row`, by the rater `rater`, with the place `place` of
    its category among the used `categories` [K]. `weights` [P] are the issues of each row.
    """

    categories: Ints
    weights: Floats
    row: Ints
    rater: Ints
    place: Ints
    raters: int

    @classmethod
    def of(cls, patterns: Patterns) -> "Labels":
        row, rater = np.nonzero((patterns.codes != MISSING) & (patterns.counts > 0)[:, np.newaxis])
        categories, place = np.unique(patterns.codes[row, rater], return_inverse=True)
        weights = patterns.counts.astype(np.float64)
        return cls(categories.astype(np.int64), weights, row, rater, place.ravel(), patterns.columns)

    @property
    def total(self) -> float:
        """The number of labels of all issues."""
        return float(self.weights[self.row].sum())

    @property
    def most(self) -> int:
        """The iterations that WORK allows, from FEWEST to MOST."""
        cells = max(1, len(self.row) * len(self.categories))
        return max(FEWEST, min(MOST, WORK // cells))

    @cached_property
    def counted(self) -> Flags:
        """[P] whether a row has a label."""
        found = np.zeros(len(self.weights), dtype=np.bool_)
        found[self.row] = True
        return found

    @cached_property
    def table(self) -> Any:
        """[P, R K] sparse: 1 where rater r chose category k."""
        from scipy.sparse import csr_matrix  # noqa: PLC0415 - SciPy loads for long

        k = len(self.categories)
        shape = (len(self.weights), self.raters * k)
        return csr_matrix((np.ones(len(self.row)), (self.row, self.rater * k + self.place)), shape=shape)

    @cached_property
    def votes(self) -> Floats:
        """[P, K] how many labels of the row are of each category."""
        found = np.zeros((len(self.weights), len(self.categories)))
        np.add.at(found, (self.row, self.place), 1.0)
        return found

    def softmax(self, logs: Floats) -> tuple[Floats, float]:
        """The rows of `logs` [P, K] as probabilities, 0 without a label; and the weighted sum of the logs of
        their sums.
        """
        high = logs.max(axis=1, initial=-np.inf, keepdims=True)
        found = np.exp(logs - high)
        sums = found.sum(axis=1, keepdims=True)
        evidence = (np.log(sums) + high).ravel()
        likelihood = float(self.weights[self.counted] @ evidence[self.counted])
        return np.where(self.counted[:, np.newaxis], found / sums, 0.0), likelihood
