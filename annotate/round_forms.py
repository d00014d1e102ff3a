"""What is posted to settle a disagreement, as objects."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.models import Decision
from annotate.queries.categories import Codebook
from annotate.queries.disagreements import Disagreement
from core.forms import LongSelect
from taxonomy.models import Category

OTHER = "other"
LONGEST_RATIONALE = 4000


class DecisionForm(forms.Form):
    """The category that a lead decides on: one of the split's, or any other, with a rationale."""

    choice = forms.ChoiceField(widget=forms.RadioSelect, required=False)
    other = forms.TypedChoiceField(
        label=_("Another category"), coerce=int, empty_value=None, required=False, widget=LongSelect
    )
    rationale = forms.CharField(
        label=_("Rationale"),
        max_length=LONGEST_RATIONALE,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Give the reason for this decision in a sentence.")},
    )
    cause = forms.ChoiceField(
        label=_("Why the labels part"),
        choices=[("", _("not said")), *Decision.Cause.choices],
        required=False,
    )
    seen_number = forms.IntegerField(min_value=0, max_value=32_767)

    def __init__(
        self, *args: Any, disagreement: Disagreement, book: Codebook, depth: int, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        ids = {state.code: id_ for id_, state in book.states.items()}
        self.split = [(ids[code], code, votes) for code, votes in disagreement.split]
        choosable = book.choosable(depth)
        split = [(str(id_), code) for id_, code, _votes in self.split]
        every = [
            (str(id_), f"{state.code} {state.name}") for id_, state in book.states.items() if id_ in choosable
        ]
        self.fields["choice"].choices = [*split, (OTHER, OTHER)]  # type: ignore[attr-defined]
        self.fields["other"].choices = [("", _("another category …")), *every]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Adds `category`. Two different answers are none."""
        cleaned: dict[str, Any] = super().clean() or {}
        choice, other = cleaned.get("choice", ""), cleaned.get("other")
        if choice not in {"", OTHER} and other is not None and int(choice) != other:
            self.add_error("choice", _("Two categories are chosen. Keep one of them."))
        elif choice not in {"", OTHER}:
            cleaned["category"] = Category.objects.get(pk=int(choice))
        elif other is not None:
            cleaned["category"] = Category.objects.get(pk=other)
        elif not self.errors.keys() & {"choice", "other"}:
            self.add_error("choice", _("Choose the category that holds."))
        return cleaned
