"""Who said what, and what was agreed."""

from annotate.models.boards import Board, Card, CardLabel, Move, Pile, Placement, Sorting
from annotate.models.decisions import BulkDecision, Decision, Disagreement
from annotate.models.frozen import FrozenReport
from annotate.models.labels import Draft, Label, Repeat, Said, Skip
from annotate.models.meetings import (
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
from annotate.models.model_labels import ModelLabel
from annotate.models.rounds import Assignment, Round, RoundIssue, RoundVolunteer
from annotate.models.samples import Sample, SampleIssue
from annotate.models.training import Answer, Comment

__all__ = [
    "AgendaItem",
    "Answer",
    "Assignment",
    "Ballot",
    "Board",
    "BulkDecision",
    "Card",
    "CardLabel",
    "Comment",
    "Decision",
    "Digest",
    "Disagreement",
    "Draft",
    "FollowUp",
    "FrozenReport",
    "Label",
    "Meeting",
    "Mention",
    "ModelLabel",
    "Move",
    "Participant",
    "Pile",
    "Placement",
    "Repeat",
    "Round",
    "RoundIssue",
    "RoundVolunteer",
    "Said",
    "Sample",
    "SampleIssue",
    "Skip",
    "Sorting",
    "Spell",
    "Vote",
]
