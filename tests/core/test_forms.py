"""A long list of choices is the select that Django writes, and keeps what was chosen."""

import pytest
from django import forms
from django.test.html import parse_html

from core.forms import LongSelect

CHOICES = [("", "choose …"), (1, "A.1 <Crash> & burn"), ("2", 'B "quoted"')]


class Usual(forms.Form):
    place = forms.TypedChoiceField(choices=CHOICES, coerce=int, widget=forms.Select(attrs={"class": "input"}))


class Long(forms.Form):
    place = forms.TypedChoiceField(choices=CHOICES, coerce=int, widget=LongSelect(attrs={"class": "input"}))


@pytest.mark.parametrize("given", [None, {"place": ""}, {"place": "1"}, {"place": "2"}, {"place": "7"}])
def test_it_is_written_as_the_usual_one(given):
    usual, long = (str(form(given)["place"]) for form in (Usual, Long))
    assert parse_html(long) == parse_html(usual)
    assert "A.1 &lt;Crash&gt; &amp; burn" in long
