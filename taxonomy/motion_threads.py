"""The threads of proposals as members read them, and what in them names somebody."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse

from accounts.models import User
from core.mentions import Piece, pieces
from studies.models import Membership, Study
from studies.rules import PEOPLE
from taxonomy.models import Motion, MotionComment, MotionMention


@dataclass(frozen=True)
class MotionSaid:
    """One comment: `author` is a pseudonym, `pieces` are the text; `is_unseen`: it names the reader, who has
    not seen it yet.
    """

    id: int
    author: str
    is_own: bool
    said_at: datetime
    text: str
    pieces: tuple[Piece, ...]
    is_unseen: bool


@dataclass(frozen=True)
class MotionMentioned:
    """A comment on a proposal that names somebody: by whom, and where it is read. Never its text."""

    id: int
    author: str
    study: Study
    taxonomy: str
    number: int
    url: str


def threads(motions: Collection[Motion], member: Membership | None) -> dict[int, tuple[MotionSaid, ...]]:
    """What was said about these motions of one study, oldest first, by their ids. Two queries at most."""
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
    found: dict[int, list[MotionSaid]] = defaultdict(list)
    for one in comments:
        found[one.motion_id].append(
            MotionSaid(
                id=one.pk,
                author=one.author.pseudonym,
                is_own=member is not None and one.author_id == member.pk,
                said_at=one.said_at,
                text=one.text,
                pieces=tuple(pieces(one.text, known)),
                is_unseen=one.is_unseen,
            )
        )
    return {motion: tuple(said) for motion, said in found.items()}


def unseen_on_motions(user: User | AnonymousUser) -> list[MotionMentioned]:
    """The comments on proposals that name this user, unseen so far, newest first. One query."""
    if not user.is_authenticated:
        return []
    return mentions(MotionMention.objects.filter(member__user=user.pk, seen_at=None).order_by("-pk"))


def mentions(found: QuerySet[MotionMention]) -> list[MotionMentioned]:
    """These, for who is still in the study. One query."""
    rows = found.filter(member__left_at=None, member__role__in=PEOPLE).select_related(
        "comment__author", "comment__motion__taxonomy__study"
    )
    return [
        MotionMentioned(
            id=one.pk,
            author=one.comment.author.pseudonym,
            study=one.comment.motion.taxonomy.study,
            taxonomy=one.comment.motion.taxonomy.name,
            number=one.comment.motion.number,
            url=reverse("proposals", args=[one.comment.motion.taxonomy_id])
            + f"#p{one.comment.motion.number}",
        )
        for one in rows
    ]
