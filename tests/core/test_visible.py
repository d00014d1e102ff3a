"""Titles from outside neither hide characters nor turn around what stands beside them."""

import re
from pathlib import Path

import pytest

from core.text import markdown
from core.text.visible import visible

TEMPLATES = Path(__file__).parents[2] / "templates"
TITLE = re.compile(
    r"\b(?:row|line|item|reading|current|chosen|one|snapshot|report|draft)\.title\b(?!\|visible)"
)
OTHERS = {
    "interviews/rankings/_figure.html": "of a picture",
    "reports/screening/_reasons.html": "of a category",
}
"""Templates with titles that members of the study have written, and why."""


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Crash\x1b[31m red\x07", "Crash␛[31m red␇"),
        ("a\x00b\x7fc\rd", "a\ufffdb␡c␍d"),
        ("next\x85line", "next[U+0085]line"),
        ("safe\u202egnp.exe", "safe[U+202E]gnp.exe"),
        ("\u2066a\u2069 \u202ab\u202c", "[U+2066]a[U+2069] [U+202A]b[U+202C]"),
        ("مرحبا \u200fשלום, 算子 🙂 a\tb\nc", "مرحبا \u200fשלום, 算子 🙂 a\tb\nc"),
        ("", ""),
        (None, ""),
    ],
)
def test_what_nobody_sees_or_what_turns_a_line_around_is_shown_as_a_mark(title, shown):
    assert visible(title) == shown
    assert markdown.line(title or "") == shown
    assert markdown.gist(title or "") == " ".join(shown.split())


def test_every_page_shows_titles_of_issues_this_way():
    raw = {
        path.relative_to(TEMPLATES).as_posix()
        for path in TEMPLATES.rglob("*.html")
        for tag in re.findall(r"\{\{[^{}]*\}\}|\{% *(?:firstof|with|blocktranslate|include)[^{}]*%\}", path.read_text("utf-8"))
        if TITLE.search(tag)
    }  # fmt: skip
    assert raw == OTHERS.keys()
