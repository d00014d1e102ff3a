"""Who said what, and what was agreed."""

from annotate.models.decisions import Decision
from annotate.models.labels import Draft, Label, Skip
from annotate.models.rounds import Assignment, Round, RoundIssue, RoundVolunteer

__all__ = ["Assignment", "Decision", "Draft", "Label", "Round", "RoundIssue", "RoundVolunteer", "Skip"]
