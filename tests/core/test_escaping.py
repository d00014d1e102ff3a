"""Texts from outside have no meaning in Markdown and in LaTeX."""

import pytest

from core.text.escaping import latex, markdown


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain", "plain"),
        ("# a\n\n## b", "\\# a \\#\\# b"),
        ("- a", "\\- a"),
        ("1. a", "1\\. a"),
        ("12) a", "12\\) a"),
        ("2026 a", "2026 a"),
        ("`a` _b_ ~c~ &amp; $x$", "\\`a\\` \\_b\\_ \\~c\\~ \\&amp; \\$x\\$"),
        ("https://a.example www.a.example", "https\\://a.example www\\.a.example"),
        ("a\u202eb\x00c", "abc"),
        ("\\", "\\\\"),
    ],
)
def test_texts_from_outside_have_no_meaning_in_markdown(text, line):
    assert markdown(text) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain", "plain"),
        ("a\nb\tc", "a b c"),
        ("50 % & #1_a", r"50 \% \& \#1\_a"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("[4pt]", "{[}4pt{]}"),
        ("* x", "{*} x"),
        ("−0.5", "$-0.5$"),
        ("--tp-size ---", "-{}-tp-size -{}-{}-"),
        ("a\x07\u202eb", "ab"),
    ],
)
def test_texts_from_outside_have_no_meaning_in_latex(text, line):
    assert latex(text) == line
