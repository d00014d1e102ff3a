"""The borders of words. Words are letters and digits with their marks, and all else separates them; scripts
without spaces (Chinese, Japanese, Thai …) have no borders.
"""

import re
from unicodedata import category

UNSPACED_RANGES = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u318f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U0001b000-\U0001b16f"
    "\U00020000-\U0003ffff"
)
"""For the square brackets of a pattern: the letters of scripts without spaces."""
UNSPACED = re.compile(f"[{UNSPACED_RANGES}]")

BORDER, LETTER, MARK = 0, 1, 2
_MOST_MARKS = 32


class Kinds(dict[str, int]):
    """For each character: a border, a letter or a digit of a script that separates its words, or a mark on
    one. What only chooses the look of a character (a variation selector) is no mark.

    `has_unspaced`: what scripts without spaces write is no letter here.
    """

    def __init__(self, *, has_unspaced: bool) -> None:
        super().__init__()
        self._has_unspaced = has_unspaced

    def __missing__(self, letter: str) -> int:
        if (self._has_unspaced and UNSPACED.match(letter)) or "\ufe00" <= letter <= "\ufe0f":
            found = BORDER
        elif letter.isalnum():
            found = LETTER
        else:
            found = MARK if category(letter) in {"Mn", "Mc"} else BORDER
        self[letter] = found
        return found

    def in_word(self, text: str, place: int) -> bool:
        """Is the character at this place part of a word? A mark is what the character before it is."""
        for before in range(place, max(-1, place - _MOST_MARKS), -1):
            kind = self[text[before]]
            if kind != MARK:
                return kind == LETTER
        return False

    def is_border(self, text: str, place: int) -> bool:
        return place == len(text) or not self[text[place]]


KINDS_OF_LETTERS = {on: Kinds(has_unspaced=on) for on in (True, False)}
"""By the switch `unspaced`."""
