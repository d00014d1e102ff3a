"""Consensus meetings: participants, agenda, votes and follow-ups."""

import pgtrigger
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from consensus.models.comments import Comment
from core import clock
from ingest.models import Issue
from rounds.models.rounds import Round
from studies.models import Membership
from taxonomy.models import Category, Proposal, Version


class Meeting(models.Model):
    """A consensus meeting on disagreements of one round: at one time together, over days, or of a pair."""

    class Kind(models.TextChoices):
        TOGETHER = "together", _("live, at a fixed time")
        APART = "apart", _("over several days")
        PAIR = "pair", _("pair of volunteers")

    round = models.ForeignKey(Round, models.PROTECT, related_name="meetings")
    name = models.CharField(_("name"), max_length=120)
    kind = models.CharField(max_length=16, choices=Kind, default=Kind.TOGETHER)
    starts_at = models.DateTimeField(null=True, help_text="Planned; nothing begins by itself")
    ends_at = models.DateTimeField(null=True, help_text="Planned; nothing ends by itself")
    chair = models.ForeignKey(Membership, models.PROTECT, related_name="chaired")
    quorum = models.PositiveSmallIntegerField(help_text="So many must take part for a decision")
    by_majority = models.BooleanField(
        default=False, help_text="More than half of those present may decide; else only all who vote"
    )
    shows_names = models.BooleanField(default=False, help_text="People by their names, not their pseudonyms")
    item = models.ForeignKey(
        "consensus.AgendaItem",
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="What everybody looks at",
    )
    revision = models.PositiveBigIntegerField(
        default=0, help_text="Raised by each change, so that a screen knows whether it is up to date"
    )
    created_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=clock.now, editable=False)
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    version = models.ForeignKey(
        Version,
        models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        help_text="That the round used when the meeting closed",
    )

    class Meta:
        indexes = [models.Index(fields=["round", "-id"], name="meetings_newest_first")]
        constraints = [
            models.UniqueConstraint(fields=["id", "round"], name="a_meeting_is_of_one_round"),
            models.CheckConstraint(name="a_meeting_has_a_quorum", condition=Q(quorum__gte=1)),
            models.CheckConstraint(
                name="a_pair_agrees_or_does_not", condition=~Q(kind="pair") | Q(quorum=2, by_majority=False)
            ),
            models.CheckConstraint(
                name="a_meeting_closes_after_it_opens",
                condition=Q(closed_at=None) | Q(opened_at__isnull=False, closed_at__gte=F("opened_at")),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("meeting", args=[self.pk])

    @property
    def is_open(self) -> bool:
        return self.opened_at is not None and self.closed_at is None


class Participant(models.Model):
    """One member who was invited to a meeting or came; present from `joined_at` to `left_at`. `left_at` is
    empty again after the member comes back. `last_seen_at`: the last sign of life of an open page.
    """

    meeting = models.ForeignKey(Meeting, models.CASCADE, related_name="participants")
    member = models.ForeignKey(Membership, models.PROTECT, related_name="meetings")
    joined_at = models.DateTimeField(null=True)
    last_seen_at = models.DateTimeField(null=True)
    left_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["meeting", "member"], name="a_member_takes_part_once"),
            models.CheckConstraint(
                name="who_leaves_has_come", condition=Q(left_at=None) | Q(joined_at__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.member_id} in {self.meeting_id}"


class AgendaItem(models.Model):
    """One issue on the agenda of a meeting; `released_at` is set when it is taken off, or the meeting closes.

    (round, issue) refers to a key of RoundIssue, (meeting, round) to a key of Meeting: composite foreign keys
    that the migration adds. Only a disagreement can be put on an agenda; its item stays if a later version of
    the taxonomy ends the disagreement. An issue is on one agenda at a time.
    """

    meeting = models.ForeignKey(Meeting, models.PROTECT, related_name="items")
    round = models.ForeignKey(Round, models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False)
    issue = models.ForeignKey(
        Issue, models.DO_NOTHING, related_name="on_agendas", db_constraint=False, db_index=False
    )
    position = models.PositiveIntegerField(help_text="In the order in which it was put there")
    added_by = models.ForeignKey(Membership, models.PROTECT, related_name="+", db_index=False)
    added_at = models.DateTimeField()
    parked_at = models.DateTimeField(null=True)
    parked_why = models.CharField(max_length=500, blank=True)
    released_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["meeting", "position"], name="agenda_in_order")]
        constraints = [
            models.UniqueConstraint(fields=["meeting", "issue"], name="an_issue_is_once_on_an_agenda"),
            models.UniqueConstraint(
                fields=["round", "issue"],
                name="an_issue_is_on_one_agenda_at_a_time",
                condition=Q(released_at=None),
                include=["meeting"],
            ),
            models.UniqueConstraint(fields=["id", "meeting"], name="an_item_is_of_one_meeting"),
        ]
        triggers = [
            pgtrigger.Trigger(
                name="item_is_a_disagreement",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert,
                func="""
                IF NOT EXISTS (
                    SELECT FROM consensus_disagreement d
                    WHERE d.round_id = NEW.round_id AND d.issue_id = NEW.issue_id
                ) THEN
                    RAISE EXCEPTION 'only a disagreement is put on an agenda'
                        USING ERRCODE = 'foreign_key_violation';
                END IF;
                RETURN NEW;
                """,
            )
        ]

    def __str__(self) -> str:
        return f"{self.issue_id} at {self.meeting_id}"


