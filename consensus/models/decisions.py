"""Disagreements, and the decisions on issues."""

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from consensus.models import platform_reasons
from ingest.models import Issue
from rounds.models.rounds import Round, RoundIssue
from studies.models import Membership
from taxonomy.models import Category, Level, Version

_SAY_AGAIN = """
    -- Planned each time: one decision is made now, and twenty thousand at once by majority.
    EXECUTE $said$
        UPDATE rounds_roundissue c
        SET decided = coalesce(CASE WHEN g.id IS NULL THEN d.category_id ELSE g.became_id END, 0)
        FROM (SELECT DISTINCT round_id, issue_id FROM changed_decisions) x
        JOIN rounds_round r ON r.id = x.round_id
        LEFT JOIN consensus_decision d
          ON d.round_id = x.round_id AND d.issue_id = x.issue_id AND d.superseded_at IS NULL
        LEFT JOIN taxonomy_gone g ON g.version_id = r.version_id AND g.category_id = d.category_id
          AND d.version_id < g.since_id AND d.version_id >= coalesce(g.after_id, 0)
        WHERE c.round_id = x.round_id AND c.issue_id = x.issue_id
    $said$;
    RETURN NULL;
"""


class Disagreement(models.Model):
    """One complete, revealed issue with different labels at the round's depth, and the split of these labels.

    An issue with a single label, which proposes a category, is a disagreement too: no decision follows from
    it. Revealed labels never change, so these rows do not change either: they are written once, at the reveal
    (consensus.actions.decisions.note_disagreements). When the round moves to another version of the taxonomy,
    rows whose labels compare differently are replaced.
    (round, issue) refers to a key of RoundIssue: a composite foreign key that the migration adds.
    """

    round = models.ForeignKey(
        Round, models.DO_NOTHING, related_name="disagreements", db_constraint=False, db_index=False
    )
    issue = models.ForeignKey(
        Issue, models.DO_NOTHING, related_name="disagreements", db_constraint=False, db_index=False
    )
    version = models.ForeignKey(
        Version, models.PROTECT, related_name="+", db_index=False, help_text="That of the round when noted"
    )
    position = models.PositiveIntegerField(help_text="That of the issue in the round")
    chosen = ArrayField(
        models.BigIntegerField(), help_text="Categories at the round's depth, the most chosen first"
    )
    votes = ArrayField(models.PositiveSmallIntegerField(), help_text="How many labels each of them has")
    open_labels = models.PositiveSmallIntegerField(default=0, help_text="Labels that propose a category")
    parts_at = models.PositiveSmallIntegerField(
        choices=Level, null=True, help_text="First level at which the labels differ; none: open labels only"
    )
    apart = ArrayField(
        models.BigIntegerField(),
        help_text="Members whose label is not in the largest group, if one is largest",
    )
    ways = models.PositiveSmallIntegerField(
        help_text="How many groups of equal labels; an open one is a group"
    )
    margin = models.PositiveSmallIntegerField(help_text="Largest group less the second: 1 of 4 : 3")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "issue"], name="an_issue_disagrees_once_in_a_round"),
            models.UniqueConstraint(
                fields=["round", "ways", "margin", "position"], name="disagreements_in_order"
            ),
            models.CheckConstraint(
                name="a_disagreement_has_two_sides",
                condition=(Q(ways__gte=2) | Q(ways=1, open_labels=1)) & Q(chosen__len=models.F("votes__len")),
            ),
        ]
        triggers = [
            pgtrigger.Trigger(
                name="disagreements_stay",
                when=pgtrigger.Before,
                operation=pgtrigger.Update | pgtrigger.Delete,
                func="""
                IF TG_OP = 'DELETE' AND EXISTS (
                    SELECT FROM rounds_round r WHERE r.id = OLD.round_id AND r.version_id <> OLD.version_id
                ) OR TG_OP = 'DELETE' AND EXISTS (
                    SELECT FROM rounds_roundissue c
                    WHERE c.round_id = OLD.round_id AND c.issue_id = OLD.issue_id AND c.completed_at IS NULL
                      AND c.was_completed_at IS NOT NULL
                ) THEN
                    RETURN OLD;  -- its labels are given anew, or compare otherwise
                END IF;
                RAISE EXCEPTION 'what labels say stays, as long as their round keeps its version'
                    USING ERRCODE = 'restrict_violation';
                """,
            )
        ]

    def __str__(self) -> str:
        return f"{self.issue_id} in {self.round_id}"


