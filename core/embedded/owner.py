"""The system user that runs the embedded servers: the current user, but PostgreSQL refuses root."""

import os
import pwd
import shutil
import stat
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from .errors import EmbeddedServerError

ACCOUNT = "crosscheck-db"


@dataclass(frozen=True)
class Owner:
    """A system user, and whether this process must become that user to run a server."""

    name: str
    uid: int
    gid: int
    differs: bool

    def popen(self) -> dict[str, Any]:
        """The arguments that make `subprocess` run a program as this user."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.differs else {}

    def may_enter(self, folder: Path) -> None:
        """Let this user, and nobody else, pass through the folders above `folder`.

        Root's home is closed to others (0700), and a checkout may be in it. One access control entry with the
        right to pass, not to list or read, opens the way for this one user.
        """
        if not self.differs:
            return
        for above in [folder, *folder.parents]:
            found = above.stat()
            if found.st_mode & stat.S_IXOTH or (found.st_uid == self.uid and found.st_mode & stat.S_IXUSR):
                continue
            try:
                _grant_passage(above, self.uid)
            except (OSError, AttributeError) as error:
                raise EmbeddedServerError(
                    _(
                        "PostgreSQL does not run as root, and user %(user)s cannot enter %(folder)s. "
                        "Work as another user, move Crosscheck to another folder, or type: "
                        "chmod o+x %(folder)s"
                    )
                    % {"user": self.name, "folder": above}
                ) from error

    def may_run(self, program: Path, software: Path) -> None:
        """Let this user read and run an installed program, which a strict umask would prevent."""
        if not self.differs:
            return
        self.may_enter(software.parent)
        if program.stat().st_mode & 0o005 != 0o005 or software.stat().st_mode & 0o005 != 0o005:
            for path in [software, *software.rglob("*")]:
                mode = path.stat().st_mode
                path.chmod(mode | (0o055 if mode & stat.S_IXUSR else 0o044))


def server_owner(data: Path) -> Owner:
    """The user that runs the servers of `data`: this one; for root, the data's owner or a system account."""
    uid = os.geteuid()
    if uid != 0:
        try:
            entry = pwd.getpwuid(uid)
        except KeyError as error:
            raise EmbeddedServerError(
                _(
                    "PostgreSQL does not run as user ID %(uid)d, which has no name on this computer. "
                    "Run as a user with an entry in /etc/passwd, or set DATABASE_URL to a PostgreSQL server."
                )
                % {"uid": uid}
            ) from error
        return Owner(entry.pw_name, uid, os.getegid(), differs=False)
    entry = _owner_of(data) or _account()
    return Owner(entry.pw_name, entry.pw_uid, entry.pw_gid, differs=True)


def _owner_of(data: Path) -> pwd.struct_passwd | None:
    """The user, other than root, that owns the database in `data`, or the folder of the future database."""
    for path in [data / "postgres", data, *data.parents]:
        if path.exists():
            owner = path.stat().st_uid
            if owner == 0 and path == data / "postgres":
                continue
            try:
                return pwd.getpwuid(owner) if owner else None
            except KeyError:
                return None
    return None


def _account() -> pwd.struct_passwd:
    """The account for root's servers: a new one if the system can make it, else one of every system."""
    nologin = shutil.which("nologin", path="/usr/sbin:/sbin:/usr/bin:/bin") or "/bin/false"
    made_by = [
        ["useradd", "--system", "--no-create-home", "--home-dir", "/", "--shell", nologin, ACCOUNT],
        ["adduser", "-S", "-D", "-H", "-h", "/", "-s", nologin, ACCOUNT],
    ]
    for command in made_by:
        try:
            return pwd.getpwnam(ACCOUNT)
        except KeyError:
            if program := shutil.which(command[0], path="/usr/sbin:/sbin:/usr/bin:/bin"):
                subprocess.run([program, *command[1:]], check=False, capture_output=True)
    for name in [ACCOUNT, "postgres", "nobody"]:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise EmbeddedServerError(
        _("PostgreSQL does not run as root, and Crosscheck found no other user. Work as another user.")
    )


# Linux keeps the list as an attribute (linux/posix_acl_xattr.h): a version, then tag, rights and id of each.
_ATTRIBUTE = "system.posix_acl_access"
_VERSION = 2
_OWNER, _USER, _GROUP_OF_FILE, _GROUP, _MASK, _OTHER = 1, 2, 4, 8, 16, 32
_NOBODY = 0xFFFFFFFF


def _grant_passage(folder: Path, uid: int) -> None:
    """Add `x` for one user to the access control list of a folder, without widening anybody else's rights."""
    mode = folder.stat().st_mode
    try:
        packed = os.getxattr(folder, _ATTRIBUTE)
        entries = {(tag, who): rights for tag, rights, who in struct.iter_unpack("<HHI", packed[4:])}
    except OSError:
        entries = {
            (_OWNER, _NOBODY): mode >> 6 & 7,
            (_GROUP_OF_FILE, _NOBODY): mode >> 3 & 7,
            (_OTHER, _NOBODY): mode & 7,
        }
    mask = entries.pop((_MASK, _NOBODY), 7)
    for key in entries:
        if key[0] in {_USER, _GROUP_OF_FILE, _GROUP}:
            entries[key] &= mask
    entries[_USER, uid] = entries.get((_USER, uid), 0) | 1
    masked = [rights for (tag, _who), rights in entries.items() if tag in {_USER, _GROUP_OF_FILE, _GROUP}]
    entries[_MASK, _NOBODY] = masked[0]
    for rights in masked:
        entries[_MASK, _NOBODY] |= rights
    packed = struct.pack("<I", _VERSION)
    packed += b"".join(
        struct.pack("<HHI", tag, rights, who) for (tag, who), rights in sorted(entries.items())
    )
    os.setxattr(folder, _ATTRIBUTE, packed)
