"""Plans, starts, pauses and refreshes harvests. Each run of a harvest is a job; harvests.actions.fetching has
its work.
"""

import logging
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import User
from core import clock, jobs
from core.errors import DomainError
from core.fetch.addresses import Refused, Target, checked, target_of
from core.fetch.errors import AddressRefused
from core.fetch.network import resolve
from core.models import Job
from harvests.actions.pages import Phase
from harvests.actions.walks import OVERLAP
from harvests.errors import HarvestFetched, HarvestIdle, HarvestRefused, HarvestRunning, HarvestUnfinished
from harvests.models import Harvest, HarvestedRepository
from harvests.queries.forge_clients import FORGES, RepositoryAsked, host_of, tokens_of
from harvests.queries.harvests import current_versions
from ingest.forges.naming import MOST
from ingest.models import Import, KeywordList
from ingest.rules import may_import
from studies.actions import record
from studies.actions.seats import require_rule
from studies.models import Study

JOB = "ingest.harvest"

_PATH = re.compile(r"[^/\s?#%]{1,100}/[^/\s?#%]{1,150}")
_LONGEST_NAME = 255

log = logging.getLogger(__name__)


def plan_harvest(
    *,
    study: Study,
    repositories: Sequence[RepositoryAsked],
    opened_from: datetime | None,
    opened_before: datetime | None,
    zone: str,
    with_pull_requests: bool,
    with_comments: bool,
    lists: Sequence[KeywordList],
    budget: int | None,
    by: User | None,
) -> Harvest:
    """Store what is to be harvested; asks no forge yet. `budget` are the seconds that one run may take.

    Raises HarvestRefused for a plan that cannot be carried out, AddressRefused for a base address that may
    not be asked, and PermissionDenied.
    """
    _check_window(opened_from, opened_before, zone, budget)
    _check_repositories(repositories)
    _check_lists(study, repositories, lists)
    with transaction.atomic():
        require_rule(study, by, may_import)
        harvest = _store(
            Harvest(
                run=_run(study, repositories, by),
                opened_from=opened_from,
                opened_before=opened_before,
                zone=zone,
                with_pull_requests=with_pull_requests,
                with_comments=with_comments,
                budget=budget,
            ),
            [
                HarvestedRepository(
                    position=position,
                    forge=asked.forge,
                    host=asked.host.lower(),
                    path=asked.path,
                    base_url=asked.base,
                )
                for position, asked in enumerate(repositories, start=1)
            ],
            lists,
        )
        record(study, "harvests.planned", by, name=harvest.run.name)
    return harvest


def _check_window(
    opened_from: datetime | None, opened_before: datetime | None, zone: str, budget: int | None
) -> None:
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise HarvestRefused(
            _("“%(zone)s” is not a time zone. Nothing was stored.") % {"zone": zone[:60]}, field="zone"
        ) from None
    if opened_from and opened_before and opened_before <= opened_from:
        raise HarvestRefused(_("The last day is before the first day. Nothing was stored."), field="last_day")
    if budget is not None and not 0 < budget < 2**31:
        raise HarvestRefused(_("A run needs at least one second. Nothing was stored."), field="budget")


def _check_repositories(repositories: Sequence[RepositoryAsked]) -> None:
    if not 0 < len(repositories) <= MOST:
        raise HarvestRefused(
            _("A harvest has 1 to %(most)d repositories. Nothing was stored.") % {"most": MOST},
            field="repositories",
        )
    seen: set[str] = set()
    for asked in repositories:
        if asked.forge not in FORGES or not _PATH.fullmatch(asked.path) or ".." in asked.path.split("/"):
            raise HarvestRefused(
                _("“%(path)s” is not a repository on GitHub or Gitee. Nothing was stored.")
                % {"path": asked.path[:100]},
                field="repositories",
            )
        if asked.identity in seen:
            raise HarvestRefused(
                _("%(path)s is listed twice. Nothing was stored.") % {"path": asked.path},
                field="repositories",
            )
        seen.add(asked.identity)
    for base in dict.fromkeys(asked.base for asked in repositories):
        _check_base(base)


def _check_base(base: str) -> None:
    """Raise AddressRefused unless the interface is public and speaks https, or its host is allowed."""
    try:
        target = target_of(base, settings.FORGE_HOSTS)
        if base not in {kind.default_base for kind in FORGES.values()}:
            checked(_addresses(target), target)
    except Refused as refused:
        raise AddressRefused(refused) from None
    if "?" in target.path:
        raise HarvestRefused(
            _("The address of a REST interface must not contain “?”. Nothing was stored."), field="bases"
        )


