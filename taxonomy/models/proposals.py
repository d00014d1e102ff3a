"""Missing categories that labels name, and changes that are put to the vote."""

import pgtrigger
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from core import clock
from studies.models import Membership
from taxonomy.change_titles import in_words
from taxonomy.models.versions import Category, Change, Taxonomy, Version
from taxonomy.tree.drafts import KINDS


class Proposal(models.Model):
    """A missing category, named by the author of a label who found none that fits.

    One author proposes a name once while the proposal is open. All their labels with this name point to it,
    and each label has its own reasons.
    """

    class State(models.TextChoices):
        OPEN = "open", _("open")
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")

    taxonomy = models.ForeignKey(Taxonomy, models.CASCADE, related_name="proposals")
    version = models.ForeignKey(
        Version, models.PROTECT, related_name="+", help_text="The one in which the category was missing"
    )
    name = models.CharField(max_length=200)
    joined_as = models.CharField(
        max_length=200,
        default="",
        db_default="",
        blank=True,
        help_text="Another proposed name that this one was joined with, and counts as; empty: its own",
    )
    proposed_by = models.ForeignKey(Membership, models.PROTECT, related_name="proposals")
    proposed_at = models.DateTimeField(default=clock.now, editable=False)
    state = models.CharField(max_length=16, choices=State, default=State.OPEN)
    motion = models.ForeignKey(
        "Motion",
        models.PROTECT,
        null=True,
        related_name="proposals",
        help_text="What put this name to the vote, the latest",
    )
    answered_by = models.ForeignKey(
        Category,
        models.PROTECT,
        null=True,
        related_name="+",
        help_text="The category that the labels waited for: it was voted for, or a lead says so",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "taxonomy",
                "proposed_by",
                Lower("name"),
                name="a_name_is_proposed_once_by_a_person",
                condition=Q(state="open"),
            ),
            models.CheckConstraint(name="a_proposal_is_named", condition=~Q(name="")),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def called(self) -> str:
        """The name that it counts as: its own, or the one that it was joined with."""
        return self.joined_as or self.name


