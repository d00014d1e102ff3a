"""Codebooks in the published shape: a row for each quote, with the categories that it is linked to. Links to
categories that do not exist stay as text and are named.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields

from interviews.readers.background import checked
from interviews.readers.refusals import Note, Notes, Unreadable
from interviews.readers.tables import read_csv

COLUMNS = (
    "Participant", "Type", "Experience Level", "Framework Context", "Prompt Category", "Thematic Quote",
    "Linked Taxonomy Node(s)", "Research Insight",
)  # fmt: skip
_QUOTED = {"Thematic Quote", "Linked Taxonomy Node(s)", "Research Insight"}
"""What the published file has in quotation marks in every row."""

_PARTS = re.compile(r"[,;/|，；、\n]+")
_CODE = re.compile(r"[A-Za-z](?:\.[0-9A-Za-z]{1,8}){0,4}")
_SPACE = re.compile(r"\s+")
_QUOTES = re.compile(r'[",\r\n]')
_RUNS = re.compile(r"'*[=+\-@\t\r]")


def links_in(linked: str) -> tuple[str, ...]:
    """The codes of categories that this text of links names, in their order."""
    return tuple(dict.fromkeys(part for part in _parts(linked) if _CODE.fullmatch(part)))


@dataclass(frozen=True, slots=True)
class CodebookRow:
    """One row as the file has it; `linked` is the text of the links, `line` its place in the file."""

    participant: str
    kind: str
    experience: str
    context: str
    prompt: str
    quote: str
    linked: str
    insight: str
    line: int = 0

    @property
    def links(self) -> tuple[str, ...]:
        """The codes of the linked categories, in their order."""
        return links_in(self.linked)

    @property
    def cells(self) -> tuple[str, ...]:
        """In the order of COLUMNS."""
        return tuple(str(getattr(self, one.name)) for one in fields(self)[: len(COLUMNS)])


@dataclass(frozen=True, slots=True)
class Codebook:
    rows: tuple[CodebookRow, ...]
    problems: tuple[Note, ...] = ()


def read_codebook(data: bytes) -> Codebook:
    """The rows of a codebook in CSV; its columns may come in any order. Raises Unreadable."""
    notes = Notes()
    table = checked(read_csv(data, notes), notes)
    places = {_key(name): place for place, name in reversed(list(enumerate(table.header)))}
    for name in COLUMNS:
        if _key(name) not in places:
            raise Unreadable("no_column", line=1, name=name)
    rows = []
    for line, cells in table.rows:
        row = _row([cells[places[_key(name)]] for name in COLUMNS], line)
        if not row.participant.strip():
            notes.add(line, "no_participant")
        for part in _parts(row.linked):
            if not _CODE.fullmatch(part):
                notes.add(line, "not_a_code", text=part[:80])
        rows.append(row)
    return Codebook(tuple(rows), tuple(note for note in notes.all() if note.code != "letter_case"))


def _row(cells: Sequence[str], line: int) -> CodebookRow:
    participant, kind, experience, context, prompt, quote, linked, insight = cells
    return CodebookRow(participant, kind, experience, context, prompt, quote, linked, insight, line)


def write_codebook(rows: Iterable[CodebookRow]) -> str:
    """The file of these rows, in the shape and with the quotation marks of the published one. Cells that a
    spreadsheet would run are made inert; `read_codebook` undoes that.
    """
    lines = [",".join(COLUMNS)]
    for row in rows:
        named = zip(COLUMNS, row.cells, strict=True)
        lines.append(",".join(_cell(cell, is_quoted=name in _QUOTED) for name, cell in named))
    return "".join(f"{line}\n" for line in lines)


def unknown_links(rows: Iterable[CodebookRow], known_codes: Collection[str]) -> tuple[Note, ...]:
    """The links to categories that do not exist, with their lines."""
    known = set(known_codes)
    return tuple(
        Note(row.line, "unknown_link", {"code": code})
        for row in rows
        for code in row.links
        if code not in known
    )


def _cell(cell: str, *, is_quoted: bool) -> str:
    inert = f"'{cell}" if _RUNS.match(cell) else cell
    doubled = inert.replace('"', '""')
    return f'"{doubled}"' if is_quoted or _QUOTES.search(inert) else inert


def _parts(linked: str) -> Sequence[str]:
    return [part for part in (_SPACE.sub(" ", one).strip() for one in _PARTS.split(linked)) if part]


def _key(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.casefold())
