"""Who labels what, and what was labelled."""

from rounds.models.labels import CurrentLabel, Label
from rounds.models.rounds import Assignment, PastAdmission, Round, RoundIssue, RoundVolunteer
from rounds.models.seals import Seal, SealedEvent
from rounds.models.training import Answer

__all__ = [
    "Answer",
    "Assignment",
    "CurrentLabel",
    "Label",
    "PastAdmission",
    "Round",
    "RoundIssue",
    "RoundVolunteer",
    "Seal",
    "SealedEvent",
]