class Motion(models.Model):
    """A change put to the vote of the members at its opening: `kind`, `key` and `values` as in
    taxonomy.tree.drafts.Change. The votes are hidden until it is closed, and then stay for ever. `change` is
    the change that an accepted motion made in the draft; `refused` is why it could not.
    """

    class Outcome(models.TextChoices):
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")
        NO_QUORUM = "no quorum", _("too few voted")
        WITHDRAWN = "withdrawn", _("withdrawn")

    taxonomy = models.ForeignKey(Taxonomy, models.CASCADE, related_name="motions")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=16)
    key = models.UUIDField(help_text="The identity of the category that it is about")
    values = models.JSONField(default=dict, help_text="As taxonomy.tree.drafts.Change says")
    title = models.CharField(max_length=250, help_text="In the language of who opened it")
    names = models.JSONField(
        default=dict,
        db_default={},
        blank=True,
        help_text="What the title names, as change_titles.names_of; empty for an older motion",
    )
    reasons = models.TextField()
    examples = models.TextField(blank=True, help_text="Addresses of issues that show it, one a line")
    opened_by = models.ForeignKey(Membership, models.PROTECT, related_name="motions")
    opened_at = models.DateTimeField()
    deadline = models.DateTimeField()
    electorate = models.PositiveSmallIntegerField(help_text="So many may vote")
    quorum = models.PositiveSmallIntegerField(help_text="So many must vote")
    by_majority = models.BooleanField(default=False)
    closed_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=16, choices=Outcome, blank=True)
    in_favour = models.PositiveSmallIntegerField(null=True)
    against = models.PositiveSmallIntegerField(null=True)
    abstained = models.PositiveSmallIntegerField(null=True)
    change = models.OneToOneField(Change, models.PROTECT, null=True, related_name="motion")
    refused = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["taxonomy", "number"], name="motion_has_its_number"),
            models.CheckConstraint(name="motion_is_of_a_known_kind", condition=Q(kind__in=KINDS)),
            models.CheckConstraint(
                name="a_motion_says_what_and_why", condition=~Q(title="") & ~Q(reasons="")
            ),
            models.CheckConstraint(name="a_motion_has_a_deadline", condition=Q(deadline__gt=F("opened_at"))),
            models.CheckConstraint(
                name="a_quorum_can_be_reached", condition=Q(quorum__gte=1, quorum__lte=F("electorate"))
            ),
            models.CheckConstraint(
                name="new_categories_need_all_votes",
                condition=~Q(kind__in=["add", "split"]) | Q(by_majority=False, quorum=F("electorate")),
            ),
            models.CheckConstraint(
                name="a_closed_motion_has_its_outcome",
                condition=Q(closed_at=None, outcome="", in_favour=None, against=None, abstained=None)
                | Q(
                    closed_at__isnull=False,
                    outcome__in=["accepted", "declined", "no quorum", "withdrawn"],
                    in_favour__isnull=False,
                    against__isnull=False,
                    abstained__isnull=False,
                ),
            ),
            models.CheckConstraint(
                name="what_is_accepted_is_made_or_refused",
                condition=Q(outcome="accepted", change__isnull=False, refused="")
                | (Q(outcome="accepted", change=None) & ~Q(refused=""))
                | (~Q(outcome="accepted") & Q(change=None, refused="")),
            ),
        ]
        triggers = [
            pgtrigger.Trigger(
                name="motions_are_decided_by_their_ballots",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert | pgtrigger.Update | pgtrigger.Delete,
                declare=[("yes", "integer"), ("noes", "integer"), ("neither", "integer"), ("ruled", "text")],
                func="""
                IF TG_OP = 'INSERT' THEN
                    IF NEW.closed_at IS NOT NULL THEN
                        RAISE EXCEPTION 'a motion is open first' USING ERRCODE = 'restrict_violation';
                    END IF;
                    RETURN NEW;
                END IF;
                IF TG_OP = 'DELETE' OR OLD.closed_at IS NOT NULL THEN
                    RAISE EXCEPTION 'a motion stays as it was' USING ERRCODE = 'restrict_violation';
                END IF;
                IF (NEW.taxonomy_id, NEW.number, NEW.kind, NEW.key, NEW.values, NEW.title, NEW.names,
                    NEW.reasons, NEW.examples, NEW.opened_by_id, NEW.opened_at, NEW.deadline,
                    NEW.electorate, NEW.quorum, NEW.by_majority) IS DISTINCT FROM
                   (OLD.taxonomy_id, OLD.number, OLD.kind, OLD.key, OLD.values, OLD.title, OLD.names,
                    OLD.reasons, OLD.examples, OLD.opened_by_id, OLD.opened_at, OLD.deadline,
                    OLD.electorate, OLD.quorum, OLD.by_majority) THEN
                    RAISE EXCEPTION 'what is voted on stays' USING ERRCODE = 'restrict_violation';
                END IF;
                IF NEW.closed_at IS NULL THEN
                    RETURN NEW;
                END IF;
                SELECT count(*) FILTER (WHERE b.choice = 'for'), count(*) FILTER (WHERE b.choice = 'against'),
                       count(*) FILTER (WHERE b.choice = 'abstain')
                INTO yes, noes, neither FROM taxonomy_ballot b WHERE b.motion_id = NEW.id;
                IF (NEW.in_favour, NEW.against, NEW.abstained) IS DISTINCT FROM (yes, noes, neither) THEN
                    RAISE EXCEPTION 'a motion counts its ballots' USING ERRCODE = 'restrict_violation';
                END IF;
                IF NEW.outcome = 'withdrawn' THEN
                    RETURN NEW;
                END IF;
                IF NEW.closed_at < NEW.deadline AND yes + noes + neither < NEW.electorate THEN
                    RAISE EXCEPTION 'somebody may still vote' USING ERRCODE = 'restrict_violation';
                END IF;
                ruled := CASE
                    WHEN yes + noes + neither < NEW.quorum THEN 'no quorum'
                    WHEN NEW.kind IN ('add', 'split') AND yes < NEW.electorate THEN 'declined'
                    WHEN NEW.by_majority AND 2 * yes > yes + noes + neither THEN 'accepted'
                    WHEN NOT NEW.by_majority AND noes = 0 AND yes > neither THEN 'accepted'
                    ELSE 'declined' END;
                IF NEW.outcome <> ruled THEN
                    RAISE EXCEPTION 'the ballots say otherwise' USING ERRCODE = 'restrict_violation';
                END IF;
                RETURN NEW;
                """,
            )
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.heading}"

    def get_absolute_url(self) -> str:
        return f"{reverse('proposals', args=[self.taxonomy_id])}#p{self.number}"

    @property
    def heading(self) -> str:
        """The title in the language of the reader; of an older motion, in that of who opened it."""
        return in_words(self.names) if self.names else self.title

    @property
    def is_open(self) -> bool:
        return self.closed_at is None

    @property
    def cast(self) -> int:
        """The number of ballots cast; only for a closed motion."""
        return (self.in_favour or 0) + (self.against or 0) + (self.abstained or 0)


