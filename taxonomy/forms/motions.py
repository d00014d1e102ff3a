"""The form that puts a change to the vote; taxonomy.forms.drafts reads the change itself."""

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core import clock
from taxonomy.actions.motions import ARGUMENT_LENGTH, REASONS_LENGTH
from taxonomy.models import Ballot
from taxonomy.tree import drafts

DAYS = 7


def _in_a_week() -> Any:
    return timezone.localtime(clock.now() + timedelta(days=DAYS)).replace(second=0, microsecond=0)


class MotionForm(forms.Form):
    """The reasons for a change, the deadline of the vote and the quorum."""

    kind = forms.ChoiceField(
        label=_("Kind of change"),
        choices=[
            (drafts.ADD, _("new category")),
            (drafts.DESCRIBE, _("change the name or texts")),
            (drafts.MOVE, _("move")),
            (drafts.MERGE, _("merge")),
            (drafts.SPLIT, _("split")),
            (drafts.RETIRE, _("retire")),
        ],
        widget=forms.RadioSelect,
        initial=drafts.ADD,
    )
    reasons = forms.CharField(
        label=_("Reasons"),
        max_length=REASONS_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Explain what the other members need to know before they vote."),
    )
    examples = forms.CharField(
        label=_("Example issues"),
        max_length=REASONS_LENGTH,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Write one address on each line."),
    )
    deadline = forms.DateTimeField(
        label=_("Voting deadline"),
        initial=_in_a_week,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text=_("The vote ends earlier when everybody has voted."),
    )
    quorum = forms.IntegerField(
        label=_("Quorum"),
        min_value=1,
        required=False,
        help_text=_(
            "The number of members who must vote. If empty, more than half must vote; new"
            " categories and splits need everybody."
        ),
    )


class BallotForm(forms.Form):
    """A vote with an argument."""

    choice = forms.ChoiceField(choices=Ballot.Choice)
    argument = forms.CharField(max_length=ARGUMENT_LENGTH, required=False)
