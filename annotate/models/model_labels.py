"""Labels of models: compared with the labels of the volunteers, and never counted among them."""

import pgtrigger
from django.db import models

from ingest.models import Issue
from rounds.models.rounds import Round
from studies.models import Membership
from taxonomy.models import Category, Version


class ModelLabel(models.Model):
    """The category that one model, a member with that role, chose for one issue of a round. It never changes.
    It has no slot, completes no issue and decides nothing: only annotate.queries.model_labels reads it.
    (round, issue) is a key of RoundIssue: the migration adds a composite foreign key.
    """

    round = models.ForeignKey(
        Round, models.DO_NOTHING, related_name="model_labels", db_constraint=False, db_index=False
    )
    issue = models.ForeignKey(
        Issue, models.DO_NOTHING, related_name="model_labels", db_constraint=False, db_index=False
    )
    member = models.ForeignKey(Membership, models.PROTECT, related_name="model_labels", db_index=False)
    category = models.ForeignKey(Category, models.PROTECT, related_name="+", db_index=False)
    version = models.ForeignKey(Version, models.PROTECT, related_name="+", db_index=False)
    summary = models.CharField(max_length=500, blank=True)
    submitted_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "issue", "member"],
                name="one_label_per_model_and_issue",
                include=["category"],
            )
        ]
        indexes = [models.Index(fields=["round", "member", "id"], name="labels_of_one_model")]
        triggers = [
            pgtrigger.Protect(name="model_labels_stay", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"{self.issue_id} by {self.member_id}"
