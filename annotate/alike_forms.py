"""What is posted to decide disagreements that are alike, as objects."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.models import Decision
from annotate.queries.categories import Codebook
from annotate.round_forms import LONGEST_RATIONALE, OTHER
from core.forms import LongSelect
from taxonomy.models import Category

MOST = 2000
"""Issues that are decided at one stroke."""


class IdsField(forms.Field):
    """The ids of the rows that are ticked, as they come: no matter in how many fields."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: Any) -> list[int]:
        given = [part for text in value or () for part in str(text).split(",") if part]
        if not all(part.isascii() and part.isdecimal() and len(part) < 19 for part in given):
            raise forms.ValidationError(_("Only issues of this list can be ticked."))
        return list(dict.fromkeys(int(part) for part in given))

    def validate(self, value: list[int]) -> None:
        if not value:
            raise forms.ValidationError(_("Nothing is ticked. Tick the issues that are meant."))
        if len(value) > MOST:
            raise forms.ValidationError(
                _("At most %(most)s issues are decided at one stroke.") % {"most": MOST}
            )


class AlikeForm(forms.Form):
    """One category for all that is ticked, one rationale, and why the labels parted.

    `codes`: the categories at hand, the ones that the labels part between; any other that is deep enough
    can be chosen too.
    """

    issues = IdsField()
    choice = forms.ChoiceField(widget=forms.RadioSelect, required=False)
    other = forms.TypedChoiceField(
        label=_("Another category"), coerce=int, empty_value=None, required=False, widget=LongSelect
    )
    rationale = forms.CharField(
        label=_("Rationale for all of them"),
        max_length=LONGEST_RATIONALE,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Give the one reason for all of these decisions in a sentence.")},
    )
    cause = forms.ChoiceField(
        label=_("Why the labels parted"),
        choices=[("", _("not said")), *Decision.Cause.choices],
        required=False,
    )

    def __init__(
        self, *args: Any, book: Codebook, depth: int, codes: Iterable[str] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        choosable = book.choosable(depth)
        ids = {state.code: id_ for id_, state in book.states.items()}
        self.at_hand = [(ids[code], book.states[ids[code]]) for code in codes if ids.get(code) in choosable]
        every = [
            (str(id_), f"{state.code} {state.name}") for id_, state in book.states.items() if id_ in choosable
        ]
        self.fields["choice"].choices = [*every, (OTHER, OTHER)]  # type: ignore[attr-defined]  # what a ChoiceField has
        self.fields["other"].choices = [("", _("another category …")), *every]  # type: ignore[attr-defined]  # the same

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
            self.add_error("choice", _("Choose the category that holds for all of them."))
        return cleaned
