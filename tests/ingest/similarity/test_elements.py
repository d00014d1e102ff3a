"""What a report is compared by: which texts give the same elements, and which do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.similarity import elements, likeness
from ingest.similarity.elements import LINE, LONG_BLOCK, LONGEST


def count(title="", body=""):
    """The numbers of elements of words, and of lines."""
    found = elements(title, body)
    lines = int((found >= LINE).sum())
    return len(found) - lines, lines


def same(one, other):
    return elements(*one).tolist() == elements(*other).tolist()


@pytest.mark.parametrize(
    ("title", "body", "expected"),
    [
        ("", "", (0, 0)),
        ("Crash", "", (2, 0)),  # the word, and the word alone in its row
        ("Crash on load", "", (5, 0)),  # three words, two pairs
        ("", "one two three four", (3, 0)),
        ("", "one two one two", (2, 0)),  # each once
        ("", "one two\nthree four", (3, 0)),  # a paragraph goes on
        ("", "one two\n\nthree four", (2, 0)),  # and ends here
        ("", "### one two\nthree four", (2, 0)),
        ("", "**one two**\nthree four", (2, 0)),
        ("", "one **two** three", (2, 0)),
        ("", "see https://a.b/c?d=e#f now", (2, 0)),
        ("", "显存不足", (3, 0)),
        ("", "写C++模型", (3, 0)),  # 写 c, c 模, 模 型
        ("", "```\nx = 1\n\ny  =  2\nx = 3\n```", (0, 2)),  # numbers count as 0, empty lines not at all
        ("", "~~~py\n```\n~~~", (0, 1)),
        ("", "````\n```\nz\n````\nafter this", (1, 2)),
        ("", "> ```\n> z\n> ```", (0, 1)),
        ("", "```\nnever ended\n\nat all", (0, 2)),
        ("", "`one` two", (1, 0)),
        ("", "a b <!-- say\n\nwhat\n--> c d", (3, 0)),
        ("", "a b <!-- never ended", (1, 0)),
        ("", "\n".join(f"item number {n}" for n in range(LONG_BLOCK)), (2 * LONG_BLOCK, 0)),
        ("", "\n".join(f"item number {n}" for n in range(LONG_BLOCK + 1)), (0, 1)),
    ],
)
def test_numbers_of_elements(title, body, expected):
    assert count(title, body) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("A crash", "It hangs."), ("a CRASH!", "it *hangs*"), True),
        (("", "ｌｏｓｓ is NaN，ＧＰＵ"), ("", "Loss is nan, gpu"), True),
        (("", "ﬁle lost"), ("", "file lost"), True),
        (("", "a\r\nb\r\n\r\nc d"), ("", "a\nb\n\nc d"), True),
        (("", "```\nat 0x7f3a in f (line 12)\n```"), ("", "```\n  at 0xdead  in f (line 7)\n```"), True),
        (("", "```\nat f\n```"), ("", "at f"), False),
        (("one two", ""), ("", "one two"), False),
        (("", "one two three"), ("", "three two one"), False),
        (("", "fails on 2 cards"), ("", "fails on 4 cards"), False),
        (("", "显存不足"), ("", "不足显存"), False),
    ],
)
def test_equal_elements(one, other, expected):
    assert same(one, other) is expected


def test_what_is_beyond_the_longest_is_not_read():
    body = "word " * (LONGEST // 5)
    assert len(body) == LONGEST
    assert same(("", body), ("", body + "another end"))
    assert not same(("", body), ("", body[:-20] + "another end"))


def test_they_are_the_same_on_any_machine():
    assert elements("Loss is NaN", "```\nx\n```").tolist() == [
        304767638808653467,
        1148189151435976387,
        5347363141609525442,
        5987185662293182133,
        7877258645576202115,
        14940813781260033866,
    ]


@given(st.text(), st.text())
def test_of_any_text_they_are_sorted_and_each_there_once(title, body):
    found = elements(title, body).tolist()
    assert found == sorted(set(found))
    assert likeness(elements(title, body), elements(title, body)) == (1.0 if found else 0.0)
