"""Forms of codings: opening one, a quote without a script, and settling an item."""

import json
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from core.numbers import whole_number
from interviews.actions.coders import ADD, CHANGES
from interviews.actions.quotes import LONGEST_MEMO, UNKNOWN, Was
from interviews.actions.settling import KEEP, LONGEST_RATIONALE, MERGE, NONE
from interviews.models import Quote
from interviews.queries.quotes import Content, Span
from studies.forms import PeopleField
from studies.models import Membership
from taxonomy.models import Version
from taxonomy.queries.codebooks import Codebook


class OpenCodingForm(forms.Form):
    """Who codes an interview, and by which version of the taxonomy."""

    coders = PeopleField(
        Membership.objects.none(),
        label=gettext_lazy("Coders"),
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Choose two or more. Each codes alone, and nobody sees the quotes of others."),
    )
    version = forms.ModelChoiceField(
        Version.objects.none(), label=gettext_lazy("Version of the taxonomy"), empty_label=None
    )

    def __init__(self, *args: Any, people: Any, versions: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["coders"].queryset = people  # type: ignore[attr-defined]  # a ModelChoiceField
        self.fields["version"].queryset = versions  # type: ignore[attr-defined]  # a ModelChoiceField


class CoderForm(forms.Form):
    """A change of one coder: a member, and what happens to them."""

    who = forms.ModelChoiceField(Membership.objects.none(), label=gettext_lazy("Member"), empty_label=None)
    change = forms.ChoiceField(choices=[(one, one) for one in CHANGES], widget=forms.HiddenInput, initial=ADD)

    def __init__(self, *args: Any, people: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["who"].queryset = people  # type: ignore[attr-defined]  # a ModelChoiceField


class QuoteForm(forms.Form):
    """A quote: its place, by characters or by its words, and what the coder says of it. Scripts send it."""

    transcript = forms.IntegerField(min_value=1, max_value=32_767, required=False)
    turn = forms.IntegerField(min_value=0, max_value=2**31 - 1)
    start = forms.IntegerField(min_value=0, max_value=2**31 - 1, required=False)
    end = forms.IntegerField(min_value=0, max_value=2**31 - 1, required=False)
    text = forms.CharField(required=False, strip=False)
    codes = forms.MultipleChoiceField(required=False)
    open_codes = forms.CharField(required=False, max_length=12_000)
    memo = forms.CharField(required=False, max_length=LONGEST_MEMO)
    strength = forms.TypedChoiceField(
        choices=[("", ""), *Quote.Strength.choices], coerce=int, empty_value=None, required=False
    )
    was = forms.CharField(required=False)
    earlier = forms.CharField(required=False)

    def __init__(self, *args: Any, book: Codebook, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["codes"].choices = [(state.code, state.code) for state in book.states]  # type: ignore[attr-defined]  # by its class

    def clean_was(self) -> Was:
        """What the sender believes to be stored; UNKNOWN without a word about it."""
        text = self.cleaned_data["was"]
        if not text:
            return UNKNOWN
        try:
            was = json.loads(text)
            return None if was is None else content_from(was)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise forms.ValidationError(gettext_lazy("Load the page again, then save.")) from None

    def clean_earlier(self) -> Span | None:
        """The place of a quote on an earlier transcript that this one answers, as turn.start.end."""
        text = self.cleaned_data["earlier"]
        if not text:
            return None
        numbers = [whole_number(part) for part in text.split(".")]
        if len(numbers) != 3 or None in numbers:
            raise forms.ValidationError(gettext_lazy("Load the page again, then save."))
        return Span(*[number or 0 for number in numbers])

    @property
    def content(self) -> Content:
        given = self.cleaned_data
        names = tuple(line.strip() for line in given["open_codes"].splitlines() if line.strip())
        return Content(tuple(given["codes"]), names, given["memo"], given["strength"])

    def span_in(self, text: str) -> Span | None:
        """The place: its characters, or the only place of its words in the text of the turn."""
        given = self.cleaned_data
        if given["start"] is not None and given["end"] is not None:
            return Span(given["turn"], given["start"], given["end"])
        words = given["text"].replace("\r\n", "\n").strip()
        places = text.count(words) if words else 0
        if places == 1:
            start = text.index(words)
            return Span(given["turn"], start, start + len(words))
        if places:
            self.add_error(
                "text", gettext_lazy("These words occur more than once. Copy more words around them.")
            )
        else:
            self.add_error("text", gettext_lazy("The turn does not contain these words. Copy them exactly."))
        return None


def content_from(given: dict[str, Any]) -> Content:
    """The content in the JSON of a script. Raises KeyError, TypeError, AttributeError."""
    strength = given.get("strength")
    return Content(
        codes=tuple(str(code) for code in given["codes"]),
        open_codes=tuple(sorted(str(name) for name in given["open_codes"])),
        memo=str(given.get("memo", "")),
        strength=None if strength is None else int(strength),
    )


class SettleForm(forms.Form):
    """How an item is settled. `item` and `keep` are keys of quotes."""

    transcript = forms.IntegerField(min_value=1, max_value=32_767, required=False)
    outcome = forms.ChoiceField(choices=[(one, one) for one in (KEEP, MERGE, NONE)])
    codes = forms.CharField(required=False, max_length=2_000)
    open_codes = forms.CharField(required=False, max_length=12_000)
    rationale = forms.CharField(required=False, max_length=LONGEST_RATIONALE)

    @property
    def content(self) -> Content | None:
        """The chosen codes of a merged quote; None to take all codes."""
        given = self.cleaned_data
        codes = tuple(given["codes"].replace(",", " ").split())
        names = tuple(line.strip() for line in given["open_codes"].splitlines() if line.strip())
        return Content(codes, names) if codes or names else None
