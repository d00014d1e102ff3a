"""The forms of the labelling page. Each gives one LabelInput, which the actions take."""

from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _

from annotate.label_input import SUMMARY_LENGTH, LabelInput
from core.numbers import whole_number
from rounds.actions.proposals import NAME_LENGTH, REASON_LENGTH
from rounds.models import Round
from rounds.queries.categories import categories_of


class CategoryField(forms.Field):
    """The id of a category in the round's version or an earlier one. No query: versions stay in memory."""

    default_error_messages = {
        "invalid": _("This category is not in the taxonomy of this round. Choose another category.")
    }
    round: Round

    def to_python(self, value: Any) -> int | None:
        if value in self.empty_values:
            return None
        number = whole_number(value) or 0
        if not categories_of(self.round.version_id).by_id.knows(number):
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return number


class DraftForm(forms.Form):
    """What the member chose and typed so far. No field is required; `revision` is that of the shown draft."""

    category = CategoryField(required=False)
    summary = forms.CharField(
        required=False,
        max_length=SUMMARY_LENGTH,
        strip=False,
        error_messages={
            "max_length": _("The summary is longer than %(limit_value)d characters. Shorten it.")
        },
    )
    unsure = forms.BooleanField(required=False)
    proposed_name = forms.CharField(
        required=False,
        max_length=NAME_LENGTH,
        strip=False,
        error_messages={
            "max_length": _("The proposed name is longer than %(limit_value)d characters. Shorten it.")
        },
    )
    proposed_reason = forms.CharField(
        required=False,
        max_length=REASON_LENGTH,
        strip=False,
        error_messages={"max_length": _("The reason is longer than %(limit_value)d characters. Shorten it.")},
    )

    revision: forms.Field = forms.CharField(required=False)

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["category"].round = round_  # type: ignore[attr-defined]  # of its class

    def clean_revision(self) -> int | None:
        return whole_number(self.cleaned_data["revision"]) or 0

    @property
    def given(self) -> LabelInput:
        return LabelInput(**self.cleaned_data)


class LabelForm(DraftForm):
    """A label, with hidden fields for what the page showed."""

    form_key = forms.CharField(required=False)
    version = forms.IntegerField(required=False)
    snapshot = forms.IntegerField(required=False)
    guideline = forms.CharField(required=False)
    revision = forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1)

    def clean_form_key(self) -> UUID | None:
        try:
            return UUID(self.cleaned_data["form_key"])
        except ValueError:
            return None

    def clean_guideline(self) -> int | None:
        """The id of the guideline that the page showed; 0 for no guideline, None without the field."""
        if "guideline" not in self.data:
            return None
        return whole_number(self.cleaned_data["guideline"]) or 0

    def clean_revision(self) -> int | None:
        revision: int | None = self.cleaned_data["revision"]
        return revision


class ChangeForm(LabelForm):
    seen = forms.CharField(required=False)

    def clean_seen(self) -> Any:
        """The last change of the label that the page showed; None skips this check."""
        try:
            return parse_datetime(self.cleaned_data["seen"])
        except ValueError:
            return None


class SkipForm(forms.Form):
    reason = forms.CharField(
        max_length=500, error_messages={"required": _("Give a short reason why you skip this issue.")}
    )
