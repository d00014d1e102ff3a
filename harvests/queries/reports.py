"""What the pages of harvests show: their state, how far each repository is, the numbers of the flow figure,
what was left out, the selections and the journal of pages.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import reduce
from operator import add
from typing import Any, Literal, Self

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, Lower
from django.utils import formats, timezone

from accounts.models import User
from core import clock
from core.models import Job
from harvests.models import (
    Harvest,
    HarvestedIssue,
    HarvestedRepository,
    HarvestPage,
    QuietForge,
    Selection,
)
from harvests.queries.harvests import current_versions
from ingest.models import KeywordList, KeywordListVersion
from studies.models import Study
from studies.queries import studies_for

State = Literal[
    "planned", "queued", "running", "waiting", "paused", "failed", "incomplete", "differs", "done"
]
MOVING = frozenset({"queued", "running", "waiting"})
"""States in which a harvest goes on by itself."""

Outcome = HarvestedIssue.Outcome
Ended = HarvestedRepository.Outcome


def harvests_for(user: User | AnonymousUser) -> QuerySet[Harvest]:
    """The harvests of the studies that this user is a member of, newest first."""
    found = Harvest.objects.filter(run__study__in=studies_for(user))
    return found.select_related("run__job", "run__study", "run__created_by").order_by("-pk")


def harvests_of(study: Study) -> QuerySet[Harvest]:
    """The harvests of a study, with their repositories."""
    found = Harvest.objects.filter(run__study=study).select_related("run__job", "run__created_by")
    return found.prefetch_related("repositories")


def unfinished_harvest(study: Study) -> Harvest | None:
    """The newest harvest of a study that was started and is not finished."""
    found = Harvest.objects.filter(run__study=study).exclude(run__job=None)
    found = found.exclude(run__counts__has_key="complete")
    return found.select_related("run__job").order_by("-pk").first()


def state_of_harvest(harvest: Harvest, repositories: Iterable[HarvestedRepository]) -> State:
    """The state of a harvest in one word. `incomplete`: pages are missing; `differs`: all is fetched, but a
    repository is gone, or another number is here than its forge counts.
    """
    job = harvest.run.job
    if job and job.finished_at is None:
        return "running" if job.state == Job.State.RUNNING else "queued"
    if harvest.resume_at:
        return "waiting"
    if harvest.run.counts.get("complete"):
        ends = {repository.outcome for repository in repositories}
        return "differs" if ends & {Ended.GONE, Ended.DIFFERS, Ended.UNCHECKED} else "done"
    if job is None:
        return "planned"
    if job.state == Job.State.FAILED:
        return "incomplete" if any(one.trouble and not one.outcome for one in repositories) else "failed"
    return "paused"


def owner_id(repository: HarvestedRepository) -> int:
    """The repository with whose id the fetched issues are stored: a refresh adds to what it refreshes."""
    return repository.origin_id or repository.pk


def lists_to_choose(study: Study) -> QuerySet[KeywordList]:
    """The keyword lists that a harvest can use, by name, each with the repositories `named` by its current
    version.
    """
    newest = KeywordListVersion.objects.filter(keyword_list=OuterRef("pk")).order_by("-number")
    lists = KeywordList.objects.filter(study=study, retired_at=None)
    return lists.annotate(named=Subquery(newest.values("repositories")[:1])).order_by(Lower("name"))


# --- how far it is


@dataclass(frozen=True)
class RepositoryLine:
    """How far the walk over one repository is. `theirs` is the number of issues in the window by the forge's
    latest count, also that of a refresh, None if it did not say it; `ours` that of those which are here, None
    before the count. `quiet_until`: its forge takes no request before.
    """

    repository: HarvestedRepository
    pages: int
    records: int
    theirs: int | None
    ours: int | None
    quiet_until: datetime | None = None

    @property
    def quiet_words(self) -> str:
        """When its forge takes requests again, on the reader's clock; "" if it takes them now."""
        until = self.quiet_until
        return formats.date_format(timezone.localtime(until), "TIME_FORMAT") if until else ""


