"""What volunteers and models work with: drafts, repeats, skips, samples, models’ labels, left-out issues."""

from annotate.models.labels import Draft, Repeat, Skip
from annotate.models.left_out import LeftOut, PlannedIssue
from annotate.models.model_labels import ModelLabel
from annotate.models.samples import Sample, SampleIssue

__all__ = [
    "Draft", "LeftOut", "ModelLabel", "PlannedIssue", "Repeat", "Sample", "SampleIssue", "Skip",
]  # fmt: skip
