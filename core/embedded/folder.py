"""The data folder of one installation: its paths, its locks, and the users of its servers."""

import fcntl
import hashlib
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from django.utils.translation import gettext as _

from .errors import EmbeddedServerError
from .owner import Owner, server_owner

# A Unix socket's path may have 107 bytes on Linux and 103 on macOS; the longest name put into `run` has 19.
LONGEST_RUN_PATH = 84
LOCK_SECONDS = 180.0


@dataclass(frozen=True)
class Folder:
    """The folder of the embedded servers of one installation. `path` is absolute and resolved."""

    path: Path

    @property
    def postgres(self) -> Path:
        return self.path / "postgres"

    @property
    def redis(self) -> Path:
        return self.path / "redis"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def run(self) -> Path:
        """The folder of the sockets, closed to others: in the data folder, or under /tmp if that path is too
        long or has characters that separate or quote folders in settings of PostgreSQL or libpq. Never under
        TMPDIR, which may differ between two processes of one installation.
        """
        inside = self.path / "run"
        if len(os.fsencode(inside)) <= LONGEST_RUN_PATH and not set(str(inside)) & set(",\"'\\\n"):
            return inside
        name = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:16]
        return Path("/tmp") / f"crosscheck-{name}"  # noqa: S108

    @cached_property
    def owner(self) -> Owner:
        """The system user that runs the servers: this process's own, or for root another one."""
        return server_owner(self.path)

    def prepare(self) -> None:
        """Make missing folders and check that the servers can use them."""
        try:
            self.path.mkdir(mode=0o755, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.path):
                pass
            self.logs.mkdir(mode=0o755, exist_ok=True)
        except OSError as error:
            raise EmbeddedServerError(unwritable(self.path, error)) from error
        self.owner.may_enter(self.path)
        self.private(self.run)

    def private(self, folder: Path) -> None:
        """Make `folder`, for the servers' owner only; refuse a folder that belongs to another user."""
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            found = folder.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid not in {self.owner.uid, os.geteuid()}:
                raise EmbeddedServerError(
                    _(
                        "%(folder)s belongs to another user, so no server is started there. Remove the "
                        "folder, work as its owner, or set CROSSCHECK_DATA to a folder of your own."
                    )
                    % {"folder": folder}
                )
            if found.st_uid != self.owner.uid:
                os.chown(folder, self.owner.uid, self.owner.gid)
            if stat.S_IMODE(found.st_mode) != 0o700:
                folder.chmod(0o700)
        except OSError as error:
            raise EmbeddedServerError(unwritable(folder, error)) from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Take the lock under which servers are started and ended, by one process at a time."""
        descriptor = self.open_lock("embedded.lock")
        try:
            deadline = time.monotonic() + LOCK_SECONDS
            while not _flock(descriptor, fcntl.LOCK_EX):
                if time.monotonic() > deadline:
                    raise EmbeddedServerError(
                        _(
                            "Another process has been starting or ending the servers of %(folder)s for "
                            "%(seconds)d seconds. End that process, then try again."
                        )
                        % {"folder": self.path, "seconds": LOCK_SECONDS}
                    )
                time.sleep(0.02)
            yield
        finally:
            os.close(descriptor)

    def open_lock(self, name: str) -> int:
        """A file descriptor, not inherited by other programs, of the lock file `name`."""
        try:
            self.path.mkdir(mode=0o755, parents=True, exist_ok=True)
            return os.open(self.path / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise EmbeddedServerError(unwritable(self.path, error)) from error


class Lease:
    """Marks this process as a user of a folder's servers; the kernel ends the mark with the process."""

    def __init__(self, folder: Folder) -> None:
        """Become a user, after waiting while the last user ends the servers."""
        self.pid = os.getpid()
        self._descriptor = folder.open_lock("embedded.users")
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def only_one(self) -> bool:
        """True if no other process uses the servers; then none can start to before `end`."""
        return _flock(self._descriptor, fcntl.LOCK_EX)

    def end(self) -> None:
        os.close(self._descriptor)


def _flock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def unwritable(folder: Path, error: OSError) -> str:
    """The message for a folder that cannot be written, with the system's reason."""
    return _(
        "The data folder %(folder)s cannot be used by user %(uid)d: %(reason)s. "
        "Make the folder writable, free some space, or set CROSSCHECK_DATA to another folder."
    ) % {"folder": folder, "uid": os.geteuid(), "reason": error.strerror or error}
