"""Print the letters of the input that no font here has: `python -m drawing.missing_glyphs_worker`.

Input and output are JSON texts. It runs as a separate process, like typesetting.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import typst

from drawing import FONTS

NO_LETTER = "\uffff"
"""No font has this letter: every missing letter is drawn with the same shape as this letter."""

EACH = """#set page(width: auto, height: auto, margin: 0pt)
#for letter in json(bytes(sys.inputs.letters)) [#text(letter) #parbreak()]
"""
TEXT, GLYPH, SHAPES = "<g transform=", 'href="#', "<defs>"


def missing(letters: str) -> str:
    drawn = _drawn(NO_LETTER + letters)
    if len(drawn) != len(letters) + 1:
        # Some letters, such as coloured ones, are drawn as pictures: the others are found one by one.
        return "".join(map(missing, letters)) if len(letters) > 1 else ""
    return "".join(letter for letter, glyph in zip(letters, drawn[1:], strict=True) if glyph == drawn[0])


def _drawn(letters: str) -> list[str]:
    """The name of the shape of each letter, in the order of the letters."""
    with TemporaryDirectory() as folder:
        page = Path(folder) / "letters.typ"
        page.write_text(EACH)
        svg = typst.compile(
            str(page), font_paths=[str(FONTS)], sys_inputs={"letters": json.dumps([*letters])}, format="svg"
        ).decode()
    texts = svg.partition(SHAPES)[0].split(TEXT)[1:]
    return [text.partition(GLYPH)[2].partition('"')[0] for text in texts]


if __name__ == "__main__":
    json.dump(missing(json.load(sys.stdin)), sys.stdout)
