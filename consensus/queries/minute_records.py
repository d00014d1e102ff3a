"""What minutes are made of: people, labels, votes, decisions, arguments, follow-ups, and their sums.

REST answers with these fields by name; the page, Markdown and PDF put them in words (consensus.minutes_text).
"""

from dataclasses import dataclass, field
from datetime import datetime

from consensus.models import Meeting


@dataclass(frozen=True)
class Attendance:
    """A participant who was present; `until` is None for those still in an open meeting."""

    who: str
    since: datetime
    until: datetime | None


@dataclass(frozen=True)
class MinuteArgument:
    """One comment during the meeting; `code` is the category that it argues for, "" without one."""

    who: str
    at: datetime
    code: str
    text: str


@dataclass(frozen=True)
class MinuteLabel:
    """The label that somebody gave before: its code, or with "" the name of the category it proposes."""

    who: str
    code: str
    proposes: str = ""


@dataclass(frozen=True)
class MinuteVote:
    """A closed vote with its ballots: name and code, "" for an abstention. `split` counts codes, most first.

    `revealed_by`: the member who closed it; "" where the last ballot did.
    """

    number: int
    at: datetime
    present: int
    ballots: tuple[tuple[str, str], ...]
    split: tuple[tuple[str, int], ...]
    abstained: int
    revealed_by: str


@dataclass(frozen=True)
class MinuteDecision:
    """One decision of the meeting. `how` is that of Decision; `votes` of `present` members voted for it.

    `alike` is the size of its bulk decision, 0 without one. `ended_at`, `ended_by` and `ended_why` tell when,
    by whom and why it was reopened or replaced.
    """

    number: int
    code: str
    name: str
    how: str
    votes: int
    present: int
    by: str
    at: datetime
    rationale: str
    cause: str
    alike: int = 0
    ended_at: datetime | None = None
    ended_by: str = ""
    ended_why: str = ""


@dataclass(frozen=True)
class OutsideDecision:
    """The decision of somebody outside of the meeting that stood at its end. `method` is that of Decision."""

    code: str
    method: str
    by: str
    at: datetime


@dataclass(frozen=True)
class MinuteFollowUp:
    """A follow-up of an item: its kind in words, its code if any, and its text or proposed name."""

    kind: str
    code: str
    text: str
    by: str
    is_done: bool


@dataclass(frozen=True)
class Minute:
    """One issue of the agenda in the course of the meeting.

    `state`: decided, anew, reopened, parked, open, elsewhere or waiting. anew: somebody outside decided after
    the meeting had, see `outside`; elsewhere: only somebody outside decided. `seconds` is the time that the
    meeting looked at the issue, None where it never did, as in a meeting over days.
    """

    issue_id: int
    repository: str
    number: str
    title: str
    url: str
    state: str
    pair: tuple[str, ...]
    labels: tuple[MinuteLabel, ...] = ()
    votes: tuple[MinuteVote, ...] = ()
    decisions: tuple[MinuteDecision, ...] = ()
    thread: tuple[MinuteArgument, ...] = ()
    following: tuple[MinuteFollowUp, ...] = ()
    outside: OutsideDecision | None = None
    parked_why: str = ""
    seconds: float | None = None

    @property
    def decision(self) -> MinuteDecision | None:
        """The last decision of the meeting; None without one."""
        return self.decisions[-1] if self.decisions and self.state == "decided" else None


@dataclass(frozen=True)
class MinuteGroup:
    """The issues of one confused pair that the meeting came to, in the order of discussion."""

    pair: tuple[str, ...]
    items: tuple[Minute, ...]


@dataclass(frozen=True)
class MinuteTotals:
    """The sums of a meeting; `causes` are (cause, how many), most first.

    `decided` counts what was decided at its end, as its screen does: by unanimity, a majority or the chair of
    the meeting, or outside of it by a lead, by a majority of the labels in `bulk`, or `elsewhere`.
    """

    agenda: int
    discussed: int
    decided: int
    unanimity: int
    majority: int
    chair: int
    parked: int
    open: int
    waiting: int
    median_seconds: float | None
    causes: tuple[tuple[str, int], ...]
    lead: int = 0
    bulk: int = 0
    elsewhere: int = 0


@dataclass(frozen=True)
class Minutes:
    """The whole minutes, as one member may read them. `names`: code to name of the categories that occur."""

    meeting: Meeting
    as_of: datetime
    chairs: tuple[str, ...]
    there: tuple[Attendance, ...]
    absent: tuple[str, ...]
    groups: tuple[MinuteGroup, ...]
    not_reached: tuple[Minute, ...]
    withheld: int
    totals: MinuteTotals
    names: dict[str, str] = field(default_factory=dict)

    @property
    def is_final(self) -> bool:
        return self.meeting.closed_at is not None
