"""Harvests: what was asked of which forge, every page of its answers, and what stood on them."""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from core import clock
from ingest.models.imports import Import
from ingest.models.issues import Issue
from ingest.models.keywords import KeywordList, KeywordListVersion
from studies.models import Study


class Harvest(models.Model):
    """An import that fetches issues from forges: repositories, a window of time, and what to keep.

    The window holds the issues opened at `opened_from` or later, and before `opened_before`; `zone` is the
    time zone in which a person chose its days. A refresh fetches what changed since `refreshes` ended.
    """

    run = models.OneToOneField(Import, models.CASCADE, related_name="harvest")
    opened_from = models.DateTimeField(null=True)
    opened_before = models.DateTimeField(null=True)
    zone = models.CharField(max_length=64, default="UTC")
    with_pull_requests = models.BooleanField(default=False)
    with_comments = models.BooleanField(default=True)
    lists = models.ManyToManyField(
        KeywordList, related_name="+", help_text="Select among the fetched issues; without any, all are kept"
    )
    refreshes = models.ForeignKey("self", models.RESTRICT, null=True, related_name="refreshed_by")
    budget = models.PositiveIntegerField(null=True, help_text="Seconds that one run may take, then it pauses")
    resume_at = models.DateTimeField(null=True, help_text="When a harvest that waits for a forge goes on")

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_window_ends_after_it_begins",
                condition=Q(opened_from=None) | Q(opened_before=None) | Q(opened_before__gt=F("opened_from")),
            )
        ]

    def __str__(self) -> str:
        return f"harvest {self.pk}"


class HarvestedRepository(models.Model):
    """One repository of a harvest: where it stands on its forge, and how far the walk over it has come.

    `phase` is the pass that goes on, and `next_url` its next page, empty at the beginning of a pass. A
    refresh stores what it fetches with the repository that it refreshes, `origin`.
    """

    class Phase(models.TextChoices):
        COUNTING = "counting", _("asking for its size")
        LISTING = "listing", _("listing issues")
        PULLS = "pulls", _("listing pull requests")
        CLOSING = "closing", _("looking for late changes")
        COMMENTS = "comments", _("fetching comments")
        LATE_COMMENTS = "late_comments", _("looking for late comments")
        LATE_PULLS = "late_pulls", _("looking for late changes of pull requests")
        MISSED_COMMENTS = "missed_comments", _("fetching comments that were missed")
        CHECKING = "checking", _("comparing with the forge's count")
        GAPS = "gaps", _("asking for numbers that are missing")
        AGAIN = "again", _("listing again what was missed")
        DONE = "done", _("fetched")

    class Outcome(models.TextChoices):
        COMPLETE = "complete", _("complete")
        DIFFERS = "differs", _("another number than the forge says")
        UNCHECKED = "unchecked", _("the forge did not say its number")
        GONE = "gone", _("not on the forge")

    harvest = models.ForeignKey(Harvest, models.CASCADE, related_name="repositories")
    position = models.PositiveSmallIntegerField()
    origin = models.ForeignKey("self", models.RESTRICT, null=True, related_name="+")
    forge = models.CharField(max_length=16, help_text="github or gitee")
    host = models.CharField(max_length=253)
    path = models.CharField(max_length=300, help_text="As asked for")
    base_url = models.CharField(max_length=300, help_text="Of the forge's REST interface")
    moved_to = models.CharField(max_length=300, blank=True, help_text="The path to which the forge led on")
    phase = models.CharField(max_length=16, choices=Phase, default=Phase.COUNTING)
    next_url = models.TextField(blank=True)
    since = models.DateTimeField(null=True, help_text="A refresh asks for changes from this moment on")
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    expected = models.JSONField(
        null=True, help_text="The forge's counts before the walk: {issues, pull_requests}"
    )
    counted = models.JSONField(null=True, help_text="The forge's counts after the walk")
    outcome = models.CharField(max_length=16, choices=Outcome, blank=True)
    trouble = models.TextField(blank=True, help_text="Why the walk stands still or ended early, for people")
    requests = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Sent to its forge for this walk, each try counted"
    )
    waited = models.FloatField(
        default=0.0, db_default=0.0, help_text="Seconds without a request: limits, faults, the pace"
    )
    missing_url = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="The page that could not be had; the walk goes on at it",
    )

    class Meta:
        verbose_name_plural = "harvested repositories"
        constraints = [
            models.UniqueConstraint(
                "harvest", "host", Lower("path"), name="repository_is_harvested_once_a_run"
            ),
            models.CheckConstraint(
                name="a_walk_ends_with_an_outcome",
                condition=Q(phase="done", finished_at__isnull=False) & ~Q(outcome="")
                | ~Q(phase="done") & Q(finished_at=None),
            ),
        ]

    def __str__(self) -> str:
        return self.path


class HarvestPage(models.Model):
    """One answer of a forge, journalled in the transaction that stored its rows. Addresses hold no token."""

    repository = models.ForeignKey(HarvestedRepository, models.CASCADE, related_name="pages")
    position = models.PositiveIntegerField(help_text="In the walk over its repository, from 1")
    phase = models.CharField(max_length=16, choices=HarvestedRepository.Phase)
    url = models.TextField()
    next_url = models.TextField(blank=True)
    status = models.PositiveSmallIntegerField()
    etag = models.CharField(max_length=200, blank=True)
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the answer's body")
    records = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(null=True, help_text="Of the whole list, if its forge says it")
    fetched_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "position"], name="a_page_has_its_place_in_a_walk")
        ]
        triggers = [pgtrigger.Protect(name="journal_stays_as_written", operation=pgtrigger.Update)]

    def __str__(self) -> str:
        return self.url


