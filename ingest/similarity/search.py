"""Finds all pairs of similar reports among many: no pair that reaches LEAST is missed.

Two sets of at least half of their elements in common share one of the rarest few of each, so that only
reports with such an element in common are compared. Source: Chaudhuri, Ganti and Kaushik (2006), A primitive
operator for similarity joins in data cleaning, ICDE; Bayardo, Ma and Srikant (2007), Scaling up all pairs
similarity search, WWW.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.similarity.elements import LINE, Elements

Places = NDArray[np.int32]

LEAST = 0.5
"""The likeness from which two reports are similar."""

SHORTEST = 8
"""A report of fewer elements is too short to be compared."""

LEAST_SHARING = 30
SHARING = 50
"""An element that LEAST_SHARING reports of a repository share, and one in SHARING of its reports, comes from
a template: it is left out of all reports.
"""

LEAST_LINES = 20
"""So many lines count in any report; more only as far as it has as many elements of words."""


class Pair(NamedTuple):
    """Two similar reports by their keys, the smaller one first."""

    first: int
    second: int
    likeness: float


class Report(NamedTuple):
    """A report that is compared: its key, the key of its repository, and its elements."""

    key: int
    repository: int
    elements: Elements


def boilerplate(reports: Iterable[Report]) -> Elements:
    """The elements that many reports of one repository share, in ascending order."""
    by_repository = sorted(reports, key=lambda report: report.repository)
    shared = [np.empty(0, dtype=np.uint64)]
    for _repository, group in groupby(by_repository, key=lambda report: report.repository):
        sets = [report.elements for report in group]
        if len(sets) >= LEAST_SHARING:
            found, times = np.unique(np.concatenate(sets), return_counts=True)
            shared.append(found[times >= max(LEAST_SHARING, len(sets) / SHARING)])
    return np.unique(np.concatenate(shared))


def counted(elements: Elements, shared: Elements) -> Elements:
    """The elements that count: without boilerplate, and with no more lines than words, LEAST_LINES at least.
    Which lines count depends on the lines alone, so that equal reports keep equal ones. Empty if there are
    fewer than SHORTEST.
    """
    if len(shared):
        places = np.searchsorted(shared, elements).clip(max=len(shared) - 1)
        elements = elements[shared[places] != elements]
    of_words = int(np.searchsorted(elements, LINE))
    kept = elements[: of_words + max(of_words, LEAST_LINES)]
    return kept if len(kept) >= SHORTEST else kept[:0]


def likeness(one: Elements, other: Elements) -> float:
    """The resemblance of two sets: the number of elements that both have, by the number that either has; from
    0, nothing in common, to 1, equal. Two empty sets have 0. Source: Broder (1997), On the resemblance and
    containment of documents, Compression and Complexity of Sequences.
    """
    both = len(np.intersect1d(one, other, assume_unique=True))
    either = len(one) + len(other) - both
    return both / either if either else 0.0


class Search:
    """The reports of a study, indexed by their rarest elements. Takes some 20 bytes of memory for each
    element: about 300 MB for 38,742 reports of 5 kB.
    """

    def __init__(self, reports: Iterable[Report]) -> None:
        held = list(reports)
        self._keys = [report.key for report in held]
        self._places = {key: place for place, key in enumerate(self._keys)}
        shared = boilerplate(held)
        # From the end, so that no set is kept twice.
        sets = [counted(held.pop().elements, shared) for _key in self._keys]
        sets.reverse()
        self.digests: Mapping[int, bytes] = {
            key: blake2b(found.tobytes(), digest_size=16).digest()
            for key, found in zip(self._keys, sets, strict=True)
        }
        """A digest of the elements of each report that count: as long as two reports keep theirs, so does
        their likeness.
        """
        self._sizes = np.array([len(found) for found in sets], dtype=np.int64)
        self._sets, self._rarest = _by_rarity(sets)
        highest = max((int(found[-1]) for found in self._sets if len(found)), default=0)
        self._holders, self._bounds = _holders(self._rarest, highest)
        self._marked = np.zeros(highest + 1, dtype=bool)

    def pairs_of(self, keys: Iterable[int]) -> Iterator[tuple[int, list[Pair]]]:
        """For each of these keys, in their order, its pairs with all other reports but with those of `keys`
        that come later: so each pair of two of them comes once.
        """
        chosen = [self._places[key] for key in keys]
        waiting = np.zeros(len(self._keys), dtype=bool)
        waiting[chosen] = True
        for place in chosen:
            waiting[place] = False
            yield self._keys[place], self._pairs_of(place, waiting)

    def _pairs_of(self, place: int, waiting: NDArray[np.bool_]) -> list[Pair]:
        near = [self._holders[self._bounds[one] : self._bounds[one + 1]] for one in self._rarest[place]]
        if not near:
            return []
        others = np.unique(np.concatenate(near))
        size, sizes = self._sizes[place], self._sizes[others]
        fits = (sizes >= LEAST * size) & (sizes * LEAST <= size) & ~waiting[others] & (others != place)
        others, sizes = others[fits], sizes[fits]
        both = self._overlaps(place, others)
        alike = both / (size + sizes - both)
        return [
            _pair(self._keys[place], self._keys[other], float(found))
            for other, found in zip(others, alike, strict=True)
            if found >= LEAST
        ]

    def _overlaps(self, place: int, others: NDArray[np.int32]) -> NDArray[np.int64]:
        """How many elements each of the other reports has in common with this one."""
        self._marked[self._sets[place]] = True
        found = [np.count_nonzero(self._marked[self._sets[other]]) for other in others]
        self._marked[self._sets[place]] = False
        return np.array(found, dtype=np.int64)


def _pair(one: int, other: int, alike: float) -> Pair:
    return Pair(min(one, other), max(one, other), alike)


def _by_rarity(sets: list[Elements]) -> tuple[list[Places], list[Places]]:
    """The elements of each set that another set has as well, as numbers, the rarest first, and the first ones
    of these: two sets that reach LEAST have one of them in common. Empties the list.
    """
    whole = np.concatenate([np.empty(0, dtype=np.uint64), *sets])
    whole.sort()
    common, times = np.unique(whole[1:][whole[1:] == whole[:-1]], return_counts=True)
    del whole
    rank = np.empty(len(common), dtype=np.int32)
    rank[np.argsort(times, kind="stable")] = np.arange(len(common), dtype=np.int32)
    numbered: list[Places] = []
    rarest: list[Places] = []
    for place, found in enumerate(sets):
        at = np.searchsorted(common, found).clip(max=len(common) - 1)
        numbers = np.sort(rank[at[common[at] == found]]) if len(common) else rank
        # Of n elements, all but as many as must be in common, and one. Its own elements are the rarest.
        first = len(found) - int(np.ceil(LEAST * len(found))) + 1 - (len(found) - len(numbers))
        numbered.append(numbers)
        rarest.append(numbers[: max(first, 0)])
        sets[place] = found[:0]
    return numbered, rarest


def _holders(rarest: Sequence[Places], highest: int) -> tuple[Places, Places]:
    """The places of the sets that have each number among their rarest; where those of each number begin."""
    numbers = np.concatenate([np.empty(0, dtype=np.int32), *rarest])
    places = np.repeat(np.arange(len(rarest), dtype=np.int32), [len(found) for found in rarest])
    order = np.argsort(numbers, kind="stable")
    bounds = np.searchsorted(numbers[order], np.arange(highest + 2, dtype=np.int32)).astype(np.int32)
    return places[order], bounds
