"""Whole numbers as links and forms write them."""

import pytest
from django.http import Http404

from core.numbers import SHORT, number_asked, whole_number


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("41", 41), (41, 41), ("9" * 18, 10**18 - 1), ("9" * 19, None), ("", None), (None, None)]
    + [(text, None) for text in ("-1", "+1", " 1", "1.0", "1_0", "0x1", "²", "٣", "１", "1\0", "None")],
)
def test_a_whole_number_is_written_with_ascii_digits_only(text, number):
    assert whole_number(text) == number


def test_a_short_number_fits_a_column_of_32_bits():
    assert whole_number("9" * SHORT, digits=SHORT) == 999_999_999
    assert whole_number("1" + "0" * SHORT, digits=SHORT) is None


def test_a_query_string_without_the_number_asks_for_none():
    assert number_asked({}, "item") is None
    assert number_asked({"item": ""}, "item") is None
    assert number_asked({"item": "7"}, "item") == 7


@pytest.mark.parametrize("text", ["x", "-1", "9" * 19])
def test_a_query_string_that_no_page_links_to_is_not_found(text):
    with pytest.raises(Http404):
        number_asked({"item": text}, "item")
