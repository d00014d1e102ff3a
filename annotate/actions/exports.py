"""Files that left the study."""

from annotate.models import Round
from studies.actions import record
from studies.models import Event, Membership


def note_download(*, round_: Round, by: Membership, file: str) -> Event:
    """Write into the audit that this member was sent this file of a round's revealed labels."""
    return record(round_.study, "exports.downloaded", by.user, round=round_.name, file=file)
