"""Rounds and their slots."""

import pgtrigger
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from core import clock
from ingest.models import Issue
from studies.models import Membership, Study
from taxonomy.models import Category, Level, Version


class Round(models.Model):
    """A set of issues labelled by a set of volunteers, against one version of a taxonomy at a time."""

    class Kind(models.TextChoices):
        SCREENING = "screening", _("screening")
        PILOT = "pilot", _("pilot")
        TRAINING = "training", _("training")
        MAIN = "main", _("main")
        LOOK = "look", _("second look")

    PLANNED = (Kind.SCREENING, Kind.PILOT, Kind.TRAINING, Kind.MAIN)
    """Kinds of rounds that a lead plans."""
    APART = (Kind.TRAINING, Kind.LOOK)
    """Kinds of rounds whose labels count in no statistic by themselves."""

    class Allocation(models.TextChoices):
        CROSSED = "crossed", _("everyone labels everything")
        K_OF_N = "k_of_n", _("k volunteers per issue")

    class Reveal(models.TextChoices):
        ISSUE_COMPLETE = "issue_complete", _("when the issue is complete")
        ROUND_CLOSED = "round_closed", _("when the round closes")

    class ForgeLabels(models.TextChoices):
        """Do volunteers see which labels an issue has on its forge, before its labels here are revealed?"""

        SHOWN = "shown", _("shown to volunteers")
        HIDDEN = "hidden", _("hidden until the labels of the round are revealed")

    class Order(models.TextChoices):
        SHUFFLED = "shuffled", _("shuffled")
        BY_REPOSITORY = "by_repository", _("by repository")

    class Rule(models.TextChoices):
        """How an issue gets its decision if its labels are not unanimous."""

        UNANIMOUS = "unanimous", _("unanimous labels only; a lead settles the rest")
        MAJORITY = "majority", _("a majority of the labels")
        MEETING = "meeting", _("a meeting settles what is not unanimous")

    study = models.ForeignKey(Study, models.CASCADE, related_name="rounds")
    name = models.CharField(_("name"), max_length=120)
    kind = models.CharField(max_length=16, choices=Kind, default=Kind.MAIN)
    version = models.ForeignKey(Version, models.PROTECT, related_name="rounds")
    depth = models.PositiveSmallIntegerField(choices=Level, help_text="Level at which labels are compared")
    labels_per_issue = models.PositiveSmallIntegerField(help_text="k: slots of each issue")
    allocation = models.CharField(max_length=16, choices=Allocation, default=Allocation.CROSSED)
    reveal = models.CharField(max_length=16, choices=Reveal, default=Reveal.ISSUE_COMPLETE)
    forge_labels = models.CharField(
        max_length=8, choices=ForgeLabels, default=ForgeLabels.SHOWN, db_default=ForgeLabels.SHOWN
    )
    lease_minutes = models.PositiveIntegerField(
        default=60, help_text="How long a claimed slot is held without a sign of life"
    )
    order = models.CharField(max_length=16, choices=Order, default=Order.SHUFFLED)
    rule = models.CharField(max_length=16, choices=Rule, default=Rule.UNANIMOUS)
    majority = models.PositiveSmallIntegerField(
        null=True, help_text="At least so many equal labels decide an issue; only under the rule majority"
    )
    deadline = models.DateTimeField(null=True, help_text="Shown to everybody; nothing ends by itself")
    excludes = models.ForeignKey(
        Category,
        models.PROTECT,
        null=True,
        related_name="+",
        help_text="Screening: the type whose issues leave the study",
    )
    pass_mark = models.PositiveSmallIntegerField(
        null=True, help_text="Training: percent of the answers that a volunteer must match to pass"
    )
    training = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        related_name="opens",
        help_text="The training that a volunteer passes before this round opens to them",
    )
    of = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        related_name="looks",
        help_text="Second look: the round whose labels lost their category, which it gives them anew",
    )
    drift_percent = models.PositiveSmallIntegerField(
        default=0, help_text="Share of a volunteer's issues that come to them a second time, unmarked"
    )
    drift_hours = models.PositiveSmallIntegerField(
        default=24, help_text="At least so long after the first label"
    )
    selection = models.JSONField(default=dict, help_text="How the issues were chosen, for the record")
    seed = models.BigIntegerField(help_text="Of the shuffles; stored so that an order can be made again")
    created_at = models.DateTimeField(default=clock.now, editable=False)
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="round_name_is_unique_in_a_study"),
            models.CheckConstraint(name="an_issue_has_a_slot", condition=Q(labels_per_issue__gte=1)),
            models.CheckConstraint(name="round_depth_is_a_level", condition=Q(depth__in=Level.values)),
            models.CheckConstraint(
                name="round_closes_after_it_opens",
                condition=Q(closed_at=None) | Q(opened_at__isnull=False, closed_at__gte=F("opened_at")),
            ),
            models.CheckConstraint(
                name="a_majority_says_how_many",
                condition=Q(rule="majority", majority__isnull=False, majority__gte=1)
                | (~Q(rule="majority") & Q(majority=None)),
            ),
            models.CheckConstraint(
                name="only_training_has_a_pass_mark",
                condition=Q(pass_mark=None) | Q(kind="training", pass_mark__gte=1, pass_mark__lte=100),
            ),
            models.CheckConstraint(
                name="only_screening_excludes", condition=Q(excludes=None) | Q(kind="screening")
            ),
            models.CheckConstraint(
                name="a_round_is_not_its_own_training", condition=Q(training=None) | ~Q(training=F("id"))
            ),
            models.CheckConstraint(
                name="only_a_second_look_is_of_a_round",
                condition=Q(kind="look", of__isnull=False) | (~Q(kind="look") & Q(of=None)),
            ),
            models.CheckConstraint(name="drift_check_is_a_part", condition=Q(drift_percent__lte=50)),
        ]
        triggers = [
            pgtrigger.Trigger(
                name="another_version_says_labels_anew",
                when=pgtrigger.After,
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(old__version__df=pgtrigger.F("new__version")),
                func="""
                -- Planned each time, as in the triggers of labels. What was said in the old version is said
                -- in the new one: of many rows at once, and no label is asked.
                EXECUTE $said$
                    WITH now AS MATERIALIZED (
                        SELECT g.category_id AS was, coalesce(g.became_id, 0) AS is
                        FROM taxonomy_gone g
                        WHERE g.version_id = $2 AND $3 < g.since_id AND $3 >= coalesce(g.after_id, 0)
                    ), found AS (
                        SELECT c.id, coalesce(d.is, c.decided) AS decided, coalesce((
                            SELECT string_agg(coalesce(now.is::text, t.said), ' ' ORDER BY t.place)
                            FROM unnest(string_to_array(c.labels, ' ')) WITH ORDINALITY t (said, place)
                            LEFT JOIN now ON now.was::text = t.said
                        ), '') AS labels
                        FROM rounds_roundissue c
                        LEFT JOIN now d ON d.was = c.decided
                        WHERE c.round_id = $1 AND (d.was IS NOT NULL OR ' ' || c.labels || ' ' ~ (
                            SELECT ' (' || string_agg(was::text, '|') || ') ' FROM now
                        ))
                    )
                    UPDATE rounds_roundissue c SET labels = found.labels, decided = found.decided
                    FROM found WHERE c.id = found.id
                $said$ USING NEW.id, NEW.version_id, OLD.version_id;
                RETURN NULL;
                """,
            )
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("round", args=[self.pk])

    @property
    def has_one_label(self) -> bool:
        """Does one volunteer label each issue? Then labels do not differ, but can propose names."""
        return self.labels_per_issue == 1

    @property
    def is_open(self) -> bool:
        return self.opened_at is not None and self.closed_at is None

    @property
    def is_imported(self) -> bool:
        """Did its labels come with a published study? It opened and closed at one moment, and nobody here saw
        how its labels were made.
        """
        return self.opened_at is not None and self.opened_at == self.closed_at

    @property
    def is_overdue(self) -> bool:
        """Has the deadline passed, while the round is not closed?"""
        return self.deadline is not None and self.closed_at is None and self.deadline < clock.now()


class RoundVolunteer(models.Model):
    """One member who labels in a round; `column`, from 1, orders their labels in tables and exports."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="volunteers")
    member = models.ForeignKey(Membership, models.PROTECT, related_name="rounds")
    column = models.PositiveSmallIntegerField()
    seed = models.BigIntegerField(help_text="Of this volunteer's own order")
    quota = models.PositiveIntegerField(null=True, help_text="k of n: labels after which no more are given")
    left_at = models.DateTimeField(
        null=True, help_text="Taken out of the round: the labels stay, no more are taken"
    )
    admitted_at = models.DateTimeField(null=True, help_text="Let in by a lead without a passed training")
    admitted_by = models.ForeignKey(Membership, models.PROTECT, null=True, related_name="+")
    admitted_reason = models.TextField(
        default="", db_default="", help_text="Empty also for admissions before reasons were asked"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "member"], name="volunteer_is_once_in_a_round"),
            models.UniqueConstraint(fields=["round", "column"], name="volunteer_has_a_column_of_their_own"),
            models.CheckConstraint(
                name="admission_has_a_name",
                condition=Q(admitted_at=None, admitted_by=None)
                | Q(admitted_at__isnull=False, admitted_by__isnull=False),
            ),
            models.CheckConstraint(
                name="only_admissions_have_a_reason",
                condition=Q(admitted_reason="") | Q(admitted_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.member} in {self.round_id}"


class PastAdmission(models.Model):
    """One admission without a passed training that a lead took back. Labels given under it stay."""

    seat = models.ForeignKey(RoundVolunteer, models.CASCADE, related_name="past_admissions")
    admitted_at = models.DateTimeField()
    admitted_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    admitted_reason = models.TextField(blank=True, default="", db_default="")
    taken_back_at = models.DateTimeField()
    taken_back_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="an_admission_is_taken_back_later", condition=Q(taken_back_at__gte=F("admitted_at"))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.seat_id} from {self.admitted_at} to {self.taken_back_at}"


class RoundIssue(models.Model):
    """One issue of a round, at its position; `completed_at` is set with the label of its last slot.

    `first_revealed_at` separates first labels, which are independent, from those of later second looks (the
    view rounds_first).

    `labels`, `whose` and `decided` repeat the labels (`CurrentLabel`) and the decision of the issue in the
    round's version, so that a report reads one table. Only the database writes them: a trigger computes them
    when the issue becomes complete or incomplete, when a label or decision is stored, changed or deleted (see
    `Label` and `Decision`), and when the round changes to another version.
    """

    # No separate index: two keys begin with the round, and with this index PostgreSQL might read all issues
    # of a round to find one.
    round = models.ForeignKey(Round, models.CASCADE, related_name="round_issues", db_index=False)
    issue = models.ForeignKey(Issue, models.PROTECT, related_name="in_rounds")
    position = models.PositiveIntegerField()
    completed_at = models.DateTimeField(null=True)
    was_completed_at = models.DateTimeField(
        null=True, help_text="Before some of its labels lost their category: it was revealed then"
    )
    first_revealed_at = models.DateTimeField(
        null=True,
        help_text="Of an issue that was in a second look later: when its first labels were revealed",
    )
    labels = models.TextField(
        default="",
        db_default="",
        editable=False,
        help_text="Of a complete issue: the category of each label that counts, 0 for an open one, with "
        "spaces between, in the order of the volunteers' ids",
    )
    whose = models.TextField(
        default="", db_default="", editable=False, help_text="The volunteer of each of these labels"
    )
    decided = models.BigIntegerField(
        default=0, db_default=0, editable=False, help_text="Category of the decision that stands, 0 for none"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "issue"], name="issue_is_once_in_a_round"),
            models.UniqueConstraint(fields=["round", "position"], name="position_is_unique_in_a_round"),
        ]
        triggers = [
            pgtrigger.Trigger(
                name="labels_are_said_again",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert | pgtrigger.Update,
                func="""
                IF TG_OP = 'INSERT' THEN
                    -- Labels refer to it: there are none yet.
                    NEW.labels := ''; NEW.whose := '';
                    RETURN NEW;
                END IF;
                IF NEW.completed_at IS NULL THEN
                    NEW.labels := ''; NEW.whose := '';
                END IF;
                -- What the triggers of labels write is true; anything else is computed here.
                IF pg_trigger_depth() > 1 THEN RETURN NEW; END IF;
                IF NEW.completed_at IS NOT NULL AND (NEW.completed_at, NEW.labels, NEW.whose)
                    IS DISTINCT FROM (OLD.completed_at, OLD.labels, OLD.whose) THEN
                    SELECT said.labels, said.whose INTO NEW.labels, NEW.whose
                    FROM rounds_labels_said(NEW.round_id, NEW.issue_id) said;
                END IF;
                RETURN NEW;
                """,
            )
        ]

    def __str__(self) -> str:
        return f"{self.issue_id} in {self.round_id}"


class Assignment(models.Model):
    """A numbered slot: one volunteer's turn at one issue of a round. Without a volunteer the slot is free.

    (round, issue) refers to a key of RoundIssue, and (round, volunteer) to a key of RoundVolunteer: composite
    foreign keys that the migration adds, since Django has none.
    """

    round = models.ForeignKey(
        Round, models.DO_NOTHING, related_name="assignments", db_constraint=False, db_index=False
    )
    issue = models.ForeignKey(
        Issue, models.DO_NOTHING, related_name="assignments", db_constraint=False, db_index=False
    )
    slot = models.PositiveSmallIntegerField()
    volunteer = models.ForeignKey(
        Membership,
        models.DO_NOTHING,
        null=True,
        related_name="assignments",
        db_constraint=False,
        db_index=False,
    )
    rank = models.BigIntegerField(help_text="Place in the shuffled order")
    lease_until = models.DateTimeField(
        null=True, help_text="k of n: when the slot may be given to somebody else"
    )
    submitted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "issue", "slot"], name="slot_is_unique"),
            models.UniqueConstraint(
                fields=["round", "issue", "volunteer"], name="volunteer_has_one_slot_per_issue"
            ),
            models.CheckConstraint(name="slots_count_from_one", condition=Q(slot__gte=1)),
            models.CheckConstraint(
                name="free_slots_are_neither_leased_nor_submitted",
                condition=Q(volunteer__isnull=False) | Q(lease_until=None, submitted_at=None),
            ),
        ]
        indexes = [
            models.Index(
                fields=["round", "volunteer", "rank"], name="turns_to_come", condition=Q(submitted_at=None)
            ),
            models.Index(
                fields=["round", "lease_until"],
                name="leases",
                condition=Q(submitted_at=None, lease_until__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.issue_id}/{self.slot}"
