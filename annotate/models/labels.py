"""What a volunteer stores besides labels: drafts, repeats of the drift check, and skips."""

from django.db import models
from django.db.models import Q

from core import clock
from ingest.models import Issue, Snapshot
from rounds.models.rounds import Round
from studies.models import Guideline, Membership
from taxonomy.models import Category, Proposal, Version


class Draft(models.Model):
    """What one volunteer has typed for one issue and not submitted; the draft outlives its slot."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="drafts")
    issue = models.ForeignKey(Issue, models.CASCADE, related_name="+")
    volunteer = models.ForeignKey(Membership, models.CASCADE, related_name="drafts")
    category = models.ForeignKey(Category, models.PROTECT, null=True, related_name="+")
    summary = models.CharField(max_length=500, blank=True)
    unsure = models.BooleanField(default=False)
    proposed_name = models.CharField(max_length=200, blank=True, default="", db_default="")
    proposed_reason = models.CharField(max_length=1000, blank=True, default="", db_default="")
    revision = models.PositiveIntegerField(
        default=1, help_text="Raised by each save; a form knows which one it saw"
    )
    saved_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "issue", "volunteer"], name="one_draft_per_volunteer_and_issue"
            )
        ]

    def __str__(self) -> str:
        return f"draft of {self.volunteer_id} on {self.issue_id}"


class Repeat(models.Model):
    """The drift check: a volunteer labels one of their own issues a second time, without being told. The
    repeat is scheduled with the first label and given from `due_at` on. It never counts in the round: it is
    only compared with the first label.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="repeats")
    issue = models.ForeignKey(Issue, models.PROTECT, related_name="+")
    volunteer = models.ForeignKey(Membership, models.PROTECT, related_name="repeats")
    due_at = models.DateTimeField()
    category = models.ForeignKey(Category, models.PROTECT, null=True, related_name="+")
    version = models.ForeignKey(Version, models.PROTECT, null=True, related_name="+")
    proposal = models.ForeignKey(Proposal, models.PROTECT, null=True, related_name="+")
    proposed_reason = models.CharField(max_length=1000, blank=True, default="", db_default="")
    nearest = models.ForeignKey(Category, models.PROTECT, null=True, related_name="+")
    snapshot = models.ForeignKey(Snapshot, models.PROTECT, null=True, related_name="+")
    guideline = models.ForeignKey(Guideline, models.PROTECT, null=True, related_name="+")
    summary = models.CharField(max_length=500, blank=True)
    unsure = models.BooleanField(default=False)
    submitted_at = models.DateTimeField(null=True)
    form_key = models.UUIDField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "issue", "volunteer"], name="an_issue_comes_again_once"),
            models.CheckConstraint(
                name="a_repeat_says_something_once_submitted",
                condition=Q(submitted_at=None, category=None, proposal=None)
                | (Q(submitted_at__isnull=False) & (Q(category__isnull=False) | Q(proposal__isnull=False))),
            ),
        ]
        indexes = [
            models.Index(
                fields=["round", "volunteer", "due_at"],
                name="repeats_to_come",
                condition=Q(submitted_at=None),
            )
        ]

    def __str__(self) -> str:
        return f"{self.volunteer_id} again on {self.issue_id}"


class Skip(models.Model):
    """One volunteer skipped one issue, with a reason: the issue comes again after the others."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="skips")
    issue = models.ForeignKey(Issue, models.CASCADE, related_name="+")
    volunteer = models.ForeignKey(Membership, models.CASCADE, related_name="skips")
    reason = models.CharField(max_length=500)
    skipped_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        indexes = [models.Index(fields=["round", "volunteer", "issue"], name="own_skips")]

    def __str__(self) -> str:
        return f"{self.volunteer_id} skipped {self.issue_id}"
