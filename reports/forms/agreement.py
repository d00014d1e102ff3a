"""The forms of the pages of agreement, weights and final labels."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from agreement.weighted.matrix import MAX_CHARACTERS


class WithinForm(forms.Form):
    """The half width of the interval to plan for."""

    within = forms.FloatField(
        label=_("Half of the interval"),
        min_value=0.001,
        max_value=0.5,
        widget=forms.NumberInput(attrs={"step": "0.001", "class": "input small", "placeholder": "0.02"}),
    )


class FreezeForm(forms.Form):
    """The name of a new frozen report."""

    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        help_text=_("For example: Submission to ICSE 2027"),
        error_messages={"required": _("Enter a name for the report.")},
    )

    @property
    def leaves_out_coached(self) -> bool:
        """Was the form sent from a report without the issues that volunteers were coached on?"""
        return self.data.get("coached") == "no"


class WeightsForm(forms.Form):
    """A matrix of weights as CSV, in a file or as text. Cleans to `matrix`, its text."""

    file = forms.FileField(label=_("CSV file"), required=False, allow_empty_file=True)
    text = forms.CharField(
        label=_("Matrix as CSV text"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "wrap": "off"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        text = cleaned.get("text", "")
        if file := cleaned.get("file"):
            try:
                text = file.read(4 * MAX_CHARACTERS).decode("utf-8-sig")
            except UnicodeDecodeError:
                self.add_error("file", gettext("The file is not UTF-8 text. Save it as CSV UTF-8."))
                return cleaned
        if not text.strip():
            self.add_error(None, gettext("Choose a CSV file, or enter the matrix as text."))
        return cleaned | {"matrix": text}


class SinceForm(forms.Form):
    """The moment to compare the current final labels with."""

    since = forms.DateTimeField(
        label=_("Since"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local", "step": 1}, format="%Y-%m-%dT%H:%M:%S"),
        error_messages={"invalid": _("Choose a date and a time, for example 2026-03-01 09:00.")},
    )
