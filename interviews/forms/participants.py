"""Forms of participants, audiences, identities, consents and interviewers."""

from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core import clock
from interviews.actions.participants import LONGEST, LONGEST_VALUE, Background
from interviews.models import Audience, Consent, ConsentText, Participant
from studies.forms import PersonField
from studies.models import Membership

DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
MOST = 2**15 - 1


class AudienceForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=80)
    prefix = forms.CharField(  # type: ignore[assignment]  # a field, which the class keeps apart
        label=gettext_lazy("Prefix of pseudonyms"),
        max_length=4,
        widget=forms.TextInput(attrs={"size": 6, "autocapitalize": "characters", "spellcheck": "false"}),
        help_text=gettext_lazy("One to four letters. With U, participants are called U1, U2 and so on."),
    )


class BackgroundForm(forms.Form):
    """What the study may know of a participant."""

    role = forms.CharField(label=gettext_lazy("Role"), max_length=LONGEST["role"], required=False)
    experience = forms.CharField(
        label=gettext_lazy("Experience"),
        max_length=LONGEST["experience"],
        required=False,
        help_text=gettext_lazy("Such as “4 years”. An erasure keeps this value, because statistics use it."),
    )
    context = forms.CharField(label=gettext_lazy("Frameworks"), max_length=LONGEST["context"], required=False)
    attributes = forms.CharField(
        label=gettext_lazy("Further columns"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text=gettext_lazy("One per line: name, colon, value. Do not write a name or an employer here."),
    )
    incentive = forms.CharField(
        label=gettext_lazy("Incentive"), max_length=LONGEST["incentive"], required=False
    )

    def clean_attributes(self) -> dict[str, str]:
        given: dict[str, str] = {}
        for number, line in enumerate(self.cleaned_data["attributes"].splitlines(), 1):
            name, colon, value = (part.strip() for part in line.partition(":"))
            if not line.strip():
                continue
            if not (name and colon) or len(value) > LONGEST_VALUE:
                raise forms.ValidationError(_("Line %(line)d is not “name: value”.") % {"line": number})
            if name in given:
                raise forms.ValidationError(_("Line %(line)d repeats a name.") % {"line": number})
            given[name] = value
        return given

    @property
    def background(self) -> Background:
        names = ("role", "experience", "context", "incentive", "attributes")
        return Background(**{name: self.cleaned_data[name] for name in names})


class ParticipantForm(BackgroundForm):
    """A new participant."""

    audience = forms.ModelChoiceField(Audience.objects.none(), label=gettext_lazy("Audience"))
    number = forms.IntegerField(
        label=gettext_lazy("Number"),
        min_value=1,
        max_value=99_999,
        required=False,
        help_text=gettext_lazy("Empty: the next free number of the audience."),
    )
    field_order = ("audience", "number")

    def __init__(self, *args: Any, audiences: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["audience"].queryset = audiences  # type: ignore[attr-defined]  # by its class
        self.fields["audience"].empty_label = None  # type: ignore[attr-defined]  # by its class


class ChangedParticipantForm(BackgroundForm):
    """The background of a participant, and the state of the member check."""

    member_check = forms.ChoiceField(
        label=gettext_lazy("Member check"),
        choices=Participant.MemberCheck,
        help_text=gettext_lazy("Has the participant seen the results, and what was the answer?"),
    )
    checked_on = forms.DateField(label=gettext_lazy("Date of the member check"), required=False, widget=DAY)


def attributes_text(participant: Participant) -> str:
    """The further columns as the form shows them."""
    return "\n".join(f"{name}: {value}" for name, value in participant.attributes.items())


class IdentityForm(forms.Form):
    """Who a participant is. A refusal repeats no field named `secret_…` (core.http.typed)."""

    secret_name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "dir": "auto"}),
    )
    secret_contact = forms.CharField(
        label=gettext_lazy("Contact"),
        max_length=1000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off", "dir": "auto"}),
        help_text=gettext_lazy("An address or a number. Empty fields delete the identity."),
    )


class ConsentForm(forms.Form):
    text = forms.ModelChoiceField(ConsentText.objects.none(), label=gettext_lazy("Consent text"))
    given_on = forms.DateField(label=gettext_lazy("Date"), widget=DAY)
    permits = forms.MultipleChoiceField(
        label=gettext_lazy("The participant permits to"),
        choices=Consent.Permission,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, texts: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].queryset = texts  # type: ignore[attr-defined]  # a ModelChoiceField by its class
        self.fields["text"].empty_label = None  # type: ignore[attr-defined]  # by its class
        self.fields["given_on"].initial = timezone.localdate(clock.now())


class WithdrawalForm(forms.Form):
    withdrawn_on = forms.DateField(label=gettext_lazy("Withdrawn on"), widget=DAY)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["withdrawn_on"].initial = timezone.localdate(clock.now())


class ConsentTextForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Text"),
        strip=False,
        widget=forms.Textarea(attrs={"rows": 16}),
        help_text=gettext_lazy("Markdown. Participants agree to this text, and a version never changes."),
    )


class InterviewerForm(forms.Form):
    """How somebody who interviews is described."""

    member = PersonField(Membership.objects.none(), label=gettext_lazy("Member"))
    role = forms.CharField(label=gettext_lazy("Role"), max_length=300, required=False)
    experience = forms.CharField(
        label=gettext_lazy("Experience with interviews"), max_length=300, required=False
    )
    bias = forms.CharField(
        label=gettext_lazy("Relation to the topic and possible bias"),
        max_length=4000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(self, *args: Any, people: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["member"].queryset = people  # type: ignore[attr-defined]  # by its class
        self.fields["member"].empty_label = None  # type: ignore[attr-defined]  # by its class


class ErasureForm(forms.Form):
    """The pseudonym, typed: an erasure cannot be undone."""

    pseudonym = forms.CharField(
        label=gettext_lazy("Pseudonym of the participant"),
        max_length=12,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy("Type the pseudonym of the participant. An erasure cannot be undone."),
    )

    def __init__(self, *args: Any, pseudonym: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.expected = pseudonym

    def clean_pseudonym(self) -> str:
        typed = str(self.cleaned_data["pseudonym"]).strip().upper()
        if typed != self.expected:
            words = _("This is not the pseudonym. Type %(participant)s to erase. Nothing was changed.")
            raise forms.ValidationError(words % {"participant": self.expected})
        return typed
