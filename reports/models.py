"""Frozen agreement reports, and the weights that a study made for agreement with partial credit."""

import pgtrigger
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.urls import reverse

from rounds.models.rounds import Round
from studies.models import Membership
from taxonomy.models import Version


class FrozenReport(models.Model):
    """The agreement report of a round at one moment, under a name; it is never changed or deleted.

    `document` is its JSON to the byte, as downloaded: all levels with their groups (reports.frozen.document).
    `inputs_hash` is the SHA-256 of the replication package's labels_long.csv of that moment.
    """

    round = models.ForeignKey(Round, models.PROTECT, related_name="frozen_reports")
    name = models.CharField(max_length=120)
    version = models.ForeignKey(Version, models.PROTECT, related_name="+", db_index=False)
    code_version = models.CharField(max_length=32, help_text="Of Crosscheck")
    inputs_hash = models.CharField(max_length=64, help_text="SHA-256, hexadecimal")
    issues = models.PositiveIntegerField(help_text="Complete, revealed ones")
    document = models.TextField()
    without_coached = models.BooleanField(
        default=False, db_default=False, help_text="Issues that volunteers were coached on are left out"
    )
    frozen_by = models.ForeignKey(
        Membership, models.PROTECT, null=True, related_name="+", help_text="Nobody: by the command"
    )
    frozen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint("round", Lower("name"), name="frozen_report_name_is_unique_in_a_round"),
            models.CheckConstraint(
                name="frozen_report_has_a_name_and_a_hash",
                condition=~Q(name="") & Q(inputs_hash__regex="^[0-9a-f]{64}$"),
            ),
        ]
        triggers = [
            pgtrigger.Protect(name="frozen_reports_stay", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("frozen_report", args=[self.round_id, self.pk])


class WeightMatrix(models.Model):
    """The study's own weights of the categories of a version; never changed or deleted.

    The row with the highest number counts. `text` is the matrix as CSV (agreement.weighted.matrix) in the
    order of the codebook, or "": from then on the weights are those of the tree again.
    """

    version = models.ForeignKey(Version, models.PROTECT, related_name="weight_matrices", db_index=False)
    number = models.PositiveIntegerField(help_text="From 1 on in each version")
    text = models.TextField(blank=True)
    set_by = models.ForeignKey(Membership, models.PROTECT, related_name="+", db_index=False)
    set_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint("version", "number", name="weight_matrix_number_is_unique_in_a_version"),
        ]
        triggers = [
            pgtrigger.Protect(name="weight_matrices_stay", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"Weights {self.number} of {self.version}"
