"""What was agreed."""

import pgtrigger
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotate.models.rounds import Round
from ingest.models import Issue
from studies.models import Membership
from taxonomy.models import Category, Version


class Decision(models.Model):
    """The final label of one issue in a round. A newer one supersedes it; none is edited, none deleted.

    (round, issue) is a key of RoundIssue: a composite foreign key that the migration adds.
    """

    class Method(models.TextChoices):
        UNANIMOUS = "unanimous", _("unanimous")
        MAJORITY = "majority", _("majority")
        MEETING = "meeting", _("meeting")
        LEAD = "lead", _("lead")
        IMPORTED = "imported", _("imported")

    round = models.ForeignKey(
        Round, models.DO_NOTHING, related_name="decisions", db_constraint=False, db_index=False
    )
    issue = models.ForeignKey(
        Issue, models.DO_NOTHING, related_name="decisions", db_constraint=False, db_index=False
    )
    number = models.PositiveSmallIntegerField(
        default=1, help_text="1 for the first decision of an issue, and so on"
    )
    category = models.ForeignKey(Category, models.PROTECT, related_name="decisions")
    version = models.ForeignKey(Version, models.PROTECT, related_name="decisions", db_index=False)
    method = models.CharField(max_length=16, choices=Method)
    rationale = models.TextField(blank=True)
    decided_by = models.ForeignKey(
        Membership, models.PROTECT, null=True, related_name="decisions", db_index=False
    )
    decided_at = models.DateTimeField()
    superseded_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "issue", "number"], name="decisions_of_an_issue_are_numbered"
            ),
            models.UniqueConstraint(
                fields=["round", "issue"],
                name="one_decision_stands",
                condition=Q(superseded_at=None),
                include=["category", "method"],
            ),
            models.CheckConstraint(
                name="decision_method_is_known",
                condition=Q(method__in=["unanimous", "majority", "meeting", "lead", "imported"]),
            ),
            models.CheckConstraint(
                name="people_stand_behind_their_decisions",
                condition=Q(method__in=["unanimous", "majority", "imported"]) | Q(decided_by__isnull=False),
            ),
            models.CheckConstraint(
                name="a_lead_gives_a_rationale", condition=~Q(method="lead") | ~Q(rationale="")
            ),
        ]
        triggers = [
            pgtrigger.Trigger(
                name="decisions_are_superseded_only",
                when=pgtrigger.Before,
                operation=pgtrigger.Update | pgtrigger.Delete,
                func="""
                IF TG_OP = 'UPDATE' AND OLD.superseded_at IS NULL AND NEW.superseded_at IS NOT NULL THEN
                    OLD.superseded_at := NEW.superseded_at;
                    IF OLD = NEW THEN RETURN NEW; END IF;
                END IF;
                RAISE EXCEPTION 'a decision is superseded, never edited' USING ERRCODE = 'restrict_violation';
                """,
            )
        ]

    def __str__(self) -> str:
        return f"{self.issue_id}: {self.category_id} ({self.method})"
