"""A table as LaTeX in the style of booktabs: it compiles with the packages of a basic TeX and fits on a page.

Widths are generous estimates of the letters of Computer Modern.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from unicodedata import east_asian_width

from django.utils.translation import gettext as _

from core.text.escaping import is_plain_latex, latex
from reports.formats.tables import PrintedTable, one_line

LINE = 345.0
"""Points: the line of the class `article` in one column."""
ROWS = 40
"""The rows that fit on a page; a longer table continues on the next page."""
SLACK, NUMBER_SLACK = 6.5, 4.5
"""Points for capitals and other wide letters of a short word, and of the head of a column of numbers."""
LONGEST = 24
"""Longer words can end a line inside."""
SIZES = (("normalsize", 5.0, 12.0), ("small", 4.7, 8.0), ("footnotesize", 4.3, 6.0), ("scriptsize", 4.0, 4.0))
"""Sizes with the width of a letter and the space around a column, in points. No table is smaller."""

Columns = Sequence[int]


def as_latex(table: PrintedTable, *, key: str, caption: str, comment: str = "") -> str:
    """Tables with caption and label (`tab:key`), and a comment that names the packages.

    A table wider than a line gets a smaller size, then wraps its heads and texts. A table that is still too
    wide becomes several that repeat the columns of texts; their labels end with the number of the part. A
    table of more than ROWS rows is a `longtable`, which repeats its heads.
    """
    is_long = len(table.rows) > ROWS
    size, parts = _parted(table)
    bodies = []
    packages = {"booktabs"} | ({"longtable"} if is_long else set())
    for number, part in enumerate(parts, start=1):
        said, label = caption, f"tab:{key}"
        if len(parts) > 1:
            of = {"caption": caption, "part": number, "parts": len(parts)}
            said, label = _("%(caption)s Part %(part)s of %(parts)s.") % of, f"{label}-{number}"
        form, wraps = _form(table, part, size)
        packages |= {"array"} if wraps else set()
        write = _breaking if wraps else latex
        heads = " & ".join(write(table.heads[column]) for column in part) + r" \\"
        rows = [" & ".join(write(row[column]) for column in part) + r" \\" for row in table.rows]
        around = _long if is_long else _floating
        titled = rf"\caption{{{latex(said)}}}\label{{{label}}}"
        bodies.append("\n".join(around(titled, form, heads, rows, size)))
    text = "\n\n".join(bodies)
    lines = [f"% {one_line(comment)}"] if comment else []
    lines.append(rf"% \usepackage{{{','.join(sorted(packages))}}}")
    if not is_plain_latex("".join([caption, *table.heads, *(cell for row in table.rows for cell in row)])):
        lines.append(r"% Compile with XeLaTeX or LuaLaTeX and a font with all letters; for Chinese: ctex.")
    return "\n".join([*lines, text])


def _floating(titled: str, form: str, heads: str, rows: Sequence[str], size: int) -> Iterator[str]:
    name, _letter, gap = SIZES[size]
    yield r"\begin{table}[htbp]"
    yield r"\centering\setlength{\abovecaptionskip}{0pt}\setlength{\belowcaptionskip}{6pt}"
    yield titled
    if size:
        yield rf"\{name}\setlength{{\tabcolsep}}{{{gap / 2:g}pt}}"
    yield rf"\begin{{tabular}}{{{form}}}"
    yield from (r"\toprule", heads, r"\midrule", *rows, r"\bottomrule")
    yield r"\end{tabular}"
    yield r"\end{table}"


def _long(titled: str, form: str, heads: str, rows: Sequence[str], size: int) -> Iterator[str]:
    name, _letter, gap = SIZES[size]
    yield rf"\begingroup\{name}\setlength{{\tabcolsep}}{{{gap / 2:g}pt}}"
    yield r"\setlength{\LTcapwidth}{\linewidth}"
    yield rf"\begin{{longtable}}{{{form}}}"
    yield rf"{titled} \\[6pt]"
    yield from (
        r"\toprule",
        heads,
        r"\midrule",
        r"\endfirsthead",
        r"\toprule",
        heads,
        r"\midrule",
        r"\endhead",
    )
    yield from (r"\bottomrule", r"\endfoot", *rows)
    yield r"\end{longtable}"
    yield r"\endgroup"


def _parted(table: PrintedTable) -> tuple[int, Sequence[Columns]]:
    """The largest size at which the table fits a line, if need be wrapped; else the parts that fit."""
    every = list(range(len(table.heads)))
    for size, (_name, letter, gap) in enumerate(SIZES):
        if sum(_whole(table, column) * letter + gap for column in every) <= LINE:
            return size, [every]
    for size, (_name, letter, gap) in enumerate(SIZES):
        if size and sum(_least(table, column, letter) + gap for column in every) <= LINE:
            return size, [every]
    size = len(SIZES) - 1
    _name, letter, gap = SIZES[size]
    width = {column: _least(table, column, letter) + gap for column in every}
    stub = [column for column in every[:-1] if not table.is_number[column]] or [0]
    if sum(width[column] for column in stub) > LINE / 2:
        stub = stub[:1]
    room = LINE - sum(width[column] for column in stub)
    parts: list[list[int]] = []
    left = 0.0
    for column in every:
        if column in stub:
            continue
        if width[column] > left or not parts:
            parts.append(list(stub))
            left = room
        parts[-1].append(column)
        left -= width[column]
    return size, parts


def _form(table: PrintedTable, part: Columns, size: int) -> tuple[str, bool]:
    """The columns of a tabular, and whether their cells wrap: texts share the room that is left."""
    _name, letter, gap = SIZES[size]
    if sum(_whole(table, column) * letter + gap for column in part) <= LINE:
        return "".join("r" if table.is_number[column] else "l" for column in part), False
    least = [_least(table, column, letter) for column in part]
    wanted = [
        0.0 if table.is_number[column] else max(0.0, _whole(table, column) * letter - width)
        for column, width in zip(part, least, strict=True)
    ]
    left = max(LINE - gap * len(part) - sum(least), 0.0)
    share = min(1.0, left / (sum(wanted) or 1.0))
    return "".join(
        rf">{{\raggedleft\arraybackslash}}p{{{int(width)}pt}}"
        if table.is_number[column]
        else rf">{{\raggedright\arraybackslash}}p{{{int(width + more * share)}pt}}"
        for column, width, more in zip(part, least, wanted, strict=True)
    ), True


def _whole(table: PrintedTable, column: int) -> int:
    """The letters of the longest cell."""
    return max(_letters(text) for text in _cells(table, column))


def _least(table: PrintedTable, column: int, letter: float) -> float:
    """The points of the longest part of a cell that stays on one line."""
    longest = max(_letters(part) for text in _cells(table, column) for part in _parts(text))
    return letter * longest + (NUMBER_SLACK if table.is_number[column] else SLACK)


def _cells(table: PrintedTable, column: int) -> list[str]:
    return [table.heads[column], *(row[column] for row in table.rows)]


def _letters(text: str) -> int:
    """The width of a text in letters; a Chinese letter is as wide as two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in one_line(text))


def _parts(text: str) -> list[str]:
    """The parts of a text between its line breaks: a line can end after a blank, _, /, = and a dash, between
    two Chinese letters, and inside long words.
    """
    found = []
    for word in one_line(text).split(" "):
        places = [at for at in range(1, len(word)) if _ends(word[at - 1], word[at])]
        for start, end in pairwise([0, *places, len(word)]):
            found += [word[at : min(at + LONGEST, end)] for at in range(start, end, LONGEST)]
    return found or [""]


def _ends(one: str, following: str) -> bool:
    """Can a line end between these letters of a word?"""
    wide = east_asian_width(one) in "WF" and east_asian_width(following) == "W"
    return wide or (one in "_/=–" and following not in "_/=–")


def _breaking(text: str) -> str:
    r"""Text as LaTeX whose lines can end where `_parts` ends them."""
    if re.fullmatch(r"−[\d.,]+", text):
        return latex(text)
    words = (r"\allowbreak{}".join(map(latex, _parts(word))) for word in one_line(text).split(" "))
    return " ".join(words)
