"""What is posted by the labelling page, as objects."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _

from annotate.actions.proposals import NAME_LENGTH, REASON_LENGTH
from annotate.actions.typed import SUMMARY_LENGTH
from annotate.models import Round
from annotate.queries.categories import categories_of
from taxonomy.models import Category


class CategoryField(forms.Field):
    """A category of the round's version or of an earlier one, by its id: the actions say what that counts as.
    Without a query, since a version is kept in memory.
    """

    default_error_messages = {
        "invalid": _("This category is not in the taxonomy of this round. Choose another one."),
    }
    round: Round

    def to_python(self, value: Any) -> Category | None:
        if value in self.empty_values:
            return None
        number = int(value) if value.isascii() and value.isdecimal() and len(value) < 19 else 0
        if not categories_of(self.round.version_id).by_id.knows(number):
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return Category(pk=number, taxonomy_id=self.round.version.taxonomy_id)


class DraftForm(forms.Form):
    """What is chosen and typed so far; nothing of it is required. The hidden fields say what it was made
    from.
    """

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

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["category"].round = round_  # type: ignore[attr-defined]

    @property
    def choice(self) -> dict[str, Any]:
        """What the actions take."""
        names = ("category", "summary", "unsure", "proposed_name", "proposed_reason")
        return {name: self.cleaned_data[name] for name in names}


class LabelForm(DraftForm):
    """A label: a category, or one that is proposed."""

    version = forms.IntegerField(required=False)
    snapshot = forms.IntegerField(required=False)
    guideline = forms.CharField(required=False)
    revision = forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1)

    def clean_guideline(self) -> int | None:
        """The id of the version that the page showed, 0 for none; None where the form does not say."""
        text = self.cleaned_data["guideline"]
        if "guideline" not in self.data:
            return None
        return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


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
