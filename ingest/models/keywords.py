"""Keyword lists in versions, where their terms occur, and saved filters of lists."""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from core import clock
from ingest.models.issues import Snapshot
from studies.models import Study


class KeywordList(models.Model):
    """A list of terms that select issues of the repositories it names; what it says is in its versions."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="keyword_lists")
    name = models.CharField(max_length=120)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=clock.now, editable=False)
    retired_at = models.DateTimeField(null=True, help_text="When it was put aside; its versions stay")

    class Meta:
        constraints = [models.UniqueConstraint("study", Lower("name"), name="list_name_is_unique_in_a_study")]

    def __str__(self) -> str:
        return self.name


class KeywordListVersion(models.Model):
    """One state of a keyword list, which stays as it was stored; the highest number is the current one."""

    keyword_list = models.ForeignKey(KeywordList, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    repositories = models.JSONField(
        default=list, help_text="host/path in lower case, such as github.com/pytorch/pytorch; empty for all"
    )
    switches = models.JSONField(default=dict, help_text="How terms are matched: ingest.keywords.Switches")
    note = models.TextField(blank=True, help_text="What changed, and why")
    stored_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    stored_at = models.DateTimeField(default=clock.now, editable=False)
    searched_to = models.BigIntegerField(
        default=0, db_default=0, help_text="Id of the last snapshot that its finds are complete up to"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["keyword_list", "number"], name="list_version_has_its_number")
        ]
        triggers = [
            pgtrigger.Protect(
                name="list_version_stays_as_stored",
                operation=pgtrigger.UpdateOf("keyword_list_id", "number", "repositories", "switches", "note"),
            )
        ]

    def __str__(self) -> str:
        return f"{self.keyword_list} {self.number}"


class KeywordTerm(models.Model):
    """One term of a version of a keyword list."""

    class Kind(models.TextChoices):
        WORD = "word", _("word")
        MODEL = "model", _("name of a model")
        MODULE = "module", _("name of a module")

    version = models.ForeignKey(KeywordListVersion, models.CASCADE, related_name="terms")
    position = models.PositiveIntegerField(help_text="In the list, from 1")
    text = models.CharField(max_length=100)
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.WORD)
    is_case_sensitive = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "position"], name="term_has_its_place"),
            models.CheckConstraint(name="a_term_has_letters", condition=~models.Q(text="")),
        ]
        triggers = [pgtrigger.Protect(name="term_stays_as_stored", operation=pgtrigger.Update)]

    def __str__(self) -> str:
        return self.text


class TermFind(models.Model):
    """How often a term occurs in a snapshot: in its title, its prose, its code, and where it does not count
    (addresses, paths, user names, hashes, headings of templates). At least one number is above 0.
    """

    term = models.ForeignKey(KeywordTerm, models.CASCADE, related_name="finds", db_index=False)
    snapshot = models.ForeignKey(Snapshot, models.CASCADE, related_name="+")
    title = models.PositiveIntegerField()
    prose = models.PositiveIntegerField()
    code = models.PositiveIntegerField()
    masked = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["term", "snapshot"], name="term_is_found_once_in_a_text"),
            models.CheckConstraint(
                name="a_find_is_somewhere",
                condition=models.Q(title__gt=0)
                | models.Q(prose__gt=0)
                | models.Q(code__gt=0)
                | models.Q(masked__gt=0),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.term_id} in {self.snapshot_id}"


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
