"""The file that maps summaries to sub-themes: `rootcause,subcategory,symptoms`, as published.

A row is a sub-theme: its theme, its name, and its summaries, joined with commas. Inside summaries and names a
comma is written 、. A cell is quoted if it holds several summaries, a quote, or a name that had a comma:
`"Build、Installation"` is the name “Build, Installation”; `Logging、Testing` keeps its 、. Reading is strict:
wrong quotes are refused with their line, and nothing is guessed.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

HEADER = ("rootcause", "subcategory", "symptoms")
INSIDE = "、"
LONGEST_NAME, LONGEST_SUMMARY = 200, 500
MAX_BYTES = 5_000_000
MAX_SUMMARIES = 5_000

_RUNS = re.compile(r"'*[=+\-@\t]")
_INERT = re.compile(r"'+[=+\-@\t]")


def gettext_noop(text: str) -> str:
    """Mark a sentence for translation; the code that shows it translates it."""
    return text


class Problem(NamedTuple):
    """Why a line is refused: `template % values` is the sentence; translate the template first."""

    line: int
    template: str
    values: dict[str, object]

    def __str__(self) -> str:
        return self.template % self.values


class MappingRefused(ValueError):
    """A file is refused, with all of its problems."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"line {problem.line}: {problem}" for problem in self.problems))


@dataclass(frozen=True)
class SubTheme:
    """A row: the name of the theme ("" for no theme), the name of the sub-theme, the summaries in order."""

    rootcause: str
    subcategory: str
    symptoms: tuple[str, ...]


class _Cell(NamedTuple):
    text: str
    quoted: bool


def read_mapping(data: bytes) -> list[SubTheme]:
    """The sub-themes of a file, in order. UTF-8, with or without BOM; lines end in LF or CRLF. Raises
    MappingRefused with the reason for each refused line.
    """
    lines = _lines(data)
    problems: list[Problem] = []
    found: list[SubTheme] = []
    first: dict[tuple[str, str], int] = {}
    for number, line in lines:
        try:
            row = _row(number, _cells(number, line))
        except MappingRefused as refused:
            problems += refused.problems
            continue
        name = (row.rootcause.casefold(), row.subcategory.casefold())
        if name in first:
            template = gettext_noop("“%(name)s” is already in line %(first)s")
            problems.append(Problem(number, template, {"name": row.subcategory, "first": first[name]}))
        first.setdefault(name, number)
        found.append(row)
    summaries = sum(len(row.symptoms) for row in found)
    if summaries > MAX_SUMMARIES:
        template = gettext_noop("the file has %(n)s summaries, but a board has at most %(most)s")
        problems.append(Problem(1, template, {"n": summaries, "most": MAX_SUMMARIES}))
    if not problems and not summaries:
        problems.append(Problem(1, gettext_noop("the file has no summaries"), {}))
    if problems:
        raise MappingRefused(problems)
    return found


def write_mapping(rows: Iterable[SubTheme]) -> str:
    """The file of these sub-themes, for `read_mapping`; a comma inside a summary becomes 、."""
    lines = [",".join(HEADER)]
    for row in rows:
        symptoms = ",".join(_written(_inert(each)) for each in row.symptoms)
        cells = (
            _name(row.rootcause),
            _name(row.subcategory),
            _quoted(symptoms, needed=len(row.symptoms) > 1),
        )
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def _refused(line: int, template: str, **values: object) -> MappingRefused:
    return MappingRefused([Problem(line, template, values)])


