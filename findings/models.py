"""Findings of a study, and the evidence attached to them."""

import pgtrigger
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from core import clock
from ingest.models import Issue
from interviews.models import Question, Quote
from rounds.models import Round
from studies.models import Membership, Study
from taxonomy.models import Category


class Finding(models.Model):
    """What a study found, in a short text. `{1}` in the text is the value of evidence 1. The number of a
    finding is its place among those that are not deleted. While frozen, its text and evidence stay, and its
    numbers are those of `frozen_at`.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="findings")
    position = models.PositiveIntegerField()
    text = models.TextField()
    revision = models.PositiveIntegerField(default=1, help_text="Grows with each change of the text")
    made_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=clock.now, editable=False)
    frozen_at = models.DateTimeField(null=True)
    frozen_by = models.ForeignKey(Membership, models.PROTECT, null=True, related_name="+")
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.CheckConstraint(name="a_finding_says_something", condition=~Q(text="")),
            models.CheckConstraint(
                name="somebody_froze_a_frozen_finding",
                condition=Q(frozen_at=None, frozen_by=None)
                | Q(frozen_at__isnull=False, frozen_by__isnull=False),
            ),
            models.CheckConstraint(
                name="a_frozen_finding_is_not_deleted", condition=Q(frozen_at=None) | Q(deleted_at=None)
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="a_frozen_finding_stays",
                operation=pgtrigger.Update,
                condition=pgtrigger.Condition(
                    "OLD.frozen_at IS NOT NULL AND NEW.text IS DISTINCT FROM OLD.text"
                ),
            )
        ]

    def __str__(self) -> str:
        return self.text[:60]

    def get_absolute_url(self) -> str:
        return reverse("finding", args=[self.pk])


class Evidence(models.Model):
    """One piece of evidence of a finding: an issue (with its decision in `round`), a common quote of an
    interview, the ranks of `category` in the answers to `question`, or the number `figure` of the report of
    `round` at `level`. `noted` is what it was when somebody last confirmed it, as values to compare; it holds
    no text of a participant. A removed piece stays as a row, so that it can come back.
    """

    class Kind(models.TextChoices):
        QUOTE = "quote", _("settled quote")
        ISSUE = "issue", _("issue")
        RANKING = "ranking", _("ranking")
        NUMBER = "number", _("number of a report")

    finding = models.ForeignKey(Finding, models.CASCADE, related_name="evidence")
    number = models.PositiveIntegerField(help_text="Its name in the text of the finding; never used again")
    kind = models.CharField(max_length=8, choices=Kind)
    issue = models.ForeignKey(Issue, models.CASCADE, null=True, related_name="+")
    round = models.ForeignKey(Round, models.CASCADE, null=True, related_name="+")
    quote = models.ForeignKey(
        Quote, models.SET_NULL, null=True, related_name="+", help_text="Empty once its settlement is undone"
    )
    question = models.ForeignKey(Question, models.CASCADE, null=True, related_name="+")
    category = models.ForeignKey(Category, models.PROTECT, null=True, related_name="+")
    level = models.CharField(max_length=16, blank=True)
    figure = models.JSONField(default=list, help_text="Part of the report, its element, name of the number")
    note = models.CharField(max_length=500, blank=True)
    noted = models.JSONField(default=dict)
    attached_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    attached_at = models.DateTimeField(default=clock.now, editable=False)
    removed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["finding", "number"], name="evidence_has_its_number"),
            models.CheckConstraint(
                name="evidence_names_its_source",
                condition=Q(kind="quote")
                | Q(kind="issue", issue__isnull=False)
                | Q(kind="ranking", question__isnull=False, category__isnull=False)
                | Q(kind="number", round__isnull=False) & ~Q(figure=[]) & ~Q(level=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.finding_id}.{self.number}"
