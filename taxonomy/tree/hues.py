"""The colours of types: three that everybody can tell apart, and none."""

from collections.abc import Sequence
from typing import Final

HUES: Final = 4
"""The number of colours of types, including no colour, the last."""
NONE: Final = HUES - 1


def hues(own: Sequence[int | None]) -> list[int]:
    """The colours of types in order, from `own`, their own colours. A type without one (None) gets the colour
    of its place, else the first free one; no colour if none is free, or from the fourth place on.
    """
    taken = {hue for hue in own if hue is not None}
    found = []
    for place, hue in enumerate(own):
        free = (each for each in (min(place, NONE), *range(NONE)) if each == NONE or each not in taken)
        chosen = next(free, NONE) if hue is None else hue
        taken.add(chosen)
        found.append(chosen)
    return found
