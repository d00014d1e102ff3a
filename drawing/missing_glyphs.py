"""Letters without a font on this server: PDF files and pictures show them as empty boxes."""

import json
import logging
import subprocess
from collections.abc import Iterable
from functools import lru_cache
from unicodedata import category

from django.utils.translation import ngettext

from core.upkeep.leftovers import work_folder
from drawing.workers import answer_of

SECONDS = 5

ALONG = range(0x0530), range(0x1E00, 0x2000), range(0x2010, 0x2060), range(0x2190, 0x2194)
"""Latin, Greek, Cyrillic, punctuation and arrows: the engines bring these. All others are looked up."""

NO_SHAPE = {"Cc", "Cf", "Zs", "Zl", "Zp"}

SHOWN = 12


log = logging.getLogger(__name__)


def without_a_font(texts: Iterable[str]) -> str:
    """The letters of these texts that would be boxes, each once, in the order of their codes; "" on failure.

    A separate process looks them up in some tenths of a second; answers for the same letters are cached.
    """
    letters = {letter for text in texts for letter in text if category(letter) not in NO_SHAPE}
    asked = sorted(letter for letter in letters if not any(ord(letter) in part for part in ALONG))
    try:
        return _missing("".join(asked)) if asked else ""
    except subprocess.SubprocessError:
        log.warning("nobody knows which letters have a font", exc_info=True)
        return ""


@lru_cache(maxsize=64)
def _missing(letters: str) -> str:
    given = json.dumps(letters)
    with work_folder("drawing") as folder:
        found = answer_of("missing_glyphs_worker", given=given, seconds=SECONDS, folder=folder)
    return str(json.loads(found))


def boxes(letters: str) -> str:
    """The warning for these letters; "" for none."""
    if not letters:
        return ""
    return ngettext(
        "This server has no font for %(n)s letter of these names (%(letters)s). In PDF, PNG and SVG files"
        " the letter is an empty box; HTML and tables show it. An administrator can install a font, such as"
        " fonts-noto-cjk for Japanese and Korean.",
        "This server has no font for %(n)s letters of these names (%(letters)s). In PDF, PNG and SVG files"
        " these letters are empty boxes; HTML and tables show them. An administrator can install a font,"
        " such as fonts-noto-cjk for Japanese and Korean.",
        len(letters),
    ) % {"n": len(letters), "letters": letters[:SHOWN] + "…" * (len(letters) > SHOWN)}