def repository_lines(repositories: Sequence[HarvestedRepository]) -> list[RepositoryLine]:
    """A line for each of these repositories of one harvest, in their order. At most four queries."""
    pages = HarvestPage.objects.filter(repository__in=repositories).order_by().values("repository")
    told = {
        row["repository"]: row
        for row in pages.annotate(pages=Count("pk"), records=Coalesce(Sum("records"), 0))
    }
    walks = HarvestedRepository.objects.filter(origin__in=repositories).exclude(counted=None)
    later = dict(walks.order_by("pk").values_list("origin", "counted"))
    counted = [owner_id(one) for one in repositories if one.counted]
    stored = HarvestedIssue.objects.filter(
        repository__in=counted, is_pull_request=False, vanished_at=None
    ).exclude(outcome=Outcome.OUTSIDE)
    ours: dict[int, int] = dict(
        stored.order_by().values_list("repository").annotate(issues=Count("pk")) if counted else []
    )
    quiet = _quiet([one for one in repositories if not one.finished_at])
    lines = []
    for one in repositories:
        row = told.get(one.pk, {"pages": 0, "records": 0})
        theirs = (later.get(one.pk) or one.counted or one.expected or {}).get("issues")
        here = ours.get(owner_id(one), 0) if one.counted else None
        until = quiet.get(one.base_url)
        lines.append(RepositoryLine(one, row["pages"], row["records"], theirs, here, until))
    return lines


def _quiet(repositories: Sequence[HarvestedRepository]) -> dict[str, datetime]:
    """Until when the forges of the study of these repositories want no request, by their address."""
    if not repositories:
        return {}
    study = Study.objects.filter(imports__harvest=repositories[0].harvest_id)
    waits = QuietForge.objects.filter(study__in=study, until__gt=clock.now())
    return dict(waits.values_list("base_url", "until"))


def begun_last(repositories: Sequence[HarvestedRepository]) -> datetime | None:
    """When the last walks over these repositories began, also those of refreshes: since then a further one
    asks. The earliest of them; None if none began. One query.
    """
    owners = [owner_id(one) for one in repositories]
    walks = HarvestedRepository.objects.filter(Q(pk__in=owners) | Q(origin__in=owners))
    walks = walks.exclude(outcome=Ended.GONE).exclude(started_at=None).order_by("started_at")
    rows = walks.values_list(Coalesce("origin", "pk"), "started_at")
    latest: dict[int, datetime] = dict(rows)
    return min(latest.values(), default=None)


# --- the flow figure


@dataclass(frozen=True)
class Flow:
    """The numbers of a flow figure, counted from rows. `listed` is `outside` and what is in the window; that
    is `vanished`, `pull_requests` (left out), `refused` and the issues; these are `unmatched`, `path_only`
    and `kept`. Of the kept ones some are `by_hand` or `kept_earlier`, and no list found them this time.
    """

    listed: int = 0
    outside: int = 0
    vanished: int = 0
    pull_requests: int = 0
    refused: int = 0
    unmatched: int = 0
    path_only: int = 0
    by_hand: int = 0
    kept_earlier: int = 0
    kept: int = 0

    @property
    def in_window(self) -> int:
        return self.listed - self.outside

    @property
    def issues(self) -> int:
        return self.in_window - self.vanished - self.pull_requests - self.refused

    @property
    def matched(self) -> int:
        return self.kept - self.by_hand - self.kept_earlier

    @property
    def not_matched(self) -> int:
        return self.issues - self.matched

    def __add__(self, other: Self) -> Self:
        sums = {one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)}
        return type(self)(**sums)

    def as_json(self) -> dict[str, int]:
        """All numbers, also the sums, in the order of the figure."""
        names = (
            "listed", "outside", "in_window", "vanished", "pull_requests", "refused", "issues", "unmatched",
            "path_only", "matched", "by_hand", "kept_earlier", "kept",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}


_NAMES: Mapping[str, str] = {
    Outcome.OUTSIDE: "outside",
    Outcome.PULL_REQUEST: "pull_requests",
    Outcome.VANISHED: "vanished",
    Outcome.UNMATCHED: "unmatched",
    Outcome.PATH_ONLY: "path_only",
    Outcome.REFUSED: "refused",
    Outcome.KEPT: "kept",
}


def flows(repositories: Sequence[HarvestedRepository]) -> dict[int, Flow]:
    """The numbers of each of these repositories, by its id, as they are now. What no selection has looked at
    yet is in none. One query.
    """
    rows = HarvestedIssue.objects.filter(repository__in=[owner_id(one) for one in repositories])
    groups = (
        rows.exclude(outcome="")
        .order_by()
        .values("repository", "outcome", "is_matched", "kept_by_hand")
        .annotate(issues=Count("pk"))
    )
    sums: dict[int, Counter[str]] = defaultdict(Counter)
    for group in groups:
        numbers, issues = sums[group["repository"]], group["issues"]
        numbers["listed"] += issues
        numbers[_NAMES[group["outcome"]]] += issues
        if group["outcome"] == Outcome.KEPT and not group["is_matched"]:
            numbers["by_hand" if group["kept_by_hand"] else "kept_earlier"] += issues
    return {one.pk: Flow(**sums[owner_id(one)]) for one in repositories}


