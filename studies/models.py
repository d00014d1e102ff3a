"""Studies, their members, invitations, audit and guideline."""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from core import clock
from core.sql.append_only import AppendOnly


class Role(models.TextChoices):
    """A member's role in a study; studies.rules defines what each role may do."""

    OWNER = "owner", _("owner")
    LEAD = "lead", _("lead")
    VOLUNTEER = "volunteer", _("volunteer")
    VIEWER = "viewer", _("viewer")
    MODEL = "model", _("model")


READ_ONLY = Q(archived_at__isnull=False) | Q(delete_at__isnull=False)
"""A condition on studies that take no writes: archived, or about to be deleted."""


def read_only(path: str) -> Q:
    """The same condition on the study at the end of this path."""
    return Q(**{f"{path}__archived_at__isnull": False}) | Q(**{f"{path}__delete_at__isnull": False})


class Study(models.Model):
    """One piece of research: its people, taxonomies, issues and rounds."""

    slug = models.SlugField(max_length=80, unique=True, allow_unicode=True)
    name = models.CharField(_("name"), max_length=200)
    description = models.TextField(_("description"), blank=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    archived_at = models.DateTimeField(null=True, editable=False, help_text="Read-only since then")
    delete_at = models.DateTimeField(
        null=True, editable=False, help_text="Read-only, and deleted for good from this moment on"
    )
    delete_asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, editable=False, related_name="+"
    )

    class Meta:
        verbose_name_plural = "studies"
        indexes = [
            # The triggers of `studies.read_only` ask for these rows at each write.
            models.Index(fields=["id"], name="read_only_studies", condition=READ_ONLY)
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_read_only(self) -> bool:
        return self.archived_at is not None or self.delete_at is not None

    def get_absolute_url(self) -> str:
        return reverse("study", args=[self.slug])


class Membership(models.Model):
    """A seat in a study: a role, and the pseudonym that exports show. `user` is empty for a volunteer of an
    imported study, who has labels but no account.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="memberships"
    )
    role = models.CharField(max_length=16, choices=Role)
    pseudonym = models.CharField(max_length=32)
    joined_at = models.DateTimeField(default=clock.now, editable=False)
    left_at = models.DateTimeField(null=True)
    gets_digest = models.BooleanField(
        default=True, db_default=True, help_text="A mail a day with what waits for them, when something does"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="one_membership_per_person_and_study"),
            models.UniqueConstraint("study", Lower("pseudonym"), name="pseudonym_is_unique_in_a_study"),
            models.CheckConstraint(name="membership_role_is_known", condition=Q(role__in=Role.values)),
        ]

    def __str__(self) -> str:
        return self.pseudonym

    @property
    def known_as(self) -> str:
        """The pseudonym with the person's name: "R4 · Mei Lin". Only for those who may see names."""
        return f"{self.pseudonym} · {self.user.name}" if self.user else self.pseudonym


class RemovedStudy(models.Model):
    """What is left of a deleted study: its name, who wanted it gone, and how much went. Its rows and files
    are gone, and no row refers to it.
    """

    name = models.CharField(max_length=200)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(help_text="When the study was created")
    removed_at = models.DateTimeField(default=clock.now, editable=False)
    rows = models.JSONField(default=dict, help_text="Rows that were removed, by table")
    files = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name_plural = "removed studies"

    def __str__(self) -> str:
        return self.name


class Invitation(models.Model):
    """A link that makes its user a member with a role. Only the hash of its token is stored."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=16, choices=Role)
    note = models.CharField(_("for whom"), max_length=200, blank=True)
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=clock.now, editable=False)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(Membership, models.PROTECT, null=True, related_name="+")
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(name="invitation_role_is_known", condition=Q(role__in=Role.values)),
            models.CheckConstraint(
                name="invitation_is_accepted_by_somebody_at_a_time",
                condition=Q(accepted_by=None, accepted_at=None)
                | Q(accepted_by__isnull=False, accepted_at__isnull=False, revoked_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} in {self.study_id}"


class Event(models.Model):
    """One line of a study's audit: who did what, when. Never contains a label or its text."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="events")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    verb = models.CharField(max_length=64, help_text="room.verb, such as rounds.opened")
    detail = models.JSONField(default=dict)
    at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        indexes = [models.Index(fields=["study", "-id"], name="events_newest_first")]
        triggers = [AppendOnly()]

    def __str__(self) -> str:
        return f"{self.verb} {self.at:%Y-%m-%d %H:%M}"


class Guideline(models.Model):
    """One immutable version of the text, in Markdown, by which the volunteers of a study label; it may be in
    Chinese as well.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="guidelines")
    number = models.PositiveIntegerField()
    text = models.TextField()
    text_zh = models.TextField(
        blank=True, default="", db_default="", help_text="The same in Chinese; empty: not translated"
    )
    note = models.CharField(max_length=500, blank=True, help_text="What changed and why, in a sentence")
    published_by = models.ForeignKey(Membership, models.PROTECT, null=True, related_name="+")
    published_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="guideline_number_is_unique_in_a_study")
        ]
        triggers = [pgtrigger.Protect(name="guideline_stays_as_published", operation=pgtrigger.Update)]

    def __str__(self) -> str:
        return f"v{self.number}"

    def text_in(self, language: str | None) -> str:
        """The text in this language; the study's own text where it is not translated."""
        return (self.text_zh if (language or "").lower() == "zh-hans" else "") or self.text


class GuidelineReading(models.Model):
    """A member has read this version of the guideline, or its changes."""

    guideline = models.ForeignKey(Guideline, models.CASCADE, related_name="readings")
    member = models.ForeignKey(Membership, models.CASCADE, related_name="+")
    read_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["guideline", "member"], name="a_guideline_is_read_once")
        ]

    def __str__(self) -> str:
        return f"{self.member_id} read {self.guideline_id}"
