"""What a member hears of in the mail of a day: how much waits for them, as far as they may see it now."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse

from annotate.models import AgendaItem, Decision, Digest, Meeting, Mention
from annotate.queries.rounds import revealed
from annotate.queries.threads import Mentioned, mentioned, readable
from annotate.queries.votes import waits_for_ballot
from annotate.queries.withheld import still_to_label
from annotate.rules import may_take_part
from studies.models import Membership
from studies.rules import PEOPLE
from taxonomy.motion_news import MotionNews, motion_news

SOON = timedelta(hours=24)
BY_THEMSELVES = (Meeting.Kind.APART, Meeting.Kind.PAIR)
"""Meetings in which everybody votes when they can."""


@dataclass(frozen=True)
class Invited:
    """A meeting that a member is asked to, not closed yet: `issues` of its agenda wait that they may see.

    `votes` of these wait for their vote: none in a meeting that votes together.
    """

    meeting: Meeting
    issues: int
    votes: int

    @property
    def url(self) -> str:
        return reverse("meeting", args=[self.meeting.pk])


@dataclass(frozen=True)
class News:
    """What waits for one member. `is_any`: some of it is new, or waits for nobody but them."""

    mentions: list[Mentioned]
    meetings: list[Invited]
    motions: MotionNews
    is_any: bool

    @property
    def votes(self) -> int:
        return sum(line.votes for line in self.meetings)

    @property
    def to_vote(self) -> list[Invited]:
        return [line for line in self.meetings if line.votes]


def readers(now: datetime) -> QuerySet[Membership]:
    """Who wants a digest and had none on this day: people with an account that is open."""
    today = Digest.objects.filter(member=OuterRef("pk"), day=now.date())
    return Membership.objects.filter(
        ~Exists(today),
        gets_digest=True,
        left_at=None,
        role__in=PEOPLE,
        user__is_active=True,
    ).order_by("pk")


def news_for(member: Membership, now: datetime) -> News:
    """What the digest of this moment would say to the member. Six queries, and five at most per meeting.

    Mentions that no digest told of yet and that were not read; every meeting to come or open that the member
    is asked to. A meeting is news after it was planned or opened, and on the day before it starts.
    """
    mentions = readable(Mention.objects.filter(member=member, digest=None, seen_at=None)).order_by("id")
    told = [mentioned(mention) for mention in mentions]
    last = Digest.objects.filter(member=member).order_by("-sent_at").values_list("sent_at", flat=True).first()
    asked_to = (
        Meeting.objects.filter(participants__member=member, closed_at=None)
        .select_related("round__study", "round__version")
        .order_by("starts_at", "pk")
    )
    meetings = [_invited(meeting, member) for meeting in asked_to]
    is_news = any(line.votes or _is_news(line.meeting, last, now) for line in meetings)
    motions = motion_news(member, last, now)
    return News(told, meetings, motions, bool(told) or is_news or motions.is_any)


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
