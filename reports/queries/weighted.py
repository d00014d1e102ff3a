"""Agreement with partial credit: two different categories can be nearly the same."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement import MISSING, Bootstrap, Coefficient, Patterns
from agreement.weighted.coefficients import weighted, weighted_bootstrap
from agreement.weighted.weights import Weights, tree_weights
from reports.agreement_report import AgreementReport, Group, computed_once
from reports.models import WeightMatrix
from reports.queries.label_tuples import Tuples
from reports.queries.weight_matrices import line_of, matrix_in_use, parsed
from taxonomy.models import CategoryState


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
    """The weighted agreement of all issues and of each group of the report; other rounds are in none. Each
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
        codes, counts = self.labels.codes[group.rows], self.labels.counts[group.rows]
        places = self.counted.places
        return Patterns(codes, counts, len(places)).relabel(places, self.weights.q).patterns

    def _computed(self, group: Group) -> WeightedGroup:
        patterns, counts = self.patterns(group), self.labels.counts[group.rows]
        # The last place is for labels without a category, -1.
        above = np.append(self.counted.is_above, [False])[self.labels.codes[group.rows]]
        raters = None if self.labels.columns else self.labels.raters
        return WeightedGroup(
            key=group.key,
            issues=int(patterns.counts.sum()),
            labels=patterns.labels,
            above=int(above.sum(axis=1) @ counts),
            issues_above=int(above.any(axis=1) @ counts),
            coefficients=weighted(patterns, self.weights, raters=raters),
        )

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
    counted = _counted(report)
    own = parsed(matrix.text) if matrix else None
    weights = own.of(counted.codes) if own else None
    lacking = () if own is None else tuple(code for code in counted.codes if code not in own.codes)
    number = matrix.number if matrix and weights else None
    if weights is None:
        weights = tree_weights([line_of(report.codebook, state) for state in counted.states])
    return WeightedReport(counted, weights, report.numbers.labels, report.numbers.groups, number, lacking)


def weighted_resampled(report: AgreementReport) -> Bootstrap:
    """The bootstrap intervals of all issues, from the draws of the unweighted ones; cached."""
    found = weighted_report(report)
    kept, key = report.numbers.computed, (weighted_resampled, found.matrix)
    if key not in kept:
        patterns = found.patterns(found.asked[0])
        kept[key] = weighted_bootstrap(patterns, found.weights, seed=report.round.seed % 2**64)
    answer: Bootstrap = kept[key]
    return answer


def _counted(report: AgreementReport) -> Counted:
    """The categories of the report's level and above that a label of the round could be, or is."""
    book, level, labels = report.codebook, report.level, report.numbers.labels
    counts_as = [book.ancestor(state.category_id, level) or state for state in book.states]
    could_be = labels.choosable or book.by_id
    parents = {state.parent_id for state in could_be.values()}
    used = {counts_as[place].category_id for place in np.unique(labels.codes).tolist() if place != MISSING}
    states = tuple(
        state
        for state in book.states
        if state.level <= level
        and (state.category_id in used or _is_choosable(state, report, could_be, parents))
    )
    at = {state.category_id: place for place, state in enumerate(states)}
    return Counted(
        states,
        np.array([at.get(state.category_id, MISSING) for state in counts_as], dtype=np.int32),
        np.array([state.level < level for state in book.states], dtype=np.bool_),
    )


def _is_choosable(
    state: CategoryState, report: AgreementReport, could_be: Any, parents: set[int | None]
) -> bool:
    stops = state.level >= min(report.level, report.round.depth) or state.category_id not in parents
    return stops and state.category_id in could_be
