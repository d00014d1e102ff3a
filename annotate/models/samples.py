"""Samples: issues drawn by chance in a way that can be repeated exactly."""

from django.db import models
from django.urls import reverse

from core import clock
from ingest.models import Issue
from studies.models import Membership, Study


class Sample(models.Model):
    """A seeded draw, stratified by repository. `plan` has the numbers from which it was drawn: {"confidence",
    "margin", "share", "rounding", "filter": {…}, "left_out": [{"source", "name", "issues"}], "newest",
    "strata": [{"id", "repository", "issues", "size", "drawn"}]}; an older sample has no "left_out". Only the
    URLs of the issues and the seed decide the draw (annotate.sampling).
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="samples")
    name = models.CharField(max_length=120)
    seed = models.BigIntegerField()
    plan = models.JSONField()
    created_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="sample_name_is_unique_in_a_study")
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("sample", args=[self.study.slug, self.pk])


class SampleIssue(models.Model):
    """One issue of a sample, in the order of the draw."""

    sample = models.ForeignKey(Sample, models.CASCADE, related_name="drawn")
    issue = models.ForeignKey(Issue, models.PROTECT, related_name="+")
    position = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sample", "issue"], name="issue_is_once_in_a_sample"),
            models.UniqueConstraint(fields=["sample", "position"], name="position_is_unique_in_a_sample"),
        ]

    def __str__(self) -> str:
        return f"{self.issue_id} in {self.sample_id}"
