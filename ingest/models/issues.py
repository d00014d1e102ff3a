"""Issues of repositories, frozen as fetched, and the lists that they came in."""

from collections.abc import Mapping

import pgtrigger
from django.db import models
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core import clock
from ingest.models.imports import Import
from studies.models import Study


class Repository(models.Model):
    """One repository on a forge, as part of one study."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="repositories")
    forge = models.CharField(max_length=16, help_text="github, gitee, gitlab, gitea or other")
    host = models.CharField(max_length=253)
    path = models.CharField(max_length=300, help_text="As on the forge, such as vllm-project/vllm")
    folder = models.CharField(
        max_length=120, help_text="Of the published layout; renamed repositories may share one"
    )
    headings = models.JSONField(
        default=list,
        db_default=[],
        help_text="Headings of its issue templates: keywords in them do not count",
    )
    headings_from = models.PositiveIntegerField(
        default=0, db_default=0, help_text="From how many texts the headings were learnt"
    )

    class Meta:
        verbose_name_plural = "repositories"
        constraints = [
            models.UniqueConstraint("study", "host", Lower("path"), name="repository_is_unique_in_a_study")
        ]

    def __str__(self) -> str:
        return self.path

    @property
    def key(self) -> str:
        """By which a keyword list names it: host and path in lower case."""
        return f"{self.host}/{self.path}".lower()


class Issue(models.Model):
    """One report on a forge: unique by repository and number, with or without its text.

    `fate` is what a forge said of an issue that is no longer at its address; `moved_to` is its new one.
    """

    class Fate(models.TextChoices):
        TRANSFERRED = "transferred", _("moved to another repository")
        GONE = "gone", _("no longer on the forge")

    repository = models.ForeignKey(Repository, models.PROTECT, related_name="issues")
    number = models.CharField(max_length=40, help_text="As text: 129, I6UHT3")
    url = models.CharField(max_length=500, help_text="As first given")
    is_pull_request = models.BooleanField(null=True, help_text="Empty while unknown")
    year = models.PositiveSmallIntegerField(null=True, help_text="Year of the report")
    first_import = models.ForeignKey(Import, models.SET_NULL, null=True, related_name="+")
    fate = models.CharField(max_length=16, choices=Fate, blank=True, default="", db_default="")
    moved_to = models.CharField(max_length=500, blank=True, default="", db_default="")
    resolved_at = models.DateTimeField(null=True, help_text="When its forge was asked what it is")
    current = models.ForeignKey(
        "Snapshot",
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="The text shown; empty while only the address is known",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "number"], name="issue_is_unique_in_its_repository")
        ]
        indexes = [
            models.Index(fields=["repository", "year"], name="issues_by_year"),
            # A report reads these columns of each issue of a round, in order of id, and no texts.
            models.Index(fields=["id"], include=["repository", "year"], name="repository_and_year_of_issues"),
        ]

    def __str__(self) -> str:
        return f"#{self.number}"

    def get_absolute_url(self) -> str:
        return reverse("issue", args=[self.repository.study.slug, self.pk])


STATES: Mapping[tuple[str, str], str | Promise] = {
    ("open", ""): pgettext_lazy("issue on its forge", "Open"),
    ("open", "reopened"): _("Reopened"),
    ("closed", ""): pgettext_lazy("issue on its forge", "Closed"),
    ("closed", "completed"): _("Closed as completed"),
    ("closed", "not_planned"): _("Closed as not planned"),
    ("closed", "duplicate"): _("Closed as a duplicate"),
    ("progressing", ""): _("In progress"),
    ("rejected", ""): _("Rejected"),
    ("merged", ""): _("Merged"),
}


class Snapshot(models.Model):
    """The text of one issue, frozen as fetched. A later fetch with another text adds a snapshot."""

    issue = models.ForeignKey(Issue, models.CASCADE, related_name="snapshots")
    content_hash = models.CharField(max_length=64)
    taken_at = models.DateTimeField(default=clock.now, editable=False)
    title = models.TextField(blank=True)
    body = models.TextField(blank=True)
    author = models.CharField(max_length=200, blank=True)
    author_association = models.CharField(max_length=32, blank=True)
    labels = models.JSONField(default=list, help_text="The forge's own labels: names")
    state = models.CharField(max_length=32, blank=True)
    state_reason = models.CharField(max_length=64, blank=True)
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    updated_at = models.DateTimeField(null=True)
    comments = models.JSONField(default=list, help_text="[{author, association, at, body}], in order")
    comment_count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["issue", "content_hash"], name="snapshot_is_kept_once")
        ]
        triggers = [pgtrigger.Protect(name="snapshot_stays_as_fetched", operation=pgtrigger.Update)]

    def __str__(self) -> str:
        return self.title

    @property
    def state_in_words(self) -> str | Promise:
        """The state that the forge told, in the reader's language where it is a known one."""
        state, reason = self.state.lower(), self.state_reason.lower()
        return STATES.get((state, reason)) or STATES.get((state, "")) or state.capitalize()


class Source(models.Model):
    """One list of issues as it came, such as vllm_2024.txt, kept in its order for exports."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="sources")
    name = models.CharField(max_length=255)
    year = models.PositiveSmallIntegerField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["repository", "name"], name="source_name_is_unique")]

    def __str__(self) -> str:
        return self.name


class SourceEntry(models.Model):
    """One line of a source. An issue may occur twice, as in the file."""

    source = models.ForeignKey(Source, models.CASCADE, related_name="entries")
    position = models.PositiveIntegerField()
    issue = models.ForeignKey(Issue, models.CASCADE, related_name="listed")
    url = models.CharField(max_length=500, help_text="As written in this list")

    class Meta:
        verbose_name_plural = "source entries"
        constraints = [
            models.UniqueConstraint(fields=["source", "position"], name="source_position_is_unique")
        ]

    def __str__(self) -> str:
        return self.url
