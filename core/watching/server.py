"""What the page for administrators shows: of the server, and of no study."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import django
import redis
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Count, Max, Q
from django.utils.translation import gettext as _

from core import clock
from core.models import Job
from core.upkeep.doctor import Finding, findings
from core.version import version
from core.watching import workers
from core.watching.problems import Group, Problem, grouped, problems
from core.watching.store import store

SHOWN = 20
"""Jobs of a list."""
LOOKED_AT = 1000
"""So many of the newest jobs are looked through for failed ones."""


@dataclass(frozen=True)
class Part:
    """A part of the server in the reader's words."""

    name: str
    found: Finding


@dataclass(frozen=True)
class Worker:
    """A program that runs jobs; `is_well` if it was seen within a minute."""

    name: str
    seen: datetime
    is_well: bool


def parts() -> list[Part]:
    """What `doctor` finds."""
    names = {
        "database": _("Database"),
        "migrations": _("Tables of the database"),
        "triggers": _("Triggers"),
        "role": _("Rights of the database role"),
        "redis": "Redis",
        "worker": _("Running of jobs"),
        "jobs": _("Waiting jobs"),
        "disk": _("Disk"),
        "backup": _("Backup"),
        "mail": _("Mail"),
    }
    return [Part(names.get(found.part, found.part), found) for found in findings()]


def versions() -> Iterator[tuple[str, str]]:
    """Each program of the server with its version."""
    yield "Crosscheck", version()
    yield "Python", ".".join(map(str, sys.version_info[:3]))
    yield "Django", django.get_version()
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        yield "PostgreSQL", cursor.fetchone()[0]
    try:
        yield "Redis", store().info("server")["redis_version"]
    except redis.RedisError:
        yield "Redis", "—"
    applied = MigrationRecorder(connection).migration_qs.count()
    yield _("Changes of tables applied"), str(applied)


def unfinished_jobs() -> list[Job]:
    """The oldest jobs that wait or run, SHOWN at most, with how many there are in `state_counts`."""
    return list(Job.objects.filter(finished_at=None).order_by("pk")[:SHOWN])


def state_counts() -> dict[str, int]:
    """How many jobs wait and run."""
    waiting = Count("pk", filter=Q(state=Job.State.QUEUED))
    running = Count("pk", filter=Q(state=Job.State.RUNNING))
    return Job.objects.filter(finished_at=None).aggregate(waiting=waiting, running=running)


def failed_jobs() -> list[Job]:
    """The newest failed jobs, SHOWN at most, of the last LOOKED_AT jobs."""
    newest = Job.objects.aggregate(found=Max("pk"))["found"] or 0
    return list(Job.objects.filter(pk__gt=newest - LOOKED_AT, state=Job.State.FAILED).order_by("-pk")[:SHOWN])


def seen_workers() -> list[Worker]:
    """The workers of the last day, the latest first; none where Redis does not answer."""
    try:
        found = workers.workers_seen()
    except redis.RedisError:
        return []
    now = clock.now()
    return [Worker(name, at, now - at <= workers.AGE) for name, at in found.items()]


@dataclass(frozen=True)
class Errors:
    """Recent errors; `found` are those with the id that was asked for."""

    groups: list[Group]
    found: list[Problem]
    is_known: bool = True


def recent_errors(asked: str = "") -> Errors:
    """The recent errors, and of them those with this id; `is_known` is false without Redis."""
    try:
        every = problems()
    except redis.RedisError:
        return Errors([], [], is_known=False)
    return Errors(grouped(every)[:50], [one for one in every if asked and one.id == asked])
