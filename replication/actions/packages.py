"""Packages as jobs: ask for one, make it in a worker, and remove it from the server."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import F, Func, JSONField, Value
from django.utils.translation import gettext as _

from core.jobs import enqueue
from core.models import Job
from core.sql import replica
from core.sql.snapshots import snapshot
from core.upkeep.leftovers import sweep, work_folder
from replication.errors import PackageGone
from replication.package import MANIFEST, write_package
from replication.queries.moments import last_change
from replication.queries.packages import MAKING, jobs_with_files, located, sight_of, who_asked
from reports.errors import ReportNotForYou
from reports.formats.files import named_for
from reports.queries.report_files import readable, runs
from rounds.actions.seals import seal_for_package
from rounds.models import Round
from rounds.queries.blindness import Reader, withheld_issues
from rounds.queries.rounds import revealed, revealed_labels
from studies.actions.copies import hold_study
from studies.models import Membership
from studies.rules import may_lead, may_read_revealed

Report = Callable[[int, int | None, str], None]


@transaction.atomic
def ask_for_package(*, round_: Round, by: Membership, without_coached: bool = False) -> Job:
    """The job that makes the package of the round for this member. Of several who ask for the same state of
    the study before it is made, and may see the same, all get one job.
    """
    # Two who ask at once: the second waits here, then finds the job of the first.
    hold_study(round_.study_id)
    arguments = {
        "study": round_.study_id,
        "round": round_.pk,
        "without_coached": without_coached,
        "state": last_change(round_, withheld_issues(round_, by), by).isoformat(),
        "sight": sight_of(round_, by),
    }
    same = Job.objects.filter(kind=MAKING, finished_at=None, cancel_requested_at=None)
    same = same.filter(arguments__contains=arguments).exclude(arguments__has_key="removed")
    job = same.select_for_update(no_key=True, of=("self",)).order_by("pk").first()
    if job is None:
        return enqueue(MAKING, arguments={**arguments, "member": by.pk, "asked": [by.pk]}, by=by.user)
    if by.pk not in (asked := who_asked(job)):
        job.arguments["asked"] = [*asked, by.pk]
        job.save(update_fields=["arguments"])
    return job


def leave_package(job: Job, user: AbstractBaseUser | AnonymousUser) -> bool:
    """Take a user from those who asked for a package; the next of them has the job then. False if nobody else
    waits for it. The caller holds the job.
    """
    asked = who_asked(job)
    members = Membership.objects.filter(pk__in=asked, left_at=None, user__isnull=False)
    waiting = {one.pk: one for one in members.exclude(user=user.pk).select_related("user")}
    left = [pk for pk in asked if pk in waiting]
    if not left:
        return False
    job.arguments |= {"asked": left, "member": left[0]}
    job.created_by = waiting[left[0]].user
    job.save(update_fields=["arguments", "created_by"])
    return True


def make_package(*, job: Job, round_: Round, by: Membership, report: Report) -> dict[str, Any]:
    """Write the package of a job beside the kept packages, then move it there; returns the job's result.

    The package and what decides who may read it are read at one moment. Raises ReportNotForYou, PackageGone
    if something was removed from the study since the job was asked for, and errors of `report`.
    """
    if by.left_at or not may_read_revealed(by):
        raise ReportNotForYou
    asked, now = job.arguments["sight"], sight_of(round_, by)
    if (asked["of"], asked["frozen"]) != (now["of"], now["frozen"]):
        # Others may wait for the package that this member could read when they asked.
        raise PackageGone
    without = bool(job.arguments["without_coached"])
    target = located(job)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    report(0, None, _("counting labels"))
    with work_folder("package", target.parent) as folder:
        written = folder / target.name

        def write() -> dict[str, Any]:
            with snapshot():
                blind = withheld_issues(round_, by)
                # About: a row per label, and three per issue.
                rows = revealed_labels(round_).count() + 3 * revealed(round_).count()
                hashes = write_package(
                    round_,
                    written,
                    blind=blind,
                    reader=Reader(by),
                    without_coached=without,
                    told=_counted(rows, report),
                )
                return {
                    "as_of": last_change(round_, blind, by).isoformat(),
                    "manifest": hashes[MANIFEST],
                    "withheld": blind.count(),
                    "issues": runs(readable(round_, by)),
                    "rows": rows,
                }

        seal_for_package(round_)  # writes, and what follows reads in a transaction that only reads
        made = replica.reading(write)
        if Job.objects.filter(pk=job.pk, arguments__removed=True).exists():
            raise PackageGone
        written.replace(target)
    return {
        "name": named_for(round_, "-without-coached.zip" if without else ".zip"),
        "bytes": target.stat().st_size,
        "leads": may_lead(by),
        **made,
    }


def _counted(total: int, report: Report) -> Callable[[str, int], None]:
    """Reports the rows that were written, of so many."""
    done = 0

    def told(name: str, rows: int) -> None:
        nonlocal done
        done = min(done + rows, total)
        report(done, total, name)

    return told


@transaction.atomic
def remove_packages(study_id: int) -> None:
    """Remove the packages of a study from this server, also those that are being made. Their rows stay, and
    say that they were removed. The caller holds the study.
    """
    mark = Value({"removed": True}, JSONField())
    removed = Func(F("arguments"), mark, template="(%(expressions)s)", arg_joiner=" || ")
    Job.objects.filter(kind=MAKING, arguments__study=study_id).update(arguments=removed)
    transaction.on_commit(sweep_packages)


def sweep_packages() -> list[Path]:
    """Delete the packages that are no longer kept, and what killed jobs left of others; return the paths of
    the packages.
    """
    folder = Path(settings.PACKAGES_DIR)
    sweep(folder)
    paths = list(folder.glob("*.zip"))
    needed = jobs_with_files(paths) if paths else set()
    gone = [path for path in paths if not (path.stem.isdecimal() and int(path.stem) in needed)]
    for path in gone:
        with suppress(FileNotFoundError):  # another sweep was faster
            path.unlink()
    return gone
