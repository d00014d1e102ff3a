"""Who gets which issue, and in which order: only numbers, no database."""

import hashlib
from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from statistics import median

IN_REPOSITORY = 48
"""Low bits of a rank, which shuffle the issues of a repository; the bits above number the repositories."""
PAUSE = timedelta(minutes=30)
REST = timedelta(minutes=10)


def volunteer_seed(seed: int, column: int) -> int:
    """The seed of one volunteer's own order, computed from the round's seed and the volunteer's column. A
    signed 64-bit number, evenly spread, so that it also serves as a place on the ring of ranks.
    """
    digest = hashlib.blake2b(f"{seed}/{column}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def repository_of(rank: int) -> tuple[int, int]:
    """The first and the last rank of the repository of this rank, in a round ordered by repository."""
    first = rank >> IN_REPOSITORY << IN_REPOSITORY
    return first, first | (1 << IN_REPOSITORY) - 1


def entrance(rank: int, seed: int) -> int:
    """The rank at which a volunteer with this seed begins in the repository of this rank."""
    first, last = repository_of(rank)
    return first | seed & (last - first)


def fair_share(issues: int, labels_per_issue: int, volunteers: int) -> int:
    """The labels that each volunteer gives when all give equally many, rounded up; 0 without volunteers."""
    return -(-issues * labels_per_issue // volunteers) if volunteers else 0


@lru_cache(maxsize=1024)
def labels_asked(slots: int, issues: int, quotas: tuple[int | None, ...], quota: int | None) -> int:
    """k of n: the labels that a volunteer with this quota is to give: as many as every other, or the quota if
    that is less. The slots that smaller quotas leave are shared among the others, rounded up.

    `quotas` are those of all volunteers who label now; None is no limit. Nobody labels an issue twice.
    """
    most = [issues if one is None else min(one, issues) for one in quotas]
    share = bisect_left(range(issues), slots, key=lambda each: sum(min(each, one) for one in most))
    return share if quota is None else min(share, quota)


def smallest_quota(issues: int, labels_per_issue: int, quotas: Sequence[int | None]) -> int:
    """The smallest q that fills a round if every quota is at least q; None in `quotas` means no limit.

    0 if the quotas already fill the round. Nobody labels an issue twice, so a volunteer gives at most
    `issues` labels; labels_per_issue <= len(quotas). If the total is enough, each issue can get its labels:
    dealt out one volunteer after the other, no issue gets the same volunteer twice.
    """
    needed = issues * labels_per_issue

    def turns(least: int) -> int:
        return sum(issues if quota is None else min(max(quota, least), issues) for quota in quotas)

    return bisect_left(range(issues), needed, key=turns)


def pace(moments: Sequence[datetime]) -> float | None:
    """Seconds per label: the median gap between these moments, in any order. None without a gap to count.
    Gaps over half an hour are pauses and do not count.
    """
    ordered = sorted(moments)
    gaps = [later - earlier for earlier, later in pairwise(ordered)]
    worked = [gap.total_seconds() for gap in gaps if gap <= PAUSE]
    return median(worked) if worked else None


def stretch(moments: Sequence[datetime], now: datetime) -> timedelta:
    """How long somebody has worked until now without ten minutes' rest. The moments can be in any order.

    The work began at the earliest moment after which no gap, up to now, is longer than ten minutes. Zero
    during a rest, or without moments.
    """
    ordered = sorted(moments)
    gaps = list(pairwise([*ordered, now]))
    began = now
    for earlier, later in reversed(gaps):
        if later - earlier > REST:
            break
        began = earlier
    return now - began
