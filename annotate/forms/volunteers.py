"""Forms of the page on which an open round is changed."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from rounds.models import Round
from rounds.queries.volunteers import active_volunteers, addable
from studies.models import Membership


class AddVolunteerForm(forms.Form):
    """The member who is to label in the round from now on."""

    member = forms.ModelChoiceField(Membership.objects.none(), label=_("Member of the study"))

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["member"]
        field.queryset = addable(round_)
        field.empty_label = _("Choose somebody")


class RemoveVolunteerForm(forms.Form):
    """The member who takes over a volunteer's open slots; if nobody is chosen, they are given back."""

    to = forms.ModelChoiceField(Membership.objects.none(), label=_("Who goes on"), required=False)

    def __init__(self, *args: Any, round_: Round, member: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["to"]
        ids = set(addable(round_).values_list("pk", flat=True))
        if round_.allocation == Round.Allocation.K_OF_N:
            ids |= {one.member_id for one in active_volunteers(round_)}
            field.empty_label = _("Nobody: the issues are free again")
        else:
            field.empty_label = _("Nobody: the issues do without")
        field.queryset = Membership.objects.filter(pk__in=ids - {member.pk}).order_by("pk")


class RaiseLabelsForm(forms.Form):
    """The new number of labels per issue."""

    to = forms.IntegerField(label=_("Labels per issue"), min_value=1, max_value=999)


class QuotaForm(forms.Form):
    """The number of labels after which a volunteer is given no more; empty for no limit."""

    quota = forms.IntegerField(label=_("Quota"), required=False, min_value=1, max_value=10_000_000)


class DeadlineForm(forms.Form):
    """The last day of the round; empty for no deadline."""

    deadline = forms.DateField(
        label=_("Deadline"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=_("The last day. Shown to everybody; nothing ends by itself."),
    )
