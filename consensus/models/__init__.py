"""Tables of the room: disagreements, decisions, meetings and comments."""

from consensus.models.comments import Comment
from consensus.models.decisions import BulkDecision, DecidedIssue, Decision, Disagreement
from consensus.models.meetings import (
    AgendaItem,
    Ballot,
    Digest,
    FollowUp,
    Meeting,
    Mention,
    Participant,
    Spell,
    Vote,
)

__all__ = [
    "AgendaItem",
    "Ballot",
    "BulkDecision",
    "Comment",
    "DecidedIssue",
    "Decision",
    "Digest",
    "Disagreement",
    "FollowUp",
    "Meeting",
    "Mention",
    "Participant",
    "Spell",
    "Vote",
]
