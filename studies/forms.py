"""Forms about a study, its people and its guideline."""

from datetime import timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from studies.models import Role, Study

DAYS = (1, 7, 14, 30)
PEOPLE_ROLES = [(role.value, role.label) for role in Role if role != Role.MODEL]


class StudyForm(forms.ModelForm):
    class Meta:
        model = Study
        fields = ("name", "description")
        help_texts = {
            "name": _("As the paper would call it."),
            "description": _("A sentence or two: which issues, of which time, labelled by how many."),
        }
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}


class InvitationForm(forms.Form):
    """The role of the invited person, a note, and the lifetime of the link."""

    role = forms.ChoiceField(label=_("Role"), choices=PEOPLE_ROLES, initial=Role.VOLUNTEER)
    note = forms.CharField(
        label=_("For whom"),
        max_length=200,
        required=False,
        help_text=_("So that you can tell your invitations apart."),
    )
    lifetime = forms.TypedChoiceField(
        label=_("Valid for"),
        choices=[(str(days), ngettext_lazy("%(n)d day", "%(n)d days", "n") % {"n": days}) for days in DAYS],
        initial="14",
        coerce=lambda days: timedelta(days=int(days)),
    )


class RoleForm(forms.Form):
    role = forms.ChoiceField(
        label=_("Role"), choices=PEOPLE_ROLES, widget=forms.Select(attrs={"data-submits": ""})
    )


class ModelForm(forms.Form):
    """A program that labels."""

    name = forms.CharField(
        label=_("Name"),
        max_length=150,
        help_text=_("The model and its version, so that a paper can name it."),
    )


class GuidelineForm(forms.Form):
    """The text of the next version, and one sentence about what changed and why."""

    text = forms.CharField(
        label=_("Text"),
        strip=False,
        widget=forms.Textarea(attrs={"rows": 24, "class": "mono sm"}),
        help_text=_("Markdown: headings, lists, tables, code. Raw HTML is shown as it stands."),
    )
    note = forms.CharField(
        label=_("What changed and why"),
        max_length=500,
        required=False,
        help_text=_("One sentence; volunteers read it above the changes, and so will a paper's appendix."),
    )
    made_from = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, *args: Any, is_first: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        note = self.fields["note"]
        note.required = not is_first
        note.error_messages["required"] = _("Say in a sentence what changed and why.")
