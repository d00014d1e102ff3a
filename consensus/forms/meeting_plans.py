"""Forms that plan or change a meeting."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils import formats, timezone
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from consensus.actions.meetings import LONGEST_NAME
from consensus.errors import MeetingRefused
from consensus.models import Meeting
from core import clock
from rounds.models import Round
from rounds.queries.rounds import candidates, could_come, usual_quorum
from studies.models import Membership

MOST_ITEMS = 2000
"""The most issues that a new agenda gets at once: more than any meeting can discuss."""


class _Moment(forms.DateTimeField):
    """A date and a time in the one field that a browser offers for both."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        super().__init__(
            widget=widget, required=False, input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"], **kwargs
        )


class MeetingForm(forms.Form):
    """Plans a meeting, or changes `meeting`. The field of a refused setting shows the reason."""

    name = forms.CharField(
        label=_("Name"),
        max_length=LONGEST_NAME,
        help_text=_("As the minutes will call it."),
        error_messages={"required": _("Give the meeting a name.")},
    )
    kind = forms.ChoiceField(label=_("How they meet"), choices=Meeting.Kind, widget=forms.RadioSelect)
    starts_at = _Moment(label=_("Planned for"), help_text=_("Shown to everybody; nothing begins by itself."))
    ends_at = _Moment(label=_("Until"), help_text=_("Over days: until when people can vote, at first."))
    chair = forms.ModelChoiceField(
        Membership.objects.none(),
        label=_("Chair"),
        empty_label=None,
        help_text=_("Leads from issue to issue and records decisions. A lead can take the chair later."),
    )
    quorum = forms.IntegerField(
        label=_("Quorum"),
        min_value=1,
        help_text=_("So many must be there, or over days must have voted, for a decision."),
    )
    by_majority = forms.BooleanField(
        label=_("More than half of those present may decide; without it only all who vote"), required=False
    )
    shows_names = forms.BooleanField(
        label=_("Show people by their names; without it by their pseudonyms"), required=False
    )
    participants = forms.ModelMultipleChoiceField(
        Membership.objects.none(),
        label=_("Who is asked to come"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("A pair is exactly two. Nobody is kept out of a meeting that is held together."),
        error_messages={"required": _("Choose who is asked to come.")},
    )

    def __init__(
        self,
        *args: Any,
        round_: Round,
        by: Membership | None,
        meeting: Meeting | None = None,
        initial: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        people = candidates(round_.study)
        self.fields["chair"].queryset = people  # type: ignore[attr-defined] # of a model choice field
        self.fields["participants"].queryset = people  # type: ignore[attr-defined] # the same
        own = _of_meeting(meeting) if meeting else _of_round(round_, by)
        self.initial = own | dict(initial or {})
        self.is_begun = meeting is not None and meeting.opened_at is not None
        if self.is_begun:
            self.fields["kind"].disabled = True

    def refuse(self, refusal: MeetingRefused) -> None:
        """Show a refusal at its field."""
        self.add_error(refusal.field if refusal.field in self.fields else None, str(refusal.message))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("kind") == Meeting.Kind.PAIR:
            self.errors.pop("quorum", None)
            cleaned |= {"quorum": 2, "by_majority": False}
        return cleaned

    def planned(self) -> dict[str, Any]:
        """The arguments of plan_meeting and change_meeting, except the round, the meeting and `by`."""
        return {**self.cleaned_data, "participants": list(self.cleaned_data["participants"])}


def _of_round(round_: Round, by: Membership | None) -> dict[str, Any]:
    return {
        "name": _t("Meeting of %(day)s")
        % {"day": formats.date_format(timezone.localtime(clock.now()), "j F")},
        "kind": Meeting.Kind.TOGETHER,
        "chair": by.pk if by else None,
        "quorum": usual_quorum(round_),
        "by_majority": round_.rule == Round.Rule.MAJORITY,
        "participants": list(could_come(round_).values_list("pk", flat=True)),
    }


def _of_meeting(meeting: Meeting) -> dict[str, Any]:
    names = ("name", "kind", "quorum", "by_majority", "shows_names")
    return {name: getattr(meeting, name) for name in names} | {
        "chair": meeting.chair_id,
        "starts_at": meeting.starts_at and timezone.localtime(meeting.starts_at),
        "ends_at": meeting.ends_at and timezone.localtime(meeting.ends_at),
        "participants": list(meeting.participants.values_list("member", flat=True)),
    }
