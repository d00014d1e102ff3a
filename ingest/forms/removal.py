"""Why an issue is removed."""

from django import forms
from django.utils.translation import gettext_lazy as _

from ingest.actions.removal import LONGEST_WHY


class RemoveIssueForm(forms.Form):
    """One sentence for the audit."""

    why = forms.CharField(
        label=_("Why do you remove this issue?"),
        max_length=LONGEST_WHY,
        help_text=_("One sentence. The audit keeps the sentence with the repository and the number."),
    )
