"""Which issues come to a volunteer a second time, and when: plain numbers, no database.

Everything follows from the volunteer's own seed and their own progress: it is the same whatever others label.
"""

import hashlib
from datetime import timedelta

YOUNGEST = timedelta(hours=1)
"""Before an issue comes again its first label is at least so old, even when nothing else is left."""


def comes_again(issue: int, seed: int, percent: int) -> bool:
    """Is this issue one of the `percent` of a hundred that this volunteer labels twice?"""
    return percent > 0 and _chance(f"again/{seed}/{issue}") % 10_000 < percent * 100


def is_place_of_a_repeat(place: int, seed: int, percent: int) -> bool:
    """Is a repeat that is due given as the turn number `place` (from 0) of this volunteer, rather than a new
    issue?

    One place of each few is, by chance: about twice as many as there are repeats, so that those that became
    due overnight are worked off without coming in a row.
    """
    if percent <= 0:
        return False
    few = max(2, 50 // percent)
    block, within = divmod(place, few)
    return _chance(f"place/{seed}/{block}") % few == within


def _chance(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
