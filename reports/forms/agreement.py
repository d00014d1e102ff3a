"""The forms of the pages of agreement and final labels."""

from django import forms
from django.utils.translation import gettext_lazy as _


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


class SinceForm(forms.Form):
    """The moment to compare the current final labels with."""

    since = forms.DateTimeField(
        label=_("Since"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local", "step": 1}, format="%Y-%m-%dT%H:%M:%S"),
        error_messages={"invalid": _("Choose a date and a time, for example 2026-03-01 09:00.")},
    )
