"""Codebooks in the published shape that came as files: a row for each quote, as the file has it."""

from django.db import models
from django.db.models import Q

from core import clock
from studies.models import Membership, Study
from taxonomy.models import Version


class ImportedCodebook(models.Model):
    """A codebook as it was imported. Its links are compared with the categories of `version`; none is ever
    created. `is_published`: a lead said that these quotes are published already, so that rows of people whom
    the study does not know can be exported.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="imported_codebooks")
    name = models.CharField(max_length=200)
    version = models.ForeignKey(Version, models.PROTECT, null=True, related_name="+")
    is_published = models.BooleanField(default=False)
    imported_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    imported_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.CheckConstraint(name="an_imported_codebook_is_named", condition=~Q(name=""))]

    def __str__(self) -> str:
        return self.name


class CodebookEntry(models.Model):
    """One row: a quote with what the file says of it. An erasure of its participant empties the row but for
    the pseudonym and the links.
    """

    codebook = models.ForeignKey(ImportedCodebook, models.CASCADE, related_name="entries")
    line = models.PositiveIntegerField(help_text="In the file")
    participant = models.TextField(blank=True)
    kind = models.TextField(blank=True)
    experience = models.TextField(blank=True)
    context = models.TextField(blank=True)
    prompt = models.TextField(blank=True)
    quote = models.TextField(blank=True)
    linked = models.TextField(blank=True)
    insight = models.TextField(blank=True)

    class Meta:
        ordering = ["line"]
        constraints = [models.UniqueConstraint(fields=["codebook", "line"], name="an_entry_has_its_line")]

    def __str__(self) -> str:
        return f"{self.codebook_id}: {self.line}"
