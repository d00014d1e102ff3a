"""What is said about a proposal beside the ballots, and whom it names."""

import pgtrigger
from django.db import models
from django.db.models import Q

from studies.models import Membership
from taxonomy.models.proposals import Motion


class MotionComment(models.Model):
    """One comment in the thread of a proposal. It is there at once, for all, and stays as it was said."""

    motion = models.ForeignKey(Motion, models.PROTECT, related_name="comments")
    author = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    text = models.CharField(max_length=2000)
    said_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(name="a_comment_on_a_proposal_says_something", condition=~Q(text=""))
        ]
        triggers = [
            pgtrigger.Protect(
                name="comments_on_proposals_stay", operation=pgtrigger.Update | pgtrigger.Delete
            )
        ]

    def __str__(self) -> str:
        return f"{self.author_id} on {self.motion_id}"


class MotionMention(models.Model):
    """A comment on a proposal names a member (@R3). `told_at`: a digest said so."""

    comment = models.ForeignKey(MotionComment, models.PROTECT, related_name="mentions")
    member = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    seen_at = models.DateTimeField(null=True)
    told_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["comment", "member"], name="a_comment_on_a_proposal_names_once")
        ]

    def __str__(self) -> str:
        return f"{self.member_id} in {self.comment_id}"
