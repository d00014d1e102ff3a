"""What changed between two texts: pieces give both texts back, and nothing of them becomes HTML."""

import time

import pytest
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st

from studies.differences import DiffLine, Piece, difference, paragraphs

TEXTS = st.lists(st.text(alphabet="ab <&>\"'中\n", max_size=12), max_size=8).map("\n".join)


def as_html(lines: list[DiffLine], *, around: int | None = 2) -> str:
    """The paragraphs as the page has them, a line each."""
    html = render_to_string("studies/_changes.html", {"paragraphs": paragraphs(lines, around=around)})
    return "\n".join(line for line in html.splitlines() if line)


def side(lines: list[DiffLine], without: str) -> list[str]:
    """The lines of one text again: those that have anything besides what only the other one has."""
    return [
        "".join(piece.text for piece in line.pieces if piece.kind != without)
        for line in lines
        if any(piece.kind != without for piece in line.pieces)
    ]


@given(TEXTS, TEXTS)
def test_pieces_give_both_texts_back(old, new):
    lines = difference(old, new)
    assert side(lines, "ins") == (old.split("\n") if old else [])
    assert side(lines, "del") == (new.split("\n") if new else [])


@given(TEXTS, TEXTS)
def test_nothing_of_a_text_becomes_html(old, new):
    html = as_html(difference(old, new), around=None)
    for ours in ("<ins>", "</ins>", "<del>", "</del>", '<p dir="auto">', "</p>"):
        html = html.replace(ours, "")
    assert "<" not in html
    assert ">" not in html
    assert '"' not in html


NINE = "\n".join(f"line {n}" for n in range(9))
SHOWN = {
    "equal texts": ("a\nb", "a\r\nb", ""),
    "Chinese, by characters": (
        "标注根本原因。",
        "标注主要原因。",
        '<p dir="auto">标注<del>根本</del><ins>主要</ins>原因。</p>',
    ),
    "lines that share nothing": (
        "old words",
        "quite another",
        '<p dir="auto"><del>old words</del></p>\n<p dir="auto"><ins>quite another</ins></p>',
    ),
    "far away lines behind a gap": (
        NINE,
        NINE + "\nnew",
        '<p class="gap">⋯</p>\n<p dir="auto">line 8</p>\n<p dir="auto"><ins>new</ins></p>',
    ),
}


@pytest.mark.parametrize("case", SHOWN)
def test_what_differs_is_shown(case):
    old, new, html = SHOWN[case]
    assert as_html(difference(old, new), around=1) == html


def test_a_changed_line_is_shown_by_its_words():
    assert difference("Label the cause.", "Label the root cause.") == [
        DiffLine((Piece("same", "Label the "), Piece("ins", "root "), Piece("same", "cause.")))
    ]


def test_headings_and_points_read_as_such_and_drawing_is_left_out():
    assert as_html(difference("", "## Rules\n- one\n|---|:--|\n```python"), around=None) == (
        '<p class="h" dir="auto"><ins>Rules</ins></p>\n<p dir="auto"><ins>• one</ins></p>'
    )


@pytest.mark.parametrize(
    ("old", "new", "html"),
    [
        ("Take **C.2** here.", "Take **C.3** here.", "Take C.<del>2</del><ins>3</ins> here."),
        ("", "See `a*b*` in [a link](https://example.org/_a_).", "<ins>See a*b* in a link (https://example.org/_a_).</ins>"),
        ("one two", "one *two* three", "one two<ins> three</ins>"),
        ("", "snake_case_name, 2 * 3 * 4, **open", "<ins>snake_case_name, 2 * 3 * 4, **open</ins>"),
        ("one two three", "one **two** three", "one <ins>**</ins>two<ins>**</ins> three"),
    ],
)  # fmt: skip
def test_signs_of_markdown_are_not_shown_unless_they_alone_differ(old, new, html):
    assert as_html(difference(old, new)) == f'<p dir="auto">{html}</p>'


def test_code_keeps_its_signs():
    assert as_html(difference("", "```\n# a **b**\n```\n**c**"), around=None) == (
        '<p dir="auto"><ins># a **b**</ins></p>\n<p dir="auto"><ins>c</ins></p>'
    )


@pytest.mark.parametrize(
    "text", ["**a " * 9000, "`" * 40_000, "[" * 40_000, "_a " * 9000, ("`" * 7 + "a") * 5000]
)
def test_signs_without_their_end_cost_little(text):
    began = time.perf_counter()
    as_html(difference("", text))
    assert time.perf_counter() - began < 2


@pytest.mark.slow
def test_large_texts_that_share_little_take_no_minute():
    old = "\n".join(f"rule {n} says {n * 7} and more of it" for n in range(3000))
    new = "\n".join(f"rule {n} said {n * 5} and less of it" for n in range(3000))
    began = time.perf_counter()
    difference(old, new)
    assert time.perf_counter() - began < 5
