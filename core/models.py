"""Jobs, and the keys of handled forms."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core import clock


class Job(models.Model):
    """One run of long work: queued, running, then done, failed or cancelled."""

    class State(models.TextChoices):
        QUEUED = "queued", _("queued")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    kind = models.CharField(max_length=64, help_text="Name under which a function is registered in core.jobs")
    arguments = models.JSONField(default=dict)
    state = models.CharField(max_length=16, choices=State, default=State.QUEUED)
    language = models.CharField(
        max_length=12, default="en", db_default="en", help_text="In which it tells its steps and errors"
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="jobs")
    created_at = models.DateTimeField(default=clock.now, editable=False)
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)
    attempt = models.PositiveSmallIntegerField(default=0)
    content_hash = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of the input, where there is one"
    )
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(null=True)
    step = models.CharField(max_length=200, blank=True, help_text="What it is doing, for people")
    result = models.JSONField(default=dict)
    error = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="job_finishes_with_a_final_state",
                condition=Q(finished_at=None, state__in=["queued", "running"])
                | Q(finished_at__isnull=False, state__in=["done", "failed", "cancelled"]),
            )
        ]
        indexes = [
            models.Index(
                fields=["state", "heartbeat_at"], name="job_unfinished", condition=Q(finished_at=None)
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} {self.state}"


class HandledForm(models.Model):
    """The idempotency key of a handled form, so that a double click stores once."""

    key = models.UUIDField(primary_key=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    handled_at = models.DateTimeField(default=clock.now, editable=False, db_index=True)

    def __str__(self) -> str:
        return str(self.key)
