"""Comments on revealed issues, and the members whom they mention."""

from collections.abc import Collection

from django.db import transaction

from consensus import errors
from consensus.actions.agendas import tell_its_meeting
from consensus.models import Comment, Mention
from consensus.models.comments import COMMENT_LENGTH
from consensus.queries.threads import may_read_thread, people_of
from consensus.rules import may_comment
from core import clock
from core.sql.retry import retried
from core.text.mentions import named
from ingest.models import Issue
from rounds.actions.locks import lock_round
from rounds.errors import NotAllowed, UnknownCategory
from rounds.models import Round
from rounds.queries.blindness import withheld_from
from rounds.queries.categories import codebook
from studies.models import Membership
from taxonomy.models import Category


@retried
@transaction.atomic
def say(
    *, round_: Round, issue: Issue, author: Membership, text: str, category: Category | None = None
) -> Comment:
    """Comment on a disagreement whose labels the author may see, before, in or after a meeting.

    `category`: the category that the comment argues for, counted at the round's depth. @R3 notifies that
    member if they may see the issue; otherwise nobody learns that the member was left out. Screens of an open
    meeting with the issue on its agenda show the comment. A training has comments of its own. Raises
    NotAllowed, NotYoursToSee, CommentMissing, CommentTooLong, UnknownCategory.
    """
    text = text.replace("\x00", "\ufffd").replace("\r\n", "\n").strip()
    current = lock_round(round_)
    if not may_comment(author, current):
        raise NotAllowed(kept={"text": text})
    # The order of the locks: the meeting before the issue.
    tell_its_meeting(current, issue.pk)
    if not may_read_thread(current, issue.pk, author):
        raise errors.NotYoursToSee(kept={"text": text})
    if not text:
        raise errors.CommentMissing
    if len(text) > COMMENT_LENGTH:
        raise errors.CommentTooLong(kept={"text": text})
    argued_for = None
    if category is not None:
        book = codebook(current.version_id)
        if category.pk not in book.states:
            raise UnknownCategory(kept={"text": text})
        argued_for = book.at_depth(category.pk, current.depth).category_id
    comment = Comment.objects.create(
        round=current, issue=issue, author=author, text=text, category_id=argued_for
    )
    _tell(comment, current)
    return comment


@transaction.atomic
def see_mentions(*, member: Membership, issues: Collection[int], round_: Round | None = None) -> int:
    """Mark the mentions of the member in comments on these issues as seen; returns how many were new.
    `round_` limits this to the threads of one round. A second call changes nothing.
    """
    mentions = Mention.objects.filter(member=member, comment__issue__in=issues, seen_at=None)
    if round_ is not None:
        mentions = mentions.filter(comment__round=round_)
    return mentions.update(seen_at=clock.now())


def _tell(comment: Comment, round_: Round) -> None:
    """Store a mention for each mentioned member, except the author and members who may not see the issue."""
    if "@" not in comment.text:
        return
    people = {member.pseudonym: member.pk for member in people_of(round_) if member.pk != comment.author_id}
    asked = {people[name] for name in named(comment.text, people)}
    kept_out = withheld_from(round_, comment.issue_id, asked)
    Mention.objects.bulk_create(
        Mention(comment=comment, member_id=member_id) for member_id in sorted(asked - kept_out)
    )