class Spell(models.Model):
    """A period in which a meeting looked at one item; the minutes add these up."""

    meeting = models.ForeignKey(Meeting, models.PROTECT, related_name="spells")
    item = models.ForeignKey(AgendaItem, models.PROTECT, related_name="spells")
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["meeting"], name="a_meeting_looks_at_one_item", condition=Q(ended_at=None)
            ),
            models.CheckConstraint(
                name="a_spell_ends_after_it_begins",
                condition=Q(ended_at=None) | Q(ended_at__gte=F("began_at")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} from {self.began_at:%H:%M}"


class Vote(models.Model):
    """One vote on an item; its ballots are hidden until it is closed. After discussion there can be another.

    `present`: the number of participants at the close; over days and in a pair, the number of ballots. (item,
    meeting) refers to a key of AgendaItem: a composite foreign key that the migration adds.
    """

    meeting = models.ForeignKey(Meeting, models.PROTECT, related_name="votes")
    item = models.ForeignKey(AgendaItem, models.PROTECT, related_name="votes", db_index=False)
    number = models.PositiveSmallIntegerField(help_text="1 for the first vote on an item, and so on")
    opened_at = models.DateTimeField()
    opened_by = models.ForeignKey(Membership, models.PROTECT, related_name="+", db_index=False)
    closed_at = models.DateTimeField(null=True)
    closed_by = models.ForeignKey(
        Membership,
        models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        help_text="Who revealed it; nobody where the last ballot did",
    )
    present = models.PositiveSmallIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "number"], name="votes_on_an_item_are_numbered"),
            models.UniqueConstraint(
                fields=["item"], name="one_vote_is_open_on_an_item", condition=Q(closed_at=None)
            ),
            models.UniqueConstraint(fields=["id", "meeting"], name="a_vote_is_of_one_meeting"),
            models.CheckConstraint(
                name="a_closed_vote_says_who_was_there",
                condition=Q(closed_at=None, closed_by=None, present=None)
                | Q(closed_at__isnull=False, present__isnull=False),
            ),
        ]
        triggers = [
            pgtrigger.Trigger(
                name="closed_votes_stay",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert | pgtrigger.Update | pgtrigger.Delete,
                declare=[("cast_ballots", "integer"), ("took_part", "integer")],
                func="""
                IF TG_OP = 'INSERT' THEN
                    IF NEW.closed_at IS NOT NULL THEN
                        RAISE EXCEPTION 'a vote is open before it is closed'
                            USING ERRCODE = 'restrict_violation';
                    END IF;
                    RETURN NEW;
                END IF;
                IF TG_OP = 'DELETE' OR OLD.closed_at IS NOT NULL THEN
                    RAISE EXCEPTION 'a vote stays as it was closed' USING ERRCODE = 'restrict_violation';
                END IF;
                IF NEW.closed_at IS NOT NULL THEN
                    SELECT count(*) INTO cast_ballots FROM consensus_ballot b WHERE b.vote_id = NEW.id;
                    SELECT CASE WHEN m.kind <> 'together' THEN cast_ballots ELSE (
                        SELECT count(*) FROM consensus_participant p
                        WHERE p.meeting_id = m.id AND p.joined_at IS NOT NULL
                    ) END INTO took_part FROM consensus_meeting m WHERE m.id = NEW.meeting_id;
                    IF NEW.present < cast_ballots OR NEW.present > took_part THEN
                        RAISE EXCEPTION 'a vote counts who was there' USING ERRCODE = 'restrict_violation';
                    END IF;
                END IF;
                RETURN NEW;
                """,
            )
        ]

    def __str__(self) -> str:
        return f"{self.item_id}, vote {self.number}"


