"""Who gets which issue, and in which order: plain numbers, no database."""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

PAUSE = timedelta(minutes=30)


def volunteer_seed(seed: int, column: int) -> int:
    """The seed of one volunteer's own order: fixed by the round's seed and their column.

    A signed 64-bit number, evenly spread, so that it also serves as a place on the ring of ranks.
    """
    digest = hashlib.blake2b(f"{seed}/{column}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def fair_share(issues: int, labels_per_issue: int, volunteers: int) -> int:
    """The labels that each volunteer gives when all give equally many, rounded up; 0 without volunteers."""
    return -(-issues * labels_per_issue // volunteers) if volunteers else 0


def pace(moments: Sequence[datetime]) -> float | None:
    """Seconds that one label takes: the median gap of these moments, in any order.

    Gaps over half an hour are pauses and do not count. None where no gap is left.
    """
    ordered = sorted(moments)
    gaps = [later - earlier for earlier, later in pairwise(ordered)]
    worked = [gap.total_seconds() for gap in gaps if gap <= PAUSE]
    return median(worked) if worked else None
