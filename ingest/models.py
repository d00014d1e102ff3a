"""Issues of repositories, frozen as fetched, the imports that brought them, keywords and saved filters."""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from core import clock
from core.models import Job
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

    class Meta:
        verbose_name_plural = "repositories"
        constraints = [
            models.UniqueConstraint("study", "host", Lower("path"), name="repository_is_unique_in_a_study")
        ]

    def __str__(self) -> str:
        return self.path


class Import(models.Model):
    """One run that brings issues or labels in from a file, a folder or a forge."""

    class Kind(models.TextChoices):
        ISSUES = "issues", _("issues")
        PUBLISHED = "published", _("published study")

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


class Issue(models.Model):
    """One report on a forge: unique by repository and number, with or without its text."""

    repository = models.ForeignKey(Repository, models.PROTECT, related_name="issues")
    number = models.CharField(max_length=40, help_text="As text: 129, I6UHT3")
    url = models.CharField(max_length=500, help_text="As first given")
    is_pull_request = models.BooleanField(null=True, help_text="Empty while unknown")
    year = models.PositiveSmallIntegerField(null=True, help_text="Year of the report")
    first_import = models.ForeignKey(Import, models.SET_NULL, null=True, related_name="+")
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


class Keyword(models.Model):
    """A word by which the study's issues were found; pages of an issue highlight its occurrences."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="keywords")
    word = models.CharField(max_length=100)
    searched_to = models.BigIntegerField(
        default=0, db_default=0, help_text="Id of the last snapshot that its finds are complete up to"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint("study", Lower("word"), name="keyword_is_unique_in_a_study"),
            models.CheckConstraint(name="a_keyword_has_letters", condition=~models.Q(word="")),
        ]

    def __str__(self) -> str:
        return self.word


class KeywordFind(models.Model):
    """A keyword occurs in the title or the body of a snapshot. Neither of them ever changes."""

    keyword = models.ForeignKey(Keyword, models.CASCADE, related_name="finds", db_index=False)
    snapshot = models.ForeignKey(Snapshot, models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["keyword", "snapshot"], name="keyword_is_found_once_in_a_text")
        ]

    def __str__(self) -> str:
        return f"{self.keyword_id} in {self.snapshot_id}"


class SavedFilter(models.Model):
    """A named filter of a list; `query` are the parameters of its address. `page` is the URL name of the
    list, "issues" for the list of issues.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="saved_filters")
    page = models.CharField(max_length=40, default="issues", db_default="issues")
    name = models.CharField(max_length=120)
    query = models.JSONField(default=dict)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint("study", "page", Lower("name"), name="filter_name_is_unique_on_a_page")
        ]

    def __str__(self) -> str:
        return self.name
