"""The coding of interviews: quotes with their codes, by coders who are blind to each other, and what they
settle on.
"""

import pgtrigger
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from core import clock
from interviews.models.sessions import Session, Transcript, Turn
from studies.models import Membership, Study
from taxonomy.models import Category, Proposal, Version


class Coding(models.Model):
    """The coding of one interview. It is blind from its opening until all its coders are done, then revealed,
    reconciled, and settled. `version` is the taxonomy that all its coders use.
    """

    session = models.OneToOneField(Session, models.CASCADE, related_name="coding")
    version = models.ForeignKey(Version, models.PROTECT, related_name="+")
    opened_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    opened_at = models.DateTimeField(default=clock.now, editable=False)
    revealed_at = models.DateTimeField(null=True)
    settled_at = models.DateTimeField(null=True)
    settled_by = models.ForeignKey(Membership, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_coding_is_settled_after_its_reveal",
                condition=Q(settled_at=None, settled_by=None)
                | Q(settled_at__isnull=False, settled_by__isnull=False, revealed_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return str(self.session)

    def get_absolute_url(self) -> str:
        return reverse("code_interview", args=[self.pk])


class Coder(models.Model):
    """A member who codes an interview by themselves. `released_at`: a lead took them off while the coding was
    blind. What they coded stays theirs, and counts in no number.
    """

    coding = models.ForeignKey(Coding, models.CASCADE, related_name="coders")
    member = models.ForeignKey(Membership, models.PROTECT, related_name="codings")
    done_at = models.DateTimeField(null=True)
    released_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_released_coder_is_not_done", condition=Q(done_at=None) | Q(released_at=None)
            ),
            models.UniqueConstraint(fields=["coding", "member"], name="a_member_codes_an_interview_once"),
            models.UniqueConstraint(fields=["id", "coding"], name="coder_has_their_coding"),
        ]

    def __str__(self) -> str:
        return f"{self.member} on {self.coding_id}"


class OpenCode(models.Model):
    """A code of a coder's own words, for what the taxonomy lacks. Other coders see it when a coding with it
    is revealed. It can become a proposal.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="open_codes")
    name = models.CharField(max_length=200)
    made_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=clock.now, editable=False)
    proposal = models.ForeignKey(Proposal, models.SET_NULL, null=True, related_name="open_codes")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "study", "made_by", Lower("name"), name="a_coder_names_an_open_code_once"
            ),
            models.CheckConstraint(name="an_open_code_is_named", condition=~Q(name="")),
        ]

    def __str__(self) -> str:
        return self.name


class Quote(models.Model):
    """A span of one turn, chosen by a coder, or by all together when they reconcile (`coder` is empty then).
    `start` and `end` count characters of the turn: the place names a quote on pages and over REST, since ids
    would tell how much others code. A dropped quote stays as a row, so that it can come back.
    """

    class Strength(models.IntegerChoices):
        HINT = 1, _("hint")
        CLEAR = 2, _("clear")
        STRONG = 3, _("strong")

    coding = models.ForeignKey(Coding, models.CASCADE, related_name="quotes")
    coder = models.ForeignKey(
        Coder, models.CASCADE, null=True, related_name="quotes", db_constraint=False, db_index=False
    )
    transcript = models.ForeignKey(Transcript, models.PROTECT, related_name="quotes")
    turn = models.ForeignKey(Turn, models.PROTECT, related_name="quotes")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    memo = models.TextField(blank=True)
    strength = models.PositiveSmallIntegerField(choices=Strength, null=True)
    made_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=clock.now, editable=False)
    dropped_at = models.DateTimeField(null=True)
    carried_from = models.OneToOneField(
        "self", models.SET_NULL, null=True, related_name="carried_to", help_text="On an earlier transcript"
    )

    class Meta:
        indexes = [models.Index(fields=["coder"], name="quotes_of_a_coder")]
        constraints = [
            models.CheckConstraint(name="a_quote_has_a_length", condition=Q(end__gt=F("start"))),
            models.UniqueConstraint(
                fields=["turn", "coder", "start", "end"],
                name="a_span_is_quoted_once",
                nulls_distinct=False,
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="a_quote_stays_where_it_is",
                operation=pgtrigger.Update,
                condition=pgtrigger.AnyChange(
                    "coding", "coder", "transcript", "turn", "start", "end", "made_by"
                ),
            )
        ]

    def __str__(self) -> str:
        return f"{self.turn_id}[{self.start}:{self.end}]"


class QuoteCode(models.Model):
    """One code of a quote: a category of the taxonomy, or an open code."""

    quote = models.ForeignKey(Quote, models.CASCADE, related_name="codes")
    category = models.ForeignKey(Category, models.PROTECT, null=True, related_name="quote_codes")
    open_code = models.ForeignKey(OpenCode, models.PROTECT, null=True, related_name="quote_codes")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["quote", "category", "open_code"],
                name="a_quote_has_a_code_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                name="a_code_is_a_category_or_open",
                condition=Q(category=None, open_code__isnull=False)
                | Q(category__isnull=False, open_code=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.quote_id}: {self.category_id or self.open_code_id}"


class Settlement(models.Model):
    """How coders settled on quotes of theirs: `quote` is the common one, empty where they chose none.
    `sources` are the quotes of the coders that it answers; who coded what stays.
    """

    class Method(models.TextChoices):
        EQUAL = "equal", _("equal codes")
        TALK = "talk", _("by discussion")

    coding = models.ForeignKey(Coding, models.CASCADE, related_name="settlements")
    quote = models.OneToOneField(Quote, models.CASCADE, null=True, related_name="settlement")
    sources = models.ManyToManyField(Quote, related_name="settlements")
    method = models.CharField(max_length=8, choices=Method)
    rationale = models.TextField(blank=True)
    by = models.ForeignKey(Membership, models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="people_stand_behind_a_discussion", condition=Q(method="equal") | Q(by__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.coding_id}: {self.quote_id or '-'}"
