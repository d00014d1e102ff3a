"""The protocol as text for a registration."""

from django.utils.translation import gettext as _

from protocols.models import Protocol
from protocols.plan import lines


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
