"""The turns of a transcript, put together from what follows each other in a file."""

from dataclasses import dataclass, field

from interviews.readers.refusals import Note, Notes, Unit, Unreadable

MOST_BYTES = 20 << 20
MOST_TURNS = 50_000
LONGEST_TURN = 500_000
LONGEST_SPEAKER = 80


@dataclass(frozen=True, slots=True, repr=False)
class Turn:
    """What one person said without a break. `begins_ms` is None where the file has no time."""

    speaker: str
    text: str
    begins_ms: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class ReadTurns:
    """The turns of a file, and what was left out of it."""

    turns: tuple[Turn, ...]
    notes: tuple[Note, ...] = ()

    @property
    def speakers(self) -> tuple[str, ...]:
        """In the order of their first turns."""
        return tuple(dict.fromkeys(turn.speaker for turn in self.turns))


@dataclass(slots=True, repr=False)
class _Begun:
    speaker: str
    begins_ms: int | None
    line: int
    pieces: list[str] = field(default_factory=list)
    size: int = 0


class Gathering:
    """Takes pieces of speech in their order, and joins neighbours of one speaker."""

    def __init__(self, notes: Notes, *, unit: Unit = "line") -> None:
        self.notes = notes
        self._unit: Unit = unit
        self._turns: list[_Begun] = []

    @property
    def is_empty(self) -> bool:
        return not self._turns

    @property
    def speaker(self) -> str:
        """Who speaks at present; "" before anybody does."""
        return self._turns[-1].speaker if self._turns else ""

    def begin(self, speaker: str, begins_ms: int | None, line: int) -> None:
        """The next pieces are of this speaker. A turn that stayed empty is dropped, with a note."""
        speaker = " ".join(speaker.split())[:LONGEST_SPEAKER].rstrip()
        if self._turns and not self._turns[-1].pieces:
            self.notes.add(self._turns.pop().line, "empty_turn")
        if self._turns and self._turns[-1].speaker == speaker:
            return
        if len(self._turns) >= MOST_TURNS:
            raise Unreadable("many_turns", line=line, unit=self._unit, limit=MOST_TURNS)
        self._turns.append(_Begun(speaker, begins_ms, line))

    def say(self, text: str, line: int, joint: str = "\n") -> None:
        """Add a piece to the turn that was begun; nothing for a blank one."""
        if not text.strip():
            return
        last = self._turns[-1]
        if last.pieces:
            last.pieces.append(joint)
        last.pieces.append(text.strip())
        last.size += len(text) + len(joint)
        if last.size > LONGEST_TURN:
            raise Unreadable("turn_too_long", line=line, unit=self._unit, limit=LONGEST_TURN)

    def all(self) -> ReadTurns:
        if self._turns and not self._turns[-1].pieces:
            self.notes.add(self._turns.pop().line, "empty_turn")
        turns = tuple(Turn(one.speaker, "".join(one.pieces), one.begins_ms) for one in self._turns)
        return ReadTurns(turns, self.notes.all())
