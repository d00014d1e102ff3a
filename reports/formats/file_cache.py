"""Report files on disk, named by the digest and the moment of their content, and kept for a day."""

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from django.conf import settings

from core.models import Job
from studies.models import Study

FOLDER = "reports"
GIVEN_AGAIN = 60 * 60
"""Seconds for which a request for the same content gets the existing file."""
KEPT = 24 * 60 * 60 + GIVEN_AGAIN
"""Seconds that a file is kept; the next new file after that removes it."""


def located(name: str) -> Path:
    return Path(settings.DATA_DIR) / FOLDER / name


def has(name: str) -> bool:
    return located(name).is_file()


def named(digest: str, form: str, moment: datetime) -> str:
    """The name of a file with this digest and moment."""
    return f"{digest}-{int(moment.timestamp() * 1_000_000)}.{form}"


def moment_of(name: str) -> datetime:
    """The moment of a file's content, from its name."""
    return datetime.fromtimestamp(int(name.partition(".")[0].rpartition("-")[2]) / 1_000_000, tz=UTC)


def recent(digest: str, form: str) -> str | None:
    """The name of the newest file with this digest, if it is younger than GIVEN_AGAIN; else None."""
    names = sorted(path.name for path in located("").glob(f"{digest}-*.{form}"))
    with suppress(FileNotFoundError):
        if names and located(names[-1]).stat().st_mtime > time.time() - GIVEN_AGAIN:
            return names[-1]
    return None


def put(name: str, content: bytes) -> None:
    """Store a file atomically, and remove files older than KEPT."""
    path = located(name)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    for other in path.parent.iterdir():
        with suppress(FileNotFoundError):  # another worker was faster
            if other.stat().st_mtime < time.time() - KEPT:
                other.unlink()
    unfinished = path.with_name(uuid4().hex)
    unfinished.write_bytes(content)
    unfinished.replace(path)


def remove(names: Iterable[str]) -> None:
    """Delete these files; those that are gone already are no error."""
    for name in names:
        located(name).unlink(missing_ok=True)


def of_study(_study: Study, jobs: Iterable[Job]) -> Iterator[Path]:
    """The files that jobs of a study have made."""
    for job in jobs:
        if name := job.result.get("file"):
            yield located(str(name))
