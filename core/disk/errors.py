"""Errors that say that the disk is full."""

import errno

DISK_FULL = "53100"
"""PostgreSQL's code for it."""
_FULL = {errno.ENOSPC, errno.EDQUOT}


def is_of_full_disk(error: BaseException | None) -> bool:
    """Did the database, or a file of ours, find no room?"""
    if isinstance(error, OSError) and error.errno in _FULL:
        return True
    cause = getattr(error, "__cause__", None)
    return DISK_FULL in {getattr(error, "pgcode", None), getattr(cause, "pgcode", None)}
