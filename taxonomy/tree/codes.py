"""Codes for new categories, which continue those of their siblings."""

import re
from collections.abc import Collection, Sequence
from itertools import count

from taxonomy.tree.nodes import SUB_THEME, TYPE, look_alike

_ROMAN = ((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def roman(number: int) -> str:
    """The number, from 1 to 89, in lower-case Roman numerals."""
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text


_NUMBERS = {roman(number): number for number in range(1, 90)}


def next_code(above: str | None, siblings: Sequence[str], level: int) -> str:
    """A code that no sibling has, for a category of this level under the code `above`.

    It continues the siblings' codes: letters, numbers or Roman numerals after the same beginning. Without
    siblings types are A, B, C, themes C.1, C.2, and sub-themes C.1.i, C.1.ii.
    """
    start = "" if above is None else f"{above}."
    ends = [code.removeprefix(start) for code in siblings if code.startswith(start)]
    beginnings = {end.rstrip("0123456789") for end in ends}
    if len(beginnings) == 1 and not beginnings.intersection(ends):  # all are numbered, such as t1 and t7
        [beginning] = beginnings
        start, ends = start + beginning, [end.removeprefix(beginning) for end in ends]
    taken = {code.casefold() for code in siblings}
    numbers = [int(end) for end in ends if re.fullmatch("[0-9]{1,6}", end)]
    romans = [_NUMBERS[end] for end in ends if end in _NUMBERS]
    letters = [_LETTERS.index(end) for end in ends if len(end) == 1 and end in _LETTERS]
    if letters or (not ends and level == TYPE):
        following = (_LETTERS[place] for place in range(max(letters, default=-1) + 1, len(_LETTERS)))
        for end in following:
            if f"{start}{end}".casefold() not in taken:
                return f"{start}{end}"
    is_roman = bool(romans) or (not ends and level == SUB_THEME)
    first = max(romans if is_roman else numbers, default=0) + 1
    codes = (f"{start}{roman(number) if is_roman else number}" for number in count(first))
    return next(code for code in codes if code.casefold() not in taken)


def free_code(above: str | None, siblings: Sequence[str], level: int, taken: Collection[str]) -> str:
    """Like `next_code`, and not in `taken`, a collection of `look_alike` keys."""
    known = list(siblings)
    while look_alike(code := next_code(above, known, level)) in taken:
        known.append(code)
    return code
