"""Texts of transcripts, and what may be a name in them: read in time, whatever they are."""

import time

import pytest

from interviews.queries.guides import AskedQuestion
from interviews.queries.pseudonyms import Pair, Spoken, places_in, with_stand_ins
from interviews.queries.reading import Unread, guide_text, missed_in, read_turns


def test_turns_times_and_continued_lines_are_read():
    text = "Title of it\n[01:02:03.5] Ann: One\n\n  and more\n[4:05] Bo：Two: three\nAnn:\n"
    read = read_turns(text.encode("utf-8-sig"), "txt")
    assert [(turn.speaker, turn.text, turn.begins) for turn in read.turns] == [
        ("Ann", "One\nand more", 3_723_500),
        ("Bo", "Two: three", 245_000),
        ("Ann", "", None),
    ]
    assert [line for line, _cause in read.notes] == [1]


def test_names_are_replaced_in_any_case_and_spacing_but_not_within_words():
    turns = [Spoken("A", "ANN  Lee, Ann\nLee's and Annlee; 王小明说"), Spoken("B", "Zoë and Zoe\u0308")]
    pairs = [Pair("Ann Lee", "U1"), Pair("Ann", "U2"), Pair("王小明", "[name]"), Pair("Zoë", "[z]")]
    made, places = with_stand_ins(turns, pairs)
    assert [turn.text for turn in made] == ["U1, U1's and Annlee; [name]说", "[z] and [z]"]
    assert places == len(places_in(turns, pairs)) == 5


def test_a_short_name_that_is_also_a_word_is_no_word():
    turns = [
        Spoken("A", "Will you, MAY, or WILL they? I will; may be. ACME, Acme and acme; LONGCORP, longcorp")
    ]
    pairs = [
        Pair("Will", "[a]"),
        Pair("May", "[b]"),
        Pair("Acme", "[c]"),
        Pair("acme", "[d]"),
        Pair("Longcorp", "[e]"),
    ]
    made, _places = with_stand_ins(turns, pairs)
    assert made[0].text == "[a] you, [b], or [a] they? I will; may be. [d], [c] and [d]; [e], [e]"


def test_a_letter_that_only_patterns_take_for_equal_is_replaced_too():
    made, places = with_stand_ins([Spoken("A", "Ask \u0131ngrid Larsson.")], [Pair("Ingrid Larsson", "U1")])
    assert (made[0].text, places) == ("Ask [name].", 1)


def test_what_looks_like_a_name_is_found_once_with_its_count():
    turns = [
        Spoken("A", "I asked Peter and Mary Ann, see acme/engine, @kiwi or k@acme.example."),
        Spoken("A", "So Peter."),
    ]
    found = {(one.text, one.times, one.stand_in) for one in missed_in(turns, [Pair("Mary Ann", "[x]")])}
    assert found == {
        ("Peter", 2, "[name]"), ("acme/engine", 1, "[repository]"), ("@kiwi", 1, "[handle]"),
        ("k@acme.example", 1, "[address]"),
    }  # fmt: skip


@pytest.mark.parametrize("piece", ["a", "a-", "a@", "a/", " ", "A ", "A", "\u202e", "王"])
def test_a_hostile_text_is_read_in_time(piece):
    long = piece * (300_000 // len(piece))
    start = time.monotonic()
    turns = read_turns(f"A: {long}x".encode(), "txt").turns
    missed_in(turns, [Pair("Ann Lee", "U1")])
    guide_text(f"## Part\n- {long}x\n{long}\n1. {long}\n## {long}")
    assert time.monotonic() - start < 5


def test_a_right_to_left_name_and_a_script_stay_what_they_are():
    turns = read_turns("דנה: <script>alert(1)</script>\nU1: \u202eolleH".encode(), "txt").turns
    assert [(turn.speaker, turn.text) for turn in turns] == [
        ("דנה", "<script>alert(1)</script>"),
        ("U1", "\u202eolleH"),
    ]


def test_a_guide_whose_headings_hold_minutes_and_chinese_is_read():
    said = guide_text("## 第一部分 (10 min)\n### 用户：\n1. 请给前 3 个问题排序\n- x\n")
    assert (said.parts[0].title, said.parts[0].minutes) == ("第一部分", 10)
    assert said.parts[0].questions[0] == AskedQuestion("请给前 3 个问题排序", "用户", True, 3)


@pytest.mark.parametrize("ending", ["pdf", "docx", ""])
def test_a_file_without_a_reader_is_refused(ending):
    with pytest.raises(Unread, match="cannot be read"):
        read_turns(b"A: b", ending)
