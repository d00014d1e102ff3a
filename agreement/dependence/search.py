"""The search for signs that volunteers did not label alone.

No threshold is taken from any study: every test gives the probability of its finding in independent labels,
and Holm's correction over all tests of a report keeps the probability of a false sign at `ALPHA`. The tests
assume that a volunteer who never differs is no better than the best of the others; so a volunteer far more
skilled than all others can give a sign. Unevenly spread lone dissents give no sign: unequal skill does that.
Nor do volunteers who know different categories. Those who know different areas of one category can give one
(`TOO_FEW_AT_ONCE`): no label and no decision tells these areas from each other (docs/coverage.md).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np
import numpy.typing as npt

from agreement.dependence.breadth import breadths, evenness, plurality
from agreement.dependence.runs import (
    IMPOSSIBLE,
    Run,
    chance_of_run,
    chance_of_turns,
    longest_run,
    longest_turns,
)
from agreement.dependence.signs import Sign, SignKind
from agreement.patterns import MISSING, Ints
from agreement.raters.volunteers import Flags, lone_dissents

ALPHA = 0.001


def signs_of_dependence(
    parts: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]], alpha: float = ALPHA
) -> tuple[Sign, ...]:
    """The signs that Holm's correction over all tests of all parts leaves at `alpha`, in the order of tests.

    Each part, a repository, is (labels, decided): labels [N, R], a column per volunteer (not per slot), in
    the order of the file or of the round; decided [N]. -1 is missing, other indexes count from 0. ValueError
    where shapes do not fit. The same labels give the same signs.

    The tests of each part: a volunteer equals every decision; a volunteer never differs where all others
    agree; two volunteers never differ (all three exact: McNemar 1947, Psychometrika 12, 153-157, against the
    best of the others); lone dissents are spread too evenly (`evenness`); too few volunteers differ at once
    (`breadths`); and runs longer than in a random order of the issues with the same decision (`runs`): a
    volunteer equals the decision while each of the others differs, all labels repeat, one volunteer repeats
    a category, volunteers dissent in turn. Holm (1979), Scandinavian Journal of Statistics 6, 65-70.
    Cost: O(N R q) without permutations, about a second for 38,742 issues of 7 labels.
    """
    tests = [
        test for name, (labels, decided) in parts.items() for test in _Part(name, labels, decided).tests()
    ]
    order = sorted(range(len(tests)), key=lambda number: tests[number].sign.p)
    found, adjusted = {}, 0.0
    for place, number in enumerate(order):
        sign = tests[number].sign
        adjusted = max(adjusted, min(1.0, (len(tests) - place) * sign.p))
        if adjusted > alpha:
            break
        found[number] = replace(sign, adjusted=adjusted, reference=tests[number].usual())
    return tuple(found[number] for number in sorted(found))


@dataclass(frozen=True)
class _Test:
    """A test; `chance`, for a run, is the probability of a run of a given length."""

    sign: Sign
    chance: Callable[[int], float] | None = None

    def usual(self) -> float:
        """The number to compare the sign with; for a run, the longest length with an even chance."""
        if self.chance is None:
            return self.sign.reference
        low, high = 1, int(self.sign.observed)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.chance(middle) >= 0.5 else (low, middle)
        return low


class _Part:
    """The labels of one repository and their tests; the number of tests depends on its raters alone."""

    def __init__(self, name: str, labels: npt.ArrayLike, decided: npt.ArrayLike) -> None:
        self.name = name
        self.labels, self.decided = np.asarray(labels, dtype=np.int64), np.asarray(decided, dtype=np.int64)
        if self.labels.ndim != 2 or self.decided.shape != self.labels.shape[:1]:
            raise ValueError("labels [N, R] and decisions [N] are expected")
        self.present = self.labels != MISSING
        self.raters = np.flatnonzero(self.present.any(axis=0)).tolist()
        self.strata = np.where(self.decided == MISSING, plurality(self.labels)[0], self.decided)

    def tests(self) -> Iterator[_Test]:
        if len(self.raters) >= 2:
            yield from self._equal_to_the_decision()
            yield from self._runs()
        if len(self.raters) >= 3:
            yield from self._dissents_alone()
            yield from self._pairs()

    def _equal_to_the_decision(self) -> Iterator[_Test]:
        both = self.present & (self.decided != MISSING)[:, np.newaxis]
        differs = both & (self.labels != self.decided[:, np.newaxis])
        for rater in self.raters:
            yield self._never(SignKind.EQUALS_DECISION, (rater,), both[:, rater], differs)
            at = np.flatnonzero(both[:, rater])
            # Each label that differs gets a value of its own: only labels that equal the decision make a run.
            values = np.where(differs[at, rater], np.arange(1, len(at) + 1), 0)
            chance = partial(chance_of_run, values, _compact(self.strata[at]))
            run = longest_run(values)
            found = self._run(SignKind.LONG_EQUAL, (rater,), run, at, chance)
            # If the others come closer to the decision too, everybody has learnt, or the issues are easy.
            least = self._least(differs[at[run.first : run.first + run.length]], (rater,))
            p = max(found.sign.p, min(1.0, len(at) * 0.5**least))
            yield replace(found, sign=replace(found.sign, p=p))

    def _dissents_alone(self) -> Iterator[_Test]:
        base, alone = lone_dissents(self.labels)
        for rater in self.raters:
            yield self._never(SignKind.NEVER_ALONE, (rater,), base[:, rater], alone)
        whole = self.present[:, self.raters].all(axis=1)
        counts = alone[np.ix_(whole, self.raters)].sum(axis=0)
        observed, p = evenness(counts)
        yield self._test(SignKind.ALONE_TOO_EVENLY, (), int(counts.sum()), observed, len(counts) - 1, p)
        for found in breadths(self.labels[np.ix_(whole, self.raters)]):
            numbers = int(whole.sum()), found.observed, found.expected, found.p
            yield self._test(SignKind.TOO_FEW_AT_ONCE, (), *numbers, differing=found.differing)
        at, who = np.nonzero(alone)
        strata = _compact(self.strata[at])
        for period in range(2, len(self.raters) + 1):
            run = longest_turns(who, period)
            chance = partial(chance_of_turns, who, strata, period)
            raters = tuple(sorted(set(who[run.first : run.first + min(run.length, period)].tolist())))
            yield self._run(SignKind.IN_TURN, raters, run, at, chance)

    def _pairs(self) -> Iterator[_Test]:
        for one, other in combinations(self.raters, 2):
            both = self.present[:, one] & self.present[:, other]
            if (self.labels[both, one] == self.labels[both, other]).all():
                differs = self.present & (self.labels != self.labels[:, [one]])
                yield self._never(SignKind.NEVER_DIFFER, (one, other), both, differs)
            else:
                yield self._test(SignKind.NEVER_DIFFER, (one, other), int(both.sum()), 1, 0, 1.0)

    def _runs(self) -> Iterator[_Test]:
        parted = np.flatnonzero(_differ(self.labels))
        rows = np.unique(self.labels[parted], axis=0, return_inverse=True)[1].ravel()
        chance = partial(chance_of_run, rows, _compact(self.strata[parted]))
        yield self._run(SignKind.SAME_ROWS, (), longest_run(rows), parted, chance)
        for rater in self.raters:
            at = np.flatnonzero(self.present[:, rater])
            values = _compact(self.labels[at, rater])
            chance = partial(chance_of_run, values, _compact(self.strata[at]))
            yield self._run(SignKind.SAME_LABEL, (rater,), longest_run(values), at, chance)

    def _never(self, kind: SignKind, raters: tuple[int, ...], base: Flags, differs: Flags) -> _Test:
        """Test that `raters` never differ on the issues of `base`, against the other rater who differs least.

        If two raters are equally likely to differ, each is the one who differs in half of the cases.
        """
        issues = int(base.sum())
        if not issues or differs[base][:, list(raters)].any():
            return self._test(kind, raters, issues, 1, 0, 1.0)
        least = self._least(differs[self.present[:, list(raters)].all(axis=1)], raters)
        return self._test(kind, raters, issues, 0, least, 0.5**least)

    def _least(self, differs: Flags, but: tuple[int, ...]) -> int:
        """The dissents of the rater who differs least; the raters in `but` do not count."""
        others = [rater for rater in self.raters if rater not in but]
        return int(differs[:, others].sum(axis=0).min())

    def _run(
        self, kind: SignKind, raters: tuple[int, ...], run: Run, at: Ints, chance: Callable[[int], float]
    ) -> _Test:
        first = int(at[run.first]) if run.length else None
        found = self._test(kind, raters, len(at), run.length, 0, chance(run.length), first=first)
        return replace(found, chance=chance)

    def _test(
        self,
        kind: SignKind,
        raters: tuple[int, ...],
        issues: int,
        observed: float,
        reference: float,
        p: float,
        *,
        first: int | None = None,
        differing: int | None = None,
    ) -> _Test:
        p = min(1.0, max(p, IMPOSSIBLE))
        sign = Sign(self.name, kind, raters, issues, observed, reference, p, first=first, differing=differing)
        return _Test(sign)


def _differ(labels: Ints) -> Flags:
    """[N] whether an issue has different labels."""
    high = labels.max(axis=1, keepdims=True, initial=MISSING)
    found: Flags = ((labels != high) & (labels != MISSING)).any(axis=1)
    return found


def _compact(values: Ints) -> Ints:
    return np.unique(values, return_inverse=True)[1].ravel()
