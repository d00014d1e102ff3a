"""Parts of the form that plans a round: the fields of each kind, and what some choices do to the labels."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotate.queries.planning import FALSE
from core.numbers import whole_number
from core.templatetags.crosscheck import count
from ingest.models import Repository
from rounds.models import Round
from taxonomy.models import CategoryState

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


def type_choices(types: Iterable[CategoryState]) -> list[tuple[Any, Any]]:
    """These types as the choices of a select that begins empty."""
    return [("", _("Choose a type")), *((one.category_id, f"{one.code} {one.title}") for one in types)]


def show_types(form: forms.Form, types: Mapping[int, list[CategoryState]]) -> bool:
    """Show only the types of the chosen version as the excluded type; `types` has those of each version. A
    type of another version is refused with the plan. A preview goes on with the type F of the chosen version,
    if it has one: then the answer is true.
    """
    version = whole_number((form.data if form.is_bound else form.initial).get("version")) or 0
    offered = types.get(version, [])
    form.fields["excludes"].widget.choices = type_choices(offered)
    own = {str(one.category_id): one.code for one in offered}
    if "preview" not in form.data or form.data.get("excludes") in own:
        return False
    posted: Any = form.data  # what was posted cannot be changed
    posted = posted.copy()
    posted["excludes"] = next((id_ for id_, code in own.items() if code == FALSE), "")
    form.data = posted
    return True


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
