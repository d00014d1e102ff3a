"""Where two categories meet, drawn as a table of links: a cell filters the list of disagreements."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html import escape
from math import sqrt
from urllib.parse import urlencode

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotate.queries.categories import Codebook
from annotate.queries.confusion import Confusion
from annotate.queries.narrowing import Pair
from core.templatetags.crosscheck import count, hue
from taxonomy.models import Level

LARGEST = 20
HOTTEST = 7
PAIRS = 5
CLASS_FIRST = ' class="first"'
CURRENT = ' aria-current="true"'


@dataclass(frozen=True)
class Head:
    """A category at the edge of the matrix."""

    code: str
    name: str
    hue: str
    is_first: bool


@dataclass(frozen=True)
class LargePair:
    """Two categories that one argument may tell apart, and the issues that wait for it."""

    first: Head
    second: Head
    issues: int
    is_picked: bool
    url: str


@dataclass(frozen=True)
class Links:
    """Where the cells lead: hundreds, so what their addresses have in common is written once, as `common`.

    `inside`: codes of two categories above; what lies below the one makes the rows, below the other the
    columns. `picked`: the cell that is chosen; chosen again it leads back.
    """

    common: str
    goes_deeper: bool
    picked: Pair | None = None
    inside: Pair | None = None

    def to(self, pair: Pair) -> str:
        """`pair`: codes in the order of the tree."""
        chosen = pair if self.goes_deeper or set(pair) != set(self.picked or ()) else self.inside
        held = {"pair": chosen, "inside": pair if self.goes_deeper else self.inside}
        return self.common + urlencode({name: " ".join(codes) for name, codes in held.items() if codes})


@dataclass(frozen=True)
class Matrix:
    """`body`: the rows of the table, below `heads`. `left_out`: how many categories there is no room for."""

    heads: tuple[Head, ...]
    body: SafeString
    pairs: tuple[LargePair, ...]
    most: int
    left_out: int

    @cached_property
    def head(self) -> SafeString:
        """The first row of the table."""
        cells = (
            f'<th scope="col" class="colh{" first" if one.is_first else ""}" title="{escape(one.name)}">'
            f'<span class="{one.hue}">{escape(one.code)}</span></th>'
            for one in self.heads
        )
        return mark_safe("".join(cells))  # noqa: S308 - every text in it is escaped

    @cached_property
    def largest(self) -> SafeString:
        """The largest pairs as items of a list."""
        return mark_safe("".join(map(self._item, self.pairs, range(1, PAIRS + 1))))  # noqa: S308 - the same

    def _item(self, pair: LargePair, place: int) -> str:
        codes = "".join(
            f'<span class="code {one.hue}">{escape(one.code)}</span>' for one in (pair.first, pair.second)
        )
        names = f' <span class="faint">{escape(_("or"))}</span> '.join(
            escape(one.name) for one in (pair.first, pair.second)
        )
        css, current = (' class="on"', CURRENT) if pair.is_picked else ("", "")
        url = escape(pair.url)
        return (
            f'<li{css}><a href="{url}" hx-get="{url}" id="pair-{place}"{current}>'
            f'<span class="pp">{codes}</span> <span class="clip">{names}</span>'
            f' <span class="n">{count(pair.issues)}</span>'
            f' <meter min="0" max="{self.most}" value="{pair.issues}" aria-hidden="true">{pair.issues}'
            "</meter></a></li>"
        )


def matrix(met: Sequence[Confusion], book: Codebook, level: Level, links: Links) -> Matrix:
    """The matrix of one level, drawn once for the same numbers, links and language.

    Of more than LARGEST categories those are shown that meet others most often, in the order of the tree.
    """
    return _matrix(tuple(met), book, level, links, get_language())


@lru_cache(maxsize=32)
def _matrix(
    met: tuple[Confusion, ...], book: Codebook, level: Level, links: Links, _language: str | None
) -> Matrix:
    rows, columns = _sides(book, links.inside)
    met = tuple(one for one in met if _lies_in(one, rows, columns))
    weight: Counter[str] = Counter()
    for one in met:
        weight.update({one.first: one.issues, one.second: one.issues})
    down, all_down = _heads(book, level, rows, weight)
    across, all_across = (down, all_down) if rows == columns else _heads(book, level, columns, weight)
    most = max((one.issues for one in met), default=0)
    chosen = set(links.picked or ())
    named = {state.code: state.category_id for state in book.states.values()}
    largest = [one for one in met if one.first != one.second][:PAIRS]
    left_out = all_down - len(down)
    if rows != columns:
        left_out += all_across - len(across)
    return Matrix(
        heads=tuple(across),
        body=_body(met, down, across, most, chosen, links),
        pairs=tuple(
            LargePair(
                first=_head(named[one.first], book, is_first=False),
                second=_head(named[one.second], book, is_first=False),
                issues=one.issues,
                is_picked=chosen == {one.first, one.second},
                url=links.to((one.first, one.second)),
            )
            for one in largest
        ),
        most=most,
        left_out=left_out,
    )


def _sides(book: Codebook, inside: Pair | None) -> tuple[frozenset[str], frozenset[str]]:
    """The codes that rows and columns can have."""
    if inside is None:
        every = frozenset(state.code for state in book.states.values())
        return every, every
    first, second = (frozenset(book.states[id_].code for id_ in book.below(code)) for code in inside)
    return first, second


def _lies_in(one: Confusion, rows: frozenset[str], columns: frozenset[str]) -> bool:
    return (one.first in rows and one.second in columns) or (one.second in rows and one.first in columns)


@lru_cache(maxsize=32)
def hues(book: Codebook) -> dict[str, str]:
    """The hue class of every code of a version."""
    return {state.code: hue(state.code, book.hue(id_)) for id_, state in book.states.items()}


def _heads(
    book: Codebook, level: Level, among: frozenset[str], weight: Mapping[str, int]
) -> tuple[list[Head], int]:
    """The categories at one edge, and how many there would be with room for all.

    Those of the level, and those above it that end there and were chosen.
    """
    ids = [
        id_
        for id_, state in book.states.items()
        if state.code in among and (state.level == level or (state.level < level and weight[state.code]))
    ]
    every = len(ids)
    if every > LARGEST:
        kept = set(sorted(ids, key=lambda id_: -weight[book.states[id_].code])[:LARGEST])
        ids = [id_ for id_ in ids if id_ in kept]
    heads: list[Head] = []
    above = None
    for id_ in ids:
        # A gap stands before each block of siblings.
        parent = book.states[id_].parent_id
        heads.append(_head(id_, book, is_first=bool(heads) and parent != above))
        above = parent
    return heads, every


def _head(category_id: int, book: Codebook, *, is_first: bool) -> Head:
    state = book.states[category_id]
    return Head(state.code, state.name, hue(state.code, book.hue(category_id)), is_first)


def _body(
    met: Sequence[Confusion],
    down: Sequence[Head],
    across: Sequence[Head],
    most: int,
    chosen: set[str],
    links: Links,
) -> SafeString:
    """The rows of the table: hundreds of cells, too many for the template language."""
    issues = {frozenset((one.first, one.second)): one.issues for one in met}
    urls = {frozenset((one.first, one.second)): escape(links.to((one.first, one.second))) for one in met}
    words = {number: count(number) for number in set(issues.values())}
    title = _("%(row)s with %(column)s, issues: %(issues)s")
    within = _("within %(row)s, issues: %(issues)s")
    parts = []
    for row in down:
        parts.append(
            f'<tr{CLASS_FIRST if row.is_first else ""}><th scope="row" title="{escape(row.name)}">'
            f'<span class="{row.hue}">{escape(row.code)}</span></th>'
        )
        for column in across:
            pair = frozenset((row.code, column.code))
            number = issues.get(pair, 0)
            gap = " first" if column.is_first else ""
            same = row.code == column.code
            if not number:
                parts.append(f'<td class="same{gap}">·</td>' if same else f'<td class="h0{gap}"></td>')
            else:
                is_picked = pair == chosen
                said = escape(
                    (within if same else title)
                    % {"row": row.code, "column": column.code, "issues": words[number]}
                )
                parts.append(
                    f'<td class="h{_heat(number, most)}{gap}{" pick" if is_picked else ""}">'
                    f'<a href="{urls[pair]}" hx-get="{urls[pair]}" title="{said}"'
                    f' id="cell-{escape(row.code)}-{escape(column.code)}"'
                    f"{CURRENT if is_picked else ''}>{_short(number)}</a></td>"
                )
        parts.append("</tr>")
    return mark_safe("".join(parts))  # noqa: S308 - every text in it is escaped


def _heat(issues: int, most: int) -> int:
    """1 to 7 by the root of the share of the largest: small numbers stay apart."""
    return min(HOTTEST, 1 + int(HOTTEST * sqrt((issues - 1) / most)))


def _short(issues: int) -> str:
    if issues < 1000:
        return str(issues)
    return f"{issues / 1000:.1f}k" if issues < 10_000 else f"{issues // 1000}k"
