"""A table, and a table as CSV or Markdown."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat

from core.csv import csv_lines


@dataclass(frozen=True)
class Table:
    """Rows at full precision under the column names of files; None is an empty cell."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    @classmethod
    def of(cls, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> "Table":
        return cls(tuple(columns), tuple(tuple(row) for row in rows))


def number(value: float | None, digits: int = 3) -> str:
    """A statistic for people: three digits, a real minus sign, no sign for 0.000, "" for None."""
    if value is None:
        return ""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def as_csv(table: Table) -> str:
    """UTF-8 text with LF at full precision. Texts that a spreadsheet would execute are escaped."""
    return b"".join(csv_lines(table.columns, table.rows)).decode()


def as_markdown(table: Table, digits: Sequence[Callable[[float], str]] = ()) -> str:
    """A Markdown table; `digits` formats the statistics of each column, to three digits if not given."""
    rows = (map(rounded, row, digits or repeat(number)) for row in table.rows)
    lines = [table.columns, *(list(row) for row in rows)]
    head, *body = ("| " + " | ".join(_plain(cell) for cell in line) + " |" for line in lines)
    return "\n".join([head, "|" + "---|" * len(table.columns), *body])


def _plain(text: str) -> str:
    """Text for a cell of Markdown: one line, with its markup escaped."""
    return re.sub(r"[\\|<*`\[_~&$]", r"\\\g<0>", one_line(text))


def one_line(text: str) -> str:
    return " ".join(text.split())


def rounded(cell: object, digits: Callable[[float], str] = number) -> str:
    """A cell as text for people."""
    if isinstance(cell, float):
        return digits(cell)
    return "" if cell is None else str(cell)


@dataclass(frozen=True)
class PrintedTable:
    """A table for people: heads in words and cells as texts, in the reader's language.

    `is_number` tells which columns have numbers only. Columns whose cells are all empty are left out.
    """

    heads: tuple[str, ...]
    is_number: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
