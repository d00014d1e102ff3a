"""Uploaded files on disk. The server chooses their names, which lie below the data folder."""

import hashlib
from io import BufferedReader
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from django.conf import settings

from ingest.readers import Sniffed

FOLDER = "uploads"
PIECE = 1 << 20


class Readable(Protocol):
    """What can be read piece by piece: an open file, an uploaded file, standard input."""

    def read(self, size: int = -1, /) -> bytes: ...


class TooLong(Exception):
    """A stream held more bytes than may be kept."""


def keep(stream: Readable, limit: int) -> tuple[str, int, str]:
    """Write `stream` to a new file; its path below the data folder, its size in bytes and its SHA-256.

    Holds one piece in memory. Raises TooLong past `limit` bytes; whatever fails, no file is left.
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


def located(relative: str) -> Path:
    return Path(settings.DATA_DIR) / relative


def discard(relative: str) -> None:
    """Remove a kept file; one that is gone already is no error."""
    if relative:
        located(relative).unlink(missing_ok=True)


def sha256_of(stream: BufferedReader) -> str:
    """SHA-256 of a whole file, in hexadecimal."""
    return hashlib.file_digest(stream, "sha256").hexdigest()


def as_sniffed(mapping: dict[str, Any]) -> Sniffed:
    """How a file will be read, from `Import.mapping`."""
    listed = {name: tuple(mapping[name]) for name in ("columns", "sample")}
    return Sniffed(**mapping | listed)
