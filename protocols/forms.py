"""The form of a draft: the fields of a plan by group."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from protocols.models import Protocol
from protocols.plan import CHOICE, GROUPS, LONGEST, NUMBER, PROSE, PlanField

LINES = {"rows": 3, "class": "input", "dir": "auto"}


class PlanForm(forms.Form):
    """The plan of a draft. `revision` is the one that the member read."""

    revision = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, draft: Protocol, taxonomies: Iterable[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial = {**draft.plan, "reason": draft.reason, "revision": draft.revision}
        self.draft = draft
        if draft.number > 1:
            self.fields["reason"] = forms.CharField(
                label=_("Reason for the new version"),
                help_text=_("Required before you freeze this version."),
                required=False,
                max_length=LONGEST,
                widget=forms.Textarea(LINES),
            )
        names = [(name, name) for name in taxonomies]
        for group in GROUPS:
            for field in group.fields:
                self.fields[field.key] = _field(field, names)

    @property
    def groups(self) -> list[tuple[Any, list[tuple[Any, bool]]]]:
        """The groups with their fields, each with whether its value is taken from rows."""
        return [
            (group.name, [(self[field.key], field.key in self.draft.taken) for field in group.fields])
            for group in GROUPS
        ]

    @property
    def plan(self) -> dict[str, Any]:
        """The valid values of the plan."""
        return {field.key: self.cleaned_data[field.key] for group in GROUPS for field in group.fields}


def _field(field: PlanField, taxonomies: list[tuple[str, str]]) -> forms.Field:
    about: dict[str, Any] = {"label": field.name, "help_text": field.hint, "required": False}
    if field.kind == PROSE:
        return forms.CharField(max_length=LONGEST, widget=forms.Textarea(LINES), **about)
    if field.kind == CHOICE:
        known = list(field.choices()) if field.choices else taxonomies
        made = forms.ChoiceField(choices=[("", _("not fixed")), *known], **about)
        made.widget.attrs["class"] = "input"
        return made
    if field.kind == NUMBER:
        number = forms.IntegerField(min_value=0, max_value=field.most, **about)
        number.widget.attrs["class"] = "input"
        return number
    share = forms.FloatField(min_value=-1, max_value=1, **about)
    share.widget.attrs |= {"class": "input", "step": "any"}
    return share


class ReasonForm(forms.Form):
    """Why the study deviated."""

    deviation = forms.CharField(max_length=80, widget=forms.HiddenInput)
    text = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST,
        widget=forms.Textarea(LINES),
        error_messages={"required": _("Write the reason. Nothing was stored.")},
    )
