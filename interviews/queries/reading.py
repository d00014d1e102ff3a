"""What texts and files of this room say: asks the readers, and puts their causes in words."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from interviews.models import Participant, Turn
from interviews.queries.guides import AskedPart, AskedQuestion, GuideText
from interviews.queries.pseudonyms import Pair, Spoken, others_named, pairs_of, with_stand_ins
from interviews.queries.tables import Table

HEADING = re.compile(r"##\s+(\S.*)")
AUDIENCE = re.compile(r"#{3,6}\s+(?:for\s+)?(\S.*)", re.IGNORECASE)
ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+(\S.*)")
OBJECTIVE = re.compile(r"\*\*Objective:?\*\*:?\s*(\S.*)", re.IGNORECASE)
MINUTES = re.compile(r"\(?\b(\d{1,3})\s*(?:min|minutes)\b\.?\)?", re.IGNORECASE)
RANKS = re.compile(r"\brank\b|排序|排名", re.IGNORECASE)
TOP = re.compile(r"\btop\s+(\d{1,2})\b|前\s*(\d{1,2})", re.IGNORECASE)
TURN = re.compile(
    r"(?:\[(?:(\d{1,2}):)?(\d{1,2}):(\d\d)(?:[.,](\d{1,3}))?\]\s*)?([^:：\[\]]{1,80})[:：]\s*(.*)$"
)


TRANSCRIPTS = ("txt",)
TABLES = ("csv", "tsv", "txt")
"""The endings of files that can be read."""


class Unread(Exception):
    """A file or text that no reader takes, in words."""


@dataclass(frozen=True, repr=False)
class ReadTurns:
    """`notes`: lines that were left out, with the causes and none of their text."""

    turns: list[Spoken]
    notes: list[tuple[int, str]]


@dataclass(frozen=True, repr=False)
class Missed:
    """What may be a name: how often it occurs, why it is shown, and what could replace it."""

    text: str
    times: int
    why: str
    stand_in: str


def guide_text(text: str) -> GuideText:
    """The parts and questions of a guide in Markdown, laid out as published."""
    parts: list[AskedPart] = []
    questions: list[AskedQuestion] = []
    problems: list[tuple[int, str]] = []
    audience = ""
    for number, whole in enumerate(text.splitlines(), 1):
        line = whole.strip()
        if heading := HEADING.match(line):
            audience, questions = "", []
            minutes = MINUTES.search(heading[1])
            title = MINUTES.sub("", heading[1]).strip(" .,-–") if minutes else heading[1]
            parts.append(AskedPart(title, minutes=int(minutes[1]) if minutes else None, questions=questions))
        elif not parts:
            continue
        elif named := AUDIENCE.match(line):
            audience = named[1].rstrip(":： ")
        elif said := OBJECTIVE.match(line):
            last = parts[-1]
            parts[-1] = AskedPart(last.title, said[1], last.minutes, questions)
        elif item := ITEM.match(line):
            top = TOP.search(item[1])
            ranks = bool(RANKS.search(item[1]))
            first = int(next(filter(None, top.groups()))) if top and ranks else None
            questions.append(AskedQuestion(item[1], audience, ranks, first))
        elif whole.startswith("  ") and line and questions:
            last_one = questions[-1]
            joined = f"{last_one.text} {line}"
            questions[-1] = AskedQuestion(joined, last_one.audience, last_one.ranks, last_one.top)
        elif line and not line.startswith(("**", "---")):
            problems.append((number, _("this line is in no list, so it is not a question")))
    asked = [part for part in parts if part.questions]
    return GuideText(asked, problems)


@sensitive_variables()
def read_turns(data: bytes, ending: str) -> ReadTurns:
    """The turns of a transcript; `ending` is that of its file. Raises Unread."""
    if ending not in TRANSCRIPTS:
        raise Unread(_("This file cannot be read. Nothing was stored."))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = {"line": data[: error.start].count(b"\n") + 1}
        raise Unread(_("Line %(line)s is not UTF-8. Nothing was stored.") % place) from None
    if "\0" in text:
        raise Unread(_("The text contains a NUL character. Nothing was stored."))
    turns: list[Spoken] = []
    notes: list[tuple[int, str]] = []
    for at, line in enumerate(text.splitlines(), 1):
        if found := TURN.match(line.strip()):
            hours, minutes, seconds, parts, speaker, said = found.groups()
            begins = None
            if seconds:
                begins = (int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)) * 1000
                begins += int((parts or "0").ljust(3, "0"))
            turns.append(Spoken(speaker.strip(), said, begins))
        elif line.strip() and turns:
            last = turns[-1]
            turns[-1] = Spoken(last.speaker, f"{last.text}\n{line.strip()}", last.begins)
        elif line.strip():
            notes.append((at, _("before the first speaker")))
    if not turns:
        raise Unread(_("No line has a speaker, a colon and a text. Nothing was stored."))
    return ReadTurns(turns, notes)


def read_table(data: bytes, ending: str) -> Table:
    """A table of participants; `ending` is that of its file. Raises Unread."""
    if ending not in TABLES:
        raise Unread(_("This file cannot be read. Nothing was stored."))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = {"line": data[: error.start].count(b"\n") + 1}
        raise Unread(_("Line %(line)s is not UTF-8. Nothing was stored.") % place) from None
    if "\0" in text:
        raise Unread(_("The text contains a NUL character. Nothing was stored."))
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        header = [" ".join(cell.split()) for cell in next(reader, [])]
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((reader.line_num, cells))
            if cells and len(cells) != len(header) and any(cell.strip() for cell in cells):
                numbers = {"line": reader.line_num, "cells": len(cells), "columns": len(header)}
                words = _(
                    "Line %(line)s has %(cells)s cells, the header has %(columns)s. Nothing was stored."
                )
                raise Unread(words % numbers)
    except csv.Error:
        raise Unread(
            _("A quote is not closed in line %(line)s. Nothing was stored.") % {"line": reader.line_num}
        ) from None
    if not header or not rows:
        raise Unread(_("The table has no rows. Nothing was stored."))
    return Table(header, rows)


def turns_as_text(turns: Iterable[Turn]) -> str:
    """The turns as text that `read_turns` reads back."""
    return "\n".join(f"{_time(turn)}{turn.speaker}: {turn.text}" for turn in turns)


def _time(turn: Turn) -> str:
    if turn.begins is None:
        return ""
    parts = turn.begins % 1000
    return f"[{turn.time}.{parts:03}] " if parts else f"[{turn.time}] "


# Each repetition is bounded: a word of a million letters must not stop the server.
LOOKS = (
    (re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{0,64}\w"), "[address]"),
    (re.compile(r"https?://\S+|www\.\S+"), "[address]"),
    (re.compile(r"(?<!\w)@\w[\w-]{1,64}"), "[handle]"),
    (re.compile(r"(?<![\w/])[\w.-]{1,64}/[\w.-]{1,64}(?![\w/])"), "[repository]"),
    (re.compile(r"(?<=[a-z,;] )[A-Z][\w’'-]{1,40}(?: [A-Z][\w’'-]{1,40}){0,4}"), "[name]"),
)


@sensitive_variables()
def missed_names(participant: Participant, turns: Sequence[Spoken]) -> list[Missed]:
    """What must and what may still be replaced: listed names of other participants, then what looks like a
    name. Raises IdentityUnreadable.
    """
    listed = others_named(participant, turns)
    sure = [Missed(text, times, _("name of another participant"), "[name]") for text, times in listed]
    known = {text for text, _times in listed}
    return sure + [one for one in missed_in(turns, pairs_of(participant)) if one.text not in known]


@sensitive_variables()
def missed_in(turns: Sequence[Spoken], pairs: Sequence[Pair]) -> list[Missed]:
    """What may still be a name after the replacements, the most frequent first."""
    said, _places = with_stand_ins(turns, pairs)
    own = {pair.stand_in for pair in pairs}
    counted: Counter[tuple[str, str]] = Counter()
    for turn in said:
        left = turn.text
        for pattern, stand_in in LOOKS:
            for at in pattern.finditer(left):
                if at[0] not in own:
                    counted[at[0], stand_in] += 1
            left = pattern.sub(" ", left)
    why = {
        "[address]": _("address"),
        "[handle]": _("handle"),
        "[repository]": _("repository"),
        "[name]": _("capital letter"),
    }
    return [Missed(text, times, why[kind], kind) for (text, kind), times in counted.most_common()]
