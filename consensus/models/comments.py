"""Comments on an issue of a round."""

from django.db import models
from django.db.models import Q
from django.urls import reverse

from core import clock
from ingest.models import Issue
from rounds.models.rounds import Round
from studies.models import Membership
from taxonomy.models import Category

COMMENT_LENGTH = 2000


class Comment(models.Model):
    """One comment of a member on an issue whose labels they may see; all comments on an issue are its thread.
    In a training members comment once they have labelled the issue, otherwise once it is revealed.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="comments")
    issue = models.ForeignKey(Issue, models.PROTECT, related_name="+")
    author = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    text = models.CharField(max_length=COMMENT_LENGTH)
    category = models.ForeignKey(
        Category,
        models.PROTECT,
        null=True,
        related_name="+",
        help_text="What the comment argues for, if it says",
    )
    said_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        indexes = [models.Index(fields=["round", "issue", "id"], name="comments_in_order")]
        constraints = [models.CheckConstraint(name="a_comment_says_something", condition=~Q(text=""))]

    def get_absolute_url(self) -> str:
        """The address of its thread."""
        return f"{reverse('disagreements', args=[self.round_id], query={'issue': self.issue_id})}#thread"

    def __str__(self) -> str:
        return f"{self.author_id} on {self.issue_id}"
