"""Parts of the form that plans a round: the fields of each kind, and what some choices do to the labels."""

from datetime import date, datetime, time
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.templatetags.crosscheck import count
from ingest.models import Repository
from rounds.models import Round

OF_KINDS = {
    "excludes": {Round.Kind.SCREENING},
    "pass_mark": {Round.Kind.TRAINING},
    "training": {Round.Kind.SCREENING, Round.Kind.TRAINING, Round.Kind.MAIN},
    "rule": {Round.Kind.SCREENING, Round.Kind.PILOT, Round.Kind.MAIN},
    "majority": {Round.Kind.SCREENING, Round.Kind.PILOT, Round.Kind.MAIN},
    "drift_percent": {Round.Kind.PILOT, Round.Kind.MAIN},
    "drift_hours": {Round.Kind.PILOT, Round.Kind.MAIN},
}
"""The fields that only some kinds of rounds need."""
AS_CHOSEN = ("kind", "version", "depth", "allocation", "reveal", "pass_mark", "training")


def end_of(day: date) -> datetime:
    """The last second of a day."""
    return timezone.make_aware(datetime.combine(day, time(23, 59, 59)))


class RepositoriesField(forms.ModelMultipleChoiceField):
    """Repositories with the number of their issues."""

    counts: dict[int, int]

    def label_from_instance(self, repository: Repository) -> str:
        return f"{repository.path} ({count(self.counts[repository.pk])})"


EFFECTS = {
    Round.Reveal.ISSUE_COMPLETE: _(
        "Volunteers can then read labels of others while they still label the rest. Later labels are less"
        " independent."
    ),
    Round.Reveal.ROUND_CLOSED: _(
        "All labels of the round stay independent. Disagreements can be discussed only after the round."
    ),
    Round.ForgeLabels.SHOWN: _(
        "Volunteers see what the maintainers chose. This can lead them all to the same label and raise the"
        " agreement."
    ),
    Round.ForgeLabels.HIDDEN: _(
        "Volunteers judge the text alone. The original page on GitHub or Gitee still shows the labels."
    ),
}
"""What each choice does to the labels."""


def explained(*fields: forms.BoundField) -> list[tuple[forms.BoundField, list[tuple[Any, Any]]]]:
    """Each of these fields with its choices, and what each choice does."""
    return [(field, [(box, EFFECTS[box.data["value"]]) for box in field]) for field in fields]
