"""The form that changes the decision on an issue of a screening."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from consensus.forms.decisions import LONGEST_RATIONALE
from consensus.queries.screening import excluded_codes
from rounds.models import Round
from rounds.queries.categories import ShownCodebook
from taxonomy.models import Category


class ScreenForm(forms.Form):
    """A new decision for one issue: bring it back or exclude it."""

    category = forms.TypedChoiceField(label=_("Decision"), coerce=int)
    rationale = forms.CharField(
        label=_("Rationale"),
        max_length=LONGEST_RATIONALE,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Give the reason for this decision in one sentence.")},
    )
    seen_number = forms.IntegerField(min_value=0, max_value=32_767, widget=forms.HiddenInput)

    def __init__(
        self, *args: Any, round_: Round, book: ShownCodebook, is_excluded: bool | None, **kwargs: Any
    ) -> None:
        """`is_excluded`: whether the current decision excludes the issue; None without a decision."""
        super().__init__(*args, **kwargs)
        out, may = excluded_codes(book, round_), book.choosable(round_.depth)
        said = [
            (id_, f"{state.code} {state.title}", id_ in out)
            for id_, state in book.states.items()
            if id_ in may
        ]
        # Categories that change the outcome come first, since people open the form to change it.
        said.sort(key=lambda one: one[2] == bool(is_excluded))
        self.fields["category"].choices = [(id_, words) for id_, words, _out in said]  # type: ignore[attr-defined]

    def clean_category(self) -> Category:
        return Category.objects.get(pk=self.cleaned_data["category"])
