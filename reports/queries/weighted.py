"""Agreement with partial credit: two different categories can be nearly the same."""

from dataclasses import dataclass, replace
from functools import lru_cache
from types import EllipsisType
from typing import Any

import numpy as np
from django.utils.functional import cached_property
from numpy.typing import NDArray

from agreement import MISSING, Bootstrap, Coefficient, Patterns
from agreement.weighted.coefficients import weighted, weighted_bootstrap
from agreement.weighted.weights import Weights, tree_weights
from reports.agreement_report import AgreementReport, Group, computed_once
from reports.models import WeightMatrix
from reports.queries.label_tuples import Tuples
from reports.queries.rounds_compared import RoundAgreement
from reports.queries.weight_matrices import line_of, matrices_in_use, matrix_in_use, parsed
from taxonomy.models import CategoryState, Level
from taxonomy.queries.codebooks import Codebook

Rows = NDArray[np.bool_] | EllipsisType
"""Which label tuples; all for an ellipsis."""


@dataclass(frozen=True, eq=False)
class Counted:
    """The categories that labels count as: those of the level, and those above it where a label can stop.

    `places` [C] has for each category of the codebook the place among `states`, of itself or of the category
    above it at the level; -1 where no label can be. `is_above` [C]: the category is above the level.
    """

    states: tuple[CategoryState, ...]
    places: NDArray[np.int32]
    is_above: NDArray[np.bool_]

    @property
    def codes(self) -> list[str]:
        return [state.code for state in self.states]


@dataclass(frozen=True)
class WeightedGroup:
    """The weighted coefficients of a group of issues. `above` labels, on `issues_above` issues, stop above
    the level and count here only.
    """

    key: dict[str, str]
    issues: int
    labels: int
    above: int
    issues_above: int
    coefficients: dict[str, Coefficient]

    def as_dict(self) -> dict[str, Any]:
        return {
            "group": self.key,
            "issues": self.issues,
            "labels": self.labels,
            "labels_above_the_level": self.above,
            "issues_with_labels_above": self.issues_above,
            "coefficients": {name: found.as_dict() for name, found in self.coefficients.items()},
        }


@dataclass(frozen=True, eq=False)
class WeightedReport:
    """The weighted agreement of all issues and of each group of the report. Each
    group is computed when it is first asked for, and then cached.

    `matrix` is the number of the study's matrix that the weights are of, None for the tree: it is that of the
    tree too if the study's matrix has no weights of the `lacking` categories.
    """

    counted: Counted
    weights: Weights
    labels: Tuples
    asked: tuple[Group, ...]
    matrix: int | None = None
    lacking: tuple[str, ...] = ()

    @cached_property
    def overall(self) -> WeightedGroup:
        return self._computed(self.asked[0])

    @cached_property
    def groups(self) -> tuple[WeightedGroup, ...]:
        """All issues, and then each group."""
        return (self.overall, *map(self._computed, self.asked[1:]))

    def patterns(self, group: Group) -> Patterns:
        """The labels of a group as they count here."""
        return _patterns(self.labels, group.rows, self.counted, self.weights)

    def _computed(self, group: Group) -> WeightedGroup:
        return _group(group.key, self.labels, group.rows, self.counted, self.weights)

    def by(self, name: str) -> tuple[WeightedGroup, ...]:
        return tuple(group for group in self.groups if set(group.key) == {name})

    @cached_property
    def is_plain(self) -> bool:
        """Are all weights of different categories 0? Then each number is the unweighted one."""
        return bool((self.weights.parts == np.eye(self.weights.q, dtype=np.int64) * self.weights.unit).all())


@computed_once
def weighted_report(report: AgreementReport) -> WeightedReport:
    """The weighted agreement of a report, cached while its labels and weights stay the same. One query."""
    matrix = matrix_in_use(report.round.version_id)
    kept, key = report.numbers.computed, (weighted_report, matrix and matrix.pk)
    if key not in kept:
        kept[key] = _weighted_report(report, matrix)
    found: WeightedReport = kept[key]
    return found


def _weighted_report(report: AgreementReport, matrix: WeightMatrix | None) -> WeightedReport:
    labels = report.numbers.labels
    counted = _counted(report.codebook, report.level, report.round.depth, labels)
    weights, lacking = _weights(report.codebook, counted, matrix.text if matrix else "")
    number = matrix.number if matrix and not lacking else None
    return WeightedReport(counted, weights, labels, report.numbers.groups, number, lacking)


