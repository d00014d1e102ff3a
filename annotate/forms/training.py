"""The forms of the pages of a training."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.actions.training import EXPLANATION_LENGTH
from annotate.errors import ExplanationMissing, ExplanationTooLong
from rounds.models import Round
from taxonomy.models import Category


class AnswerForm(forms.Form):
    """The right label of one issue, with its explanation."""

    category = forms.ModelChoiceField(
        Category.objects.none(),
        error_messages={
            "required": _("Choose the right category."),
            "invalid_choice": _(
                "This category is not in the taxonomy of this round. Choose another category."
            ),
        },
    )
    explanation = forms.CharField(
        max_length=EXPLANATION_LENGTH,
        error_messages={"required": ExplanationMissing.message, "max_length": ExplanationTooLong.message},
    )

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        taxonomy = round_.version.taxonomy_id
        self.fields["category"].queryset = Category.objects.filter(taxonomy=taxonomy)  # type: ignore[attr-defined]  # of its class