def _lines(data: bytes) -> Iterator[tuple[int, str]]:
    """The lines below the header with their numbers, without empty lines. Raises MappingRefused."""
    if len(data) > MAX_BYTES:
        template = gettext_noop("the file is larger than %(limit)s bytes")
        raise _refused(1, template, limit=f"{MAX_BYTES:,}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = 1 + data[: error.start].count(b"\n")
        raise _refused(line, gettext_noop("this line is not UTF-8: save the file as UTF-8")) from None
    if "\0" in text:
        template = gettext_noop("this line contains a NUL character: the file is not a text file")
        raise _refused(1 + text[: text.index("\0")].count("\n"), template)
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[0] != ",".join(HEADER):
        template = gettext_noop("the first line is not %(header)s")
        raise _refused(1, template, header=",".join(HEADER))
    return ((number, line) for number, line in enumerate(lines[1:], start=2) if line)


def _cells(number: int, line: str) -> list[_Cell]:
    """The cells of a line. Raises MappingRefused for a misplaced quote."""
    cells: list[_Cell] = []
    at = 0
    while True:
        if line[at : at + 1] == '"':
            end = _closing(number, line, at)
            cells.append(_Cell(line[at + 1 : end].replace('""', '"'), quoted=True))
            at = end + 1
            if line[at : at + 1] not in {"", ","}:
                raise _refused(
                    number,
                    gettext_noop(
                        "a comma is missing after the closing quote at character %(at)s, before “%(text)s”"
                    ),
                    at=at,
                    text=line[at : at + 20],
                )
        else:
            end = line.find(",", at)
            end = len(line) if end < 0 else end
            text = line[at:end]
            if '"' in text:
                raise _refused(
                    number,
                    gettext_noop(
                        "the quote at character %(at)s is inside a cell that does not start with a quote"
                    ),
                    at=at + text.index('"') + 1,
                )
            cells.append(_Cell(text, quoted=False))
            at = end
        if at >= len(line):
            return cells
        at += 1


def _closing(number: int, line: str, at: int) -> int:
    """The place of the quote that closes the quote at `at`; a doubled quote is a quote inside the cell."""
    end = line.find('"', at + 1)
    while end >= 0 and line[end + 1 : end + 2] == '"':
        end = line.find('"', end + 2)
    if end < 0:
        template = gettext_noop("the quote at character %(at)s is not closed in this line")
        raise _refused(number, template, at=at + 1)
    return end


def _row(number: int, cells: list[_Cell]) -> SubTheme:
    if len(cells) != len(HEADER):
        raise _refused(
            number,
            gettext_noop("the row has %(cells)s cells instead of 3: put a cell with commas into quotes"),
            cells=len(cells),
        )
    rootcause = _read_name(number, cells[0])
    subcategory = _read_name(number, cells[1], is_needed=True)
    symptoms = [_plain(each) for each in cells[2].text.split(",")] if cells[2].text else []
    for place, summary in enumerate(symptoms, start=1):
        if not summary.strip():
            template = gettext_noop("summary %(place)s of %(n)s is empty: remove one comma")
            raise _refused(number, template, place=place, n=len(symptoms))
        if len(summary) > LONGEST_SUMMARY:
            template = gettext_noop("summary %(place)s has more than %(n)s characters")
            raise _refused(number, template, place=place, n=LONGEST_SUMMARY)
    return SubTheme(rootcause, subcategory, tuple(symptoms))


def _read_name(number: int, cell: _Cell, *, is_needed: bool = False) -> str:
    if "," in cell.text:
        template = gettext_noop("the name “%(name)s” contains a comma: write 、 instead")
        raise _refused(number, template, name=cell.text[:80])
    text = _plain(cell.text.replace(INSIDE, ",") if cell.quoted else cell.text)
    if not text.strip() and is_needed:
        raise _refused(number, gettext_noop("the sub-theme has no name"))
    if len(text) > LONGEST_NAME:
        raise _refused(number, gettext_noop("a name has more than %(n)s characters"), n=LONGEST_NAME)
    return text


def _name(name: str) -> str:
    return _quoted(_written(_inert(name)), needed="," in name)


def _written(text: str) -> str:
    return text.replace(",", INSIDE)


def _quoted(text: str, *, needed: bool) -> str:
    return '"' + text.replace('"', '""') + '"' if needed or '"' in text else text


def _inert(text: str) -> str:
    """The text with an apostrophe before it if a spreadsheet would run it as a formula."""
    return f"'{text}" if _RUNS.match(text) else text


def _plain(text: str) -> str:
    return text[1:] if _INERT.match(text) else text
