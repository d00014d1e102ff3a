"""A matrix of weights as CSV: codes as heads of columns and rows, a weight from 0 to 1 in each cell."""

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from agreement.reasons import gettext_noop
from agreement.weighted.weights import Weights, matrix_weights

DIGITS = 6
MAX_CHARACTERS = 2_000_000
MOST_PROBLEMS = 20
_WEIGHT = re.compile(rf"[01](?:\.\d{{1,{DIGITS}}})?|\.\d{{1,{DIGITS}}}")


class Problem(NamedTuple):
    """A line that is refused. `template` is a message id with `values`."""

    line: int
    template: str
    values: Mapping[str, object]


class MatrixError(ValueError):
    """No matrix of weights: every problem, in the order of lines."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(one.template % one.values for one in problems))


@dataclass(frozen=True)
class Matrix:
    """The weights of the categories with these codes: `rows` [q][q], symmetric, 1 on the diagonal."""

    codes: tuple[str, ...]
    rows: tuple[tuple[Fraction, ...], ...]

    def of(self, codes: Sequence[str]) -> Weights | None:
        """The weights of these categories in this order; None if the matrix lacks one of them."""
        at = {code: place for place, code in enumerate(self.codes)}
        if not set(codes) <= set(at):
            return None
        return matrix_weights([[self.rows[at[one]][at[other]] for other in codes] for one in codes])

    def as_csv(self) -> str:
        return as_csv(self.codes, self.rows)


def tree_matrix(codes: Sequence[str], weights: Weights) -> Matrix:
    """These weights as a matrix to begin with, rounded to as many digits as a file may have."""
    places = range(len(codes))
    rows = (tuple(Fraction(f"{float(weights.of(k, m)):.{DIGITS}f}") for m in places) for k in places)
    return Matrix(tuple(codes), tuple(rows))


def as_csv(codes: Sequence[str], rows: Sequence[Sequence[Fraction]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["", *codes])
    for code, row in zip(codes, rows, strict=True):
        writer.writerow([code, *(f"{float(one):.{DIGITS}f}".rstrip("0").rstrip(".") for one in row)])
    return out.getvalue()


def read_matrix(text: str, known: Collection[str]) -> Matrix:
    """The matrix in a CSV text; its codes are among the `known` ones, and come in their order.

    The first row and the first column have the same codes, in any order. Cells stand between commas,
    semicolons or tabs. One of two mirrored cells can be empty, and so can the diagonal. A weight has at most
    six decimals. Raises MatrixError with every problem.
    """
    if len(text) > MAX_CHARACTERS:
        raise MatrixError([Problem(1, gettext_noop("the text has more than 2 million characters"), {})])
    lines = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}").splitlines()
    head = next((line for line in lines if line.strip()), "")
    delimiter = max(",;\t", key=head.count)
    table = [
        (number, [cell.strip() for cell in row])
        for number, row in enumerate(csv.reader(lines, delimiter=delimiter), start=1)
        if any(cell.strip() for cell in row)
    ]
    if len(table) < 2:
        template = gettext_noop("the first row needs codes, with a row for each code below")
        raise MatrixError([Problem(1, template, {})])
    problems = [*_head_problems(table, known)]
    if problems:
        raise MatrixError(problems[:MOST_PROBLEMS])
    columns = table[0][1][1:]
    cells: dict[tuple[str, str], tuple[int, Fraction]] = {}
    for line, (code, *row) in table[1:]:
        for other, cell in zip(columns, row, strict=True):
            weight = _weight(cell if delimiter == "," else cell.replace(",", "."))
            if weight is not None:
                cells[code, other] = line, weight
            elif cell:
                template = gettext_noop(
                    "the weight of %(one)s and %(other)s is “%(cell)s”. Write a number from 0 to 1 with at"
                    " most six decimals"
                )
                problems.append(Problem(line, template, {"one": code, "other": other, "cell": cell[:20]}))
    if not problems:
        problems += _cell_problems(cells, [(line, row[0]) for line, row in table[1:]])
    if problems:
        raise MatrixError(problems[:MOST_PROBLEMS])
    codes = [code for code in known if code in set(columns)]
    return Matrix(tuple(codes), tuple(tuple(_at(cells, one, other) for other in codes) for one in codes))


def _weight(cell: str) -> Fraction | None:
    if not _WEIGHT.fullmatch(cell):
        return None
    weight = Fraction(cell)
    return weight if weight <= 1 else None


def _at(cells: Mapping[tuple[str, str], tuple[int, Fraction]], one: str, other: str) -> Fraction:
    found = cells.get((one, other)) or cells.get((other, one))
    return found[1] if found else Fraction(1)


def _head_problems(table: Sequence[tuple[int, list[str]]], known: Collection[str]) -> Iterator[Problem]:
    (first, head), *rows = table
    columns = head[1:]
    seen: set[str] = set()
    for line, code in [*((first, code) for code in columns), *((line, row[0]) for line, row in rows)]:
        if code not in known:
            yield Problem(line, gettext_noop("this version has no category %(code)s"), {"code": code[:20]})
    for line, codes in ((first, columns), *((line, row[:1]) for line, row in rows)):
        if line == first:
            twice = {code for code in codes if codes.count(code) > 1}
        else:
            twice = seen & set(codes)
            seen |= set(codes)
        for code in sorted(twice):
            yield Problem(line, gettext_noop("%(code)s is here twice"), {"code": code})
    for line, row in rows:
        if len(row) != len(head):
            values = {"cells": len(row), "columns": len(head)}
            template = gettext_noop("the row has %(cells)s cells, but the first row has %(columns)s")
            yield Problem(line, template, values)
    for code in sorted(set(columns) ^ seen):
        template = gettext_noop("%(code)s needs a row and a column")
        yield Problem(first, template, {"code": code})


def _cell_problems(
    cells: Mapping[tuple[str, str], tuple[int, Fraction]], rows: Sequence[tuple[int, str]]
) -> Iterator[Problem]:
    for place, (line, one) in enumerate(rows):
        own = cells.get((one, one))
        if own and own[1] != 1:
            template = gettext_noop("the weight of %(code)s and itself must be 1")
            yield Problem(line, template, {"code": one})
        for _line, other in rows[:place]:
            here, there = cells.get((one, other)), cells.get((other, one))
            if here is None and there is None:
                template = gettext_noop("the weight of %(one)s and %(other)s is missing")
                yield Problem(line, template, {"one": one, "other": other})
            elif here and there and here[1] != there[1]:
                template = gettext_noop(
                    "the weight of %(one)s and %(other)s is %(here)s here and %(there)s in line %(line)s"
                )
                said = {"here": float(here[1]), "there": float(there[1]), "line": there[0]}
                yield Problem(line, template, {"one": one, "other": other, **said})