def _addresses(target: Target) -> Sequence[str]:
    """What the host's name leads to now; nothing if that is not known, which the run will tell."""
    try:
        return resolve(target.host, target.port)
    except (OSError, UnicodeError):
        return []


def _check_lists(study: Study, repositories: Sequence[RepositoryAsked], lists: Sequence[KeywordList]) -> None:
    """Raise HarvestRefused unless each repository is named by one of the lists, if there are any."""
    if not lists:
        return
    for one in lists:
        if one.study_id != study.pk or one.retired_at:
            raise HarvestRefused(
                _("The list %(name)s cannot be used here. Nothing was stored.") % {"name": one.name},
                field="lists",
            )
    versions = current_versions(one.pk for one in lists)
    named = [set(version.repositories) for version in versions]
    for asked in repositories:
        if not any(not names or asked.identity in names for names in named):
            raise HarvestRefused(
                _(
                    "No chosen list applies to %(path)s, so no issue of this repository would be kept. "
                    "Nothing was stored. Choose a list for this repository too, or plan another harvest "
                    "for it."
                )
                % {"path": asked.path},
                field="lists",
            )


def _run(study: Study, repositories: Sequence[RepositoryAsked], by: User | None) -> Import:
    paths = [asked.path for asked in repositories]
    return Import(study=study, kind=Import.Kind.HARVEST, name=_name(paths), created_by=by)


def _name(paths: Sequence[str]) -> str:
    """The name of the harvest, without a word of any language: a/b, or a/b + 3 for three more of them."""
    more = len(paths) - 1
    return paths[0][: _LONGEST_NAME - 40] + f" + {more}" if more else paths[0][:_LONGEST_NAME]


def _store(
    harvest: Harvest, repositories: Sequence[HarvestedRepository], lists: Iterable[KeywordList]
) -> Harvest:
    harvest.run.save()
    harvest.run_id = harvest.run.pk
    harvest.save()
    for repository in repositories:
        repository.harvest = harvest
    HarvestedRepository.objects.bulk_create(repositories)
    harvest.lists.set(lists)
    return harvest


@transaction.atomic
def start_harvest(*, harvest: Harvest, by: User | None, rings: bool = True) -> Job:
    """Begin to fetch, or go on with a harvest that is paused, cancelled or failed. When everything is here,
    but a forge did not have a repository or its count differs, ask it again.

    Raises HarvestRunning, HarvestFetched, TokenUnreadable and PermissionDenied. With `rings=False` the caller
    runs the job.
    """
    harvest, run = _locked(harvest, by)
    job = _start(harvest, run, by, rings=rings)
    record(run.study, "harvests.started", by, name=run.name)
    return job


def _locked(harvest: Harvest, by: User | None) -> tuple[Harvest, Import]:
    """The harvest and its run as they are now, locked until the transaction ends."""
    runs = Import.objects.select_for_update(no_key=True, of=("self",)).select_related("job", "study")
    run = runs.get(pk=harvest.run_id)
    require_rule(run.study, by, may_import)
    return Harvest.objects.get(pk=harvest.pk), run


def _start(harvest: Harvest, run: Import, by: User | None, *, rings: bool) -> Job:
    if run.job and run.job.finished_at is None:
        raise HarvestRunning
    repositories = harvest.repositories.all()
    is_fetched = not repositories.exclude(phase=Phase.DONE).exists() and not _reopen(harvest)
    if is_fetched and run.counts.get("complete"):
        raise HarvestFetched
    for base_url in {repository.base_url for repository in repositories}:
        tokens_of(run.study_id, host_of(base_url))
    arguments = {"harvest": harvest.pk, "language": get_language()}
    if rings:
        job = jobs.enqueue(JOB, arguments=arguments, by=by)
    else:
        job = Job.objects.create(kind=JOB, arguments=arguments, created_by=by)
    counts = {name: value for name, value in run.counts.items() if name != "complete"}
    Import.objects.filter(pk=run.pk).update(job=job, counts=counts)
    Harvest.objects.filter(pk=harvest.pk).update(resume_at=None)
    return job


