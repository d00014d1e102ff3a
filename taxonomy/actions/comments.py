"""What members say about a proposal: kept for ever, while the vote is open and after."""

from django.db import transaction
from django.utils import timezone

from core.mentions import named
from studies.models import Membership
from studies.rules import PEOPLE
from taxonomy import errors
from taxonomy.models import Motion, MotionComment, MotionMention, Taxonomy
from taxonomy.rules import may_propose

COMMENT_LENGTH = 2000


@transaction.atomic
def comment(*, motion: Motion, by: Membership, text: str) -> MotionComment:
    """Say something about a proposal to all who read it; @R3 tells that member. Raises NotSaid."""
    text = text.replace("\x00", "\ufffd").replace("\r\n", "\n").strip()
    if not may_propose(by) or by.study_id != motion.taxonomy.study_id:
        raise errors.NotSaid(kept={"text": text})
    if not text or len(text) > COMMENT_LENGTH:
        raise errors.NotSaid(kept={"text": text})
    said = MotionComment.objects.create(motion=motion, author=by, text=text)
    if "@" in text:
        people = Membership.objects.filter(study=by.study_id, left_at=None, role__in=PEOPLE)
        members = dict(people.exclude(pk=by.pk).values_list("pseudonym", "pk"))
        MotionMention.objects.bulk_create(
            MotionMention(comment=said, member_id=members[name]) for name in sorted(named(text, members))
        )
    return said


def see_comments(*, taxonomy: Taxonomy, member: Membership) -> int:
    """Note that the member has read the comments on proposals that name them; how many were new."""
    new = MotionMention.objects.filter(comment__motion__taxonomy=taxonomy, member=member, seen_at=None)
    return new.update(seen_at=timezone.now())
