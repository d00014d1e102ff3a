"""Forms of the page on which an open round is changed."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.actions.rounds import LONGEST_REASON
from rounds.models import Round
from rounds.queries.volunteers import active_volunteers, addable
from studies.forms import PersonField
from studies.models import Membership


class AddVolunteerForm(forms.Form):
    """The member who is to label in the round from now on."""

    member = PersonField(Membership.objects.none(), label=_("Member of the study"))

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["member"]
        field.queryset = addable(round_)
        field.empty_label = _("Choose a member")


class RemoveVolunteerForm(forms.Form):
    """The member who takes over a volunteer's open slots; if nobody is chosen, they are given back."""

    to = PersonField(Membership.objects.none(), label=_("New volunteer for these issues"), required=False)

    def __init__(self, *args: Any, round_: Round, member: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["to"]
        ids = set(addable(round_).values_list("pk", flat=True))
        if round_.allocation == Round.Allocation.K_OF_N:
            ids |= {one.member_id for one in active_volunteers(round_)}
            field.empty_label = _("Nobody: the issues are free again")
        else:
            field.empty_label = _("Nobody: the issues get one label less")
        field.queryset = (
            Membership.objects.filter(pk__in=ids - {member.pk}).select_related("user").order_by("pk")
        )


class RaiseLabelsForm(forms.Form):
    """The new number of labels per issue."""

    to = forms.IntegerField(label=_("Labels per issue"), min_value=1, max_value=999)


class QuotaForm(forms.Form):
    """The number of labels after which a volunteer is given no more; empty for no limit."""

    quota = forms.IntegerField(label=_("Quota"), required=False, min_value=1, max_value=10_000_000)


class AdmitForm(forms.Form):
    """Why a volunteer may label without a passed training."""

    reason = forms.CharField(
        max_length=LONGEST_REASON,
        error_messages={
            "required": _("Give the reason why this volunteer may label without the training."),
            "max_length": _("The reason is longer than %(limit_value)d characters. Shorten it."),
        },
    )


class DeadlineForm(forms.Form):
    """The last day of the round; empty for no deadline."""

    deadline = forms.DateField(
        label=_("Deadline"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=_("Everybody sees this day, and it ends at midnight. The round does not close by itself."),
    )
