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
        label=_("What to change"),
        choices=[
            (drafts.ADD, _("new category")),
            (drafts.DESCRIBE, _("rename, or other texts")),
            (drafts.MOVE, _("move")),
            (drafts.MERGE, _("merge")),
            (drafts.SPLIT, _("split")),
            (drafts.RETIRE, _("retire")),
        ],
        widget=forms.RadioSelect,
        initial=drafts.ADD,
    )
    reasons = forms.CharField(
        label=_("Why"),
        max_length=REASONS_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("What the others need to know before they vote."),
    )
    examples = forms.CharField(
        label=_("Issues that show it"),
        max_length=REASONS_LENGTH,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Their addresses, one a line."),
    )
    deadline = forms.DateTimeField(
        label=_("Vote until"),
        initial=_in_a_week,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text=_("It ends before, once all have voted."),
    )
    quorum = forms.IntegerField(
        label=_("Quorum"),
        min_value=1,
        required=False,
        help_text=_(
            "So many must vote; left empty: more than half of the members. A new category, or a split,"
            " waits for all."
        ),
    )


class BallotForm(forms.Form):
    """A vote with an argument."""

    choice = forms.ChoiceField(choices=Ballot.Choice)
    argument = forms.CharField(max_length=ARGUMENT_LENGTH, required=False)
