"""Draws the rooms of the house from the import contract in pyproject.toml: docs/pictures/rooms.svg. A room
imports only rooms below it. The first line of its package is its purpose.
"""

import ast
import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "pictures" / "rooms.svg"
CONTRACT = "Rooms depend downwards only"
WIDTH, HEIGHT, GAP, MARGIN = 860, 40, 8, 12
STYLE = """
rect { fill: #f1f5f4; stroke: #88aaaa }
.paper { fill: #ffffff; stroke: none }
text { font: 11px system-ui, sans-serif; fill: #334455 }
.name { font-size: 14px; font-weight: 600; fill: #112233 }
"""


def floors() -> list[list[str]]:
    """The rooms of each floor, the top floor first, with the contract's names."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["name"] == CONTRACT)
    return [[room.strip() for room in layer.split("|")] for layer in layers]


def purpose(room: str) -> str:
    """The first line of the room's docstring."""
    source = (ROOT / room / "__init__.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").splitlines()[0]


def drawn() -> str:
    """The picture as SVG."""
    rows = floors()
    height = 2 * MARGIN + len(rows) * (HEIGHT + GAP) - GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>The rooms of Crosscheck: each asks those below it</title><style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{height}"/>',
    ]
    for floor, rooms in enumerate(rows):
        wide = (WIDTH - 2 * MARGIN - GAP * (len(rooms) - 1)) / len(rooms)
        top = MARGIN + floor * (HEIGHT + GAP)
        for place, room in enumerate(rooms):
            left = MARGIN + place * (wide + GAP)
            parts += [
                f'<rect x="{left:g}" y="{top}" width="{wide:g}" height="{HEIGHT}" rx="6"/>',
                f'<text x="{left + 12:g}" y="{top + 17}" class="name">{room}</text>',
                f'<text x="{left + 12:g}" y="{top + 32}">{escape(purpose(room))}</text>',
            ]
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")
    print(f"{PICTURE.relative_to(ROOT)}: {sum(map(len, floors()))} rooms on {len(floors())} floors")
