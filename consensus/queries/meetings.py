"""Lists of meetings: of a round, of a study, and of a user whose ballot or presence they wait for. The lists
contain only numbers, which leave out issues that are withheld from the reader (rounds.queries.blindness).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, When

from accounts.models import User
from consensus.models import AgendaItem, Decision, Disagreement, Meeting, Participant
from consensus.queries.agendas import is_on_agenda, standing
from consensus.queries.votes import waits_for_ballot
from core import clock
from rounds.models import Round
from rounds.queries.blindness import seen_by_seats
from rounds.queries.rounds import rounds_for
from rounds.rules import may_be_volunteer
from studies.models import Membership, Study

RECENT = 4
"""The number of meetings that the page of a study shows."""


def meetings_for(user: User | AnonymousUser) -> QuerySet[Meeting]:
    """The meetings on rounds that this user may see, with round, study and chair; newest first."""
    found = Meeting.objects.filter(round__in=rounds_for(user))
    return found.select_related("round__study", "round__version__taxonomy", "chair__user").order_by("-pk")


def meetings_of(round_: Round) -> QuerySet[Meeting]:
    """The meetings on one round, with their chairs; newest first."""
    return Meeting.objects.filter(round=round_).select_related("chair__user").order_by("-pk")


@dataclass(frozen=True)
class MeetingLine:
    """One meeting of a list. `decided` of its `items` are decided; of a closed meeting, at its close.

    `to_vote`: the issues that wait for the ballot of an invited reader in an open meeting over days or of a
    pair. `came` of the `asked` members took part.
    """

    meeting: Meeting
    items: int = 0
    decided: int = 0
    to_vote: int = 0
    asked: int = 0
    came: int = 0

    @property
    def state(self) -> str:
        if self.meeting.closed_at is not None:
            return "closed"
        return "planned" if self.meeting.opened_at is None else "open"

    @property
    def lasted(self) -> timedelta | None:
        """The time from its opening to its close, or to now; None before it opens."""
        opened = self.meeting.opened_at
        return None if opened is None else (self.meeting.closed_at or clock.now()) - opened

    @property
    def left(self) -> int:
        """The number of issues that are not decided yet."""
        return self.items - self.decided


def meeting_lines(of: Round | Study, member: Membership | None) -> list[MeetingLine]:
    """The meetings of a round or of a study: open ones, planned ones by date, closed ones; newest first.
    Four queries.
    """
    there = Q(round=of) if isinstance(of, Round) else Q(round__study=of)
    meetings = Meeting.objects.filter(there).select_related("chair", "round")
    return _in_order(_lines(list(meetings), [member] if member else []))


def recent_meetings(study: Study, member: Membership | None) -> list[MeetingLine]:
    """The RECENT newest meetings of a study, in the order of `meeting_lines`. Four queries."""
    meetings = Meeting.objects.filter(round__study=study).select_related("chair", "round")
    newest = meetings.order_by(F("closed_at").desc(nulls_first=True), "-pk")[:RECENT]
    return _in_order(_lines(list(newest), [member] if member else []))


def own_meetings(seats: Sequence[Membership]) -> list[tuple[MeetingLine, Membership]]:
    """The open and planned meetings that wait for the user with these memberships, each with its membership.

    Meetings at one time with an invitation, and meetings over days or of a pair that wait for the user's
    ballot. Five queries.
    """
    taking = {seat.study_id: seat for seat in seats if may_be_volunteer(seat, seat.study)}
    asked = Participant.objects.filter(meeting=OuterRef("pk"), member__in=list(taking.values()))
    meetings = Meeting.objects.filter(Exists(asked), closed_at=None).select_related("chair", "round__study")
    lines = _in_order(_lines(list(meetings), list(taking.values())))
    return [
        (line, taking[line.meeting.round.study_id])
        for line in lines
        if line.meeting.kind == Meeting.Kind.TOGETHER or line.to_vote
    ]


def on_agenda(meeting: Meeting, member: Membership | None) -> QuerySet[AgendaItem]:
    """The items on the agenda that this member may see, in order, with their issues and `is_decided`."""
    items = AgendaItem.objects.filter(meeting=meeting, released_at=None)
    seen = _seen([member] if member else [])
    shown = items.filter(Exists(seen)).select_related("issue__repository", "issue__current")
    made = Decision.objects.filter(standing(None), round=OuterRef("round"), issue=OuterRef("issue"))
    shown = shown.annotate(is_decided=Exists(made))
    return shown.defer("issue__current__body", "issue__current__comments").order_by("position", "pk")


def waiting(meeting: Meeting, member: Membership | None) -> QuerySet[AgendaItem]:
    """The items on the agenda that have no decision yet, as far as this member may see them."""
    made = Decision.objects.filter(standing(None), round=OuterRef("round"), issue=OuterRef("issue"))
    return on_agenda(meeting, member).filter(~Exists(made))


def _seen(seats: Iterable[Membership]) -> QuerySet[Disagreement]:
    rows = Disagreement.objects.filter(round=OuterRef("round"), issue=OuterRef("issue"))
    return seen_by_seats(rows, seats)


def _lines(meetings: Sequence[Meeting], seats: Sequence[Membership]) -> list[MeetingLine]:
    closed_at = OuterRef("meeting__closed_at")
    made = Decision.objects.filter(round=OuterRef("round"), issue=OuterRef("issue"))
    is_decided = Case(
        When(meeting__closed_at=None, then=Exists(made.filter(standing(None)))),
        default=Exists(made.filter(standing(closed_at))),
    )
    items = (
        AgendaItem.objects.filter(is_on_agenda(), meeting__in=meetings)
        .filter(Exists(_seen(seats)))
        .order_by()
        .annotate(is_decided=is_decided, waits=waits_for_ballot(seats))
        .values("meeting")
        .annotate(
            items=Count("pk"),
            decided=Count("pk", filter=Q(is_decided=True)),
            to_vote=Count("pk", filter=Q(waits=True)),
        )
    )
    taking = (
        Participant.objects.filter(meeting__in=meetings)
        .order_by()
        .values("meeting")
        .annotate(
            asked=Count("pk"), came=Count("joined_at"), is_asked=Count("pk", filter=Q(member__in=seats))
        )
    )
    counted: dict[int, Any] = {row["meeting"]: row for row in items}
    people: dict[int, Any] = {row["meeting"]: row for row in taking}
    lines = []
    for meeting in meetings:
        numbers, there = counted.get(meeting.pk, {}), people.get(meeting.pk, {})
        votes_alone = meeting.is_open and meeting.kind != Meeting.Kind.TOGETHER and there.get("is_asked")
        lines.append(
            MeetingLine(
                meeting,
                **{name: numbers.get(name, 0) for name in ("items", "decided")},
                **{name: there.get(name, 0) for name in ("asked", "came")},
                to_vote=numbers.get("to_vote", 0) if votes_alone else 0,
            )
        )
    return lines


def _in_order(lines: Iterable[MeetingLine]) -> list[MeetingLine]:
    now = clock.now()
    ranks = {"open": 0, "planned": 1, "closed": 2}

    def key(line: MeetingLine) -> tuple[int, float, int]:
        meeting = line.meeting
        at = -(meeting.closed_at or now).timestamp()
        if line.state == "planned":
            at = meeting.starts_at.timestamp() if meeting.starts_at else float("inf")
        elif line.state == "open":
            at = 0.0
        return ranks[line.state], at, -meeting.pk

    return sorted(lines, key=key)
