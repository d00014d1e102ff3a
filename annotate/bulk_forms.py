"""What is posted to decide many disagreements at once, to leave them to a pair, and to open one again."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.models import Round
from annotate.queries.rounds import candidates
from studies.models import Membership

LONGEST_WHY = 1000


class MajorityForm(forms.Form):
    """How many equal labels settle an open disagreement: more than half, at most all."""

    at_least = forms.IntegerField(label=_("Equal labels at least"))

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        least, most = round_.labels_per_issue // 2 + 1, round_.labels_per_issue
        field = forms.IntegerField(label=_("Equal labels at least"), min_value=least, max_value=most)
        field.widget.attrs["size"] = 3
        self.fields["at_least"] = field
        self.initial.setdefault("at_least", least)


class PairForm(forms.Form):
    """The two who settle disagreements between them."""

    first = forms.ModelChoiceField(Membership.objects.none(), label=_("One"), empty_label=_("choose …"))
    second = forms.ModelChoiceField(
        Membership.objects.none(), label=_("The other"), empty_label=_("choose …")
    )

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people = candidates(round_.study).order_by("pseudonym")
        for name in ("first", "second"):
            field = self.fields[name]
            field.queryset = people  # type: ignore[attr-defined]  # what a ModelChoiceField has
            field.empty_label = _("choose …")  # type: ignore[attr-defined]  # the same
            field.label_from_instance = _pseudonym  # type: ignore[attr-defined]  # the same

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("first") is not None and cleaned.get("first") == cleaned.get("second"):
            self.add_error("second", _("Choose somebody else: a pair is two people."))
        return cleaned


def _pseudonym(member: Membership) -> str:
    return member.pseudonym


class ReopenForm(forms.Form):
    """Why a decided disagreement is open again, and which decision the form showed."""

    why = forms.CharField(
        label=_("Why it is open again"),
        max_length=LONGEST_WHY,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": _("Say in a sentence why the issue is open again.")},
    )
    seen_number = forms.IntegerField(min_value=0, max_value=32_767, widget=forms.HiddenInput)


class SinceForm(forms.Form):
    """The moment with which the final labels of now are compared."""

    since = forms.DateTimeField(
        label=_("Since"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local", "step": 1}, format="%Y-%m-%dT%H:%M:%S"),
        error_messages={"invalid": _("Choose a date and a time, such as 2026-03-01 09:00.")},
    )
