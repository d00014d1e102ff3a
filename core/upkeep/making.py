"""Makes a backup: one tar file with the database, the files of the data folder, and what both hold."""

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils.translation import gettext as _

from core import clock
from core.upkeep.database import Sums, parameters, run, session, sums_of
from core.upkeep.errors import BackupError
from core.upkeep.leftovers import WORK, work_folder
from core.version import version

NAME = "crosscheck-%Y%m%d-%H%M%S.tar"
PATTERN = "crosscheck-????????-??????.tar"
FAILED = ".failed"
"""Behind the name of a backup whose check failed."""
MANIFEST, DATABASE, FILES = "manifest.json", "database.dump", "files"
LAST = "last_backup.json"
"""In the data folder: what `doctor` says about the last backup."""
NOT_FILES = frozenset(
    {
        "postgres",
        "postgres.log",
        "redis",
        "redis.log",
        "embedded.lock",
        "embedded.users",
        "folder_id",
        "logs",
        "run",
        "secret_key",
        "up.json",
        "up.gate",
        "beat-schedule",
        "beat-schedule.bak",
        "beat-schedule.dat",
        "beat-schedule.dir",
        "reserve",
        "packages",
        LAST,
    }
)
"""In the data folder, and no part of a backup: servers with their logs and locks, packages that can be made
again, and the key, which is kept apart.
"""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Manifest:
    """What is in a backup: by file its size and SHA-256, by table its `Sums`, and the migrations applied."""

    version: str
    made_at: str
    migrations: list[list[str]]
    tables: dict[str, list[Any]]
    files: dict[str, list[Any]]
    database: list[Any]

    @property
    def sums(self) -> Sums:
        return {table: (rows, total) for table, (rows, total) in self.tables.items()}


def make_backup(folder: Path, say: Say = lambda _text: None) -> Path:
    """Write a backup into `folder`, which must exist, and return its path; nothing stays of a failed one.

    People can go on labelling: dump and sums read one snapshot of the database. Files that are added
    meanwhile may be in it, with nothing in the database that names them. Raises BackupError.
    """
    now = clock.now()
    target = folder / now.strftime(NAME)
    if not folder.is_dir():
        raise BackupError(_("There is no folder %(folder)s.") % {"folder": folder})
    with work_folder("backup", folder) as work:
        dump = work / DATABASE
        with session(given := parameters()) as opened:
            opened.set_session(isolation_level="REPEATABLE READ", readonly=True)
            with opened.cursor() as cursor:
                cursor.execute("SELECT pg_export_snapshot()")
                (snapshot,) = cursor.fetchone()
            say(_("Saving the database …"))
            run("pg_dump", given, "--format=custom", "--no-owner", f"--snapshot={snapshot}", f"--file={dump}")
            say(_("Adding up its tables …"))
            sums = sums_of(opened)
        packed = work / target.name
        say(_("Adding files …"))
        with packed.open("xb") as stream, tarfile.open(fileobj=stream, mode="w") as archive:
            os.fchmod(stream.fileno(), 0o600)
            archive.add(dump, DATABASE)
            files = dict(_packed_files(archive))
            manifest = Manifest(
                version=version(),
                made_at=now.isoformat(),
                migrations=sorted(map(list, MigrationRecorder(connection).applied_migrations())),
                tables={table: list(found) for table, found in sums.items()},
                files=files,
                database=[dump.stat().st_size, hash_of(dump.open("rb"))],
            )
            text = json.dumps(asdict(manifest), indent=1).encode()
            entry = tarfile.TarInfo(MANIFEST)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
            stream.flush()
            os.fsync(stream.fileno())
        packed.replace(target)
    return target


def keep_newest(folder: Path, number: int) -> list[Path]:
    """Delete all backups of this folder but the newest ones; return those that are gone."""
    made = sorted(folder.glob(PATTERN))
    gone = made[:-number] if number else []
    for path in gone:
        path.unlink()
    return gone


def set_aside(path: Path) -> Path:
    """Rename a backup whose check failed, so that it is not taken for a good one, and return its new path.
    An earlier one that was set aside goes.
    """
    for earlier in path.parent.glob(f"{PATTERN}{FAILED}"):
        earlier.unlink()
    return path.rename(path.with_name(path.name + FAILED))


def note(path: Path, *, checked: bool) -> None:
    """Remember in the data folder that a backup was made, for `doctor`."""
    said = {"at": clock.now().isoformat(), "path": str(path), "checked": checked}
    place = Path(settings.DATA_DIR) / LAST
    place.with_suffix(".new").write_text(json.dumps(said), encoding="utf-8")
    place.with_suffix(".new").replace(place)


def hash_of(stream: Any) -> str:
    """The SHA-256 of a stream, which is closed."""
    with stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _packed_files(archive: tarfile.TarFile) -> Iterator[tuple[str, list[Any]]]:
    """Add the files of the data folder, without backups; yield the name of each with its size and hash."""
    top = Path(settings.DATA_DIR)
    for path in sorted(top.rglob("*")):
        inside = path.relative_to(top)
        is_backup = path.match(f"{PATTERN}*") or any(part.startswith(WORK) for part in inside.parts)
        if inside.parts[0] in NOT_FILES or is_backup or path.is_symlink() or not path.is_file():
            continue
        try:
            stream = path.open("rb")
        except FileNotFoundError:
            continue  # deleted since it was listed
        with stream:
            entry = tarfile.TarInfo(f"{FILES}/{inside.as_posix()}")
            entry.size, entry.mode = os.fstat(stream.fileno()).st_size, 0o600
            hashed = _Hashed(stream)
            archive.addfile(entry, hashed)
        yield inside.as_posix(), [entry.size, hashed.digest.hexdigest()]


class _Hashed:
    """A stream with the hash of what was read of it: a file that grows meanwhile is packed as long as it was,
    and its hash is of these bytes.
    """

    def __init__(self, stream: Any) -> None:
        self.stream, self.digest = stream, hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        piece: bytes = self.stream.read(size)
        self.digest.update(piece)
        return piece
