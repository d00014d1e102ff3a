"""Labels, their history, and the category that each label counts as in the round's current version."""

import pghistory
import pgtrigger
from django.db import models
from django.db.models import Q

from ingest.models import Issue, Snapshot
from rounds.models.rounds import Assignment, Round
from studies.models import Guideline, Membership
from taxonomy.models import Category, Proposal, Version

_SAY_AGAIN = """
    -- Another transaction that completes one of these issues is waited for, and seen by the next statement.
    SELECT count(*), min(round_id), min(issue_id) INTO number, its_round, its_issue FROM changed_labels;
    IF number = 1 THEN
        SELECT completed_at IS NOT NULL INTO is_complete FROM rounds_roundissue
        WHERE round_id = its_round AND issue_id = its_issue FOR NO KEY UPDATE;
    ELSE
        -- Planned each time: it may be seven labels, or a quarter of a million.
        EXECUTE $locked$
            SELECT count(locked.completed_at) > 0 FROM (
                SELECT c.completed_at FROM rounds_roundissue c
                WHERE (c.round_id, c.issue_id) IN (SELECT round_id, issue_id FROM changed_labels)
                ORDER BY c.round_id, c.issue_id FOR NO KEY UPDATE
            ) locked
        $locked$ INTO is_complete;
    END IF;
    IF NOT is_complete THEN
        RETURN NULL;
    END IF;
    EXECUTE $said$
        UPDATE rounds_roundissue c SET labels = said.labels, whose = said.whose
        FROM (
            SELECT x.round_id, x.issue_id,
                   coalesce(string_agg(coalesce(l.category_id, 0)::text, ' ' ORDER BY l.volunteer_id)
                            FILTER (WHERE l.volunteer_id IS NOT NULL), '') AS labels,
                   coalesce(string_agg(l.volunteer_id::text, ' ' ORDER BY l.volunteer_id), '') AS whose
            FROM (SELECT DISTINCT round_id, issue_id FROM changed_labels) x
            LEFT JOIN rounds_said l ON l.round_id = x.round_id AND l.issue_id = x.issue_id
            GROUP BY x.round_id, x.issue_id
        ) said
        WHERE c.round_id = said.round_id AND c.issue_id = said.issue_id AND c.completed_at IS NOT NULL
    $said$;
    RETURN NULL;
"""


@pghistory.track(pghistory.UpdateEvent(row=pghistory.Old), pghistory.DeleteEvent())
class Label(models.Model):
    """The category that one volunteer chose for one issue of a round, with a short summary.

    Only its author may change a label, and only until reveal; a trigger enforces this. In a training nobody
    changes a label, because its author sees the right answer next. A surplus label came after its slot was
    given to somebody else: it is kept, and left out of the statistics. An open label has no category: its
    author proposed one, and the label stays open until the proposal is decided.
    (assignment, round, issue, volunteer) refers to a key of Assignment: a composite foreign key, added by a
    migration, so that a slot with a label cannot change hands. Triggers copy the labels of a complete issue
    to its RoundIssue.
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
            # The volunteer comes first, so that only the key above begins with the round. For a round without
            # statistics PostgreSQL expects one label, and indexes that begin with the round seem equal: with
            # this one it would read the whole round for each issue.
            models.Index(fields=["volunteer", "round", "-submitted_at"], name="own_labels_newest_first"),
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
                    SELECT 1 FROM rounds_round r
                    LEFT JOIN rounds_roundissue i ON i.round_id = r.id AND i.issue_id = OLD.issue_id
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
                    declare=[
                        ("number", "bigint"),
                        ("its_round", "bigint"),
                        ("its_issue", "bigint"),
                        ("is_complete", "boolean"),
                    ],
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


class CurrentLabel(models.Model):
    """What each label that counts says in the version that the round uses now. A view: one row per label.

    The category is the chosen one, or the category that it became as a whole. If it was split or retired, or
    if the label is open, the author's label in the latest second look gives the category; NULL without that
    label. `label` is the label that gives the category.
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
        db_table = "rounds_said"
        verbose_name_plural = "current labels"

    def __str__(self) -> str:
        return f"{self.volunteer_id} on {self.issue_id}"
