"""Who said what, and what was agreed."""

from annotate.models.decisions import Decision
from annotate.models.labels import Draft, Label, Repeat, Skip
from annotate.models.rounds import Assignment, Round, RoundIssue, RoundVolunteer
from annotate.models.samples import Sample, SampleIssue
from annotate.models.training import Answer, Comment

__all__ = [
    "Answer",
    "Assignment",
    "Comment",
    "Decision",
    "Draft",
    "Label",
    "Repeat",
    "Round",
    "RoundIssue",
    "RoundVolunteer",
    "Sample",
    "SampleIssue",
    "Skip",
]
