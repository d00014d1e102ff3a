"""Labels, and what comes before them: drafts and skips."""

import pghistory
import pgtrigger
from django.db import models
from django.db.models import Q

from annotate.models.rounds import Assignment, Round
from ingest.models import Issue, Snapshot
from studies.models import Membership
from taxonomy.models import Category, Version


@pghistory.track(pghistory.UpdateEvent(row=pghistory.Old), pghistory.DeleteEvent())
class Label(models.Model):
    """The category that one volunteer chose for one issue of a round, with a short summary.

    Append-only for everyone but its author, and for its author only until reveal: a trigger sees to it.
    A surplus label came after its slot was given to somebody else: kept, and out of the statistics.
    (assignment, round, issue, volunteer) is a key of Assignment: a composite foreign key, added by
    a migration, so that a slot with a label cannot change hands.
    """

    round = models.ForeignKey(
        Round, models.DO_NOTHING, related_name="labels", db_constraint=False, db_index=False
    )
    issue = models.ForeignKey(
        Issue, models.DO_NOTHING, related_name="round_labels", db_constraint=False, db_index=False
    )
    volunteer = models.ForeignKey(
        Membership, models.DO_NOTHING, related_name="labels", db_constraint=False, db_index=False
    )
    assignment = models.OneToOneField(
        Assignment, models.DO_NOTHING, null=True, related_name="label", db_constraint=False
    )
    surplus = models.BooleanField(default=False)
    category = models.ForeignKey(Category, models.PROTECT, related_name="labels", db_index=False)
    version = models.ForeignKey(Version, models.PROTECT, related_name="labels", db_index=False)
    snapshot = models.ForeignKey(Snapshot, models.PROTECT, null=True, related_name="+", db_index=False)
    summary = models.CharField(max_length=500, blank=True)
    unsure = models.BooleanField(default=False)
    submitted_at = models.DateTimeField()
    changed_at = models.DateTimeField(null=True)
    form_key = models.UUIDField(
        null=True, help_text="Of the form that stored it, so that a double click stores once"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "issue", "volunteer"],
                name="one_label_per_volunteer_and_issue",
                include=["category", "surplus"],
            ),
            models.CheckConstraint(
                name="only_surplus_labels_have_no_slot",
                condition=Q(surplus=True, assignment=None) | Q(surplus=False, assignment__isnull=False),
            ),
        ]
        indexes = [
            models.Index(fields=["round", "volunteer", "-submitted_at"], name="own_labels_newest_first")
        ]
        triggers = [
            pgtrigger.Trigger(
                name="revealed_labels_stay",
                when=pgtrigger.Before,
                operation=pgtrigger.Update | pgtrigger.Delete,
                func="""
                IF EXISTS (
                    SELECT 1 FROM annotate_round r
                    LEFT JOIN annotate_roundissue i ON i.round_id = r.id AND i.issue_id = OLD.issue_id
                    WHERE r.id = OLD.round_id AND (
                        r.closed_at IS NOT NULL
                        OR (r.reveal = 'issue_complete' AND i.completed_at IS NOT NULL)
                    )
                ) THEN
                    RAISE EXCEPTION 'a revealed label stays as it is' USING ERRCODE = 'restrict_violation';
                END IF;
                IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
                IF (NEW.round_id, NEW.issue_id, NEW.volunteer_id)
                    <> (OLD.round_id, OLD.issue_id, OLD.volunteer_id) THEN
                    RAISE EXCEPTION 'a label keeps issue and author' USING ERRCODE = 'restrict_violation';
                END IF;
                RETURN NEW;
                """,
            )
        ]

    def __str__(self) -> str:
        return f"{self.volunteer_id} on {self.issue_id}"


class Draft(models.Model):
    """What one volunteer has typed for one issue and not submitted; it outlives the slot it was typed for."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="drafts")
    issue = models.ForeignKey(Issue, models.CASCADE, related_name="+")
    volunteer = models.ForeignKey(Membership, models.CASCADE, related_name="drafts")
    category = models.ForeignKey(Category, models.PROTECT, null=True, related_name="+")
    summary = models.CharField(max_length=500, blank=True)
    unsure = models.BooleanField(default=False)
    revision = models.PositiveIntegerField(
        default=1, help_text="Raised by each save; a form knows which one it saw"
    )
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "issue", "volunteer"], name="one_draft_per_volunteer_and_issue"
            ),
        ]

    def __str__(self) -> str:
        return f"draft of {self.volunteer_id} on {self.issue_id}"


class Skip(models.Model):
    """One volunteer put one issue off, with a reason: it comes again after the others."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="skips")
    issue = models.ForeignKey(Issue, models.CASCADE, related_name="+")
    volunteer = models.ForeignKey(Membership, models.CASCADE, related_name="skips")
    reason = models.CharField(max_length=500)
    skipped_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["round", "volunteer", "issue"], name="own_skips")]

    def __str__(self) -> str:
        return f"{self.volunteer_id} skipped {self.issue_id}"
