"""The matrix of disagreements between categories, a table of links: a cell filters the list."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.template.loader import render_to_string
from django.utils.translation import get_language

from consensus.queries.confusion import Confusion
from consensus.queries.disagreement_filters import Pair
from core.templatetags.crosscheck import hue
from rounds.queries.categories import ShownCodebook
from taxonomy.models import CategoryState, Level

LARGEST = 20
HOTTEST = 7
PAIRS = 5


@dataclass(frozen=True)
class MatrixHead:
    """A category at the edge of the matrix."""

    code: str
    name: str
    hue: str
    is_first: bool


class MatrixCell(NamedTuple):
    """One cell: `issues` with a label in the category of its row and another in that of its column."""

    column: MatrixHead
    is_same: bool
    issues: int
    heat: int
    short: str
    is_picked: bool
    url: str


@dataclass(frozen=True)
class MatrixLinks:
    """The addresses of the cells; hundreds of cells share `common`, which is written once.

    `inside`: codes of two categories; the categories below the first make the rows, those below the second
    the columns. `picked`: the chosen cell; a second click on it returns to `inside`.
    """

    common: str
    goes_deeper: bool
    picked: Pair | None = None
    inside: Pair | None = None

    def to(self, pair: Pair) -> str:
        """`pair`: codes in the order of the tree."""
        chosen = pair if self.goes_deeper or set(pair) != set(self.picked or ()) else self.inside
        query = {"pair": chosen, "inside": pair if self.goes_deeper else self.inside}
        return self.common + urlencode({name: " ".join(codes) for name, codes in query.items() if codes})


def matrix(
    met: Sequence[Confusion], book: ShownCodebook, level: Level, links: MatrixLinks
) -> Mapping[str, Any]:
    """The matrix of one level, cached for the same numbers, links and language.

    With more than LARGEST categories it shows those with the most disagreements, in the order of the tree;
    `left_out` counts the rest. `body` is the drawn table. `pairs`: the largest cells of two different
    categories, each with its number of issues.
    """
    return _matrix(tuple(met), book, level, links, get_language())


@lru_cache(maxsize=32)
def _matrix(
    met: tuple[Confusion, ...], book: ShownCodebook, level: Level, links: MatrixLinks, _language: str | None
) -> Mapping[str, Any]:
    rows, columns = _sides(book, links.inside)
    met = tuple(one for one in met if _lies_in(one, rows, columns))
    weight: Counter[str] = Counter()
    for one in met:
        weight.update({one.first: one.issues, one.second: one.issues})
    down, all_down = _heads(book, level, rows, weight)
    across, all_across = (down, all_down) if rows == columns else _heads(book, level, columns, weight)
    most = max((one.issues for one in met), default=0)
    chosen = set(links.picked or ())
    left_out = all_down - len(down)
    if rows != columns:
        left_out += all_across - len(across)
    return {
        "heads": across,
        "body": render_to_string(
            "consensus/disagreements/_matrix_table.html",
            {"heads": across, "rows": _cells(met, down, across, most, chosen, links)},
        ),
        "pairs": [
            {
                "first": _head(book.by_code[one.first], book),
                "second": _head(book.by_code[one.second], book),
                "issues": one.issues,
                "is_picked": chosen == {one.first, one.second},
                "url": links.to((one.first, one.second)),
            }
            for one in met
            if one.first != one.second
        ][:PAIRS],
        "most": most,
        "left_out": left_out,
    }


@dataclass(frozen=True)
class WholeMatrix:
    """The matrix with all categories that have a number, for files: `issues` by the codes of a cell."""

    down: tuple[MatrixHead, ...]
    across: tuple[MatrixHead, ...]
    issues: Mapping[frozenset[str], int]
    most: int


def whole_matrix(
    met: Sequence[Confusion], book: ShownCodebook, level: Level, inside: Pair | None
) -> WholeMatrix:
    """The matrix of one level, or inside of a cell of the level above."""
    rows, columns = _sides(book, inside)
    issues = {frozenset((one.first, one.second)): one.issues for one in met if _lies_in(one, rows, columns)}
    told = frozenset(code for cell in issues for code in cell)
    weight = dict.fromkeys(told, 1)
    down, across = (
        tuple(_heads(book, level, side & told, weight, largest=len(told))[0]) for side in (rows, columns)
    )
    return WholeMatrix(down, across, issues, max(issues.values(), default=0))


def heat(issues: int, most: int) -> int:
    """1 to HOTTEST, 0 for no issue. The square root of the share of `most` keeps small numbers distinct."""
    return min(HOTTEST, 1 + int(HOTTEST * sqrt((issues - 1) / most))) if issues else 0


def _sides(book: ShownCodebook, inside: Pair | None) -> tuple[frozenset[str], frozenset[str]]:
    """The codes that rows and columns can have."""
    if inside is None:
        every = frozenset(book.by_code)
        return every, every
    first, second = (frozenset(book.states[id_].code for id_ in book.below(code)) for code in inside)
    return first, second


def _lies_in(one: Confusion, rows: frozenset[str], columns: frozenset[str]) -> bool:
    return (one.first in rows and one.second in columns) or (one.second in rows and one.first in columns)


@lru_cache(maxsize=32)
def hues(book: ShownCodebook) -> dict[str, str]:
    """The hue class of every code of a version."""
    return {state.code: hue(state.code, book.hue(id_)) for id_, state in book.states.items()}


def _heads(
    book: ShownCodebook,
    level: Level,
    among: frozenset[str],
    weight: Mapping[str, int],
    *,
    largest: int = LARGEST,
) -> tuple[list[MatrixHead], int]:
    """The categories at one edge, and how many there would be with room for all. These are the categories of
    the level, and chosen leaves above it.
    """
    ids = [
        id_
        for id_, state in book.states.items()
        if state.code in among and (state.level == level or (state.level < level and weight[state.code]))
    ]
    every = len(ids)
    if every > largest:
        kept = set(sorted(ids, key=lambda id_: -weight[book.states[id_].code])[:largest])
        ids = [id_ for id_ in ids if id_ in kept]
    heads: list[MatrixHead] = []
    above = None
    for state in map(book.states.__getitem__, ids):
        # There is a gap before each block of siblings.
        heads.append(_head(state, book, is_first=bool(heads) and state.parent_id != above))
        above = state.parent_id
    return heads, every


def _head(state: CategoryState, book: ShownCodebook, *, is_first: bool = False) -> MatrixHead:
    return MatrixHead(state.code, state.title, hues(book)[state.code], is_first)


def _cells(
    met: Sequence[Confusion],
    down: Sequence[MatrixHead],
    across: Sequence[MatrixHead],
    most: int,
    chosen: set[str],
    links: MatrixLinks,
) -> list[tuple[MatrixHead, list[MatrixCell]]]:
    """The rows of the table, each with the category at its edge."""
    issues = {frozenset((one.first, one.second)): one.issues for one in met}
    urls = {frozenset((one.first, one.second)): links.to((one.first, one.second)) for one in met}
    rows = []
    for row in down:
        cells = []
        for column in across:
            pair = frozenset((row.code, column.code))
            number = issues.get(pair, 0)
            cells.append(
                MatrixCell(
                    column=column,
                    is_same=row.code == column.code,
                    issues=number,
                    heat=heat(number, most),
                    short=_short(number),
                    is_picked=pair == chosen,
                    url=urls.get(pair, ""),
                )
            )
        rows.append((row, cells))
    return rows


def _short(issues: int) -> str:
    if issues < 1000:
        return str(issues)
    return f"{issues / 1000:.1f}k" if issues < 10_000 else f"{issues // 1000}k"
