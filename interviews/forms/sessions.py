"""The form of an interview."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from interviews.actions.sessions import MOST_MINUTES
from interviews.forms.participants import DAY
from interviews.models import Guide, Participant
from studies.forms import PersonField
from studies.models import Membership


class SessionForm(forms.Form):
    """When, by whom and by which guide an interview was held."""

    participant = forms.ModelChoiceField(Participant.objects.none(), label=gettext_lazy("Participant"))
    held_on = forms.DateField(label=gettext_lazy("Date"), widget=DAY)
    interviewer = PersonField(Membership.objects.none(), label=gettext_lazy("Interviewer"))
    minutes = forms.IntegerField(
        label=gettext_lazy("Length in minutes"), min_value=1, max_value=MOST_MINUTES, required=False
    )
    guide = forms.ModelChoiceField(
        Guide.objects.none(),
        label=gettext_lazy("Guide"),
        required=False,
        empty_label=gettext_lazy("no guide"),
    )

    def __init__(self, *args: Any, participants: Any, people: Any, guides: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, choices in (("participant", participants), ("interviewer", people), ("guide", guides)):
            self.fields[name].queryset = choices  # type: ignore[attr-defined]  # ModelChoiceFields
        if participants is None:
            del self.fields["participant"]
        for name in ("participant", "interviewer"):
            if name in self.fields:
                self.fields[name].empty_label = None  # type: ignore[attr-defined]  # by its class
