"""Kept packages: the jobs that make them, their files, and who may read them."""

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet

from core import clock
from core.models import Job
from replication.errors import PackageGone, PackageHeldBack
from reports.queries.report_files import Runs, readable, runs
from rounds.models import Round
from rounds.queries.blindness import keeps_frozen
from studies.models import Membership, Study
from studies.rules import may_lead, may_read_revealed

MAKING = "replication.make_package"
"""The kind of the jobs that make a package. Their arguments have the ids of `study` and `round`, all members
who `asked`, the `member` of these whose job it is, `without_coached`, what this member may `see`
(`sight_of`), and `removed` once something that can be in the package was removed from the study.
"""

KEPT = timedelta(days=1)
SHOWN = 10


def located(job: Job) -> Path:
    """The file of a finished job; it can be gone."""
    return Path(settings.PACKAGES_DIR) / f"{job.pk}.zip"


def kept_until(job: Job) -> datetime | None:
    return job.finished_at and job.finished_at + KEPT


def sight_of(round_: Round, member: Membership) -> dict[str, Any]:
    """What decides about the content of a package beside the state of the study: members with the same sight
    get the same bytes. Owners and leads see the same findings, interviews and meetings, so only the issues
    that they may read, and whether they may read frozen reports, can differ; everybody else has a sight of
    their own. Four small queries.
    """
    seen = str(runs(readable(round_, member))).encode()
    return {
        "of": 0 if may_lead(member) else member.pk,
        "issues": hashlib.sha256(seen).hexdigest(),
        "frozen": not keeps_frozen(round_, member).exists(),
    }


def who_asked(job: Job) -> list[int]:
    """The members who wait for this package, in the order in which they asked."""
    return list(job.arguments.get("asked") or [job.arguments["member"]])


def still_waiting(job: Job, round_: Round) -> Membership:
    """Of those who asked for a package the first who may still have it, else the one whose job it is."""
    members = Membership.objects.select_related("study").in_bulk(who_asked(job))
    asked = job.arguments["sight"]
    for pk in who_asked(job):
        member = members.get(pk)
        if member is None or member.left_at or not may_read_revealed(member):
            continue
        now = sight_of(round_, member)
        if (now["of"], now["frozen"]) == (asked["of"], asked["frozen"]):
            return member
    return Membership.objects.select_related("study").get(pk=job.arguments["member"])


def packages_of(round_: Round, member: Membership) -> QuerySet[Job]:
    """The jobs for packages of this round that this member may follow, newest first: their own, and as owner
    or lead those of the others.
    """
    own = Q(arguments__member=member.pk)
    shared = Q(arguments__sight__of=0) if may_lead(member) else Q()
    asked = Job.objects.filter(kind=MAKING, arguments__round=round_.pk)
    return asked.filter(own | shared).order_by("-pk")


def kept_packages(round_: Round, member: Membership) -> list[Job]:
    """Packages of this round that are being made, or are kept, that this member may follow. One query."""
    unfinished, made = Q(finished_at=None), Q(state=Job.State.DONE, finished_at__gt=clock.now() - KEPT)
    found = packages_of(round_, member).filter(unfinished | made)
    return list(found.exclude(arguments__has_key="removed")[:SHOWN])


def finished_package(job: Job, round_: Round, member: Membership) -> Path:
    """The file of this job. The queries of `readable`.

    Raises PackageGone if the file was not made or is no longer kept, and PackageHeldBack if the member may
    not read everything in it: an issue is withheld from them, or no longer revealed, or their role changed.
    """
    until, path = kept_until(job), located(job)
    is_kept = job.state == Job.State.DONE and until is not None and until > clock.now()
    if not is_kept or job.arguments.get("removed") or not path.is_file():
        raise PackageGone
    leads = bool(job.result["leads"])
    if (
        not may_read_revealed(member)
        or (leads and not may_lead(member))
        or not _sees(job.result["issues"], round_, member)
        # Frozen reports also have the labels of issues that the member is to look at a second time.
        or (job.arguments["sight"]["frozen"] and keeps_frozen(round_, member).exists())
    ):
        raise PackageHeldBack
    return path


def _sees(issues: Runs, round_: Round, member: Membership) -> bool:
    seen = readable(round_, member)
    return all(one in seen for first, last in issues for one in range(first, last + 1))


def jobs_with_files(paths: Iterable[Path]) -> set[int]:
    """The ids of those jobs for these files that still need them: jobs that run, and finished jobs whose file
    is kept. A job is not among them once its study is gone, or something was removed from it. Two queries.
    """
    ids = [int(path.stem) for path in paths if path.stem.isdecimal()]
    made = Q(state=Job.State.DONE, finished_at__gt=clock.now() - KEPT)
    found = Job.objects.filter(Q(finished_at=None) | made, pk__in=ids, kind=MAKING)
    studies = {
        pk: job.get("study") for pk, job in found.values_list("pk", "arguments") if not job.get("removed")
    }
    there = set(Study.objects.filter(pk__in=studies.values()).values_list("pk", flat=True))
    return {pk for pk, study in studies.items() if study in there}