class Ballot(models.Model):
    """An elector of a motion and their vote: `choice` is empty until they vote. The rows are made when the
    motion is opened, so that later members have none.
    """

    class Choice(models.TextChoices):
        FOR = "for", _("for")
        AGAINST = "against", _("against")
        ABSTAIN = "abstain", _("abstained")

    motion = models.ForeignKey(Motion, models.PROTECT, related_name="ballots")
    member = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    choice = models.CharField(max_length=16, choices=Choice, blank=True)
    argument = models.TextField(blank=True)
    cast_at = models.DateTimeField(null=True, help_text="When it was last changed")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["motion", "member"], name="one_ballot_per_member_and_motion"),
            models.CheckConstraint(
                name="a_ballot_is_for_against_or_neither",
                condition=Q(choice="", argument="", cast_at=None)
                | Q(choice__in=["for", "against", "abstain"], cast_at__isnull=False),
            ),
        ]
        triggers = [
            pgtrigger.Trigger(
                name="ballots_are_those_of_the_opening",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert | pgtrigger.Update | pgtrigger.Delete,
                declare=[("voted_on", "record"), ("others", "integer")],
                func="""
                IF TG_OP = 'DELETE' THEN
                    RAISE EXCEPTION 'a ballot stays' USING ERRCODE = 'restrict_violation';
                END IF;
                IF TG_OP = 'UPDATE' AND (NEW.motion_id, NEW.member_id) <> (OLD.motion_id, OLD.member_id) THEN
                    RAISE EXCEPTION 'a ballot keeps motion and member' USING ERRCODE = 'restrict_violation';
                END IF;
                -- The row of the motion is locked, so that a ballot is in before it closes or is refused.
                SELECT * INTO voted_on FROM taxonomy_motion m
                WHERE m.id = NEW.motion_id AND m.closed_at IS NULL FOR SHARE;
                IF NOT FOUND THEN
                    RAISE EXCEPTION 'this motion is closed' USING ERRCODE = 'restrict_violation';
                END IF;
                IF TG_OP = 'UPDATE' THEN
                    IF NEW.choice = '' OR NEW.cast_at >= voted_on.deadline THEN
                        RAISE EXCEPTION 'a ballot is cast in time' USING ERRCODE = 'restrict_violation';
                    END IF;
                    RETURN NEW;
                END IF;
                SELECT count(*) INTO others FROM taxonomy_ballot b WHERE b.motion_id = NEW.motion_id;
                PERFORM 1 FROM studies_membership s JOIN taxonomy_taxonomy t ON t.study_id = s.study_id
                WHERE s.id = NEW.member_id AND t.id = voted_on.taxonomy_id AND s.left_at IS NULL
                  AND s.user_id IS NOT NULL
                  AND s.role IN ('owner', 'lead', 'volunteer') AND s.joined_at <= voted_on.opened_at;
                IF NOT FOUND OR others >= voted_on.electorate OR NEW.choice <> '' THEN
                    RAISE EXCEPTION 'who may vote is settled' USING ERRCODE = 'restrict_violation';
                END IF;
                RETURN NEW;
                """,
            )
        ]

    def __str__(self) -> str:
        return f"{self.member_id} in {self.motion_id}"


class MotionComment(models.Model):
    """One comment in the thread of a proposal, visible to all at once and never changed."""

    motion = models.ForeignKey(Motion, models.PROTECT, related_name="comments")
    author = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    text = models.CharField(max_length=2000)
    said_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(name="a_comment_on_a_proposal_says_something", condition=~Q(text=""))
        ]
        triggers = [
            pgtrigger.Protect(
                name="comments_on_proposals_stay", operation=pgtrigger.Update | pgtrigger.Delete
            )
        ]

    def __str__(self) -> str:
        return f"{self.author_id} on {self.motion_id}"


class MotionMention(models.Model):
    """A comment on a proposal names a member (@R3). `told_at` is when a digest told the member."""

    comment = models.ForeignKey(MotionComment, models.PROTECT, related_name="mentions")
    member = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    seen_at = models.DateTimeField(null=True)
    told_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["comment", "member"], name="a_comment_on_a_proposal_names_once")
        ]

    def __str__(self) -> str:
        return f"{self.member_id} in {self.comment_id}"
