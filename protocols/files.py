"""The protocol as text for a registration, deviations as CSV, and both for a replication package."""

from collections.abc import Iterable, Iterator

from django.utils import translation
from django.utils.translation import gettext as _

from core.csv import csv_lines
from protocols.deviations import Deviation
from protocols.models import Protocol
from protocols.plan import lines
from protocols.queries.deviations import deviations_of
from protocols.queries.protocols import frozen_versions
from studies.models import Membership, Study

DEVIATION_COLUMNS = (
    "Deviation", "Kind", "About", "Protocol", "Planned", "Happened", "Reason", "Reason_by", "Reason_at",
)  # fmt: skip


def protocol_markdown(protocol: Protocol) -> str:
    """A frozen version as Markdown: its hash, and each field that is filled."""
    study = protocol.study.name
    title = _("Protocol of %(study)s, version %(number)s") % {"study": study, "number": protocol.number}
    parts = [f"# {title}"]
    if protocol.frozen_at and protocol.frozen_by:
        told = _("Frozen on %(moment)s by %(member)s.") % {
            "moment": f"{protocol.frozen_at:%Y-%m-%d %H:%M} UTC",
            "member": protocol.frozen_by.pseudonym,
        }
        parts += [told, f"SHA-256: `{protocol.digest}`"]
    else:
        parts.append(_("This version is a draft."))
    if protocol.reason:
        parts += [f"## {_('Reason for the new version')}", protocol.reason]
    for group, found in lines(protocol.plan, protocol.taken):
        shown = [one for one in found if one.text]
        if not shown:
            continue
        parts.append(f"## {group.name}")
        for one in shown:
            mark = f" ({_('taken from the rows of the study')})" if one.taken else ""
            parts.append(f"**{one.field.name}**{mark}\n\n{one.text}")
    return "\n\n".join(parts) + "\n"


def deviations_csv(found: Iterable[Deviation]) -> Iterator[bytes]:
    """A row for each deviation with the reason that counts; without a reason its cells are empty."""
    rows = (
        [
            one.name,
            one.kind,
            one.about,
            f"v{one.version}",
            one.planned,
            one.happened,
            one.reason.text if one.reason else None,
            one.reason.by if one.reason else None,
            one.reason.at.isoformat() if one.reason else None,
        ]
        for one in found
    )
    return csv_lines(DEVIATION_COLUMNS, rows)


def package_files(study: Study, member: Membership | None) -> dict[str, bytes]:
    """The files of this room for a replication package, as this member may know them; None, a command, knows
    all. Each frozen version as text, its canonical JSON, and the deviations, in English whoever asks. Empty
    without a frozen protocol.
    """
    versions = list(frozen_versions(study))
    if not versions:
        return {}
    with translation.override("en"):
        text = "\n".join(protocol_markdown(one) for one in reversed(versions))
        return {
            "protocol.md": text.encode(),
            **{f"protocol-v{one.number}.json": one.document.encode() for one in versions},
            "deviations.csv": b"".join(deviations_csv(deviations_of(member, study))),
        }
