"""Why a file of interviews is not read, and what a reader left out, in words. No text of a transcript is in
them. The readers know only English: a caller passes each template through gettext, `refusal.text(gettext)`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ingest.readers.refusals import LINE, gettext_noop
from ingest.readers.refusals import TEMPLATES as OF_ISSUES

Params = Mapping[str, str | int]
Unit = Literal["line", "row", "paragraph"]
"""What the number of a place counts: lines of a text, rows of a sheet, paragraphs of a document."""

_COMMON = ("line_too_long", "ragged", "quotes", "unclosed_quote", "wrong_bytes")

TEMPLATES: dict[str, str] = {
    **{code: OF_ISSUES[code] for code in _COMMON},
    # Any file.
    "empty": gettext_noop("the file is empty."),
    "too_large": gettext_noop("the file has more than %(limit)d bytes. Split the file."),
    "many_lines": gettext_noop("the file has more than %(limit)d lines. Split the file."),
    "not_text": gettext_noop("this is no text file. Save the content as text in UTF-8."),
    "not_utf8": gettext_noop("byte 0x%(byte)s is not UTF-8. Save the file as UTF-8."),
    "nul": gettext_noop("the line contains a NUL character. Remove the character."),
    "half": gettext_noop("the line contains half a character (a lone surrogate). Remove the character."),
    "controls": gettext_noop("control characters were left out."),
    "more_notes": gettext_noop("more was left out: %(count)d times."),
    # Files that Office programs pack.
    "not_packed": gettext_noop("this is no %(kind)s file. Save the content as %(kind)s."),
    "zip_damaged": gettext_noop("the file is cut or damaged. Save the file again."),
    "locked": gettext_noop("the file is locked by a password. Save the file without a password."),
    "damaged": gettext_noop("this part is damaged. Save the file again."),
    "no_part": gettext_noop("this part is missing. Save the file again."),
    "many_parts": gettext_noop("the file has more than %(limit)d parts. Copy the content into a new file."),
    "bomb": gettext_noop(
        "unpacked, this part is more than %(times)d times as large. Copy the content into a new file."
    ),
    "unpacked_too_large": gettext_noop("the file has more than %(limit)d bytes unpacked. Split the file."),
    "doctype": gettext_noop("this part declares a document type or entities. Such files are not read."),
    "many_elements": gettext_noop(
        "this part has more than %(limit)d elements. Copy the content into a new file."
    ),
    "deep": gettext_noop("this part is nested too deeply. Copy the content into a new file."),
    # Transcripts.
    "no_speaker": gettext_noop("no line has a speaker, a colon and a text."),
    "no_cue": gettext_noop("the file has no time followed by a text."),
    "many_turns": gettext_noop("the file has more than %(limit)d turns. Split the file."),
    "turn_too_long": gettext_noop("this turn has more than %(limit)d characters. Split the turn."),
    "bad_time": gettext_noop("this time cannot be read. Write times as 00:01:02%(sign)s500."),
    "late_time": gettext_noop("this time is after 99 hours. Correct the time."),
    "not_vtt": gettext_noop("the first line is not WEBVTT. Save the file as WebVTT."),
    "before_speaker": gettext_noop("this line is before the first speaker."),
    "before_cue": gettext_noop("this line is before the first time."),
    "empty_turn": gettext_noop("this turn has no text."),
    "comment": gettext_noop("this is a comment of the file."),
    "style": gettext_noop("this describes how the file looks."),
    "no_time": gettext_noop("this text has no time."),
    "deleted": gettext_noop("deleted text was not read."),
    "hidden": gettext_noop("hidden text was not read."),
    "comments": gettext_noop("a comment of the document was not read."),
    "footnotes": gettext_noop("a footnote was not read."),
    "text_box": gettext_noop("a text box was not read."),
    # Guides.
    "too_long": gettext_noop("the text has more than %(limit)d characters. Shorten the text."),
    "in_no_list": gettext_noop("this text is in no list, so it is no question."),
    "no_questions": gettext_noop("this part has no questions."),
    "no_parts": gettext_noop("the text has no heading of a part."),
    "many_questions": gettext_noop("the guide has more than %(limit)d questions. Shorten the guide."),
    "said_twice": gettext_noop("“%(name)s” is already given for this part. The first one is used."),
    # Tables.
    "no_rows": gettext_noop("the table has no rows below the names of its columns."),
    "many_rows": gettext_noop("the table has more than %(limit)d rows. Split the table."),
    "many_columns": gettext_noop("the table has more than %(limit)d columns. Remove columns."),
    "cell_too_long": gettext_noop("column %(column)d has more than %(limit)d characters. Shorten the cell."),
    "same_name": gettext_noop("columns %(first)d and %(second)d have the same name."),
    "no_name": gettext_noop("column %(column)d has no name."),
    "merged": gettext_noop("merged cells were filled with their common text: %(count)d."),
    "other_sheets": gettext_noop("only sheet %(number)d of %(count)d was read."),
    "no_sheet": gettext_noop("the file has no sheet %(number)d. Its sheets: %(count)d."),
    "letter_case": gettext_noop("column %(column)d has the same text in other letter cases."),
    # Codebooks.
    "no_column": gettext_noop("the column “%(name)s” is missing. Add the column."),
    "no_participant": gettext_noop("this row names no participant."),
    "not_a_code": gettext_noop("“%(text)s” is not the code of a category."),
    "unknown_link": gettext_noop("the taxonomy has no category %(code)s."),
}
"""For each code the cause, and what to do where something can be done, with named parameters."""

ROW = gettext_noop("Row %(line)d: %(cause)s")
PARAGRAPH = gettext_noop("Paragraph %(line)d: %(cause)s")
PART = gettext_noop("Part “%(part)s”: %(cause)s")
PLACES: dict[Unit, str] = {"line": LINE, "row": ROW, "paragraph": PARAGRAPH}


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a reader left out, changed or found wrong at a line; nothing is refused for it."""

    line: int
    code: str
    params: Params = field(default_factory=dict)
    unit: Unit = "line"

    def cause(self, translate: Callable[[str], str] = str) -> str:
        return translate(TEMPLATES[self.code]) % self.params

    def text(self, translate: Callable[[str], str] = str) -> str:
        """Line and cause."""
        return _placed(self.line, self.unit, "", self.cause(translate), translate)


