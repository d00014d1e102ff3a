"""Guides in Markdown: parts, questions and whom they are asked."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.readers.guide import LONGEST_TEXT, MOST_QUESTIONS, read_guide
from interviews.readers.refusals import Unreadable
from tests.conftest import SHARED_DATA
from tests.interviews.readers.packing import outcome


def asked(guide) -> list[list[tuple[str, str | None, bool, int | None]]]:
    return [
        [(one.text, one.audience, one.is_ranking, one.top) for one in part.questions] for part in guide.parts
    ]


def problems(guide) -> list[tuple[int, str]]:
    return [(one.line, one.code) for one in guide.problems]


def test_a_guide_has_title_purpose_and_parts():
    guide = read_guide(
        "# Talks\r\n**Purpose:** Learn\r\nmore.\r\n\r\n40 minutes each\r\n\r\n## One (10 min)\r\n**Objective:** Know.\r\n\r\n"
        "1. Who?\r\n   _(role)_\r\n2. Why?\r\n   - since when\r\n\r\n## Two\r\n**Minutes:** 10–15\r\n* What?\r\n"
    )
    assert (guide.title, guide.purpose, guide.minutes) == ("Talks", "Learn more.", (40, 40))
    assert [(part.line, part.title, part.objective, part.minutes) for part in guide.parts] == [
        (7, "One", "Know.", 10), (15, "Two", "", 15),
    ]  # fmt: skip
    assert [[one[0] for one in part] for part in asked(guide)] == [
        ["Who? _(role)_", "Why?\n- since when"],
        ["What?"],
    ]
    assert [one.line for one in guide.parts[0].questions] == [10, 12]
    assert problems(guide) == []


def test_headings_inside_a_part_name_an_audience_or_all():
    guide = read_guide(
        "## A\n- a\n### For LLM Users:\n- b\n### Questions for the Developers\n- c\n### All\n- d\n## B\n- e\n### 对用户：\n- f\n"
    )
    assert [[one[1] for one in part] for part in asked(guide)] == [
        [None, "LLM Users", "Developers", None], [None, "用户"],
    ]  # fmt: skip
    assert guide.audiences == ("LLM Users", "Developers", "用户")


@pytest.mark.parametrize(
    ("text", "ranks", "top"),
    [
        ("Please rank the top 3 types.", True, 3),
        ("Rank the top three.", True, 3),
        ("Rank the five most important.", True, 5),
        ("please rank those most relevant", True, None),
        ("Put the themes in order.", True, None),
        ("请给前三个问题排序", True, 3),
        ("What are the top 3 problems?", False, None),
        ("What do you think of the ranking?", False, None),
        ("Who is a prankster?", False, None),
        ("Rank the top 0.", True, None),
    ],
)
def test_a_ranking_says_how_many(text, ranks, top):
    assert asked(read_guide(f"## A\n- {text}\n"))[0][0][2:] == (ranks, top)


def test_flaws_are_named_by_line():
    guide = read_guide("## A\nstray\n\n**Minutes:** 5\n\n**Time:** 6 min\n\n## B\n- b\n")
    assert problems(guide) == [(1, "no_questions"), (2, "in_no_list"), (6, "said_twice")]
    assert guide.parts[0].minutes == 5
    assert problems(read_guide("text only")) == [(0, "no_parts")]
    assert guide.problems[1].text() == "Line 2: this text is in no list, so it is no question."


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("## A\n- \0", "nul", 2),
        ("## A\n\n- \ud800", "half", 3),
        ("x" * (LONGEST_TEXT + 1), "too_long", 0),
        ("## A\n" + "- a\n" * (MOST_QUESTIONS + 1), "many_questions", MOST_QUESTIONS + 2),
    ],
)
def test_what_cannot_be_stored_is_refused(text, code, line):
    with pytest.raises(Unreadable) as refused:
        read_guide(text)
    assert (refused.value.code, refused.value.line) == (code, line)


@pytest.mark.parametrize("piece", [">", "- ", "  - x\n", "[", "*", "`", "#", "<a ", "1. x\n\n", "| a ", "&"])
def test_a_hostile_guide_is_read_in_time(piece):
    begun = time.monotonic()
    found = outcome(read_guide, "## A\n- " + piece * (60_000 // len(piece)))
    assert found.code == "many_questions" if isinstance(found, Unreadable) else found.parts
    assert time.monotonic() - begun < 3


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                ["# ", "## ", "- ", "1. ", "\n", "**Minutes:** ", "rank top ", "```", "> ", "\t"]
            ),
            st.text(max_size=5),
        )
    )
)
def test_any_text_is_read_or_refused(pieces):
    found = outcome(read_guide, "".join(pieces))
    assert found.code in {"nul", "half"} if isinstance(found, Unreadable) else found.minutes is None


def test_the_published_guide_is_read_whole():
    path = SHARED_DATA / "interviews" / "Interview GuideLine.md"
    if not path.is_file():
        pytest.skip("the data of the reference study is not part of the project")
    guide = read_guide(path.read_bytes().decode())
    assert [(part.title.partition(".")[0], len(part.questions)) for part in guide.parts] == [
        ("Part I", 5), ("Part II", 6), ("Part III", 7), ("Part IV", 6),
    ]  # fmt: skip
    assert (guide.audiences, guide.minutes, guide.problems) == (
        ("LLM Users", "Framework Developers"),
        (30, 40),
        (),
    )
    assert guide.purpose.startswith("This interview aims to validate")
    assert [(one.audience, one.top) for part in guide.parts for one in part.questions if one.is_ranking] == [
        ("LLM Users", 3), ("LLM Users", 3), ("LLM Users", None),
    ]  # fmt: skip
    assert (
        guide.parts[1].objective
        == "Evaluate alignment between the taxonomy and users’ experience with questions or confusion."
    )
