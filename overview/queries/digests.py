"""The contents of a member's daily mail: how much waits for them, counting only what they may see now."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet

from consensus.models import AgendaItem, Decision, Digest, Meeting, Mention
from consensus.queries.threads import readable
from consensus.queries.votes import waits_for_ballot
from consensus.rules import may_take_part
from overview.queries.overview import OwnRound, own_rounds
from rounds.queries.blindness import still_to_label
from rounds.queries.rounds import revealed
from studies.models import Membership
from studies.rules import PEOPLE
from taxonomy.queries.motion_threads import MotionNews, motion_news

SOON = timedelta(hours=24)
BY_THEMSELVES = (Meeting.Kind.APART, Meeting.Kind.PAIR)
"""Meetings in which everybody votes when they like."""


@dataclass(frozen=True)
class Invited:
    """A meeting that is not closed and that a member is invited to, with the undecided issues they may see.
    `votes` of these issues wait for their vote; in a meeting that votes together this is 0.
    """

    meeting: Meeting
    issues: int
    votes: int


@dataclass(frozen=True)
class News:
    """Everything that waits for one member. `is_any`: some of it is new, or waits for their vote. `more`:
    rounds of which they have labelled all issues that were there, and more come.
    """

    mentions: list[Mention]
    meetings: list[Invited]
    motions: MotionNews
    more: list[OwnRound]
    is_any: bool

    @property
    def votes(self) -> int:
        return sum(line.votes for line in self.meetings)

    @property
    def to_vote(self) -> list[Invited]:
        return [line for line in self.meetings if line.votes]


def readers(now: datetime) -> QuerySet[Membership]:
    """The members with an active account who want a digest and have had no digest on this day."""
    today = Digest.objects.filter(member=OuterRef("pk"), day=now.date())
    return Membership.objects.filter(
        ~Exists(today),
        gets_digest=True,
        left_at=None,
        role__in=PEOPLE,
        user__is_active=True,
        study__archived_at=None,
        study__delete_at=None,
    ).order_by("pk")


def news_for(member: Membership, now: datetime) -> News:
    """The contents of the member's digest at this moment. At most fourteen queries, and five a meeting.

    The digest has the mentions that the member has not seen and that were in no digest, and every planned or
    open meeting with an invitation. A meeting is news once it is planned or opened, and on the day before it
    starts. More issues to label are news once they have come.
    """
    unseen = Mention.objects.filter(member=member, digest=None, seen_at=None)
    named = list(readable(unseen).order_by("id"))
    last = Digest.objects.filter(member=member).order_by("-sent_at").values_list("sent_at", flat=True).first()
    invited_to = (
        Meeting.objects.filter(participants__member=member, closed_at=None)
        .select_related("round__study", "round__version")
        .order_by("starts_at", "pk")
    )
    meetings = [_invited(meeting, member) for meeting in invited_to]
    is_news = any(line.votes or _is_news(line.meeting, last, now) for line in meetings)
    motions = motion_news(member, last, now)
    more = [one for one in own_rounds([member]) if one.next_at and one.left]
    has_come = any(one.next_at <= now and (last is None or one.next_at > last) for one in more if one.next_at)
    return News(named, meetings, motions, more, bool(named) or is_news or motions.is_any or has_come)


def _is_news(meeting: Meeting, last: datetime | None, now: datetime) -> bool:
    moments = (meeting.created_at, meeting.opened_at)
    fresh = last is None or any(moment is not None and moment > last for moment in moments)
    soon = (
        meeting.opened_at is None and meeting.starts_at is not None and now <= meeting.starts_at <= now + SOON
    )
    return fresh or soon


def _invited(meeting: Meeting, member: Membership) -> Invited:
    round_ = meeting.round
    standing = Decision.objects.filter(round=round_, issue=OuterRef("issue"), superseded_at=None)
    turns = still_to_label(round_, member)
    items = AgendaItem.objects.filter(
        ~Exists(standing), meeting=meeting, released_at=None, issue__in=revealed(round_).values("issue")
    )
    if not turns.query.is_empty():
        items = items.exclude(Exists(turns.filter(issue=OuterRef("issue"))))
    votes = 0
    if meeting.is_open and meeting.kind in BY_THEMSELVES and may_take_part(member, meeting):
        votes = items.filter(waits_for_ballot([member])).count()
    return Invited(meeting, issues=items.count(), votes=votes)
