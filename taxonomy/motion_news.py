"""What a member hears of proposals in the mail of a day: which wait for their vote, which were decided."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from studies.models import Membership
from taxonomy.models import Ballot, Motion, MotionMention
from taxonomy.motion_threads import MotionMentioned, mentions
from taxonomy.rules import may_propose

SOON = timedelta(hours=24)


@dataclass(frozen=True)
class MotionNews:
    """Proposals that wait for the member's vote, those decided since the last digest, and comments on
    proposals that name the member. `is_any`: some of it is new, or about to be over.
    """

    to_vote: list[Motion]
    decided: list[Motion]
    mentions: list[MotionMentioned]
    is_any: bool


def motion_news(member: Membership, since: datetime | None, now: datetime) -> MotionNews:
    """What the digest of this moment says. `since`: the last one of the member; without one what was decided
    within a day. A vote is news once it is opened, and on its last day. Three queries.
    """
    waiting = Ballot.objects.filter(
        member=member, choice="", motion__closed_at=None, motion__deadline__gt=now
    ).select_related("motion__taxonomy")
    to_vote = (
        [one.motion for one in waiting.order_by("motion__deadline", "pk")] if may_propose(member) else []
    )
    closed = Motion.objects.filter(taxonomy__study=member.study_id, closed_at__gt=since or now - SOON)
    decided = list(closed.select_related("taxonomy").order_by("closed_at", "pk"))
    named = mentions(MotionMention.objects.filter(member=member, seen_at=None, told_at=None).order_by("pk"))
    is_new = any(since is None or one.opened_at > since or one.deadline <= now + SOON for one in to_vote)
    return MotionNews(to_vote, decided, named, bool(is_new or decided or named))
