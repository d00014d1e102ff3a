"""Labels, and what comes before them: drafts and skips."""

import pghistory
import pgtrigger
from django.db import models
from django.db.models import Q

from annotate.models.rounds import Assignment, Round
from ingest.models import Issue, Snapshot
from studies.models import Guideline, Membership
from taxonomy.models import Category, Proposal, Version

_SAY_AGAIN = """
    -- Whoever completes one of these issues is waited for, and seen by the next statement.
    PERFORM FROM annotate_roundissue c
    WHERE (c.round_id, c.issue_id) IN (SELECT round_id, issue_id FROM changed_labels)
    ORDER BY c.round_id, c.issue_id FOR NO KEY UPDATE;
    IF NOT EXISTS (
        SELECT FROM changed_labels l
        JOIN annotate_roundissue c ON c.round_id = l.round_id AND c.issue_id = l.issue_id
        WHERE c.completed_at IS NOT NULL
    ) THEN
        RETURN NULL;
    END IF;
    -- Planned each time: one label comes now, and a hundred thousand at once in a load.
    EXECUTE $said$
        UPDATE annotate_roundissue c SET labels = said.labels, whose = said.whose
        FROM (
            SELECT x.round_id, x.issue_id,
                   coalesce(string_agg(coalesce(l.category_id, 0)::text, ' ' ORDER BY l.volunteer_id)
                            FILTER (WHERE l.volunteer_id IS NOT NULL), '') AS labels,
                   coalesce(string_agg(l.volunteer_id::text, ' ' ORDER BY l.volunteer_id), '') AS whose
            FROM (SELECT DISTINCT round_id, issue_id FROM changed_labels) x
            LEFT JOIN annotate_said l ON l.round_id = x.round_id AND l.issue_id = x.issue_id
            GROUP BY x.round_id, x.issue_id
        ) said
        WHERE c.round_id = said.round_id AND c.issue_id = said.issue_id AND c.completed_at IS NOT NULL
    $said$;
    RETURN NULL;
"""


@pghistory.track(pghistory.UpdateEvent(row=pghistory.Old), pghistory.DeleteEvent())
class Label(models.Model):
    """The category that one volunteer chose for one issue of a round, with a short summary.

    Append-only for everyone but its author, and for its author only until reveal: a trigger sees to it.
    In training its author sees the right answer next, so it stays as it is at once.
    A surplus label came after its slot was given to somebody else: kept, and out of the statistics.
    (assignment, round, issue, volunteer) is a key of Assignment: a composite foreign key, added by
    a migration, so that a slot with a label cannot change hands.
    What counts of the labels of a complete issue stands on its RoundIssue too: by triggers.
    An open label has no category: its author proposed one, and it stays open until that is decided.
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
    category = models.ForeignKey(Category, models.PROTECT, null=True, related_name="labels", db_index=False)
    version = models.ForeignKey(Version, models.PROTECT, related_name="labels", db_index=False)
    proposal = models.ForeignKey(
        Proposal,
        models.PROTECT,
        null=True,
        related_name="labels",
        db_index=False,
        help_text="Of the category that is missing",
    )
    proposed_reason = models.CharField(
        max_length=1000, blank=True, default="", db_default="", help_text="Why no category fits this issue"
    )
    nearest = models.ForeignKey(
        Category,
        models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        help_text="Of an open label: the category that comes nearest, if any does",
    )
    guideline = models.ForeignKey(
        Guideline, models.PROTECT, null=True, related_name="+", db_index=False, help_text="As it stood then"
    )
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
            models.CheckConstraint(
                name="a_label_has_a_category_or_proposes_one",
                condition=Q(category__isnull=False) | (Q(proposal__isnull=False) & ~Q(proposed_reason="")),
            ),
        ]
        indexes = [
            models.Index(fields=["round", "volunteer", "-submitted_at"], name="own_labels_newest_first"),
            models.Index(fields=["proposal"], name="open_labels", condition=Q(proposal__isnull=False)),
            models.Index(fields=["round"], name="surplus_labels", condition=Q(surplus=True)),
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
                        OR r.kind = 'training'
                        OR i.was_completed_at IS NOT NULL
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
            ),
            *(
                pgtrigger.Trigger(
                    name=name,
                    when=pgtrigger.After,
                    operation=operation,
                    level=pgtrigger.Statement,
                    referencing=rows,
                    func=_SAY_AGAIN,
                )
                for name, operation, rows in (
                    ("new_labels_are_said", pgtrigger.Insert, pgtrigger.Referencing(new="changed_labels")),
                    ("other_labels_are_said", pgtrigger.Update, pgtrigger.Referencing(new="changed_labels")),
                    ("lost_labels_are_not", pgtrigger.Delete, pgtrigger.Referencing(old="changed_labels")),
                )
            ),
        ]

    def __str__(self) -> str:
        return f"{self.volunteer_id} on {self.issue_id}"


class Said(models.Model):
    """What a label says in the version that its round labels with now: a view, a row per label that counts.

    That is the category it was given, or what that has become as a whole; where it was split or retired, or
    the label is open, what its author says in the latest second look; none without that. `label` is the one
    that says it.
    """

    id = models.BigIntegerField(primary_key=True)
    round = models.ForeignKey(Round, models.DO_NOTHING, related_name="+")
    issue = models.ForeignKey(Issue, models.DO_NOTHING, related_name="+")
    volunteer = models.ForeignKey(Membership, models.DO_NOTHING, related_name="+")
    assignment = models.ForeignKey(Assignment, models.DO_NOTHING, related_name="+")
    label = models.ForeignKey(Label, models.DO_NOTHING, related_name="+")
    category = models.ForeignKey(Category, models.DO_NOTHING, null=True, related_name="+")

    class Meta:
        managed = False
        db_table = "annotate_said"
        verbose_name_plural = "said"

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
    proposed_name = models.CharField(max_length=200, blank=True, default="", db_default="")
    proposed_reason = models.CharField(max_length=1000, blank=True, default="", db_default="")
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


class Repeat(models.Model):
    """The drift check: a volunteer labels an issue of their own a second time, without being told.

    It is scheduled with the first label and given from `due_at` on. It never counts in the round: it is only
    compared with the first one.
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
