"""Versions of a study's protocol, and the reasons of its deviations."""

import pgtrigger
from django.db import models
from django.db.models import Q
from django.urls import reverse

from core import clock
from studies.models import Membership, Study
from taxonomy.models import Version


class Protocol(models.Model):
    """One version of the plan of a study: a draft until it is frozen, then never changed or deleted.

    `plan` has the values of protocols.plan.FIELDS by key; `taken` are the keys whose values come from rows of
    the study and were written by nobody. `version` is the taxonomy version that `plan` names in words.
    `before` are earlier states of a draft, oldest first. `document` is the frozen plan as canonical JSON to
    the byte, and `digest` its SHA-256.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="protocols")
    number = models.PositiveIntegerField()
    plan = models.JSONField(default=dict)
    taken = models.JSONField(default=list)
    version = models.ForeignKey(Version, models.PROTECT, null=True, related_name="+")
    reason = models.TextField(blank=True, help_text="Why the plan changed; empty in the first version")
    before = models.JSONField(default=list)
    revision = models.PositiveIntegerField(default=1, help_text="Grows with each change of the draft")
    made_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=clock.now, editable=False)
    saved_by = models.ForeignKey(Membership, models.PROTECT, null=True, related_name="+")
    saved_at = models.DateTimeField(null=True)
    frozen_by = models.ForeignKey(Membership, models.PROTECT, null=True, related_name="+")
    frozen_at = models.DateTimeField(null=True)
    document = models.TextField(blank=True)
    digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the document, hexadecimal")

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="protocol_number_is_unique_in_a_study"),
            models.UniqueConstraint(
                fields=["study"], name="a_study_has_one_draft_of_its_protocol", condition=Q(frozen_at=None)
            ),
            models.CheckConstraint(
                name="a_frozen_protocol_has_author_and_hash",
                condition=Q(frozen_at=None, frozen_by=None, document="", digest="")
                | Q(frozen_at__isnull=False, frozen_by__isnull=False, digest__regex="^[0-9a-f]{64}$")
                & ~Q(document=""),
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="a_frozen_protocol_stays",
                operation=pgtrigger.Update | pgtrigger.Delete,
                condition=pgtrigger.Q(old__frozen_at__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"v{self.number}"

    def get_absolute_url(self) -> str:
        if self.frozen_at is None:
            return reverse("protocol_draft", args=[self.study.slug])
        return reverse("protocol_version", args=[self.study.slug, self.number])


class DeviationReason(models.Model):
    """Why a study deviated, in the words of a lead. The newest of a `deviation` counts; none is changed.

    `deviation` is the key of protocols.queries.deviations, such as "raters:round:12".
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="deviation_reasons")
    deviation = models.CharField(max_length=80)
    text = models.TextField()
    written_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    written_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["study", "deviation"], name="reasons_of_a_deviation")]
        constraints = [models.CheckConstraint(name="a_reason_says_something", condition=~Q(text=""))]
        triggers = [
            pgtrigger.Protect(
                name="reasons_of_deviations_stay", operation=pgtrigger.Update | pgtrigger.Delete
            )
        ]

    def __str__(self) -> str:
        return self.text[:60]
