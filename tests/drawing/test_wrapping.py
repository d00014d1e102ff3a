"""Texts are cut into lines where a reader would, and never lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawing.wrapping import drawable, wrapped


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("one", ["one"]),
        ("one two three", ["one two", "three"]),
        ("a/path/that/is/long", ["a/path/", "that/is/", "long"]),
        ("well-known things", ["well-", "known", "things"]),
        ("unbreakable", ["unbreaka", "ble"]),
        ("a unbreakable b", ["a", "unbreaka", "ble b"]),
        ("分类系统的名称没有空格。", ["分类系统的名称没", "有空格。"]),
        ("分类系统的名称没。有", ["分类系统的名称", "没。有"]),
        ("abcd 12\N{NO-BREAK SPACE}% of", ["abcd", "12\N{NO-BREAK SPACE}% of"]),
    ],
)
def test_lines_of_eight_letters(text, lines):
    assert wrapped(text, 8, len) == lines


def test_marks_stay_with_their_letter():
    assert wrapped("e\u0301" * 3, 4, len) == ["e\u0301e\u0301", "e\u0301"]
    assert wrapped("👩\u200d💻👩\u200d💻", 3, len) == ["👩\u200d💻", "👩\u200d💻"]


@given(st.text(max_size=60), st.integers(3, 20))
def test_no_letter_is_lost_and_no_line_is_too_long(text, width):
    text = drawable(text)
    lines = wrapped(text, width, len)

    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(len(line) <= width or not line.isascii() for line in lines)


def test_what_no_font_draws_is_left_out():
    assert drawable("a\x00\x1b[b\n c\ud800\uffff\u202f\ue000d") == "a[b c d"
