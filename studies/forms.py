"""Forms about a study, its people and its guideline."""

from datetime import timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from studies.models import Membership, Role, Study

DAYS = (1, 7, 14, 30)
PEOPLE_ROLES = [(role.value, role.label) for role in Role if role != Role.MODEL]


class PersonField(forms.ModelChoiceField):
    """One member of a study, by pseudonym and name: for forms of those who may see names."""

    def label_from_instance(self, obj: Membership) -> str:
        return obj.known_as


class PeopleField(forms.ModelMultipleChoiceField):
    """Members of a study, by pseudonym and name: for forms of those who may see names."""

    def label_from_instance(self, obj: Membership) -> str:
        return obj.known_as


class StudyForm(forms.ModelForm):
    class Meta:
        model = Study
        fields = ("name", "description")
        help_texts = {
            "name": _("The name that your paper uses."),
            "description": _(
                "One or two sentences: which issues, from which time, labelled by how many people."
            ),
        }
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}


class DeleteStudyForm(forms.Form):
    """The name of the study, typed: nobody deletes a study by a slip."""

    name = forms.CharField(
        label=_("Name of the study"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=_("Type the name to confirm that this study is meant."),
    )

    def __init__(self, *args: Any, expected: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.auto_id = "delete-%s"  # its page has another form with a name
        self.expected = expected

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if " ".join(name.split()) != " ".join(self.expected.split()):
            raise forms.ValidationError(_("This is not the name of the study."))
        return name


class InvitationForm(forms.Form):
    """The role of the invited person, a note, and the lifetime of the link."""

    role = forms.ChoiceField(label=_("Role"), choices=PEOPLE_ROLES, initial=Role.VOLUNTEER)
    note = forms.CharField(
        label=_("Note"),
        max_length=200,
        required=False,
        help_text=_("For example a name. You see this note in the list of invitations."),
    )
    lifetime = forms.TypedChoiceField(
        label=_("Valid for"),
        choices=[(str(days), ngettext_lazy("%(n)d day", "%(n)d days", "n") % {"n": days}) for days in DAYS],
        initial="14",
        coerce=lambda days: timedelta(days=int(days)),
    )


class EraseForm(forms.Form):
    """The reader's own email address, typed: nobody erases an account by a slip."""

    email = forms.EmailField(
        label=_("Your email address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, expected: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.expected = expected

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if email.lower() != self.expected.lower():
            raise forms.ValidationError(_("This is not the email address of your account."))
        return email


class RoleForm(forms.Form):
    role = forms.ChoiceField(
        label=_("Role"), choices=PEOPLE_ROLES, widget=forms.Select(attrs={"data-submits": ""})
    )


class ModelForm(forms.Form):
    """A program that labels."""

    name = forms.CharField(
        label=_("Name"),
        max_length=150,
        help_text=_("Name and version of the model, as your paper gives them."),
    )


class GuidelineForm(forms.Form):
    """The text of the next version, and one sentence about what changed and why."""

    text = forms.CharField(
        label=_("Text"),
        strip=False,
        widget=forms.Textarea(attrs={"rows": 24, "class": "mono sm"}),
        help_text=_("Markdown: headings, lists, tables and code. HTML tags are shown as text."),
    )
    text_zh = forms.CharField(
        label=_("Text in Chinese"),
        strip=False,
        required=False,
        widget=forms.Textarea(attrs={"rows": 24, "class": "mono sm", "lang": "zh-Hans"}),
        help_text=_("Members who read Chinese see this text. If empty, they see the text above."),
    )
    note = forms.CharField(
        label=_("What changed and why"),
        max_length=500,
        required=False,
        help_text=_("One sentence. Volunteers read the sentence above the changes."),
    )
    made_from = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, *args: Any, is_first: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        note = self.fields["note"]
        note.required = not is_first
        note.error_messages["required"] = _("Write one sentence: what changed, and why?")

    def clean_text_zh(self) -> str | None:
        """The Chinese text; None, which keeps the current one, if the field was not sent at all."""
        return self.cleaned_data["text_zh"] if "text_zh" in self.data else None
