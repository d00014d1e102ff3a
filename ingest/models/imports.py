"""The runs that bring issues or labels in, and the lines that they did not take unchanged."""

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from core import clock
from core.models import Job
from studies.models import Study


class Import(models.Model):
    """One run that brings issues or labels in from a file, a folder or a forge."""

    class Kind(models.TextChoices):
        ISSUES = "issues", _("issues")
        PUBLISHED = "published", _("published study")
        HARVEST = "harvest", _("harvest")

    study = models.ForeignKey(Study, models.CASCADE, related_name="imports")
    kind = models.CharField(max_length=16, choices=Kind)
    name = models.CharField(max_length=255, help_text="File or folder as the user named it")
    path = models.CharField(
        max_length=500, blank=True, help_text="Where the upload is kept, below the data folder"
    )
    size = models.PositiveBigIntegerField(default=0, help_text="Bytes")
    sha256 = models.CharField(max_length=64, blank=True)
    mapping = models.JSONField(
        default=dict, help_text="Format, encoding and which key is read as which field"
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=clock.now, editable=False)
    job = models.OneToOneField(Job, models.SET_NULL, null=True, related_name="import_run")
    counts = models.JSONField(default=dict, help_text="Rows by outcome, once it is done")

    class Meta:
        indexes = [models.Index(fields=["study", "-id"], name="imports_newest_first")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("import", args=[self.study.slug, self.pk])


class ImportRow(models.Model):
    """One line of a file that was not taken unchanged, with the reason."""

    class Outcome(models.TextChoices):
        REFUSED = "refused", _("refused")
        REPEATED = "repeated", _("repeated")
        REPAIRED = "repaired", _("repaired")
        SKIPPED = "skipped", _("skipped")
        BACK = "back", _("brought back")

    run = models.ForeignKey(Import, models.CASCADE, related_name="rows")
    outcome = models.CharField(max_length=16, choices=Outcome)
    file = models.CharField(max_length=300, blank=True)
    line = models.PositiveBigIntegerField(null=True)
    code = models.CharField(max_length=64, help_text="Kind of the cause, for programs")
    message = models.TextField(help_text="The cause, for people")
    raw = models.TextField(blank=True, help_text="The line, shortened")

    class Meta:
        indexes = [models.Index(fields=["run", "id"], name="import_rows_in_order")]

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.message}"
