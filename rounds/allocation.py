"""Who gets which issue, and in which order: plain numbers, no database."""

import hashlib
from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

IN_REPOSITORY = 48
"""Bits of a rank that shuffle the issues of one repository; those above them number the repositories."""
PAUSE = timedelta(minutes=30)
REST = timedelta(minutes=10)


def volunteer_seed(seed: int, column: int) -> int:
    """The seed of one volunteer's own order: fixed by the round's seed and their column.

    A signed 64-bit number, evenly spread, so that it also serves as a place on the ring of ranks.
    """
    digest = hashlib.blake2b(f"{seed}/{column}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def repository_of(rank: int) -> tuple[int, int]:
    """The first and the last rank of the repository that this one is in, in a round ordered by repository."""
    first = rank >> IN_REPOSITORY << IN_REPOSITORY
    return first, first | (1 << IN_REPOSITORY) - 1


def entrance(rank: int, seed: int) -> int:
    """Where a volunteer of this seed begins in the repository that this rank is in: a place of their own."""
    first, last = repository_of(rank)
    return first | seed & (last - first)


def fair_share(issues: int, labels_per_issue: int, volunteers: int) -> int:
    """The labels that each volunteer gives when all give equally many, rounded up; 0 without volunteers."""
    return -(-issues * labels_per_issue // volunteers) if volunteers else 0


def smallest_quota(issues: int, labels_per_issue: int, quotas: Sequence[int | None]) -> int:
    """The smallest q that fills a round once no volunteer's quota is below q; None in `quotas` is no end.

    0 where the quotas are enough as they are. Nobody labels an issue twice, so a volunteer gives at most
    `issues` labels; labels_per_issue <= len(quotas). Enough turns are also enough for each single issue:
    dealt out one volunteer after the other, an issue meets nobody twice.
    """
    needed = issues * labels_per_issue

    def turns(least: int) -> int:
        return sum(issues if quota is None else min(max(quota, least), issues) for quota in quotas)

    return bisect_left(range(issues), needed, key=turns)


def pace(moments: Sequence[datetime]) -> float | None:
    """Seconds that one label takes: the median gap of these moments, in any order.

    Gaps over half an hour are pauses and do not count. None where no gap is left.
    """
    ordered = sorted(moments)
    gaps = [later - earlier for earlier, later in pairwise(ordered)]
    worked = [gap.total_seconds() for gap in gaps if gap <= PAUSE]
    return median(worked) if worked else None


def stretch(moments: Sequence[datetime], now: datetime) -> timedelta:
    """How long somebody has been at work by now without ten minutes' rest.

    Since the first of these moments, in any order, from which on no two, nor the last and now, are further
    apart. Zero in a rest, or without moments.
    """
    ordered = sorted(moments)
    gaps = list(pairwise([*ordered, now]))
    began = now
    for earlier, later in reversed(gaps):
        if later - earlier > REST:
            break
        began = earlier
    return now - began
