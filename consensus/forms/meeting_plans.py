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
from studies.forms import PeopleField, PersonField
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
        help_text=_("The name appears in the minutes."),
        error_messages={"required": _("Give the meeting a name.")},
    )
    kind = forms.ChoiceField(label=_("Kind of meeting"), choices=Meeting.Kind, widget=forms.RadioSelect)
    starts_at = _Moment(
        label=_("Start"), help_text=_("Shown to everybody. The chair or a lead opens the meeting.")
    )
    ends_at = _Moment(label=_("End"), help_text=_("Voting deadline (can be extended)"))
    chair = PersonField(
        Membership.objects.none(),
        label=_("Chair"),
        empty_label=None,
        help_text=_(
            "The chair is always invited, goes from issue to issue, records decisions, and votes too. A lead"
            " can take over as chair later."
        ),
    )
    quorum = forms.IntegerField(
        label=_("Quorum"),
        min_value=1,
        help_text=_("People who must be present, or must have voted, before anything is decided"),
    )
    by_majority = forms.BooleanField(
        label=_(
            "More than half of the people present can decide. Without this choice, all votes must agree."
        ),
        required=False,
    )
    shows_names = forms.BooleanField(
        label=_("Show leads the names of people, not only pseudonyms"), required=False
    )
    participants = PeopleField(
        Membership.objects.none(),
        label=_("Invited people"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("A pair has exactly two people. Any member can join a live meeting."),
        error_messages={"required": _("Choose the people to invite.")},
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
        "name": _free_name(round_),
        "kind": Meeting.Kind.TOGETHER,
        "chair": by.pk if by else None,
        "quorum": usual_quorum(round_),
        "by_majority": round_.rule == Round.Rule.MAJORITY,
        "participants": list(could_come(round_).values_list("pk", flat=True)),
    }


def _free_name(round_: Round) -> str:
    """The name of the day, with a number if another meeting of the study has this name."""
    day = formats.date_format(timezone.localtime(clock.now()), "MONTH_DAY_FORMAT")
    taken = set(Meeting.objects.filter(round__study=round_.study_id).values_list("name", flat=True))
    name = _t("Meeting of %(day)s") % {"day": day}
    number = 1
    while name in taken:
        number += 1
        name = _t("Meeting %(n)s of %(day)s") % {"n": number, "day": day}
    return name


def _of_meeting(meeting: Meeting) -> dict[str, Any]:
    names = ("name", "kind", "quorum", "by_majority", "shows_names")
    return {name: getattr(meeting, name) for name in names} | {
        "chair": meeting.chair_id,
        "starts_at": meeting.starts_at and timezone.localtime(meeting.starts_at),
        "ends_at": meeting.ends_at and timezone.localtime(meeting.ends_at),
        "participants": list(meeting.participants.values_list("member", flat=True)),
    }
