"""Transcripts as Word documents (DOCX): the text of paragraphs and tables as a reader of the document sees
it. Deleted and hidden text, comments, footnotes and text boxes are not read. The parts are parsed as they are
unpacked: a library builds the whole tree first, and leaves out what is marked as inserted.
"""

from dataclasses import dataclass, field

from interviews.readers.office import Package, value_of
from interviews.readers.refusals import Notes, Unreadable
from interviews.readers.text import LONGEST_LINE, MOST_LINES, require_storable, without_controls
from interviews.readers.transcripts.plain import Line, turns_of
from interviews.readers.transcripts.times import milliseconds
from interviews.readers.transcripts.turns import MOST_BYTES, ReadTurns

MOST_CHARACTERS = 20_000_000
RELATIONS = "_rels/.rels"
USUAL = "word/document.xml"

_LEFT_OUT = {
    "del": "deleted", "moveFrom": "deleted", "delText": "deleted", "txbxContent": "text_box",
    "rPrChange": "", "pPrChange": "", "tblPrChange": "", "tcPrChange": "", "trPrChange": "",
    "sectPrChange": "", "instrText": "", "delInstrText": "", "x:Fallback": "",
}  # fmt: skip
"""Elements whose text is not read, and what is noted of it if they have some."""

_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_MARKS = {"commentReference": "comments", "footnoteReference": "footnotes", "endnoteReference": "footnotes"}


def read_docx(data: bytes) -> ReadTurns:
    """The turns of a DOCX file; its notes count paragraphs. Raises Unreadable."""
    package = Package(data, kind="DOCX", most_bytes=MOST_BYTES)
    notes = Notes("paragraph")
    document = _Document(notes)
    package.parse(_main_part(package), start=document.begin, end=document.end, said=document.take)
    return turns_of(document.lines, notes, unit="paragraph")


def _main_part(package: Package) -> str:
    """The name of the part that holds the document."""
    found: list[str] = []

    def start(tag: str, values: dict[str, str]) -> None:
        if tag == "Relationship" and (value_of(values, "Type") or "").endswith("/officeDocument"):
            found.append((value_of(values, "Target") or "").lstrip("/"))

    if RELATIONS in package.names:
        package.parse(RELATIONS, start=start)
    return next((name for name in found if name in package.names), USUAL)


@dataclass(repr=False)
class _Document:
    """Collects the lines of a document while it is parsed."""

    notes: Notes
    lines: list[Line] = field(default_factory=list)
    _paragraph: int = 0
    _size: int = 0
    _text: list[str] = field(default_factory=list)
    """The pieces of the paragraph that is open."""
    _skipped: str = ""
    _depth: int = 0
    _in_run: bool = False
    _in_text: bool = False
    _hidden: bool = False
    _rows: list[list[list[str]]] = field(default_factory=list)
    """For each open table the cells of its row, each with its lines."""

    def begin(self, tag: str, values: dict[str, str]) -> None:
        if self._skipped:
            self._depth += tag == self._skipped
        elif tag in _LEFT_OUT:
            self._skipped, self._depth = tag, 1
        elif tag in _MARKS:
            self.notes.add(self._paragraph, _MARKS[tag])
        elif tag == "r":
            self._in_run, self._hidden = True, False
        elif self._in_run:
            self._in_the_run(tag, values)
        elif tag == "p":
            self._paragraph += 1
        elif tag == "tr":
            self._rows.append([])
        elif tag == "tc" and self._rows:
            self._rows[-1].append([])

    def _in_the_run(self, tag: str, values: dict[str, str]) -> None:
        if tag == "vanish":
            self._hidden = value_of(values, "val") not in {"0", "false", "off"}
        elif tag == "t":
            self._in_text = True
        elif tag in _SIGNS:
            self._add(_SIGNS[tag])

    def end(self, tag: str) -> None:
        if self._skipped:
            self._depth -= tag == self._skipped
            self._skipped = self._skipped if self._depth else ""
        elif tag == "t":
            self._in_text = False
        elif tag == "r":
            self._in_run = False
        elif tag == "p":
            self._close("".join(self._text))
            self._text = []
        elif tag == "tr" and self._rows:
            self._put(_row_lines(self._rows.pop()))

    def take(self, text: str) -> None:
        if self._skipped:
            if _LEFT_OUT[self._skipped] and text.strip():
                self.notes.add(self._paragraph, _LEFT_OUT[self._skipped])
        elif self._in_text:
            self._add(text)

    def _add(self, text: str) -> None:
        if self._hidden:
            if text.strip():
                self.notes.add(self._paragraph, "hidden")
            return
        self._size += len(text)
        if self._size > MOST_CHARACTERS:
            raise Unreadable("too_long", line=self._paragraph, unit="paragraph", limit=MOST_CHARACTERS)
        self._text.append(text)

    def _close(self, text: str) -> None:
        """A paragraph ends."""
        if len(text) > LONGEST_LINE:
            raise Unreadable("line_too_long", line=self._paragraph, unit="paragraph", limit=LONGEST_LINE)
        require_storable(text, self._paragraph, "paragraph")
        kept = without_controls(text, self._paragraph, self.notes)
        self._put([line.strip() for line in kept.split("\n")])

    def _put(self, lines: list[str]) -> None:
        """Lines of the document, or of the cell that is open."""
        if len(self.lines) + len(lines) > MOST_LINES:
            raise Unreadable("many_lines", line=self._paragraph, unit="paragraph", limit=MOST_LINES)
        if self._rows and self._rows[-1]:
            self._rows[-1][-1] += lines
        else:
            self.lines += [Line(self._paragraph, line) for line in lines]


def _row_lines(cells: list[list[str]]) -> list[str]:
    """The lines of a row of a table; "time | speaker | text" and "speaker | text" become a turn."""
    texts = [" ".join(" ".join(cell).split()) for cell in cells]
    times = [text.strip("[]()") for text in texts if milliseconds(text.strip("[]()")) is not None]
    others = [at for at, text in enumerate(texts) if text and text.strip("[]()") not in times]
    if len(others) == 2 and len(times) <= 1:
        who, said = others
        first, *more = [line for line in cells[said] if line]
        time = f"[{times[0]}] " if times else ""
        return [f"{time}{texts[who].rstrip(':： ')}: {first}", *(f"    {line}" for line in more)]
    return [line for cell in cells for line in cell]
