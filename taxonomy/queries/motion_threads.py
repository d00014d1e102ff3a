"""The comments on proposals, and the news of proposals for one member."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import User
from core.text.mentions import Piece, pieces
from studies.models import Membership, read_only
from studies.rules import PEOPLE
from taxonomy.models import Ballot, Motion, MotionComment, MotionMention
from taxonomy.rules import may_propose


@dataclass(frozen=True)
class ShownComment:
    """One comment. `author` is a pseudonym, `pieces` are the parts of the text. An unseen comment names the
    reader, who has not read it yet.
    """

    author: str
    said_at: datetime
    text: str
    pieces: tuple[Piece, ...]
    is_unseen: bool


def threads(motions: Collection[Motion], member: Membership) -> dict[int, tuple[ShownComment, ...]]:
    """The comments on these motions of one study, oldest first, by the motion's id. Two queries at most."""
    unseen = MotionMention.objects.filter(comment=OuterRef("pk"), member=member, seen_at=None)
    comments = list(
        MotionComment.objects.filter(motion__in=motions)
        .select_related("author")
        .annotate(is_unseen=Exists(unseen))
        .order_by("pk")
    )
    known: list[str] = []
    if any("@" in one.text for one in comments):
        study = comments[0].author.study_id
        people = Membership.objects.filter(study=study, left_at=None, role__in=PEOPLE)
        known = list(people.values_list("pseudonym", flat=True))
    found: dict[int, list[ShownComment]] = defaultdict(list)
    for one in comments:
        found[one.motion_id].append(
            ShownComment(
                author=one.author.pseudonym,
                said_at=one.said_at,
                text=one.text,
                pieces=tuple(pieces(one.text, known)),
                is_unseen=one.is_unseen,
            )
        )
    return {motion: tuple(said) for motion, said in found.items()}


def unseen_on_motions(user: User | AnonymousUser) -> list[MotionMention]:
    """The unseen comments on proposals that name this user, newest first. One query."""
    if not user.is_authenticated:
        return []
    own = MotionMention.objects.filter(member__user=user.pk, seen_at=None).exclude(read_only("member__study"))
    return list(readable(own).order_by("-pk"))


def readable(mentions: QuerySet[MotionMention]) -> QuerySet[MotionMention]:
    """The mentions whose member is still in the study, with comment, author, motion, taxonomy and study."""
    return mentions.filter(member__left_at=None, member__role__in=PEOPLE).select_related(
        "comment__author", "comment__motion__taxonomy__study"
    )


SOON = timedelta(hours=24)


@dataclass(frozen=True)
class MotionNews:
    """Proposals that wait for the member's vote, proposals decided since the last digest, and comments that
    name the member. `is_any`: some of these are new or end soon.
    """

    to_vote: list[Motion]
    decided: list[Motion]
    mentions: list[MotionMention]
    is_any: bool


def motion_news(member: Membership, since: datetime | None, now: datetime) -> MotionNews:
    """The digest's news of proposals for the member. `since` is the time of their last digest; without it the
    news are the decisions of the last day. A vote is news when it is new and on its last day. Three queries.
    """
    waiting = Ballot.objects.filter(
        member=member, choice="", motion__closed_at=None, motion__deadline__gt=now
    ).select_related("motion__taxonomy")
    to_vote = (
        [one.motion for one in waiting.order_by("motion__deadline", "pk")] if may_propose(member) else []
    )
    closed = Motion.objects.filter(taxonomy__study=member.study_id, closed_at__gt=since or now - SOON)
    decided = list(closed.select_related("taxonomy").order_by("closed_at", "pk"))
    untold = MotionMention.objects.filter(member=member, seen_at=None, told_at=None)
    named = list(readable(untold).order_by("pk"))
    is_new = any(since is None or one.opened_at > since or one.deadline <= now + SOON for one in to_vote)
    return MotionNews(to_vote, decided, named, bool(is_new or decided or named))
