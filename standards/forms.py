"""The forms of answers, of a rater's background, and of the citation."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from standards.actions import answers, backgrounds
from standards.models import RaterBackground


def _lines(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows, "class": "input", "dir": "auto"})


class AnswerForm(forms.Form):
    """The answer to one item; `number` is that of the answer that the member read."""

    text = forms.CharField(max_length=answers.LONGEST, required=False, widget=_lines(3))
    does_not_apply = forms.BooleanField(required=False)
    number = forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1, widget=forms.HiddenInput)


class BackgroundForm(forms.Form):
    """What a rater tells about themselves."""

    years = forms.IntegerField(
        label=gettext_lazy("Years of experience with software"),
        required=False,
        min_value=0,
        max_value=80,
        widget=forms.NumberInput(attrs={"class": "input"}),
    )
    experience = forms.CharField(
        label=gettext_lazy("Your experience with the topic"),
        max_length=backgrounds.LONGEST,
        required=False,
        widget=_lines(3),
    )
    training = forms.CharField(
        label=gettext_lazy("Your training as a rater, outside of this study"),
        max_length=backgrounds.LONGEST,
        required=False,
        widget=_lines(3),
    )
    reflection = forms.CharField(
        label=gettext_lazy("At the end of a round: which bias of your own could have changed your labels?"),
        max_length=backgrounds.LONGEST,
        required=False,
        widget=_lines(4),
    )
    sharing = forms.ChoiceField(
        label=gettext_lazy("Who can read this"),
        choices=RaterBackground.Sharing.choices,
        widget=forms.RadioSelect,
        initial=RaterBackground.Sharing.NOBODY,
    )


class CitationForm(forms.Form):
    """How to cite the study; `revision` is the one that the member read."""

    title = forms.CharField(
        label=gettext_lazy("Title"), max_length=300, widget=forms.TextInput({"class": "input", "dir": "auto"})
    )
    authors = forms.CharField(
        label=gettext_lazy("Authors"),
        help_text=gettext_lazy(
            "One author a line, with commas between family name, given name and ORCID. Given"
            " name and ORCID are optional."
        ),
        required=False,
        widget=_lines(5),
        max_length=20_000,
    )
    licence = forms.CharField(
        label=gettext_lazy("Licence of labels and decisions"),
        help_text=gettext_lazy("SPDX identifier, such as CC-BY-4.0"),
        required=False,
        max_length=60,
        widget=forms.TextInput({"class": "input"}),
    )
    doi = forms.CharField(
        label=gettext_lazy("DOI of the package"),
        help_text=gettext_lazy("Such as 10.5281/zenodo.123"),
        required=False,
        max_length=120,
        widget=forms.TextInput({"class": "input"}),
    )
    revision = forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1, widget=forms.HiddenInput)

    def clean_authors(self) -> list[dict[str, str]]:
        found: list[dict[str, str]] = []
        for line in self.cleaned_data["authors"].splitlines():
            parts: list[str] = [part.strip() for part in line.split(",")]
            if not any(parts):
                continue
            if len(parts) > 3:
                text = _("This line has more than three parts: %(line)s")
                raise forms.ValidationError(text % {"line": line[:80]})
            family, given, orcid = (*parts, "", "")[:3]
            found.append({"family": family, "given": given, "orcid": orcid})
        return found


def authors_as_lines(authors: Any) -> str:
    """Stored authors as the form shows them."""
    return "\n".join(", ".join([one["family"], one["given"], one["orcid"]]).rstrip(", ") for one in authors)