class HarvestedIssue(models.Model):
    """An issue or a pull request that a forge listed, as it spelled it; the newest answer counts.

    `outcome` is what became of it: outside the window, gone from the forge during the walk, a pull request
    that was left out, without a keyword, with keywords only in addresses and the like, not storable, or kept.
    Empty until the issues were chosen. What was kept stays so, also when a later refresh finds it gone from
    the forge. `record` is JSON as text: a text of a forge may hold NUL, which jsonb refuses.
    """

    class Outcome(models.TextChoices):
        OUTSIDE = "outside", _("opened outside the window")
        PULL_REQUEST = "pull_request", _("pull request, left out")
        VANISHED = "vanished", _("no longer on the forge")
        UNMATCHED = "unmatched", _("no keyword")
        PATH_ONLY = "path_only", _("keywords only in addresses, paths or names")
        REFUSED = "refused", _("cannot be stored")
        KEPT = "kept", _("kept")

    repository = models.ForeignKey(HarvestedRepository, models.CASCADE, related_name="listed")
    number = models.CharField(max_length=40)
    forge_id = models.CharField(
        max_length=40, blank=True, default="", db_default="", help_text="The forge's own id, if it said it"
    )
    record = models.TextField(blank=True, help_text="JSON; empty if it is outside the window")
    is_pull_request = models.BooleanField()
    opened_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    comment_count = models.PositiveIntegerField(null=True, help_text="As its forge says")
    vanished_at = models.DateTimeField(null=True, help_text="When its forge had it no longer")
    page = models.ForeignKey(HarvestPage, models.RESTRICT, related_name="+")
    outcome = models.CharField(max_length=16, choices=Outcome, blank=True)
    is_matched = models.BooleanField(
        default=False, db_default=False, help_text="The latest selection chose it"
    )
    was_matched = models.BooleanField(
        default=False, db_default=False, help_text="The selection before the latest one chose it"
    )
    kept_by_hand = models.BooleanField(default=False, help_text="Kept by a lead, although no list found it")
    issue = models.ForeignKey(Issue, models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["repository", "number"], name="issue_is_listed_once")]
        indexes = [
            models.Index(fields=["repository", "outcome"], name="harvested_issues_by_outcome"),
            models.Index(fields=["repository", "forge_id"], name="harvested_issues_by_forge_id"),
        ]

    def __str__(self) -> str:
        return f"#{self.number}"


class HarvestedComment(models.Model):
    """A comment that a forge listed, as it spelled it; the newest answer counts."""

    repository = models.ForeignKey(HarvestedRepository, models.CASCADE, related_name="comments")
    forge_id = models.CharField(max_length=40)
    number = models.CharField(max_length=40, help_text="Of its issue")
    record = models.TextField(help_text="JSON")
    opened_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    page = models.ForeignKey(HarvestPage, models.RESTRICT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "forge_id"], name="comment_is_listed_once")
        ]
        indexes = [models.Index(fields=["repository", "number", "opened_at"], name="comments_of_an_issue")]

    def __str__(self) -> str:
        return self.forge_id


class QuietForge(models.Model):
    """A forge that asked a study for no request before a moment; past moments count for nothing."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="+")
    base_url = models.CharField(max_length=300, help_text="Of the forge's REST interface")
    until = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "base_url"], name="a_forge_is_quiet_once_for_a_study")
        ]

    def __str__(self) -> str:
        return f"{self.base_url} until {self.until:%Y-%m-%d %H:%M:%S}"


class Selection(models.Model):
    """One pass that chose among the fetched issues: by which lists, and how many remained at each step.

    `counts` are the numbers of the flow figure by repository; `terms` say for each list how often each term
    was found. A pass that was cut off goes on after `searched_to`.
    """

    harvest = models.ForeignKey(Harvest, models.CASCADE, related_name="selections")
    lists = models.ManyToManyField(KeywordListVersion, related_name="+")
    counts = models.JSONField(default=dict)
    terms = models.JSONField(default=list)
    searched_to = models.BigIntegerField(
        default=0, db_default=0, help_text="Id of the last fetched issue that was looked at"
    )
    finished_at = models.DateTimeField(null=True)
    chosen_at = models.DateTimeField(default=clock.now, editable=False)
    chosen_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    def __str__(self) -> str:
        return f"selection {self.pk} of harvest {self.harvest_id}"


class ForgeToken(models.Model):
    """A token for one host of a forge, encrypted; used by harvests of its study, and never shown again."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="forge_tokens")
    host = models.CharField(max_length=253)
    sealed = models.BinaryField()
    name = models.CharField(max_length=60, blank=True, help_text="What a person calls it")
    given_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    given_at = models.DateTimeField(default=clock.now, editable=False)
    refused_at = models.DateTimeField(null=True, help_text="When its forge last refused it")

    class Meta:
        indexes = [models.Index(fields=["study", "host"], name="tokens_of_a_host")]

    def __str__(self) -> str:
        return f"token for {self.host}"