class Unreadable(ValueError):
    """Nothing of a file is taken. `line` counts from 1; 0 for the file as a whole. `part` is the part of a
    packed file.
    """

    def __init__(
        self, code: str, *, line: int = 0, part: str = "", unit: Unit = "line", **params: str | int
    ) -> None:
        self.code, self.line, self.part = code, line, part
        self.unit: Unit = unit
        self.params: Params = params
        super().__init__(self.text())

    def cause(self, translate: Callable[[str], str] = str) -> str:
        return translate(TEMPLATES[self.code]) % self.params

    def text(self, translate: Callable[[str], str] = str) -> str:
        """Line or part, cause, and what to do."""
        return _placed(self.line, self.unit, self.part, self.cause(translate), translate)


def _placed(line: int, unit: Unit, part: str, cause: str, translate: Callable[[str], str]) -> str:
    if line:
        return translate(PLACES[unit]) % {"line": line, "cause": cause}
    if part:
        return translate(PART) % {"part": part, "cause": cause}
    return cause[:1].upper() + cause[1:]


class Notes:
    """Collects notes, one of each kind and line; from a limit on they are only counted."""

    MOST = 500

    def __init__(self, unit: Unit = "line") -> None:
        self._unit: Unit = unit
        self._notes: dict[tuple[int, str], Note] = {}
        self._more = 0

    def add(self, line: int, code: str, **params: str | int) -> None:
        if (line, code) in self._notes:
            return
        if len(self._notes) < self.MOST:
            self._notes[line, code] = Note(line, code, params, self._unit)
        else:
            self._more += 1

    def all(self) -> tuple[Note, ...]:
        """In the order of their lines; how many were only counted comes last, at line 0."""
        found = sorted(self._notes.values(), key=lambda note: note.line)
        if self._more:
            found.append(Note(0, "more_notes", {"count": self._more}, self._unit))
        return tuple(found)
