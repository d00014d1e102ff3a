"""What an administrator asks first: does each part of this server work, and would a backup save it?"""

import json
import shutil
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from core import clock
from core.models import Job
from core.sql import replica
from core.upkeep.making import LAST
from core.upkeep.roles import before_migrate, is_before_migrate, role
from core.watching.folders import elsewhere
from core.watching.store import store
from core.watching.workers import AGE, workers_seen

ROOM = 1 << 30
"""Bytes that must be free where the data are."""
BACKUP_AGE = timedelta(hours=36)


@dataclass(frozen=True)
class Finding:
    """One part of the server: `ok` is None where the part is missing on purpose, or could be better."""

    part: str
    ok: bool | None
    said: str


NEEDED = ("database", "migrations", "role", "redis", "worker", "disk")
"""The parts without which a server is not ready; one of them can be a warning."""


def findings(parts: Collection[str] = ()) -> Iterator[Finding]:
    """Each part in turn, or these; a part that cannot be asked is wrong, and the others are asked
    nevertheless.
    """
    for part, ask in _ASKED.items():
        if parts and part not in parts:
            continue
        try:
            ok, said = ask()
        except Exception as error:  # noqa: BLE001 - whatever is broken, the others are asked
            ok, said = False, str(error).strip() or type(error).__name__
            if is_before_migrate(error):
                said = before_migrate()
        yield Finding(part, ok, said)


def _database() -> tuple[bool, str]:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return True, f"PostgreSQL {cursor.fetchone()[0]}"


def _migrations() -> tuple[bool, str]:
    executor = MigrationExecutor(connection)
    if not (waiting := executor.migration_plan(executor.loader.graph.leaf_nodes())):
        return True, _("the tables are those of this version")
    names = ", ".join(f"{migration.app_label}.{migration.name}" for migration, _back in waiting[:3])
    return False, _("not applied: %(names)s. Run manage.py migrate.") % {"names": names}


def _triggers() -> tuple[bool, str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), count(*) FILTER (WHERE tgenabled = 'D') FROM pg_trigger WHERE NOT tgisinternal"
        )
        found, off = cursor.fetchone()
    if off:
        return False, _("%(off)d of %(found)d are switched off") % {"off": off, "found": found}
    return found > 0, _("%(found)d guard the labels") % {"found": found}


def _redis() -> tuple[bool, str]:
    return bool(store().ping()), _("answers")


def _worker() -> tuple[bool, str]:
    seen = next(iter(workers_seen().values()), None)
    if seen is None or clock.now() - seen > AGE:
        return False, _("nothing runs jobs: imports, reports and exports wait")
    return True, _("seen at %(at)s UTC") % {"at": f"{seen.astimezone(UTC):%H:%M:%S}"}


def _jobs() -> tuple[bool, str]:
    late = Job.objects.filter(
        state=Job.State.QUEUED, created_at__lt=clock.now() - timedelta(minutes=10)
    ).count()
    if late:
        return False, _("%(n)d wait for longer than ten minutes") % {"n": late}
    return True, _("none waits for longer than ten minutes")


def _disk() -> tuple[bool, str]:
    free = shutil.disk_usage(settings.DATA_DIR).free
    said = {
        "free": filesizeformat(free),
        "folder": settings.DATA_DIR,
        "margin": filesizeformat(settings.DISK_MARGIN),
    }
    if free < settings.DISK_MARGIN:
        words = _("full: %(free)s free in %(folder)s. Nothing is saved until %(margin)s are free.")
        return False, words % said
    return free >= ROOM, _("%(free)s free in %(folder)s") % said


def _files() -> tuple[bool, str]:
    if names := elsewhere():
        words = _(
            "%(names)s runs jobs in another data folder: uploads and report files are missing on one of the"
            " hosts. Give all hosts one shared folder as CROSSCHECK_DATA."
        )
        return False, words % {"names": ", ".join(names)}
    return True, _("all programs that run jobs use this data folder")


def _backup() -> tuple[bool, str]:
    try:
        last = json.loads((Path(settings.DATA_DIR) / LAST).read_text(encoding="utf-8"))
        at = datetime.fromisoformat(last["at"])
    except (OSError, ValueError, KeyError):
        return False, _("none was made. Run manage.py backup --to FOLDER every day.")
    said = {"at": f"{at:%Y-%m-%d %H:%M} UTC", "path": last["path"]}
    if not last["checked"]:
        return False, _("the last one, of %(at)s, was not checked: %(path)s") % said
    return clock.now() - at <= BACKUP_AGE, _("the last good one is of %(at)s: %(path)s") % said


def _replica() -> tuple[bool | None, str]:
    if not settings.REPLICA:
        return None, _("files are made from the primary database")
    seconds = replica.lag()
    if seconds is None:
        return False, _("CROSSCHECK_REPLICA_URL names a server that is no replica. The primary answers.")
    words = _("%(n).1f s behind. More than %(most).0f s: the primary answers.")
    return seconds <= replica.WAIT, words % {"n": seconds, "most": replica.WAIT}


def _mail() -> tuple[bool | None, str]:
    if not settings.SENDS_MAIL:
        return None, _("no mail is sent: no digests, and no links for forgotten passwords")
    return True, settings.EMAIL_HOST


def register(part: str, ask: Callable[[], tuple[bool | None, str]]) -> None:
    """Have the doctor ask a part of a room above, last."""
    _ASKED[part] = ask


_ASKED: dict[str, Callable[[], tuple[bool | None, str]]] = {
    "database": _database,
    "migrations": _migrations,
    "triggers": _triggers,
    "role": role,
    "redis": _redis,
    "worker": _worker,
    "jobs": _jobs,
    "disk": _disk,
    "files": _files,
    "backup": _backup,
    "replica": _replica,
    "mail": _mail,
}
