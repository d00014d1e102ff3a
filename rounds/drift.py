"""Which issues come to a volunteer a second time, and when: only numbers, no database. The result depends on
the volunteer's own seed and progress alone, not on what others label.
"""

import hashlib
from datetime import timedelta

YOUNGEST = timedelta(hours=1)
"""The least age of the first label before a form of its issue can be meant for the repeat."""


def comes_again(issue: int, seed: int, percent: int) -> bool:
    """Is this issue among the `percent` of issues that this volunteer labels twice?"""
    return percent > 0 and _chance(f"again/{seed}/{issue}") % 10_000 < percent * 100


def is_place_of_a_repeat(place: int, seed: int, percent: int) -> bool:
    """Does this volunteer's turn number `place` (from 0) go to a repeat that is due, and not to a new issue?

    Chance picks one place in each small block of turns. There are about twice as many places as repeats, so
    the volunteer works off repeats that became due overnight without getting several in a row.
    """
    if percent <= 0:
        return False
    few = max(2, 50 // percent)
    block, within = divmod(place, few)
    return _chance(f"place/{seed}/{block}") % few == within


def _chance(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
