"""The text that a volunteer typed about a missing category."""

import unicodedata
from dataclasses import dataclass

from annotate.models import Repeat
from rounds import errors
from rounds.actions.proposals import folded, require_lengths
from rounds.models import Label


@dataclass(frozen=True)
class ProposedName:
    """A missing category in the volunteer's words, with the id of the nearest category, if there is one."""

    name: str
    reason: str
    nearest: int | None = None

    def is_in(self, label: Label | Repeat) -> bool:
        """Does this label have the same proposal already?"""
        return (
            label.proposal is not None
            and folded(label.proposal.name) == folded(self.name)
            and label.proposed_reason == self.reason
            and label.nearest_id == self.nearest
        )


def proposed(name: str, reason: str, nearest: int | None) -> ProposedName | None:
    """The proposal, or None if nothing is proposed. Raises ProposalIncomplete, ProposalTooLong."""
    name, reason = " ".join(unicodedata.normalize("NFC", name).split()), reason.strip()
    if not name and not reason:
        return None
    if not name or not reason:
        raise errors.ProposalIncomplete
    require_lengths(name, reason)
    return ProposedName(name, reason, nearest)
