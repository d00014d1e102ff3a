"""The colours of types: three that can be told apart by all, and none."""

from collections.abc import Sequence
from typing import Final

HUES: Final = 4
"""The number of colours that a type can have; the last of them is no colour."""
NONE: Final = HUES - 1


def hues(own: Sequence[int | None]) -> list[int]:
    """The colours of types in their order, from their own ones, None for who has none.

    Such a type gets that of its place, where another has that the first that is free, and none after that.
    """
    taken = {hue for hue in own if hue is not None}
    found = []
    for place, hue in enumerate(own):
        free = (each for each in (min(place, NONE), *range(NONE)) if each == NONE or each not in taken)
        chosen = next(free, NONE) if hue is None else hue
        taken.add(chosen)
        found.append(chosen)
    return found
