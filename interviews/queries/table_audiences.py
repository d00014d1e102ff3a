"""Which audience each row of a table of participants is of: by the values of one column, or by how they
begin, such as "LLM User-Engineer", or "U" in "U7".
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from interviews.models import Audience
from interviews.queries.tables import ATTRIBUTE, AUDIENCE, IGNORE, PSEUDONYM, Table, guessed_kinds

MOST_GROUPS = 40

_NUMBERED = re.compile(r"([^\W\d_][\w .-]*?)[\s._-]*\d+", re.DOTALL)
_PARTED = re.compile(r"\s*[-–—:|/,;()（）：，；、]\s*")
_WORDS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Assignment:
    """`column` counts from 0; None for a table whose columns do not tell it. `groups` are the audiences of
    its groups by their folded names. `default` is that of a row for which nothing tells it.
    """

    column: int | None = None
    groups: Mapping[str, Audience | None] = field(default_factory=dict)
    default: Audience | None = None


def group_names(cells: Iterable[str]) -> list[str]:
    """For each cell its group: the letters before a number if all cells are such; the words before a dash,
    comma or the like if these are fewer than the values, and more than one; else the value.
    """
    values = [" ".join(cell.split()) for cell in cells]
    said = [value for value in values if value]
    matches = [_NUMBERED.fullmatch(value) for value in said]
    if said and all(matches):
        names = {value: match[1] for value, match in zip(said, matches, strict=True) if match}
    else:
        names = {value: _PARTED.split(value, maxsplit=1)[0] or value for value in said}
        if not 1 < len({name.casefold() for name in names.values()}) < len({v.casefold() for v in said}):
            names = {value: value for value in said}
    first: dict[str, str] = {}
    return [first.setdefault(names.get(v, "").casefold(), names.get(v, "")) for v in values]


def groups_of(table: Table, column: int) -> list[tuple[str, int]]:
    """The groups of a column with the number of their rows, as they come; empty cells are in none."""
    names = group_names(cells[column] for _line, cells in table.rows)
    return list(Counter(name for name in names if name).items())


def likely_audience(text: str, audiences: Sequence[Audience]) -> Audience | None:
    """The only audience whose name or prefix is this text, or else whose last word is in it."""
    folded = text.casefold()
    for one in audiences:
        if folded in {one.name.casefold(), one.prefix.casefold()}:
            return one
    said = _singular(text)
    found = [
        one
        for one in audiences
        if (set(_singular(one.name)[-1:]) & set(said)) or (not text.isascii() and text in one.name)
    ]
    return found[0] if len(found) == 1 else None


def _singular(text: str) -> list[str]:
    return [word.casefold().removesuffix("s") for word in _WORDS.findall(text)]


def likely_assignment(table: Table, audiences: Sequence[Audience]) -> Assignment:
    """What probably tells the audience: the first column all of whose groups look like audiences, of several
    audiences unless its name says that it is one; else the pseudonyms.
    """
    kinds = guessed_kinds(table.header)
    usual = [kinds.index(kind) for kind in (PSEUDONYM, AUDIENCE) if kind in kinds]
    default = likely_audience(table.sheet, audiences) if table.sheet else None
    default = default or (audiences[0] if audiences else None)
    for column in [*usual, *(one for one in range(len(kinds)) if one not in usual)]:
        found = likely_groups(table, column, audiences)
        several = len({one.pk for one in found.values() if one}) > 1
        if found and all(found.values()) and (several or column in usual):
            return Assignment(column, found, default)
    if usual:
        return Assignment(usual[0], likely_groups(table, usual[0], audiences), default)
    return Assignment(default=default)


def likely_groups(table: Table, column: int, audiences: Sequence[Audience]) -> dict[str, Audience | None]:
    """The probable audience of each group of a column, by its folded name; empty for too many groups."""
    groups = groups_of(table, column)
    if len(groups) > MOST_GROUPS:
        return {}
    return {name.casefold(): likely_audience(name, audiences) for name, _rows in groups}


def likely_kinds(table: Table, guess: Assignment) -> list[str]:
    """What each column probably is. The column that tells the audience is not stored again, even if its name
    is like that of pseudonyms: `Type of participant`. One numbered cell is enough for pseudonyms,
    so that each other line is named.
    """
    kinds = guessed_kinds(table.header)
    if guess.column is not None and kinds[guess.column] == PSEUDONYM:
        cells = [cells[guess.column].strip() for _line, cells in table.rows]
        if not any(_NUMBERED.fullmatch(cell) for cell in cells):
            kinds[guess.column] = AUDIENCE
    usual = [IGNORE if place == guess.column else ATTRIBUTE for place in range(len(kinds))]
    return [usual[place] if kind == AUDIENCE else kind for place, kind in enumerate(kinds)]
