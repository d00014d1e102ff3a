"""The bytes that a seal's digest is made of, and the digest of an event. Pure; `chain.py` of the package has
the same rules, written a second time.
"""

from datetime import UTC, datetime
from hashlib import sha256

FORM = "crosscheck seal 1"


def seal_digest(
    *, round_id: int, number: int, previous: str, at: datetime, why: str, count: int, events: str
) -> str:
    """The digest of a seal. `events` is the digest of its events: a line `kind key digest` each, in order."""
    moment = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    lines = (FORM, round_id, number, previous, moment, why, count, events)
    return sha256("\n".join(map(str, lines)).encode()).hexdigest()
