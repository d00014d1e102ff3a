"""The forms of the pages of agreement, weights and final labels."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from agreement.forecasts.before_labels import MOST_RATERS
from agreement.weighted.matrix import MAX_CHARACTERS


class WithinForm(forms.Form):
    """The half width of the interval to plan for."""

    within = forms.FloatField(
        label=_("Half of the interval"),
        min_value=0.001,
        max_value=0.5,
        widget=forms.NumberInput(attrs={"step": "0.001", "class": "input small", "placeholder": "0.02"}),
    )


class BeforeForm(WithinForm):
    """What is assumed of a planned round. `shares` is cleaned to a list of numbers, each above 0, none above
    99 % of their sum: too few simulated issues would have another category.
    """

    MOST_CATEGORIES = 200
    MOST_SHARE = 0.99

    kappa = forms.FloatField(
        label=_("Fleiss’ kappa that you expect"),
        min_value=0,
        max_value=0.99,
        initial=0.6,
        widget=forms.NumberInput(attrs={"step": "0.01", "class": "input small"}),
    )
    volunteers = forms.IntegerField(
        label=_("Labels for each issue"),
        min_value=2,
        max_value=MOST_RATERS,
        initial=3,
        widget=forms.NumberInput(attrs={"class": "input small"}),
    )
    shares = forms.CharField(
        label=_("Shares of the categories"),
        max_length=1000,
        initial="50, 30, 15, 5",
        widget=forms.TextInput(attrs={"class": "input"}),
        help_text=_("Numbers with commas between them, one for each category. Their sum does not matter."),
    )
    field_order = ("kappa", "shares", "volunteers", "within")

    def clean_shares(self) -> list[float]:
        try:
            shares = [
                float(part) for part in re.split(r"[,;，；\s]+", self.cleaned_data["shares"].strip(" ,;，；"))
            ]
        except ValueError as error:
            raise forms.ValidationError(
                _("Write numbers with commas between them, for example 50, 30, 20.")
            ) from error
        is_short = 2 <= len(shares) <= self.MOST_CATEGORIES
        if not is_short or not all(0 < share < 1e9 for share in shares):
            raise forms.ValidationError(_("Write 2 to 200 numbers above 0."))
        if max(shares) > self.MOST_SHARE * sum(shares):
            raise forms.ValidationError(_("No category can have more than 99 % of the labels."))
        return shares


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