class Ballot(models.Model):
    """The ballot of one participant: a category at the depth of the round, or None to abstain, or to say that
    no category fits (`none_fits`), which counts against each category and decides nothing.

    Its author may change it while the vote is open. (vote, meeting) refers to a key of Vote, (meeting,
    member) to a key of Participant: composite foreign keys that the migration adds.
    """

    meeting = models.ForeignKey(
        Meeting, models.DO_NOTHING, related_name="ballots", db_constraint=False, db_index=False
    )
    vote = models.ForeignKey(Vote, models.PROTECT, related_name="ballots", db_index=False)
    member = models.ForeignKey(Membership, models.PROTECT, related_name="ballots")
    category = models.ForeignKey(Category, models.PROTECT, null=True, related_name="+", db_index=False)
    none_fits = models.BooleanField(default=False, db_default=False)
    cast_at = models.DateTimeField()
    changed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["vote", "member"], name="one_ballot_per_person_and_vote"),
            models.CheckConstraint(
                name="no_category_fits_or_one_is_chosen", condition=Q(none_fits=False) | Q(category=None)
            ),
        ]
        triggers = [
            pgtrigger.Trigger(
                name="ballots_are_cast_by_who_is_there",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert | pgtrigger.Update | pgtrigger.Delete,
                func="""
                IF TG_OP = 'DELETE' THEN
                    RAISE EXCEPTION 'a ballot that was cast stays' USING ERRCODE = 'restrict_violation';
                END IF;
                IF TG_OP = 'UPDATE' AND (NEW.vote_id, NEW.member_id) <> (OLD.vote_id, OLD.member_id) THEN
                    RAISE EXCEPTION 'a ballot keeps vote and author' USING ERRCODE = 'restrict_violation';
                END IF;
                -- The row of the vote is locked, so that a ballot is in before it closes or is refused.
                PERFORM 1 FROM consensus_vote v WHERE v.id = NEW.vote_id AND v.closed_at IS NULL FOR SHARE;
                IF NOT FOUND THEN
                    RAISE EXCEPTION 'this vote is closed' USING ERRCODE = 'restrict_violation';
                END IF;
                IF NEW.none_fits AND EXISTS (
                    SELECT FROM consensus_meeting m JOIN rounds_round r ON r.id = m.round_id
                    WHERE m.id = NEW.meeting_id AND r.excludes_id IS NOT NULL
                ) THEN
                    RAISE EXCEPTION 'a screening does not ask if a category is missing'
                        USING ERRCODE = 'restrict_violation';
                END IF;
                PERFORM 1 FROM consensus_participant p
                WHERE p.meeting_id = NEW.meeting_id AND p.member_id = NEW.member_id
                  AND p.joined_at IS NOT NULL AND p.left_at IS NULL;
                IF NOT FOUND THEN
                    RAISE EXCEPTION 'who is absent does not vote' USING ERRCODE = 'restrict_violation';
                END IF;
                RETURN NEW;
                """,
            )
        ]

    def __str__(self) -> str:
        return f"{self.member_id} in {self.vote_id}"


class FollowUp(models.Model):
    """A follow-up of an item: a proposal for the taxonomy, an example, or a line for the guideline."""

    class Kind(models.TextChoices):
        PROPOSAL = "proposal", _("proposal for the taxonomy")
        EXAMPLE = "example", _("example for a category")
        GUIDELINE = "guideline", _("guideline line")

    item = models.ForeignKey(AgendaItem, models.PROTECT, related_name="follow_ups")
    kind = models.CharField(max_length=16, choices=Kind)
    category = models.ForeignKey(Category, models.PROTECT, null=True, related_name="+")
    proposal = models.ForeignKey(Proposal, models.PROTECT, null=True, related_name="follow_ups")
    text = models.CharField(max_length=1000, blank=True)
    made_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True)
    done_by = models.ForeignKey(Membership, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_follow_up_says_what_to_do",
                condition=Q(kind="proposal", proposal__isnull=False)
                | Q(kind="example", category__isnull=False)
                | (Q(kind="guideline") & ~Q(text="")),
            ),
            models.CheckConstraint(
                name="what_is_done_was_done_by_somebody",
                condition=Q(done_at=None, done_by=None) | Q(done_at__isnull=False, done_by__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.item_id}"


class Digest(models.Model):
    """One mail that tells a member how much waits for them, and never what anybody labelled. `day` is the day
    of `sent_at` in UTC: two workers on one day store, and send, only one mail.
    """

    member = models.ForeignKey(Membership, models.CASCADE, related_name="digests")
    day = models.DateField()
    sent_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["member", "day"], name="a_member_has_one_digest_a_day")
        ]

    def __str__(self) -> str:
        return f"{self.member_id} {self.sent_at:%Y-%m-%d}"


class Mention(models.Model):
    """A comment mentions a member (@R3); the next digest tells them."""

    comment = models.ForeignKey(Comment, models.CASCADE, related_name="mentions")
    member = models.ForeignKey(Membership, models.CASCADE, related_name="mentions")
    seen_at = models.DateTimeField(null=True)
    digest = models.ForeignKey(Digest, models.SET_NULL, null=True, related_name="mentions")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["comment", "member"], name="a_comment_names_once")]

    def __str__(self) -> str:
        return f"{self.member_id} in {self.comment_id}"
