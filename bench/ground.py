"""The common parts of benchmarks: a scratch database, a study of full size, rows, clocks. Call `prepare`
before importing any part of Django that reads settings.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote, urlencode

import psycopg2
import psycopg2.errors

from core import embedded
from core.garbage import spare_what_stays

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = ROOT.parent / "shared" / "data" / "published"
DATABASE = "crosscheck_bench"
FULL = 38_736
VOLUNTEERS = 7
SEED = 20250613

# Rough frequencies of themes in a study of this kind: a few are common, most are rare.
THEMES = {
    "B.2": 18, "C.1": 15, "C.9": 14, "C.5": 11, "B.1": 9, "C.2": 7, "C.3": 6, "C.7": 4, "C.4": 4, "B.3": 3,
    "B.4": 3, "C.6": 3, "C.10": 2, "C.8": 1, "A.1": 1, "A.2": 1, "A.3": 1, "A.4": 1,
}  # fmt: skip


EMPTIED = "SET crosscheck.door = 'bench'; TRUNCATE {} CASCADE; RESET crosscheck.door"
"""Empties a table and all that refer to it. The audit is append-only: its owner has to want that."""


@dataclass
class Measurement:
    """One line of the table: the measured work, in words. `bar` is the promise, `met` whether it is kept."""

    work: str
    ours: str
    limit: str = ""
    limit_is: str = ""
    ratio: float | None = None
    bar: str = ""
    met: bool | None = None
    note: str = ""

    @classmethod
    def timed(
        cls, work: str, ours: float, limit: float, limit_is: str, *, most: float | None = None, note: str = ""
    ) -> "Measurement":
        """Seconds, beside the seconds of the limit; the promise is at most `most` seconds, if given."""
        bar, met = ("", None) if most is None else (f"≤ {seconds(most)}", ours <= most)
        return cls(work, seconds(ours), seconds(limit), limit_is, ours / limit, bar, met, note)

    @classmethod
    def p95(
        cls, work: str, times: list[float], limit: float, *, most: float | None = None, note: str = ""
    ) -> "Measurement":
        """The 95th percentile of these requests, beside that of a view with one query."""
        limit_is, note = "a signed-in view with one query, p95", f"median {seconds(median(times))}{note}"
        return cls.timed(f"{work}: p95", percentile(times, 0.95), limit, limit_is, most=most, note=note)

    @classmethod
    def grown(cls, work: str, once: float, thrice: float, *, most: float, note: str) -> "Measurement":
        """Bytes of memory at single and at triple size; the promise is a growth of at most `most` times."""
        times, sizes = thrice / once, f"{megabytes(once)}, {megabytes(thrice)}"
        bar, met = f"flat (≤ {most:g} ×)", times <= most
        return cls(work, sizes, megabytes(once), "once the size", times, bar, met, note)


@dataclass
class Ground:
    """The environment of the benchmarks. `issues` is the size of a full study."""

    folder: Path
    issues: int = FULL
    repeat: int = 3
    say: Callable[[str], None] = print
    _loaded: dict[str, int] = field(default_factory=dict)

    def study(self, issues: int) -> str:
        """The slug of a made study of this size, loaded at the first call. Before a study of at most full
        size, this deletes a larger one, which would slow down all other measurements.
        """
        from replication.actions.published import import_study

        slug = f"made-{issues}"
        if issues <= self.issues < max(self._loaded.values(), default=0):
            self.forget_studies()
        if slug not in self._loaded:
            self.say(f"loading a study of {issues:,} issues …")
            import_study(folder=self.files(issues), slug=slug, owner=owner())
            self._loaded[slug] = issues
        return slug

    def study_of_a_child(self, issues: int) -> dict[str, Any]:
        """The answer of a separate process that loads the made study of this size, for use by `study`."""
        slug = f"made-{issues}"
        answer = child("load", self.files(issues), slug)
        self._loaded[slug] = issues
        return answer

    def forget_studies(self) -> None:
        """Empty the study tables."""
        from django.db import connection

        self._loaded.clear()
        with connection.cursor() as cursor:
            cursor.execute(EMPTIED.format("studies_study"))
            cursor.execute("CHECKPOINT")

    def files(self, issues: int) -> Path:
        """A folder of the published layout with this many made issues, written at the first call."""
        folder = self.folder / f"published-{issues}"
        if not folder.exists():
            write_study(folder, issues)
        return folder


def prepare(data: Path) -> None:
    """Start the embedded server of the data folder, make the scratch database, and set Django up with it."""
    os.environ |= {
        "CROSSCHECK_DATA": str(data),
        "REDIS_URL": "",
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
    }
    at = embedded.ensure_postgres(data, durable=True)
    _administer(at, f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)", f"CREATE DATABASE {DATABASE}")
    where = urlencode({"host": at["host"], "port": at["port"]})
    os.environ["DATABASE_URL"] = f"postgres://{quote(at['user'])}@/{DATABASE}?{where}"

    import django

    django.setup()
    from django.core.cache import caches
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    embedded.ensure_redis(data)
    caches["template_fragments"].clear()
    spare_what_stays()  # as in a process of the web server


def clear_away(data: Path) -> None:
    """Drop the scratch database and stop using the server."""
    from django.db import connections

    connections.close_all()
    at = embedded.ensure_postgres(data, durable=True)
    _administer(at, f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
    embedded.release(data)


def _administer(at: dict[str, str], *statements: str) -> None:
    connection = psycopg2.connect(**at, dbname="postgres")
    connection.autocommit = True
    try:
        for statement in statements:
            for tries_left in range(20, -1, -1):
                try:
                    connection.cursor().execute(statement)
                    break
                except psycopg2.errors.InsufficientPrivilege:  # autovacuum is at work there
                    if not tries_left:
                        raise
                    time.sleep(1)
    finally:
        connection.close()


def owner() -> Any:
    """The account that owns the measured studies."""
    return account("Bench")


def account(name: str) -> Any:
    """The account of this name, made at the first call."""
    from accounts.actions import make_account
    from accounts.models import User

    email = f"{name.replace(' ', '-').lower()}@example.org"
    return User.objects.filter(email=email).first() or make_account(name=name, email=email, password=None)


def rows_of(statement: str, given: list[Any]) -> list[tuple[Any, ...]]:
    """The rows that a statement selects in the scratch database."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement, given)
        return cursor.fetchall()


