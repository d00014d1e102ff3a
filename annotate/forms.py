"""What is posted by the labelling page, as objects."""

from typing import Any

from django import forms
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _

from annotate.actions.labels import SUMMARY_LENGTH
from annotate.models import Round
from taxonomy.models import Category


class DraftForm(forms.Form):
    """What is chosen and typed so far; nothing of it is required."""

    category = forms.ModelChoiceField(
        Category.objects.none(),
        required=False,
        error_messages={
            "required": _("Choose a category first."),
            "invalid_choice": _("This category is not in the taxonomy of this round. Choose another one."),
        },
    )
    summary = forms.CharField(
        required=False,
        max_length=SUMMARY_LENGTH,
        strip=False,
        error_messages={
            "max_length": _("The summary is longer than %(limit_value)d characters. Shorten it.")
        },
    )
    unsure = forms.BooleanField(required=False)

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        taxonomy = round_.version.taxonomy_id
        self.fields["category"].queryset = Category.objects.filter(taxonomy=taxonomy)  # type: ignore[attr-defined]


class LabelForm(DraftForm):
    """A label: the category is required. The hidden fields say what the form was made from."""

    version = forms.IntegerField(required=False)
    snapshot = forms.IntegerField(required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["category"].required = True


class ChangeForm(LabelForm):
    seen = forms.CharField(required=False)

    def clean_seen(self) -> Any:
        """When the label was last touched, as the page saw it; None asks for no such check."""
        try:
            return parse_datetime(self.cleaned_data["seen"])
        except ValueError:
            return None


class SkipForm(forms.Form):
    reason = forms.CharField(
        max_length=500, error_messages={"required": _("Say in a few words why you skip this issue.")}
    )
