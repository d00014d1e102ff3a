"""Measure the drawn widths of the letters in the input, a JSON text: `python -m drawing.text_width_worker`.

The answer is a JSON list of two lists, regular and bold, in thousandths of the font size, after a second or
two. It is a separate process, as for drawing, because the engine keeps its memory until the process ends.
"""

import json
import sys

import vl_convert

from drawing import FONTS

FONT = "Liberation Sans"
SIZE = 1000


def widths(letters: str, weight: str) -> list[float]:
    """The width of each letter, drawn as a text mark with a second mark at its end."""
    spec = {
        "$schema": "https://vega.github.io/schema/vega/v6.json",
        "width": SIZE,
        "height": SIZE,
        "data": [{"name": "letters", "values": [{"letter": letter} for letter in letters]}],
        "marks": [
            {
                "name": "drawn",
                "type": "text",
                "from": {"data": "letters"},
                "encode": {
                    "enter": {
                        "text": {"field": "letter"},
                        "font": {"value": FONT},
                        "fontSize": {"value": SIZE},
                        "fontWeight": {"value": weight},
                        "x": {"value": 0},
                    }
                },
            },
            {"type": "symbol", "from": {"data": "drawn"}, "encode": {"enter": {"x": {"field": "bounds.x2"}}}},
        ],
    }
    vl_convert.register_font_directory(str(FONTS))
    drawn = vl_convert.vega_to_scenegraph(spec)
    (root,) = drawn["scenegraph"]["items"]
    _texts, ends = root["items"]
    return [round(end["x"], 1) for end in ends["items"]]


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    json.dump([widths(asked, "normal"), widths(asked, "bold")], sys.stdout)
