"""An import of a published study that dies at any moment."""

import random
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from typing import Self

import pytest
from django.core.management import call_command
from django.db import connection

from consensus.models import Decision
from ingest.models import Issue, SourceEntry
from rounds.models import Assignment, Label, RoundIssue
from studies.models import Study
from tests.database import as_owner
from tests.long import only_long, sampled
from tests.worlds.apart import environment

pytestmark = [pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]


def _write_large(folder: Path, issues: int) -> Path:
    """One repository of many issues and seven volunteers, with the codes of the preset."""
    codes = [f"C.{number}" for number in range(1, 11)]
    draw = random.Random(3)
    lines = ["Issue_URL,Label1,Label2,Label3,Label4,Label5,Label6,Label7,Final_Label"]
    for number in range(1, issues + 1):
        labels = [draw.choice(codes) for _ in range(7)]
        lines.append(",".join([f"https://github.com/ember/engine/issues/{number}", *labels, labels[0]]))
    (folder / "engine").mkdir(parents=True)
    (folder / "engine" / "engine.csv").write_text("\n".join(lines) + "\n")
    urls = [f"https://github.com/ember/engine/issues/{number}\n" for number in range(1, issues + 1)]
    (folder / "engine" / "engine_2024.txt").write_text("".join(urls))
    return folder


class ImportsApart:
    """Imports of one folder, each in a process of its own that can be killed."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.worlds.imports_apart", str(folder)],
            cwd=ROOT,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def run(self, seconds: float) -> int:
        """How an import ended that was killed after so many seconds if it was not done by then."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


def _counts() -> tuple[int, ...]:
    return tuple(
        model.objects.count()
        for model in (Study, Issue, SourceEntry, RoundIssue, Assignment, Label, Decision)
    )


def _sessions() -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        return {pid for (pid,) in cursor.fetchall()}


def _wait_until_the_server_noticed(others: set[int]):
    """Until the killed process's session is gone: it may still be committing, or rolling back."""
    for _attempt in range(600):
        if _sessions() <= others:
            return
        time.sleep(0.05)
    pytest.fail("the session of a killed import is still there after 30 s")


@pytest.mark.django_db(transaction=True)
@only_long
def test_an_import_killed_at_many_moments_stores_nothing_by_halves_and_then_everything_once(tmp_path):
    folder = _write_large(tmp_path / "labels", issues=300)
    nothing, whole = (0,) * 7, (1, 300, 300, 300, 2100, 2100, 300)

    # A server for browsers that an earlier test needed may have a session of its own.
    others = _sessions()
    with ImportsApart(folder, environment(tmp_path)) as imports:
        started = time.monotonic()
        assert imports.run(600) == 0
        longest = time.monotonic() - started
        assert _counts() == whole
        with as_owner():
            call_command("flush", interactive=False, verbosity=0)

        draw, kills = random.Random(20), sampled(20, 2)
        killed = 0
        while killed < kills:
            # One in each equal part of its life.
            ended = imports.run(longest * (killed + draw.random()) / kills)
            _wait_until_the_server_noticed(others)
            if ended == 0:
                # It was quicker than the one before: aim earlier.
                longest *= 0.9
                assert _counts() == whole
            else:
                assert ended == -signal.SIGKILL
                assert _counts() in {nothing, whole}
                killed += 1
            if _counts() == whole:
                with as_owner():
                    call_command("flush", interactive=False, verbosity=0)

        assert imports.run(600) == 0
    assert _counts() == whole
    again = StringIO()
    call_command("import_study", str(folder), study="engines", stdout=again)
    assert "nothing was done" in again.getvalue()
    assert _counts() == whole
