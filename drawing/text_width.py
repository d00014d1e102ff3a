"""The drawn width of a text: the sum of the widths of its letters in the font of the figures."""

import json
import logging
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from unicodedata import category, east_asian_width

from drawing.workers import answer_of

SECONDS = 20
TABLE = Path(__file__).with_name("letter_widths.json")
"""The letters of Latin, Greek and Cyrillic with their widths, measured by `drawing.text_width_worker`."""
NO_WIDTH = {"Mn", "Me", "Cf", "Cc"}
"""Categories of marks that are drawn on the letter before them, and of letters that are invisible."""

log = logging.getLogger(__name__)

Widths = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Ruler:
    """Measures texts of the letters in `widths`, which are in thousandths of the size, regular and bold."""

    widths: Widths

    def __call__(self, text: str, size: float, *, bold: bool = False) -> float:
        """The width in the unit of `size`."""
        return sum(self.widths[letter][bold] for letter in text) * size / 1000

    def knows(self, text: str) -> bool:
        """Whether the sum is exact: letters outside the table can change shape beside each other."""
        return _table().keys() >= {letter for letter in text if not letter.isspace()}


def ruler(texts: Iterable[str]) -> Ruler:
    """A ruler for these texts; a separate process measures letters outside the table, in a second or two."""
    letters = set(chain.from_iterable(texts))
    known = _table()
    found = {letter: known[letter] for letter in letters & known.keys()}
    bare = {letter for letter in letters - known.keys() if category(letter) in NO_WIDTH}
    blanks = {letter for letter in letters - known.keys() if letter.isspace()} - bare
    asked = "".join(sorted(letters - known.keys() - bare - blanks))
    return Ruler(
        found | dict.fromkeys(bare, (0.0, 0.0)) | dict.fromkeys(blanks, known[" "]) | _measured(asked)
    )


@cache
def _table() -> Widths:
    regular_bold = json.loads(TABLE.read_text())
    return {letter: (regular, bold) for letter, regular, bold in regular_bold}


def _measured(letters: str) -> dict[str, tuple[float, float]]:
    """Widths of letters outside the table; full-width letters are at least squares, as in viewers' fonts."""
    if not letters:
        return {}
    try:
        regular, bold = _asked(letters)
    except subprocess.SubprocessError:
        log.warning("nobody knows how wide some letters are", exc_info=True)
        regular = bold = (1000.0,) * len(letters)
    least = [1000.0 if east_asian_width(letter) in "WF" else 0.0 for letter in letters]
    return {
        letter: (max(one, floor), max(other, floor))
        for letter, one, other, floor in zip(letters, regular, bold, least, strict=True)
    }


@lru_cache(maxsize=64)
def _asked(letters: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    regular, bold = json.loads(answer_of("text_width_worker", given=json.dumps(letters), seconds=SECONDS))
    return tuple(regular), tuple(bold)