def _weights(book: Codebook, counted: Counted, matrix: str) -> tuple[Weights, tuple[str, ...]]:
    """The weights of this matrix, or those of the tree without one, or where the matrix lacks categories,
    which are the second part.
    """
    own = parsed(matrix) if matrix else None
    weights = own.of(counted.codes) if own else None
    if own is not None and weights is not None:
        return weights, ()
    lacking = () if own is None else tuple(code for code in counted.codes if code not in own.codes)
    return tree_weights([line_of(book, state) for state in counted.states]), lacking


def _patterns(labels: Tuples, rows: Rows, counted: Counted, weights: Weights) -> Patterns:
    found = Patterns(labels.codes[rows], labels.counts[rows], len(counted.places))
    return found.relabel(counted.places, weights.q).patterns


def _group(
    key: dict[str, str], labels: Tuples, rows: Rows, counted: Counted, weights: Weights
) -> WeightedGroup:
    patterns, counts = _patterns(labels, rows, counted, weights), labels.counts[rows]
    # The last place is for labels without a category, -1.
    above = np.append(counted.is_above, [False])[labels.codes[rows]]
    raters = None if labels.columns else labels.raters
    return WeightedGroup(
        key=key,
        issues=int(patterns.counts.sum()),
        labels=patterns.labels,
        above=int(above.sum(axis=1) @ counts),
        issues_above=int(above.any(axis=1) @ counts),
        coefficients=weighted(patterns, weights, raters=raters),
    )


@dataclass(frozen=True)
class WeightedRound:
    """A round of the report as a group, by the weights of its own version: those of its `matrix`
    (None: of the tree), with the longest path.
    """

    group: WeightedGroup
    matrix: int | None
    longest: int | None

    def as_dict(self) -> dict[str, Any]:
        return {**self.group.as_dict(), "matrix": self.matrix, "longest_path": self.longest}


@computed_once
def weighted_rounds(report: AgreementReport) -> tuple[WeightedRound, ...]:
    """This round and the others of the report, each as in its own report; () if it has no rounds. A query."""
    rounds = [one for one in report.rounds if one.agreement]
    if not rounds:
        return ()
    matrices = matrices_in_use({one.round.version_id for one in rounds})
    return tuple(_round(one, report.level, matrices.get(one.round.version_id)) for one in rounds)


def _round(one: RoundAgreement, level: Level, matrix: WeightMatrix | None) -> WeightedRound:
    compute = _of_round if one.labels.edition else _of_round.__wrapped__
    group, is_own, longest = compute(
        one.labels, one.book, level, one.round.depth, matrix.text if matrix else ""
    )
    number = matrix.number if matrix and is_own else None
    return WeightedRound(replace(group, key={"round": one.round.name}), number, longest)


@lru_cache(maxsize=64)
def _of_round(
    labels: Tuples, book: Codebook, level: Level, depth: int, matrix: str
) -> tuple[WeightedGroup, bool, int | None]:
    """All issues of these tuples, whether the weights are those of the matrix, and the longest path."""
    counted = _counted(book, level, depth, labels)
    weights, lacking = _weights(book, counted, matrix)
    return _group({}, labels, ..., counted, weights), bool(matrix and not lacking), weights.longest


def weighted_resampled(report: AgreementReport) -> Bootstrap:
    """The bootstrap intervals of all issues, from the draws of the unweighted ones; cached."""
    found = weighted_report(report)
    kept, key = report.numbers.computed, (weighted_resampled, found.matrix)
    if key not in kept:
        patterns = found.patterns(found.asked[0])
        kept[key] = weighted_bootstrap(patterns, found.weights, seed=report.round.seed % 2**64)
    answer: Bootstrap = kept[key]
    return answer


def _counted(book: Codebook, level: Level, depth: int, labels: Tuples) -> Counted:
    """The categories of the level and above that a label of the round could be, or is."""
    counts_as = [book.ancestor(state.category_id, level) or state for state in book.states]
    could_be = labels.choosable or book.by_id
    parents = {state.parent_id for state in could_be.values()}
    used = {counts_as[place].category_id for place in np.unique(labels.codes).tolist() if place != MISSING}

    def is_choosable(state: CategoryState) -> bool:
        stops = state.level >= min(level, depth) or state.category_id not in parents
        return stops and state.category_id in could_be

    states = tuple(
        state
        for state in book.states
        if state.level <= level and (state.category_id in used or is_choosable(state))
    )
    at = {state.category_id: place for place, state in enumerate(states)}
    return Counted(
        states,
        np.array([at.get(state.category_id, MISSING) for state in counts_as], dtype=np.int32),
        np.array([state.level < level for state in book.states], dtype=np.bool_),
    )
