"""An upgrade while people label: old and new code on one database. `python -m tests.rig.upgrade [COMMIT]`.

The old code makes a database and a study, and serves it. Twenty volunteers label through a front. Meanwhile the new
code migrates, a web server of the new code comes beside the old one, the old one ends, and the new one goes on alone.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg2

from core import embedded
from tests.core.places import free_port
from tests.rig import hosts
from tests.rig.front import Front
from tests.rig.people import Labeller, Ledger, Stored, united
from tests.rig.study import make_study

ROOT = Path(__file__).resolve().parents[2]
PEOPLE = 20
ISSUES = 250
PAUSE = 0.4
PHASE = 8.0
"""Seconds of each part: the old code alone, both, the new code alone."""


class NoHistoryError(Exception):
    """This copy of the code has too little history, or none."""


@dataclass
class Rehearsal:
    """What the upgrade was like for those who label."""

    old: str
    migrations: list[str]
    """Applied meanwhile."""
    ledger: Ledger
    stored: list[Stored]
    connections: Counter[str]
    """By code, old or new."""
    migrated_in: float

    def __str__(self) -> str:
        middle, late = (
            statistics.median(self.ledger.seconds),
            statistics.quantiles(self.ledger.seconds, n=20)[-1],
        )
        answers = ", ".join(
            f"{number} × {status or 'none'}" for status, number in self.ledger.answers.items()
        )
        return (
            f"old {self.old}, {len(self.migrations)} migrations in {self.migrated_in:.1f} s"
            f" ({', '.join(self.migrations)}); {len(self.ledger.acknowledged)} labels acknowledged,"
            f" {len(self.stored)} stored; answers: {answers}; connections: {dict(self.connections)};"
            f" a request took {middle * 1000:.0f} ms (median), p95 {late * 1000:.0f} ms"
        )


def before_the_last_migration() -> str:
    """The newest commit with fewer migrations than this code has. Raises NoHistoryError."""
    try:
        added = _git("log", "-1", "--diff-filter=A", "--format=%H", "--", ":(glob)*/migrations/[0-9]*.py")
        return _git("rev-parse", "--short", f"{added}^") if added else _none()
    except (subprocess.CalledProcessError, FileNotFoundError):
        return _none()


def _none() -> str:
    raise NoHistoryError("this copy has no history, or a shallow one: no earlier code to upgrade from")


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(ROOT), *words], check=True, text=True, capture_output=True
    ).stdout.strip()


@contextmanager
def code_of(commit: str) -> Iterator[Path]:
    """The files of a commit, in a work tree that goes again."""
    folder = Path(tempfile.mkdtemp(prefix="crosscheck-old-"))
    try:
        _git("worktree", "add", "--detach", "--quiet", str(folder / "code"), commit)
        yield folder / "code"
    finally:
        shutil.rmtree(folder)
        _git("worktree", "prune")


def rehearse(old: str, folder: Path) -> Rehearsal:
    """Upgrade from this commit, with a database in this new folder, while twenty people label."""
    environment = {
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "CROSSCHECK_DATA": str(folder),
        "DATABASE_URL": "",
        "REDIS_URL": "",
    }
    given = embedded.ensure_postgres(folder, durable=False) | {"dbname": "crosscheck"}
    embedded.ensure_redis(folder)
    programs = []
    try:
        with code_of(old) as code:
            hosts.manage(code, environment, "manage.py", "migrate", "--verbosity", "0")
            before = applied(given)
            study = make_study(code, environment, issues=ISSUES, people=PEOPLE)
            ports = {"old": ("127.0.0.1", free_port())}
            programs.append(hosts.web(code, ports["old"], environment, folder / "old.log"))
            with Front(ports["old"]) as front:
                people = [
                    Labeller(front.port, one, study.round, study.categories, patient=False, pause=PAUSE)
                    for one in study.people
                ]
                for one in people:
                    one.start()
                time.sleep(PHASE)
                began = time.monotonic()
                hosts.manage(ROOT, environment, "manage.py", "migrate", "--verbosity", "0")
                migrated_in = time.monotonic() - began
                ports["new"] = ("127.0.0.1", free_port())
                programs.append(hosts.web(ROOT, ports["new"], environment, folder / "new.log"))
                front.hosts.append(ports["new"])
                time.sleep(PHASE)
                front.hosts.remove(ports["old"])  # as a front does that is told, or that sees it end
                programs[0].end()
                time.sleep(PHASE)
                ledger = united(people)
        return Rehearsal(
            old=old,
            migrations=sorted(applied(given) - before),
            ledger=ledger,
            stored=labels_in(given, study.round),
            connections=Counter({name: front.given[port] for name, port in ports.items()}),
            migrated_in=migrated_in,
        )
    finally:
        for one in programs:
            one.kill()
        embedded.stop_all(folder)


def applied(given: dict[str, str]) -> set[str]:
    with closing(psycopg2.connect(**given)) as opened, opened.cursor() as cursor:
        cursor.execute("SELECT app || '.' || name FROM django_migrations")
        return {name for (name,) in cursor.fetchall()}


def labels_in(given: dict[str, str], round_id: int) -> list[Stored]:
    """Its labels as they stand in the database."""
    with closing(psycopg2.connect(**given)) as opened, opened.cursor() as cursor:
        cursor.execute(
            "SELECT volunteer_id, issue_id, summary FROM rounds_label WHERE round_id = %s", [round_id]
        )
        return [Stored(*row) for row in cursor.fetchall()]


if __name__ == "__main__":
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    place = Path(tempfile.mkdtemp(prefix="crosscheck-upgrade-"))
    try:
        done = rehearse(sys.argv[1] if sys.argv[1:] else before_the_last_migration(), place)
    except NoHistoryError as error:
        sys.exit(f"Skipped: {error}.")
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print(done)  # noqa: T201 - what the command answers
    lost = set(done.ledger.acknowledged) - set(done.stored)
    sys.exit(f"refused: {done.ledger.refused[:5]}; lost: {lost}" if done.ledger.refused or lost else 0)
