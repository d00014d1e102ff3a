"""Records of sent files. docs/decisions/0005: pages record them in the audit, REST in the server's log."""

import logging

from rounds.models import Round
from studies.actions import record
from studies.models import Event, Membership

log = logging.getLogger("crosscheck.exports")


def note_download(*, round_: Round, by: Membership, file: str, manifest: str = "") -> Event:
    """Record in the audit that this member downloaded this file of a round's revealed labels. Of a package,
    with the SHA-256 of its manifest, which only this member reads: it can depend on what others may not see.
    """
    told = {"manifest_sha256": manifest} if manifest else {}
    return record(round_.study, "exports.downloaded", by.user, round=round_.name, file=file, **told)


def note_fetch(*, round_: Round, by: Membership | None, file: str) -> None:
    """Write into the server's log that this member fetched labels over REST: a GET changes no state."""
    log.info("study %s, round %s: %s sent to member %s", round_.study_id, round_.pk, file, by and by.pk)
