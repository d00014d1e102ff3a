"""Threads: the comments on an issue for members who may see its labels, and their mentions."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from consensus.models import Comment, Disagreement, Mention
from consensus.rules import may_see_disagreements
from core.once import once_a_page
from core.text.mentions import Piece, pieces
from rounds.models import Round, RoundIssue
from rounds.queries.blindness import is_withheld, waits_elsewhere
from rounds.queries.categories import codebook
from rounds.queries.rounds import revealed
from studies.models import Membership, read_only
from studies.rules import PEOPLE, may_see_names


@dataclass(frozen=True)
class ThreadComment:
    """One comment of a thread.

    `author` is a pseudonym; `name` is the author's name if the reader may know it, otherwise the pseudonym.
    `code`: the category that the comment argues for, "" without one; `type_place` gives its hue. `pieces` are
    the parts of its text. `is_unseen`: the comment mentions the reader, who has not seen it yet.
    """

    id: int
    author: str
    name: str
    is_own: bool
    code: str
    category: str
    type_place: int
    said_at: datetime
    text: str
    pieces: tuple[Piece, ...]
    is_unseen: bool


@once_a_page
def may_read_thread(round_: Round, issue_id: int, member: Membership | None) -> bool:
    """May this member read the thread of the issue? It must be a disagreement that is not withheld from them.
    A training has comments of its own (rounds.queries.training). At most three queries.
    """
    return (
        round_.kind != Round.Kind.TRAINING
        and may_see_disagreements(member, round_)
        and _has_differed(round_, issue_id)
        and not is_withheld(round_, issue_id, member)
    )


def _has_differed(round_: Round, issue_id: int) -> bool:
    """Is the issue a disagreement, or does it have comments from before a later version ended it?"""
    own: dict[str, Any] = {"round": round_, "issue": issue_id}
    if Disagreement.objects.filter(**own).exists():
        return True
    return Comment.objects.filter(**own).exists() and revealed(round_).filter(issue=issue_id).exists()


def thread(
    round_: Round, issue_id: int, member: Membership | None, *, is_seen: bool = False, by_name: bool = True
) -> list[ThreadComment]:
    """The comments on the issue, oldest first; empty for members who may not read them. At most six queries.

    `is_seen`: the caller knows that the member may see the disagreement; then only the kind of the round is
    checked. `by_name`: show people by their names, if the member may know these.
    """
    if member is None or round_.kind == Round.Kind.TRAINING:
        return []
    if not is_seen and not may_read_thread(round_, issue_id, member):
        return []
    comments = (
        Comment.objects.filter(round=round_, issue=issue_id)
        .select_related("author__user")
        .annotate(
            is_unseen=Exists(Mention.objects.filter(comment=OuterRef("pk"), member=member, seen_at=None))
        )
        .order_by("id")
    )
    rows = list(comments)
    if not rows:
        return []
    book = codebook(round_.version_id)
    by_name = by_name and may_see_names(member)
    known: list[str] = []
    if any("@" in comment.text for comment in rows):
        known += people_of(round_).values_list("pseudonym", flat=True)
    return [
        ThreadComment(
            id=comment.pk,
            author=comment.author.pseudonym,
            name=called(comment.author, by_name=by_name),
            is_own=comment.author_id == member.pk,
            code=book.states[comment.category_id].code if comment.category_id else "",
            category=book.states[comment.category_id].title if comment.category_id else "",
            type_place=book.hue(comment.category_id) if comment.category_id else 0,
            said_at=comment.said_at,
            text=comment.text,
            pieces=tuple(pieces(comment.text, known)),
            is_unseen=comment.is_unseen,
        )
        for comment in rows
    ]


def people_of(round_: Round) -> QuerySet[Membership]:
    """The members of the round's study who may see its disagreements."""
    return Membership.objects.filter(study=round_.study_id, left_at=None, role__in=PEOPLE)


def unseen_mentions(user: User | AnonymousUser) -> list[Mention]:
    """The mentions of this user that they have not seen yet, newest first. One query."""
    if not user.is_authenticated:
        return []
    own = Mention.objects.filter(member__user=user.pk, seen_at=None).exclude(read_only("member__study"))
    return list(readable(own).order_by("-id"))


def readable(mentions: QuerySet[Mention]) -> QuerySet[Mention]:
    """The mentions on issues that the member may see now, with the rows that a list of mentions needs."""
    place = RoundIssue.objects.filter(round=OuterRef("comment__round"), issue=OuterRef("comment__issue"))
    is_revealed = Q(comment__round__closed_at__isnull=False) | (
        Q(comment__round__reveal=Round.Reveal.ISSUE_COMPLETE)
        & Exists(place.filter(completed_at__isnull=False))
    )
    return mentions.filter(
        is_revealed,
        ~waits_elsewhere(
            member="member",
            round_="comment__round",
            taxonomy="comment__round__version__taxonomy",
            issue="comment__issue",
        ),
        member__left_at=None,
        member__role__in=PEOPLE,
    ).select_related("comment__author", "comment__round__study", "comment__issue__repository")


def called(member: Membership, *, by_name: bool) -> str:
    """The name of a member if `by_name`, otherwise the pseudonym."""
    return member.user.name if by_name and member.user is not None else member.pseudonym
