"""The contents of minutes: people, labels, votes, decisions, arguments, follow-ups, and their sums. REST
answers have these fields by name; the page, Markdown and PDF put them in words (consensus.minutes_text).
"""

from dataclasses import dataclass, field
from datetime import datetime

from consensus.models import Meeting
from taxonomy.models import Version


@dataclass(frozen=True)
class Attendance:
    """A participant who came; `until` is None while they are still in an open meeting."""

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
    """A label from before the meeting: its code, or "" and the name of the proposed category."""

    who: str
    code: str
    proposes: str = ""


@dataclass(frozen=True)
class MinuteVote:
    """A closed vote. `ballots`: name and code, "" for an abstention, NO_CATEGORY_CODE if none fits. `split`
    counts codes, most first. `revealed_by`: the member who closed it; "" if the last ballot did.
    """

    number: int
    at: datetime
    present: int
    ballots: tuple[tuple[str, str], ...]
    split: tuple[tuple[str, int], ...]
    abstained: int
    revealed_by: str
    none_fits: int = 0


@dataclass(frozen=True)
class MinuteDecision:
    """One decision of the meeting; `how` as in `Decision`; `votes` of `present` members voted for it.

    `alike` counts the decisions of this meeting in its bulk decision, 0 without one. `ended_at`, `ended_by`
    and `ended_why`: when, by whom and why it was reopened or replaced.
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
    """A decision by somebody outside of the meeting that stood at its end; `method` as in `Decision`."""

    code: str
    method: str
    by: str
    at: datetime


@dataclass(frozen=True)
class MinuteFollowUp:
    """A follow-up of an item: its kind in words, its code or "", and its proposed name and text."""

    kind: str
    code: str
    text: str
    by: str
    is_done: bool


@dataclass(frozen=True)
class Minute:
    """One issue of the agenda in the course of the meeting.

    `state`: decided, anew, reopened, parked, open, elsewhere or waiting. "anew": after the meeting's decision
    somebody outside made another, `outside`; "elsewhere": only somebody outside decided. `seconds`: the time
    for which the meeting looked at the issue; None if it never did, as in a meeting over days.
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
    def is_beside_names(self) -> bool:
        """Were names proposed in place of the second category of the pair, or of both?"""
        return len(self.pair) < 2 and any(not label.code for label in self.labels)

    @property
    def decision(self) -> MinuteDecision | None:
        """The last decision of the meeting, if it stood at the end; otherwise None."""
        return self.decisions[-1] if self.decisions and self.state == "decided" else None


@dataclass(frozen=True)
class MinuteGroup:
    """The issues of one pair of categories that the meeting discussed, in the order of discussion.
    `is_beside_names`: see Minute.
    """

    pair: tuple[str, ...]
    is_beside_names: bool
    items: tuple[Minute, ...]


@dataclass(frozen=True)
class MinuteTotals:
    """The sums of a meeting; `causes` are pairs (cause, number of decisions), most first. `decided` counts
    the issues with a decision at the end, as the screen does: `unanimity`, `majority` and `chair` by the
    meeting; outside of it `lead` by a lead, `bulk` by a majority of the labels, and `elsewhere`.
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
    """The whole minutes, as one member may read them. `version`: of the taxonomy, when the meeting closed or
    now. `earlier_versions`: the numbers of those before it under which decisions were made. `names`: code to
    name of each category. `chain_head`: the head of the round's chain when the meeting closed; "" while the
    round is open, and where issues are withheld.
    """

    meeting: Meeting
    version: Version
    as_of: datetime
    chairs: tuple[str, ...]
    there: tuple[Attendance, ...]
    absent: tuple[str, ...]
    groups: tuple[MinuteGroup, ...]
    not_reached: tuple[Minute, ...]
    withheld: int
    totals: MinuteTotals
    names: dict[str, str] = field(default_factory=dict)
    earlier_versions: tuple[int, ...] = ()
    chain_head: str = ""

    @property
    def is_final(self) -> bool:
        return self.meeting.closed_at is not None