def _reopen(harvest: Harvest) -> int:
    """Let what its forge did not have be asked for again, and what differs be compared again."""
    outcome = HarvestedRepository.Outcome
    ended = {"next_url": "", "outcome": "", "trouble": "", "finished_at": None}
    gone = harvest.repositories.filter(outcome=outcome.GONE)
    first = gone.filter(origin=None).update(phase=Phase.COUNTING, **ended)
    again = gone.exclude(origin=None).update(phase=Phase.LISTING, **ended)
    differs = harvest.repositories.filter(outcome__in=[outcome.DIFFERS, outcome.UNCHECKED])
    return first + again + differs.update(phase=Phase.CHECKING, **ended)


@transaction.atomic
def pause_harvest(*, harvest: Harvest, by: User | None) -> None:
    """End the run at its next page; nothing fetched is lost, and it goes on only when somebody starts it.

    Raises HarvestIdle if it neither runs nor waits, and PermissionDenied.
    """
    harvest, run = _locked(harvest, by)
    runs = run.job is not None and run.job.finished_at is None
    if not runs and harvest.resume_at is None:
        raise HarvestIdle
    if run.job and runs:
        jobs.cancel(run.job)
    Harvest.objects.filter(pk=harvest.pk).update(resume_at=None)
    record(run.study, "harvests.paused", by, name=run.name)


@transaction.atomic
def refresh_harvest(*, harvest: Harvest, by: User | None, rings: bool = True) -> Harvest:
    """Plan and start a harvest that fetches what changed on the forges since this one and its refreshes.

    Raises HarvestUnfinished, TokenUnreadable and PermissionDenied.
    """
    harvest, _run_of_it = _locked(harvest, by)
    root = harvest.refreshes or harvest
    _locked(root, by)
    kin = Harvest.objects.filter(pk=root.pk) | Harvest.objects.filter(refreshes=root)
    if not all(run.counts.get("complete") for run in Import.objects.filter(harvest__in=kin)):
        raise HarvestUnfinished
    repositories = []
    for origin in root.repositories.order_by("position"):
        walks = HarvestedRepository.objects.filter(pk=origin.pk) | HarvestedRepository.objects.filter(
            origin=origin
        )
        repositories.append(_refreshed(origin, walks.order_by("-pk")))
    run = Import(study=root.run.study, kind=Import.Kind.HARVEST, name=root.run.name, created_by=by)
    fields = ("opened_from", "opened_before", "zone", "with_pull_requests", "with_comments", "budget")
    refresh = _store(
        Harvest(run=run, refreshes=root, **{name: getattr(root, name) for name in fields}),
        repositories,
        root.lists.all(),
    )
    record(run.study, "harvests.refreshed", by, name=run.name)
    _start(refresh, run, by, rings=rings)
    return refresh


def _refreshed(origin: HarvestedRepository, walks: QuerySet[HarvestedRepository]) -> HarvestedRepository:
    """The walk that asks for what changed since the last of these walks began, an hour before for safety. If
    that one found nothing, it asks for the same as that one: then the forge can say that it is the same.
    """
    ended = walks.exclude(outcome=HarvestedRepository.Outcome.GONE)
    last = ended.first()
    since = last.started_at - OVERLAP if last and last.started_at else None
    if last and last.origin_id and not last.pages.filter(records__gt=0).exists():
        since = last.since
    newest = walks[0]
    return HarvestedRepository(
        position=origin.position,
        origin=origin,
        forge=origin.forge,
        host=origin.host,
        path=origin.path,
        base_url=origin.base_url,
        moved_to=newest.moved_to,
        phase=Phase.LISTING,
        since=since.replace(microsecond=0) if since else None,
    )


def resume_harvests() -> int:
    """Go on with the harvests whose time to wait is over; return their number."""
    due = Harvest.objects.filter(resume_at__lte=clock.now()).order_by("resume_at")
    due = due.filter(run__study__archived_at=None, run__study__delete_at=None)
    return sum(_resume(harvest) for harvest in due)


def _resume(harvest: Harvest) -> bool:
    try:
        with transaction.atomic():
            harvest, run = _locked(harvest, None)
            if harvest.resume_at is None:
                return False
            _start(harvest, run, run.job.created_by if run.job else None, rings=True)
    except DomainError as error:
        log.warning("harvest %s is not resumed: %s", harvest.pk, error)
        Harvest.objects.filter(pk=harvest.pk).update(resume_at=None)
        return False
    return True
