"""What volunteers and models work with: drafts, repeats, skips, samples, labels of models."""

from annotate.models.labels import Draft, Repeat, Skip
from annotate.models.model_labels import ModelLabel
from annotate.models.samples import Sample, SampleIssue

__all__ = ["Draft", "ModelLabel", "Repeat", "Sample", "SampleIssue", "Skip"]
