"""Uploaded files on disk, below the data folder and under names that the server chooses."""

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4
from zipfile import ZipFile, ZipInfo

from django.conf import settings

from core.models import Job
from ingest.models import Import
from ingest.readers import Sniffed
from studies.models import Study

FOLDER = "uploads"
PIECE = 1 << 20


class Readable(Protocol):
    """Anything that can be read in pieces: an open file, an uploaded file, standard input."""

    def read(self, size: int = -1, /) -> bytes: ...


class TooLong(Exception):
    """A stream had more bytes than the limit."""


def keep(stream: Readable, limit: int) -> tuple[str, int, str]:
    """Write `stream` to a new file; return its path below the data folder, its size in bytes and its SHA-256.
    Keeps one piece in memory. Raises TooLong past `limit` bytes; after any error no file is left.
    """
    relative = f"{FOLDER}/{uuid4().hex}"
    path = located(relative)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("xb") as target:
            while piece := stream.read(PIECE):
                size += len(piece)
                if size > limit:
                    raise TooLong  # noqa: TRY301 - the file goes with every failure
                digest.update(piece)
                target.write(piece)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return relative, size, digest.hexdigest()


def keep_together(streams: Iterable[tuple[str, Readable]], limit: int) -> tuple[str, int, str]:
    """Write files with their names into one new ZIP archive, not compressed; return its path, the size of the
    files in bytes, and the SHA-256 of the archive. As `keep` otherwise.
    """
    relative = f"{FOLDER}/{uuid4().hex}"
    path = located(relative)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    size = 0
    try:
        with ZipFile(path, "x") as archive:
            for name, stream in streams:
                # ZipInfo's default time is a constant: the same files give the same archive.
                with archive.open(ZipInfo(name), "w", force_zip64=True) as target:
                    while piece := stream.read(PIECE):
                        size += len(piece)
                        if size > limit:
                            raise TooLong  # noqa: TRY301 - the file goes with every failure
                        target.write(piece)
        with path.open("rb") as kept:
            digest = sha256_of(kept)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return relative, size, digest


@contextmanager
def workplace(relative: str) -> Iterator[Path]:
    """An empty folder beside a kept file for the block; what a killed run left in it is deleted first."""
    folder = located(f"{relative}.d")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def located(relative: str) -> Path:
    return Path(settings.DATA_DIR) / relative


def discard(relative: str) -> None:
    """Delete a kept file and its workplace; a missing file is no error."""
    if relative:
        located(relative).unlink(missing_ok=True)
        shutil.rmtree(located(f"{relative}.d"), ignore_errors=True)


def sha256_of(stream: BufferedReader) -> str:
    """SHA-256 of a whole file, in hexadecimal."""
    return hashlib.file_digest(stream, "sha256").hexdigest()


def as_sniffed(mapping: dict[str, Any]) -> Sniffed:
    """The way in which a file will be read, from `Import.mapping`."""
    known: dict[str, Any] = dict(mapping)
    for name in ("columns", "sample", "inner", "only"):
        known[name] = tuple(mapping.get(name, ()))
    known["parts"] = tuple(as_sniffed(part) for part in mapping.get("parts", ()))
    return Sniffed(**known)


def of_study(study: Study, _jobs: Iterable[Job]) -> Iterator[Path]:
    """The kept files of a study's imports."""
    for path in Import.objects.filter(study=study).exclude(path="").values_list("path", flat=True):
        yield located(path)
