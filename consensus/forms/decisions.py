"""Forms that decide one or many disagreements, leave them to a pair, or reopen an issue."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from consensus.models import Decision
from consensus.queries.disagreements import DisagreementRow
from core.forms import LongSelect
from core.numbers import whole_number
from rounds.models import Round
from rounds.queries.categories import ShownCodebook
from rounds.queries.rounds import candidates
from studies.forms import PersonField
from studies.models import Membership
from taxonomy.models import Category

OTHER = "other"
LONGEST_RATIONALE = 4000
LONGEST_WHY = 1000
MOST = 2000
"""The most issues in one bulk decision."""


class CategoryForm(forms.Form):
    """The category of a decision, with its rationale and the cause of the disagreement. `choice` is one of
    the suggested categories, or OTHER; then `other` is any category deep enough for the round.
    """

    choice = forms.ChoiceField(widget=forms.RadioSelect, required=False)
    other = forms.TypedChoiceField(
        label=_("Another category"), coerce=int, empty_value=None, required=False, widget=LongSelect
    )
    rationale = forms.CharField(
        label=_("Rationale"),
        max_length=LONGEST_RATIONALE,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Give the reason for this decision in one sentence.")},
    )
    cause = forms.ChoiceField(
        label=_("Cause of the disagreement"),
        choices=[("", _("no cause given")), *Decision.Cause.choices],
        required=False,
    )
    no_category = _("Choose the category of this issue.")

    def __init__(self, *args: Any, book: ShownCodebook, depth: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ids = {code: state.category_id for code, state in book.by_code.items()}
        self.choosable = book.choosable(depth)
        self.every = [
            (str(id_), f"{state.code} {state.title}")
            for id_, state in book.states.items()
            if id_ in self.choosable
        ]
        self.fields["other"].choices = [("", _("another category …")), *self.every]  # type: ignore[attr-defined]  # what a ChoiceField has

    def clean(self) -> dict[str, Any]:
        """Adds `category`. Two different answers, and none, are errors."""
        cleaned: dict[str, Any] = super().clean() or {}
        choice, other = cleaned.get("choice", ""), cleaned.get("other")
        if choice not in {"", OTHER} and other is not None and int(choice) != other:
            self.add_error("choice", _("Two categories are chosen. Keep one of them."))
        elif choice not in {"", OTHER}:
            cleaned["category"] = Category.objects.get(pk=int(choice))
        elif other is not None:
            cleaned["category"] = Category.objects.get(pk=other)
        elif not self.errors.keys() & {"choice", "other"}:
            self.add_error("choice", self.no_category)
        return cleaned


class DecisionForm(CategoryForm):
    """The category that a lead decides on: a category of the split, or any other, with a rationale."""

    seen_number = forms.IntegerField(min_value=0, max_value=32_767)

    def __init__(self, *args: Any, disagreement: DisagreementRow, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        split = [(str(self.ids[code]), code) for code, _votes in disagreement.split]
        self.fields["choice"].choices = [*split, (OTHER, OTHER)]  # type: ignore[attr-defined]  # the same


class IdsField(forms.Field):
    """The ids of the ticked rows, in one or several values, separated by commas."""

    widget = forms.MultipleHiddenInput
    default_error_messages = {"required": _("No issue is ticked. Tick the issues to decide.")}

    def to_python(self, value: Any) -> list[int]:
        parts = [part for text in value or () for part in str(text).split(",") if part]
        numbers = [number for number in map(whole_number, parts) if number is not None]
        if len(numbers) < len(parts):
            raise forms.ValidationError(_("Tick only issues of this list."))
        return list(dict.fromkeys(numbers))

    def validate(self, value: list[int]) -> None:
        if not value:
            raise forms.ValidationError(self.error_messages["required"])
        if len(value) > MOST:
            raise forms.ValidationError(_("You can decide at most %(most)s issues at once.") % {"most": MOST})


class AlikeForm(CategoryForm):
    """One category for all ticked issues, one rationale, and the cause of the disagreements. `codes`: the
    suggested categories, those of the labels; any other that is deep enough can be chosen too.
    """

    issues = IdsField()
    no_category = _("Choose the category for all ticked issues.")

    def __init__(self, *args: Any, book: ShownCodebook, codes: Iterable[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, book=book, **kwargs)
        ids = [self.ids[code] for code in codes if self.ids.get(code) in self.choosable]
        self.at_hand = [(id_, book.states[id_]) for id_ in ids]
        self.fields["choice"].choices = [*self.every, (OTHER, OTHER)]  # type: ignore[attr-defined]  # the same
        self.fields["cause"].label = _("Cause of the disagreement")
        self.fields["rationale"].label = _("Rationale for all issues")
        self.fields["rationale"].error_messages["required"] = _(
            "Give the reason for all of these decisions in one sentence."
        )


class MajorityForm(forms.Form):
    """How many equal labels settle an open disagreement: more than half, at most all."""

    at_least = forms.IntegerField(label=_("Equal labels (at least)"))

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        least, most = round_.labels_per_issue // 2 + 1, round_.labels_per_issue
        field = forms.IntegerField(label=_("Equal labels (at least)"), min_value=least, max_value=most)
        field.widget.attrs["size"] = 3
        self.fields["at_least"] = field
        self.initial.setdefault("at_least", least)


class PairForm(forms.Form):
    """The two members who settle disagreements between them."""

    first = PersonField(Membership.objects.none(), label=_("First person"), empty_label=_("choose …"))
    second = PersonField(Membership.objects.none(), label=_("Second person"), empty_label=_("choose …"))

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people = candidates(round_.study).order_by("pseudonym")
        for name in ("first", "second"):
            self.fields[name].queryset = people  # type: ignore[attr-defined]  # what a ModelChoiceField has

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("first") is not None and cleaned.get("first") == cleaned.get("second"):
            self.add_error("second", _("Choose two different people."))
        return cleaned


class ReopenForm(forms.Form):
    """The reason to open a decided disagreement again, and the number of the shown decision."""

    why = forms.CharField(
        label=_("Why do you reopen this issue?"),
        max_length=LONGEST_WHY,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": _("Say in a sentence why the issue is open again.")},
    )
    seen_number = forms.IntegerField(min_value=0, max_value=32_767, widget=forms.HiddenInput)