def write_study(folder: Path, issues: int) -> None:
    """Write a made study of the published layout, with seven volunteers. Its labels are random with a fixed
    seed: 47 % of the issues get seven equal labels, others only by chance; nine of ten labels equal the final
    one. These shares decide the number of distinct tuples, and so the cost of the agreement report.
    """
    chance = random.Random(SEED)
    themes, weights = list(THEMES), list(THEMES.values())
    repositories = 11
    for number in range(repositories):
        name = f"framework-{number + 1}"
        place = folder / name
        place.mkdir(parents=True)
        size = issues // repositories + (number < issues % repositories)
        listed: dict[int, list[str]] = {year: [] for year in (2023, 2024, 2025)}
        finals = chance.choices(themes, weights, k=size)
        with (place / f"{name}.csv").open("w", encoding="utf-8", newline="") as table:
            heads = ",".join(f"Label{n + 1}" for n in range(VOLUNTEERS))
            table.write(f"Issue_URL,{heads},Final_Label\n")
            for issue, final in enumerate(finals):
                url = f"https://github.com/made/{name}/issues/{issue + 1}"
                labels = [final] * VOLUNTEERS
                if chance.random() > 0.47:
                    labels = [
                        final if chance.random() < 0.81 else chance.choices(themes, weights)[0]
                        for _ in labels
                    ]
                table.write(f"{url},{','.join(labels)},{final}\n")
                listed[(2023, 2024, 2024, 2025)[issue % 4]].append(url)
        for year, urls in listed.items():
            (place / f"{name}_{year}.txt").write_text("".join(f"{url}\n" for url in urls), encoding="utf-8")


def child(name: str, *arguments: object) -> dict[str, Any]:
    """The answer of a function of bench/children.py in a separate process."""
    command = [sys.executable, "-m", "bench.children", name, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


@contextmanager
def stopwatch() -> Iterator[list[float]]:
    """A list that contains the seconds of the block once it has ended."""
    seconds: list[float] = []
    began = time.perf_counter()
    yield seconds
    seconds.append(time.perf_counter() - began)


def median_of(times: int, act: Callable[[], object]) -> float:
    """The median of the seconds that `act` takes, after a first call that does not count."""
    act()
    return median(timed(act) for _ in range(times))


def timed(act: Callable[[], object]) -> float:
    with stopwatch() as seconds:
        act()
    return seconds[0]


def percentile(values: list[float], share: float) -> float:
    """The smallest value that is at least as large as a `share` of the values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]


def seconds(value: float) -> str:
    return f"{value * 1000:,.1f} ms" if value < 1 else f"{value:,.2f} s"


def megabytes(value: float) -> str:
    return f"{value / 1e6:,.0f} MB"
