"""The forms of findings and their evidence."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from findings.actions.evidence import LONGEST_NOTE
from findings.actions.findings import LONGEST
from findings.queries.evidence import reference_of
from ingest.models import Issue
from interviews.models import Question, Quote
from reports.agreement_report import LEVELS
from rounds.models import Round
from taxonomy.models import Category

LINES = forms.Textarea(attrs={"rows": 5, "class": "input", "dir": "auto"})


class FindingForm(forms.Form):
    """The text of a finding; `revision` is the one that the member read."""

    text = forms.CharField(label=gettext_lazy("Finding"), widget=LINES, max_length=LONGEST)
    revision = forms.IntegerField(widget=forms.HiddenInput, required=False)


class NoteForm(forms.Form):
    """What all kinds of evidence have."""

    note = forms.CharField(
        label=gettext_lazy("Note"),
        max_length=LONGEST_NOTE,
        required=False,
        widget=forms.TextInput(attrs={"class": "input", "dir": "auto"}),
    )


class QuoteEvidenceForm(NoteForm):
    """A quote by its reference."""

    quote = forms.ChoiceField(
        label=gettext_lazy("Quote"),
        error_messages={"required": gettext_lazy("Choose a quote.")},
    )

    def __init__(self, *args: Any, quotes: list[Quote], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.quotes = {reference_of(one): one for one in quotes}
        self.fields["quote"].choices = [(name, name) for name in self.quotes]  # type: ignore[attr-defined]  # a ChoiceField

    def clean_quote(self) -> Quote:
        return self.quotes[self.cleaned_data["quote"]]


class IssueEvidenceForm(NoteForm):
    issue = forms.CharField(
        label=gettext_lazy("Address of the issue"), max_length=500, widget=forms.TextInput({"class": "input"})
    )
    round = forms.ModelChoiceField(
        Round.objects.none(),
        label=gettext_lazy("Decision of the round"),
        required=False,
        empty_label=gettext_lazy("no decision"),
    )

    def __init__(self, *args: Any, study: Any, rounds: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study
        self.fields["round"].queryset = rounds  # type: ignore[attr-defined]  # a ModelChoiceField

    def clean_issue(self) -> Issue:
        """The issue of this address, or of `path#number`."""
        given = self.cleaned_data["issue"].strip().rstrip("/")
        path, _sign, number = given.rpartition("#")
        issues = Issue.objects.filter(repository__study=self.study).select_related("repository")
        found = (
            issues.filter(url=given).first() or issues.filter(repository__path=path, number=number).first()
        )
        if found is None:
            raise forms.ValidationError(
                _("This study has no such issue. Copy the address from the page of the issue.")
            )
        return found


class RankingEvidenceForm(NoteForm):
    question = forms.ModelChoiceField(
        Question.objects.none(), label=gettext_lazy("Question"), empty_label=None
    )
    category = forms.ModelChoiceField(
        Category.objects.none(), label=gettext_lazy("Category"), empty_label=None
    )

    def __init__(self, *args: Any, questions: Any, categories: list[tuple[int, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["question"].queryset = questions  # type: ignore[attr-defined]  # a ModelChoiceField
        self.fields["category"].queryset = Category.objects.filter(  # type: ignore[attr-defined]  # a ModelChoiceField
            pk__in=[pk for pk, _name in categories]
        )
        self.fields["category"].choices = categories  # type: ignore[attr-defined]  # the same field


class ReportForm(forms.Form):
    """Whose numbers are shown to choose from."""

    round = forms.ModelChoiceField(Round.objects.none(), label=gettext_lazy("Round"), empty_label=None)
    level = forms.ChoiceField(
        label=gettext_lazy("Level of categories"),
        choices=[
            ("type", gettext_lazy("Type")),
            ("theme", gettext_lazy("Theme")),
            ("sub-theme", gettext_lazy("Sub-theme")),
        ],
    )

    def __init__(self, *args: Any, rounds: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["round"].queryset = rounds  # type: ignore[attr-defined]  # a ModelChoiceField


class NumberEvidenceForm(NoteForm):
    round = forms.ModelChoiceField(Round.objects.none())
    level = forms.ChoiceField(choices=[(name, name) for name in LEVELS])
    figure = forms.CharField(
        label=gettext_lazy("Number"),
        max_length=600,
        error_messages={"required": gettext_lazy("Choose a number.")},
    )

    def __init__(self, *args: Any, rounds: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["round"].queryset = rounds  # type: ignore[attr-defined]  # a ModelChoiceField

    def clean_figure(self) -> list[str]:
        """Its part, element and name."""
        found = self.cleaned_data["figure"].split("|")
        if len(found) < 3:
            raise forms.ValidationError(_("Choose a number."))
        return [found[0], "|".join(found[1:-1]), found[-1]]