def flow_of(repositories: Sequence[HarvestedRepository]) -> tuple[Flow, dict[int, Flow]]:
    """The numbers of all these repositories together, and of each by its id. One query."""
    each = flows(repositories)
    return reduce(add, each.values(), Flow()), each


# --- what was left out


LEFT_OUT = ("path_only", "unmatched", "by_hand", "pull_requests", "vanished", "refused", "outside")
"""Why an issue was left out, in the order of display; `by_hand` are those that a lead keeps all the same."""

COMPARED = ("gained", "lost")
"""What the latest selection chose and the one before did not, and the other way round."""


def left_out(repositories: Sequence[HarvestedRepository], why: str) -> QuerySet[HarvestedIssue]:
    """The fetched issues of these repositories that were left out for this reason, or that the latest
    selection gained or lost, with their repository.
    """
    rows = HarvestedIssue.objects.filter(repository__in=[owner_id(one) for one in repositories])
    rows = rows.select_related("repository")
    if why in COMPARED:
        return rows.filter(is_matched=why == "gained", was_matched=why == "lost")
    if why == "by_hand":
        return rows.filter(outcome=Outcome.KEPT, kept_by_hand=True, is_matched=False)
    return rows.filter(outcome=next(outcome for outcome, name in _NAMES.items() if name == why))


def shown(row: HarvestedIssue) -> tuple[str, str]:
    """Title and address of a fetched issue; both "" if it lies outside the window."""
    record: dict[str, Any] = json.loads(row.record) if row.record else {}
    title, url = record.get("title"), record.get("html_url")
    is_address = isinstance(url, str) and url.startswith(("https://", "http://"))
    return title if isinstance(title, str) else "", str(url) if is_address else ""


# --- the journal


def journal_of(harvest: Harvest) -> QuerySet[HarvestPage]:
    """The pages of a harvest, in the order in which they were stored, with their repository."""
    return HarvestPage.objects.filter(repository__harvest=harvest).select_related("repository").order_by("pk")


# --- the selection


def own_selection(harvest: Harvest) -> Selection | None:
    """The last finished selection over all that a harvest has fetched; those of its refreshes look only at
    what these fetched.
    """
    return Selection.objects.filter(harvest=harvest).exclude(finished_at=None).order_by("-pk").first()


def earlier_selection(selection: Selection) -> Selection | None:
    """The finished selection before this one, over the same fetched issues."""
    mine = Selection.objects.filter(harvest=selection.harvest_id, pk__lt=selection.pk)
    return mine.exclude(finished_at=None).order_by("-pk").first()


@dataclass(frozen=True)
class Comparison:
    """What a selection changed against the one before: `matched_before`, and the issues gained and lost."""

    before: Selection
    matched_before: int
    gained: int
    lost: int


def compared(selection: Selection, repositories: Sequence[HarvestedRepository]) -> Comparison | None:
    """The latest selection of a harvest against the one before it; None if it is the first. Two queries."""
    before = earlier_selection(selection)
    if before is None:
        return None
    rows = HarvestedIssue.objects.filter(repository__in=[owner_id(one) for one in repositories])
    numbers = rows.aggregate(
        matched_before=Count("pk", filter=Q(was_matched=True)),
        gained=Count("pk", filter=Q(is_matched=True, was_matched=False)),
        lost=Count("pk", filter=Q(is_matched=False, was_matched=True)),
    )
    return Comparison(before, **numbers)


def versions_to_choose(harvest: Harvest, used: Collection[int]) -> list[tuple[KeywordListVersion, int]]:
    """The versions by which issues can be chosen, each with its number of terms: the current one of each
    list in use, and those `used` last. Two queries.
    """
    lists = KeywordList.objects.filter(study=harvest.run.study_id, retired_at=None)
    current = list(current_versions(lists.values_list("pk", flat=True)).values_list("pk", flat=True))
    versions = KeywordListVersion.objects.filter(pk__in=[*current, *used]).select_related("keyword_list")
    versions = versions.annotate(term_count=Count("terms"))
    return [
        (version, version.term_count) for version in versions.order_by(Lower("keyword_list__name"), "-number")
    ]
