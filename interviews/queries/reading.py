"""What texts and files of this room say: asks the readers (interviews.readers), and puts what they refuse or
leave out in words of the page's language. No word of a transcript is in them.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from interviews.models import Participant, Turn
from interviews.queries.guides import AskedPart, AskedQuestion, GuideText
from interviews.queries.pseudonyms import (
    OTHER,
    OWN,
    SPEAKER,
    Pair,
    Spoken,
    others_named,
    pairs_of,
    parts_named,
    pseudonymised,
    texts_of,
)
from interviews.queries.tables import Table, packed
from interviews.readers.background import read_background
from interviews.readers.folding import key
from interviews.readers.guide import read_guide
from interviews.readers.names import Former, missed
from interviews.readers.refusals import Unreadable
from interviews.readers.suspects import Kind
from interviews.readers.transcripts import READERS, write_plain
from interviews.readers.transcripts import Turn as WrittenTurn

TRANSCRIPTS = tuple(READERS)
TABLES = ("xlsx", "csv", "tsv", "txt")
"""The endings of files that can be read."""

MOST_PACKED = 1_800_000
"""The most letters of a packed table, below what the server takes as fields of a page."""


class Unread(Exception):
    """A file or text that no reader takes, in words: where, why, and that nothing was stored."""


@dataclass(frozen=True, repr=False)
class ReadTurns:
    """`notes`: what was left out of the file, with its places and causes and none of its text."""

    turns: list[Spoken]
    notes: list[str]


@dataclass(frozen=True, repr=False)
class Missed:
    """What may be a name: how often it occurs, why it is shown, and what could replace it."""

    text: str
    times: int
    why: str
    stand_in: str


def unread(refused: Unreadable) -> Unread:
    """A refusal of a reader in words."""
    return Unread(_("%(cause)s Nothing was stored.") % {"cause": refused.text(_)})


def guide_text(text: str) -> GuideText:
    """The parts and questions of a guide in Markdown, laid out as published. Raises Unread."""
    try:
        read = read_guide(text)
    except Unreadable as refused:
        raise unread(refused) from None
    parts = [
        AskedPart(
            part.title,
            part.objective,
            part.minutes,
            [AskedQuestion(one.text, one.audience or "", one.is_ranking, one.top) for one in part.questions],
        )
        for part in read.parts
        if part.questions
    ]
    return GuideText(parts, [note.text(_) for note in read.problems])


@sensitive_variables()
def read_turns(data: bytes, ending: str) -> ReadTurns:
    """The turns of a transcript; `ending` is that of its file. Raises Unread."""
    reader = READERS.get(ending)
    if reader is None:
        raise Unread(_("This file cannot be read. Nothing was stored."))
    try:
        read = reader(data)
    except Unreadable as refused:
        raise unread(refused) from None
    turns = [Spoken(turn.speaker, turn.text, turn.begins_ms) for turn in read.turns]
    return ReadTurns(turns, [note.text(_) for note in read.notes])


@sensitive_variables()
def read_table(data: bytes, ending: str, sheet: int = 1) -> Table:
    """A table of participants; `ending` is that of its file, `sheet` which of its sheets. A row of
    another width than the header is refused: without it, a participant would be lost. Raises Unread.
    """
    if ending not in TABLES:
        raise Unread(_("This file cannot be read. Nothing was stored."))
    try:
        read = read_background(data, sheet)
    except Unreadable as refused:
        raise unread(refused) from None
    for note in read.problems:
        if note.code == "ragged":
            raise Unread(_("%(cause)s Nothing was stored.") % {"cause": note.text(_)})
    notes = [note.text(_) for note in read.problems]
    table = Table(read.header, read.rows, notes, read.unit, read.sheet)
    if len(packed(table)) > MOST_PACKED:
        raise Unread(_("The table has too much text. Nothing was stored. Split the table."))
    return table


def turns_as_text(turns: Iterable[Turn]) -> str:
    """The turns as text that `read_turns` reads back."""
    return write_plain(WrittenTurn(turn.speaker, turn.text, turn.begins) for turn in turns)


@sensitive_variables()
def missed_names(participant: Participant, turns: Sequence[Spoken]) -> list[Missed]:
    """What must and what may still be replaced: listed names of other participants, then parts of names of
    participants and speakers, then what looks like a name. Raises IdentityUnreadable.
    """
    listed = others_named(participant, turns)
    sure = [Missed(text, times, _("name of another participant"), "[name]") for text, times in listed]
    words = {
        OWN: (_("part of the participant’s name"), str(participant)),
        OTHER: (_("part of another participant’s name"), "[name]"),
        SPEAKER: (_("name of a speaker"), "[name]"),
    }
    sure += [Missed(text, times, *words[whose]) for text, times, whose in parts_named(participant, turns)]
    known = {key(one.text) for one in sure}
    return sure + [one for one in missed_in(turns, pairs_of(participant)) if key(one.text) not in known]


@sensitive_variables()
def missed_in(turns: Sequence[Spoken], pairs: Sequence[Pair]) -> list[Missed]:
    """What may still be a name after the replacements, the most frequent first; single words with a capital,
    which are often none, come last. What has a replaced name in it, such as an e-mail address, is as it was
    said: only that can be replaced.
    """
    made, texts = pseudonymised(turns, pairs), texts_of(turns)
    former = Former(made)
    own, listed = {pair.stand_in for pair in pairs}, {key(pair.original) for pair in pairs}
    counted: Counter[tuple[str, Kind]] = Counter()
    for one in missed(made.texts, [pair.original for pair in pairs]):
        start, end = former.place(one.turn, one.start, one.end)
        said = texts[one.turn][start:end]
        if one.text not in own:
            counted[one.text if key(said) in listed else said, one.kind] += 1
    ordered = sorted(counted.items(), key=lambda each: (each[0][1] == "capital", -each[1]))
    words = _why()
    return [Missed(text, times, *words[kind]) for (text, kind), times in ordered]


def _why() -> dict[Kind, tuple[str, str]]:
    """Why each kind is shown, and its usual stand-in."""
    return {
        "email": (_("e-mail address"), "[address]"),
        "url": (_("web address"), "[address]"),
        "ip": (_("network address"), "[address]"),
        "phone": (_("phone number"), "[phone]"),
        "handle": (_("handle"), "[handle]"),
        "repository": (_("repository"), "[repository]"),
        "employer": (_("employer"), "[company]"),
        "name": (_("name"), "[name]"),
        "capital": (_("capital letter"), "[name]"),
        "word": (_("listed name in lower case"), "[name]"),
    }
