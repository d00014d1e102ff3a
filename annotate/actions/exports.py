"""Files that left the study. docs/decisions/0005: what a page sends is audited, what REST sends is logged."""

import logging

from annotate.models import Board, Round
from studies.actions import record
from studies.models import Event, Membership

log = logging.getLogger("crosscheck.exports")


def note_download(*, round_: Round, by: Membership, file: str) -> Event:
    """Write into the audit that this member was sent this file of a round's revealed labels."""
    return record(round_.study, "exports.downloaded", by.user, round=round_.name, file=file)


def note_mapping(*, board: Board, by: Membership) -> Event:
    """Write into the audit that this member was sent the mapping of a board."""
    return record(board.taxonomy.study, "boards.downloaded", by.user, name=board.name)


def note_fetch(*, round_: Round, by: Membership | None, file: str) -> None:
    """Write into the server's log that this member fetched labels over REST: a GET changes no state."""
    log.info("study %s, round %s: %s sent to member %s", round_.study_id, round_.pk, file, by and by.pk)


def note_mapping_fetch(*, board: Board, by: Membership) -> None:
    """The same for the mapping of a board."""
    log.info("study %s, board %s: mapping sent to member %s", board.taxonomy.study_id, board.pk, by.pk)
