"""How similarly two people sorted the same cards into piles; names of piles do not matter.

The comparison asks which pairs of cards are together. It reads only the cards that both people put into a
pile; a card that only one of them put into a pile counts as left out.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import comb

from agreement.reasons import gettext_noop

Sorting = Mapping[int, Hashable]
"""The pile of each card that is in a pile, by card."""

NO_PAIR = gettext_noop("fewer than two cards are in piles of both sortings")
NO_CHOICE = gettext_noop("both sortings have all cards in one pile, or each card in its own pile")
NOBODY = gettext_noop("no two sortings can be compared")


@dataclass(frozen=True)
class SortedAlike:
    """Two sortings compared over the `cards` in piles of both; `left_out` cards are in a pile of only one.

    Pairs of cards are `together` in both, in the `first` only, in the `second` only, or `apart` in both.
    `adjusted_rand` is the share of pairs that both sort the same way, corrected for chance: 1 for the same
    piles, 0 for the value of chance with piles of these sizes, below 0 for less; None, with the `reason`, for
    0/0. `shared`: the share together in both, of all pairs together in either; None if there is no such pair.
    """

    cards: int
    left_out: int
    together: int
    first: int
    second: int
    apart: int
    adjusted_rand: float | None
    shared: float | None
    reason: str = ""


def sorted_alike(one: Sequence[Hashable], other: Sequence[Hashable]) -> SortedAlike:
    """Two sortings of the same cards: `one[i]` and `other[i]` are the piles of card i.

    O(n) for n cards. ValueError if the lengths differ. Sources: Hubert and Arabie (1985), Journal of
    Classification 2, 193-218, for the adjusted Rand index; Jaccard (1912), New Phytologist 11, 37-50, for
    the share of pairs.
    """
    n = len(one)
    together = _pairs(Counter(zip(one, other, strict=True)))
    of_one, of_other, all_pairs = _pairs(Counter(one)), _pairs(Counter(other)), comb(n, 2)
    either = of_one + of_other - together
    adjusted, reason = None, NO_PAIR
    if all_pairs:
        by_chance = Fraction(of_one * of_other, all_pairs)
        most = Fraction(of_one + of_other, 2)
        reason = NO_CHOICE if most == by_chance else ""
        adjusted = None if reason else float((together - by_chance) / (most - by_chance))
    return SortedAlike(
        cards=n,
        left_out=0,
        together=together,
        first=of_one - together,
        second=of_other - together,
        apart=all_pairs - either,
        adjusted_rand=adjusted,
        shared=together / either if either else None,
        reason=reason,
    )


@dataclass(frozen=True)
class SortedBy:
    """Two people, as places among the sortings, and how similarly they sorted."""

    one: int
    other: int
    alike: SortedAlike


@dataclass(frozen=True)
class SortingAgreement:
    """All pairs of people; `mean` is over the `defined` adjusted Rand indices, None if there are none."""

    pairs: tuple[SortedBy, ...]
    mean: float | None
    defined: int
    reason: str = ""


def sorting_agreement(sortings: Sequence[Sorting]) -> SortingAgreement:
    """How similarly each pair of people sorted. O(people^2 x cards)."""
    pairs = []
    for (one, first), (other, second) in combinations(enumerate(sortings), 2):
        both = sorted(first.keys() & second.keys())
        alike = sorted_alike([first[card] for card in both], [second[card] for card in both])
        left_out = len(first.keys() | second.keys()) - len(both)
        pairs.append(SortedBy(one, other, replace(alike, left_out=left_out)))
    values = [pair.alike.adjusted_rand for pair in pairs if pair.alike.adjusted_rand is not None]
    mean = float(sum(map(Fraction, values)) / len(values)) if values else None
    return SortingAgreement(tuple(pairs), mean, len(values), "" if values else NOBODY)


def put_together_by_all(sortings: Sequence[Sorting]) -> list[list[int]]:
    """Groups of two cards or more that everybody put into one pile, ordered by each group's first card."""
    if not sortings:
        return []
    everywhere = set.intersection(*(set(sorting) for sorting in sortings))
    found: dict[tuple[Hashable, ...], list[int]] = {}
    for card in sorted(everywhere):
        found.setdefault(tuple(sorting[card] for sorting in sortings), []).append(card)
    return [cards for cards in found.values() if len(cards) > 1]


def _pairs(sizes: Counter[Hashable] | Counter[tuple[Hashable, Hashable]]) -> int:
    return sum(comb(size, 2) for size in sizes.values())
