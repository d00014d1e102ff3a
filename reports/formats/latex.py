"""A table as LaTeX in the style of booktabs, which compiles and fits on a page.

No TeX runs here: the widths are generous estimates.
"""

import re
from collections.abc import Sequence

from core.text.escaping import latex
from reports.formats.tables import Table, one_line, rounded

LINE = 345.0
"""Points: the line of the class `article` in one column. Text columns get their share of the line."""
ROWS = 40
"""The rows that fit on a page; a longer table continues on the next page."""
LETTER, GAP = 5.0, 12.0
"""The width of a letter and the space around a column, in points at a font size of 10 points."""
SMALL = (("scriptsize", 4.0), ("tiny", 3.2))
"""Smaller sizes with the width of a letter; there the space between columns is SMALL_GAP points."""
SMALL_GAP = 4.0


def as_latex(table: Table, comment: str = "") -> str:
    """The table with statistics to three digits and numbers at the right; a comment names the packages.

    A table wider than a line gets a smaller size and wraps its heads and texts. A table that is still too
    wide is scaled (`adjustbox`); one of more than ROWS rows is a `longtable`, which repeats its heads.
    """
    rows = [[rounded(cell) for cell in row] for row in table.rows]
    numeric = [
        all(cell is None or isinstance(cell, int | float) for cell in column)
        for column in zip(*table.rows, strict=True)
    ] or [False] * len(table.columns)
    columns = list(zip(table.columns, *rows, strict=True))
    is_long = len(rows) > ROWS
    packages = ["booktabs"]
    if sum(max(map(len, column)) * LETTER + GAP for column in columns) <= LINE:
        form, around = "".join("r" if right else "l" for right in numeric), ("", "")
        cells = [[latex(cell) for cell in row] for row in rows]
        heads = [latex(name) for name in table.columns]
    else:
        size, widths = _widths(columns, numeric)
        form = "".join(
            rf">{{\raggedleft\arraybackslash}}p{{{width:.0f}pt}}"
            if right
            else rf">{{\raggedright\arraybackslash}}p{{{width / LINE:.3f}\linewidth}}"
            for width, right in zip(widths, numeric, strict=True)
        )
        around = (rf"\begingroup\{size}\setlength{{\tabcolsep}}{{{SMALL_GAP / 2:g}pt}}", r"\endgroup")
        cells = [[_breaking(cell) for cell in row] for row in rows]
        heads = [_breaking(name) for name in table.columns]
        packages.append("array")
        if not is_long and sum(widths) + SMALL_GAP * len(widths) > LINE:
            around = (around[0] + r"\begin{adjustbox}{max width=\linewidth}", r"\end{adjustbox}" + around[1])
            packages.append("adjustbox")
    head = [r"\toprule", " & ".join(heads) + r" \\", r"\midrule"]
    body = [" & ".join(row) + r" \\" for row in cells]
    if is_long:
        packages.append("longtable")
        lines = [rf"\begin{{longtable}}{{{form}}}", *head, r"\endhead", r"\bottomrule", r"\endfoot", *body]
        lines.append(r"\end{longtable}")
    else:
        lines = [rf"\begin{{tabular}}{{{form}}}", *head, *body, r"\bottomrule", r"\end{tabular}"]
    said = [f"% {one_line(comment)}"] if comment else []
    said.append(rf"% \usepackage{{{','.join(packages)}}}")
    return "\n".join([*said, *filter(None, (around[0], *lines, around[1]))])


def _widths(columns: Sequence[Sequence[str]], numeric: Sequence[bool]) -> tuple[str, list[float]]:
    """The size, and the points of each column: its longest part, and for texts a share of the rest."""
    longest = [max(len(part) for cell in column for part in _parts(cell)) for column in columns]
    room = LINE - SMALL_GAP * len(columns)
    size, letter = next((one for one in SMALL if sum(longest) * one[1] <= room), SMALL[-1])
    least = [parts * letter for parts in longest]
    left = room - sum(least)
    wanted = [
        0.0 if right else max(map(len, column)) * letter - width
        for column, right, width in zip(columns, numeric, least, strict=True)
    ]
    share = min(1.0, max(left, 0.0) / (sum(wanted) or 1.0))
    return size, [width + more * share for width, more in zip(least, wanted, strict=True)]


def _parts(text: str) -> list[str]:
    """The parts of a text between its line breaks: a line can end after a blank, _, / and =."""
    return re.findall(r"[^\s_/=]+[_/=]?|[_/=]", one_line(text)) or [""]


def _breaking(text: str) -> str:
    r"""Text as LaTeX whose lines can also end after _, / and =."""
    parts = re.split(r"(?<=[_/=])(?=[^\s_/=])", one_line(text))
    return r"\allowbreak{}".join(map(latex, parts))
