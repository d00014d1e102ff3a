"""What is posted to a thread, as objects."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.actions.training import COMMENT_LENGTH
from annotate.queries.categories import Codebook
from taxonomy.models import Category


class SayForm(forms.Form):
    """A comment, and the category that it argues for, if it says."""

    text = forms.CharField(
        max_length=COMMENT_LENGTH,
        error_messages={
            "required": _("Write the comment first."),
            "max_length": _("The comment is longer than 2,000 characters. Shorten it."),
        },
    )
    category = forms.CharField(max_length=32, required=False)

    def __init__(self, *args: Any, book: Codebook, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ids = {state.code: id_ for id_, state in book.states.items()}

    def clean_category(self) -> Category | None:
        code = self.cleaned_data["category"]
        if not code:
            return None
        if code not in self.ids:
            raise forms.ValidationError(_("The taxonomy of this round has no category of this code."))
        return Category.objects.get(pk=self.ids[code])
