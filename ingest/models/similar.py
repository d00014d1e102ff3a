"""Similar reports: which texts were compared, the pairs that were found, and what leads say of them."""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core import clock
from ingest.models.issues import Issue, Snapshot
from studies.models import Study


class SimilaritySearch(models.Model):
    """The search for similar reports of one study. The latest run alone stores what it finds."""

    study = models.OneToOneField(Study, models.CASCADE, primary_key=True, related_name="similarity_search")
    run = models.PositiveIntegerField(default=1, help_text="Number of the latest run")
    version = models.PositiveSmallIntegerField(help_text="ingest.similarity.VERSION of what is stored")
    finished_at = models.DateTimeField(null=True, help_text="When a run last came to its end")

    class Meta:
        verbose_name_plural = "similarity searches"

    def __str__(self) -> str:
        return f"search {self.run} of study {self.study_id}"


class ComparedText(models.Model):
    """The text of an issue that was compared with all others; `digest` is of its elements that counted."""

    issue = models.OneToOneField(Issue, models.CASCADE, primary_key=True, related_name="compared")
    snapshot = models.ForeignKey(Snapshot, models.CASCADE, related_name="+")
    digest = models.BinaryField(max_length=16)

    def __str__(self) -> str:
        return f"issue {self.issue_id} as compared"


class SimilarPair(models.Model):
    """Two issues of a study whose current texts are similar: ingest.similarity.LEAST at least."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="similar_pairs")
    first = models.ForeignKey(Issue, models.CASCADE, related_name="+", db_index=False)
    second = models.ForeignKey(Issue, models.CASCADE, related_name="+")
    likeness = models.FloatField()
    is_across = models.BooleanField(help_text="Are the issues of two repositories?")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["first", "second"], name="similar_pair_is_kept_once"),
            models.CheckConstraint(name="the_earlier_issue_is_first", condition=Q(first__lt=F("second"))),
            models.CheckConstraint(
                name="a_likeness_is_at_most_1", condition=Q(likeness__gt=0, likeness__lte=1)
            ),
        ]
        indexes = [models.Index(fields=["study", "likeness"], name="similar_pairs_by_likeness")]

    def __str__(self) -> str:
        return f"{self.first_id} and {self.second_id}"


class SimilarMark(models.Model):
    """What a lead says of two issues. A later mark of the pair takes its place; no mark removes an issue."""

    class Kind(models.TextChoices):
        DUPLICATE = "duplicate", _("duplicate")
        RELATED = "related", _("related")
        DISTINCT = "distinct", _("not similar")

    study = models.ForeignKey(Study, models.CASCADE, related_name="similar_marks")
    first = models.ForeignKey(Issue, models.CASCADE, related_name="+", db_index=False)
    second = models.ForeignKey(Issue, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16, choices=Kind)
    note = models.TextField(blank=True)
    marked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    marked_at = models.DateTimeField(default=clock.now, editable=False)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True, help_text="When it was taken back, or another took its place")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["first", "second"], condition=Q(ended_at=None), name="one_mark_stands_on_a_pair"
            ),
            models.CheckConstraint(
                name="the_earlier_issue_is_marked_first", condition=Q(first__lt=F("second"))
            ),
        ]
        indexes = [models.Index(fields=["first", "second"], name="similar_marks_of_a_pair")]
        triggers = [
            pgtrigger.Protect(
                name="a_similar_mark_stays_as_made",
                operation=pgtrigger.UpdateOf(
                    "study_id", "first_id", "second_id", "kind", "note", "marked_at"
                ),
            )
        ]

    def __str__(self) -> str:
        return f"{self.first_id} and {self.second_id}: {self.kind}"
