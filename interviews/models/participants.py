"""Who is interviewed: what the study may know of them, and, apart from it, who they are."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from core import clock
from interviews.models.guides import Audience
from studies.models import Membership, Study


class Participant(models.Model):
    """Somebody who is interviewed, under a pseudonym: the prefix of the audience and `number`. Nothing here
    names them. After an erasure the row stays, with the pseudonym and what the numbers of the study count.
    """

    class MemberCheck(models.TextChoices):
        """Whether the participant has seen what the study made of the interview."""

        NOT_ASKED = "not asked", _("not asked")
        SENT = "sent", _("sent")
        CONFIRMED = "confirmed", _("confirmed")
        CORRECTED = "corrected", _("corrected")
        NO_ANSWER = "no answer", _("no answer")

    study = models.ForeignKey(Study, models.CASCADE, related_name="participants")
    audience = models.ForeignKey(
        Audience, models.PROTECT, related_name="participants", db_constraint=False, db_index=False
    )
    number = models.PositiveIntegerField()
    role = models.CharField(_("role"), max_length=300, blank=True)
    experience = models.CharField(_("experience"), max_length=120, blank=True)
    context = models.CharField(_("frameworks"), max_length=300, blank=True)
    attributes = models.JSONField(default=dict, help_text="Further columns: name to value")
    incentive = models.CharField(_("incentive"), max_length=200, blank=True)
    member_check = models.CharField(
        _("member check"), max_length=16, choices=MemberCheck, default=MemberCheck.NOT_ASKED
    )
    checked_on = models.DateField(_("date of the member check"), null=True, blank=True)
    added_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    added_at = models.DateTimeField(default=clock.now, editable=False)
    erased_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["audience__position", "number"]
        constraints = [
            models.UniqueConstraint(fields=["audience", "number"], name="participant_has_a_number"),
            models.UniqueConstraint(fields=["id", "study"], name="participant_has_their_study"),
            models.CheckConstraint(
                name="who_is_erased_has_no_background",
                condition=Q(erased_at=None) | Q(role="", context="", attributes={}, incentive=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.audience.prefix}{self.number}"

    def get_absolute_url(self) -> str:
        return reverse("participant", args=[self.pk])


class Identity(models.Model):
    """Who a participant is, encrypted (core.fetch.sealing). Deleted by an erasure."""

    participant = models.OneToOneField(Participant, models.CASCADE, related_name="identity")
    name = models.BinaryField(help_text="Encrypted")
    contact = models.BinaryField(help_text="Encrypted", default=b"")

    def __str__(self) -> str:
        return str(self.participant)


class Replacement(models.Model):
    """A text that is replaced in the transcripts of a participant before anybody codes them. `original` is
    encrypted; deleted by an erasure.
    """

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="replacements")
    original = models.BinaryField(help_text="Encrypted")
    stand_in = models.CharField(max_length=120, help_text="Such as [company]")
    added_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    added_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        constraints = [models.CheckConstraint(name="a_replacement_says_something", condition=~Q(stand_in=""))]

    def __str__(self) -> str:
        return self.stand_in


class ConsentText(models.Model):
    """One version of what participants agree to."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="consent_texts")
    number = models.PositiveIntegerField()
    text = models.TextField()
    published_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    published_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="consent_text_has_its_number"),
            models.CheckConstraint(name="a_consent_text_says_something", condition=~Q(text="")),
        ]

    def __str__(self) -> str:
        return str(_("Consent text, version %(number)s")) % {"number": self.number}


class Consent(models.Model):
    """What one participant agreed to, and when. A newer row replaces it. Withdrawn: nothing is permitted."""

    class Permission(models.TextChoices):
        QUOTE = "quote", _("quote")
        SHARE = "share", _("share the transcript")
        ARCHIVE = "archive", _("archive the transcript")

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="consents")
    text = models.ForeignKey(ConsentText, models.PROTECT, related_name="consents")
    given_on = models.DateField(_("date"))
    permits = ArrayField(models.CharField(max_length=16, choices=Permission), default=list, blank=True)
    recorded_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField(default=clock.now, editable=False)
    withdrawn_on = models.DateField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                name="consent_permits_known_things",
                condition=Q(permits__contained_by=["quote", "share", "archive"]),
            ),
            models.CheckConstraint(
                name="consent_is_withdrawn_after_it_was_given",
                condition=Q(withdrawn_on=None) | Q(withdrawn_on__gte=models.F("given_on")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participant_id} on {self.given_on}"

    @property
    def permitted(self) -> list[str]:
        """What it permits, in words."""
        return [str(self.Permission(one).label) for one in self.permits]


class Interviewer(models.Model):
    """How a member who interviews is described: reviewers ask who asked the questions."""

    member = models.OneToOneField(Membership, models.CASCADE, related_name="interviewer")
    role = models.CharField(_("role"), max_length=300, blank=True)
    experience = models.CharField(_("experience with interviews"), max_length=300, blank=True)
    bias = models.TextField(_("relation to the topic and possible bias"), blank=True)

    def __str__(self) -> str:
        return str(self.member)