class BulkDecision(models.Model):
    """Many decisions by one action, which one action takes back. `asked` records how the issues were chosen:
    the filters, or the number of issues and the meeting.
    """

    class Kind(models.TextChoices):
        MAJORITY = "majority", _("majority")
        ALIKE = "alike", _("similar issues")

    round = models.ForeignKey(Round, models.PROTECT, related_name="bulk_decisions")
    kind = models.CharField(max_length=16, choices=Kind)
    at_least = models.PositiveSmallIntegerField(null=True, help_text="Majority: so many equal labels decide")
    asked = models.JSONField(default=dict)
    by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    at = models.DateTimeField()
    taken_back_at = models.DateTimeField(null=True)
    taken_back_by = models.ForeignKey(Membership, models.PROTECT, null=True, related_name="+")

    class Meta:
        indexes = [models.Index(fields=["round", "-id"], name="bulk_decisions_newest_first")]
        constraints = [
            models.CheckConstraint(
                name="a_bulk_majority_says_how_many",
                condition=Q(kind="majority", at_least__isnull=False, at_least__gte=1)
                | Q(kind="alike", at_least=None),
            ),
            models.CheckConstraint(
                name="taking_back_has_a_name",
                condition=Q(taken_back_at=None, taken_back_by=None)
                | Q(taken_back_at__isnull=False, taken_back_by__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} in {self.round_id}"


class Decision(models.Model):
    """The final label of one issue in a round. A newer decision supersedes it; none is edited or deleted.

    Triggers copy the category of the standing decision to its RoundIssue. (round, issue) refers to a key of
    RoundIssue: a composite foreign key that the migration adds.
    """

    class Method(models.TextChoices):
        UNANIMOUS = "unanimous", _("unanimous")
        MAJORITY = "majority", _("majority")
        MEETING = "meeting", _("meeting")
        LEAD = "lead", _("lead")
        IMPORTED = "imported", _("imported")

    class How(models.TextChoices):
        """How a meeting decided."""

        UNANIMITY = "unanimity", _("unanimously")
        MAJORITY = "majority", _("by majority")
        CHAIR = "chair", _("by the chair")

    class Cause(models.TextChoices):
        """Why the labels differed."""

        SLIP = "slip", _("slip")
        GUIDELINE = "guideline", _("unclear guideline")
        ISSUE = "issue", _("unclear issue")
        MISSING = "missing", _("missing category")
        OVERLAP = "overlap", _("overlapping categories")

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
    cause = models.CharField(max_length=16, choices=Cause, blank=True, default="", db_default="")
    item = models.ForeignKey(
        "consensus.AgendaItem",
        models.PROTECT,
        null=True,
        related_name="decisions",
        db_index=False,
        help_text="Of the meeting that decided",
    )
    how = models.CharField(max_length=16, choices=How, blank=True, default="", db_default="")
    vote = models.ForeignKey(
        "consensus.Vote", models.PROTECT, null=True, related_name="decisions", db_index=False
    )
    bulk = models.ForeignKey(
        BulkDecision, models.PROTECT, null=True, related_name="decisions", db_index=False
    )
    superseded_at = models.DateTimeField(null=True)
    superseded_by = models.ForeignKey(Membership, models.PROTECT, null=True, related_name="+", db_index=False)
    superseded_why = models.CharField(max_length=1000, blank=True, default="", db_default="")

    class Meta:
        indexes = [
            models.Index(fields=["item"], name="decisions_of_an_item", condition=Q(item__isnull=False)),
            models.Index(fields=["bulk"], name="decisions_of_a_bulk", condition=Q(bulk__isnull=False)),
            # Decisions on disagreements: a unanimous decision settles none.
            models.Index(
                fields=["round", "issue"],
                name="decisions_that_settle",
                condition=Q(superseded_at=None) & ~Q(method="unanimous"),
            ),
        ]
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
            models.CheckConstraint(
                name="a_meeting_says_how_it_decided",
                condition=Q(item=None, how="", vote=None)
                | Q(item__isnull=False, method="meeting", how="chair")
                | Q(
                    item__isnull=False,
                    method="meeting",
                    how__in=["unanimity", "majority"],
                    vote__isnull=False,
                ),
            ),
            models.CheckConstraint(
                name="a_chair_gives_a_rationale", condition=~Q(how="chair") | ~Q(rationale="")
            ),
            models.CheckConstraint(
                name="decision_cause_is_known",
                condition=Q(cause__in=["", "slip", "guideline", "issue", "missing", "overlap"]),
            ),
            models.CheckConstraint(
                name="a_meeting_stands_behind_its_decisions",
                condition=~Q(method="meeting") | Q(item__isnull=False),
            ),
        ]
        triggers = [
            pgtrigger.Trigger(
                name="a_meeting_decides_by_its_rule",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert,
                condition=pgtrigger.Q(new__item_id__isnull=False),
                declare=[
                    ("meeting", "consensus_meeting%ROWTYPE"),
                    ("item", "consensus_agendaitem%ROWTYPE"),
                    ("vote", "consensus_vote%ROWTYPE"),
                    ("votes_for", "integer"),
                    ("against", "integer"),
                    ("abstained", "integer"),
                    ("there", "integer"),
                ],
                func="""
                SELECT * INTO item FROM consensus_agendaitem WHERE id = NEW.item_id;
                SELECT * INTO meeting FROM consensus_meeting WHERE id = item.meeting_id;
                IF (item.round_id, item.issue_id) <> (NEW.round_id, NEW.issue_id)
                    OR item.released_at IS NOT NULL
                    OR meeting.opened_at IS NULL OR meeting.closed_at IS NOT NULL THEN
                    RAISE EXCEPTION 'a meeting decides what is on its agenda, while it is open'
                        USING ERRCODE = 'restrict_violation';
                END IF;
                IF NEW.vote_id IS NOT NULL THEN
                    SELECT * INTO vote FROM consensus_vote WHERE id = NEW.vote_id;
                    IF vote.item_id <> NEW.item_id OR vote.closed_at IS NULL THEN
                        RAISE EXCEPTION 'a decision rests on a closed vote on its own issue'
                            USING ERRCODE = 'restrict_violation';
                    END IF;
                END IF;
                IF NEW.how = 'chair' AND meeting.kind = 'together' THEN
                    SELECT count(*) INTO there FROM consensus_participant p
                    WHERE p.meeting_id = meeting.id AND p.joined_at IS NOT NULL AND p.left_at IS NULL;
                ELSE
                    there := coalesce(vote.present, 0);
                END IF;
                IF there < meeting.quorum THEN
                    RAISE EXCEPTION 'a meeting decides with its quorum only'
                        USING ERRCODE = 'restrict_violation';
                END IF;
                IF NEW.how = 'chair' THEN
                    IF meeting.kind = 'pair' THEN
                        RAISE EXCEPTION 'nobody decides for a pair' USING ERRCODE = 'restrict_violation';
                    END IF;
                    RETURN NEW;
                END IF;
                SELECT count(*) FILTER (WHERE b.category_id = NEW.category_id),
                       count(*) FILTER (WHERE b.category_id <> NEW.category_id OR b.none_fits),
                       count(*) FILTER (WHERE b.category_id IS NULL AND NOT b.none_fits)
                INTO votes_for, against, abstained
                FROM consensus_ballot b WHERE b.vote_id = NEW.vote_id;
                IF NEW.how = 'unanimity' AND (against > 0 OR votes_for <= abstained)
                    OR NEW.how = 'majority'
                        AND (NOT meeting.by_majority OR 2 * votes_for <= vote.present) THEN
                    RAISE EXCEPTION 'the ballots do not suffice for this decision'
                        USING ERRCODE = 'restrict_violation';
                END IF;
                RETURN NEW;
                """,
            ),
            pgtrigger.Trigger(
                name="decisions_are_superseded_only",
                when=pgtrigger.Before,
                operation=pgtrigger.Update | pgtrigger.Delete,
                func="""
                IF TG_OP = 'UPDATE' AND OLD.superseded_at IS NULL AND NEW.superseded_at IS NOT NULL THEN
                    OLD.superseded_at := NEW.superseded_at;
                    OLD.superseded_by_id := NEW.superseded_by_id;
                    OLD.superseded_why := NEW.superseded_why;
                    IF OLD = NEW THEN RETURN NEW; END IF;
                END IF;
                RAISE EXCEPTION 'a decision is superseded, never edited' USING ERRCODE = 'restrict_violation';
                """,
            ),
            *(
                pgtrigger.Trigger(
                    name=name,
                    when=pgtrigger.After,
                    operation=operation,
                    level=pgtrigger.Statement,
                    referencing=pgtrigger.Referencing(new="changed_decisions"),
                    func=_SAY_AGAIN,
                )
                for name, operation in (
                    ("new_decisions_are_said", pgtrigger.Insert),
                    ("other_decisions_are_said", pgtrigger.Update),
                )
            ),
        ]

    def __str__(self) -> str:
        return f"{self.issue_id}: {self.category_id} ({self.method})"

    @property
    def why_superseded(self) -> str:
        """The reason typed by the person who reopened the issue, or the platform's in the reader's words."""
        why = self.superseded_why
        return why if self.superseded_by_id else platform_reasons.told(why)


class DecidedIssue(RoundIssue):
    """A `RoundIssue` with its decision: the triggers of this room write its field `decided`."""

    class Meta:
        proxy = True
        triggers = [
            pgtrigger.Trigger(
                name="decision_is_said_again",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert | pgtrigger.Update,
                func="""
                IF TG_OP = 'INSERT' THEN
                    NEW.decided := 0;  -- decisions refer to it: there are none yet
                ELSIF pg_trigger_depth() = 1 AND NEW.decided <> OLD.decided THEN
                    -- What the triggers of decisions write is true; anything else is computed here.
                    NEW.decided := consensus_decided(NEW.round_id, NEW.issue_id);
                END IF;
                RETURN NEW;
                """,
            )
        ]

    def __str__(self) -> str:
        return f"{self.issue_id}: {self.decided}"
