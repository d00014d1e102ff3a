"""Texts of transcripts, and what may be a name in them: read in time, whatever they are."""

import time

import pytest
from django.utils.translation import override

from interviews.models import Turn
from interviews.queries.guides import AskedQuestion
from interviews.queries.pseudonyms import Pair, Spoken, places_in, with_stand_ins
from interviews.queries.reading import (
    ReadTurns,
    Unread,
    guide_text,
    missed_in,
    read_turns,
    turns_as_text,
)
from tests.interviews.readers.packing import document, paragraph


def test_turns_times_and_continued_lines_are_read():
    text = "Title of it\n[01:02:03.5] Ann: One\n\n  and more\n[4:05] Bo：Two: three\nAnn:\n"
    read = read_turns(text.encode("utf-8-sig"), "txt")
    assert [(turn.speaker, turn.text, turn.begins) for turn in read.turns] == [
        ("Ann", "One\nand more", 3_723_500),
        ("Bo", "Two: three", 245_000),
    ]
    assert read.notes == [
        "Line 1: this line is before the first speaker.",
        "Line 6: this turn has no text.",
    ]


def test_names_are_replaced_in_any_case_and_spacing_but_not_within_words():
    turns = [Spoken("A", "ANN  Lee, Ann\nLee's and Annlee; 王小明说"), Spoken("B", "Zoë and Zoe\u0308")]
    pairs = [Pair("Ann Lee", "U1"), Pair("Ann", "U2"), Pair("王小明", "[name]"), Pair("Zoë", "[z]")]
    made, places = with_stand_ins(turns, pairs)
    assert [turn.text for turn in made] == ["U1, U1's and Annlee; [name]说", "[z] and [z]"]
    assert places == len(places_in(turns, pairs)) == 5


def test_a_short_name_that_is_also_a_word_is_no_word():
    turns = [Spoken("A", "Will you, MAY, or WILL they? I will; may be. ACME, Acme and acme")]
    pairs = [Pair("Will", "[a]"), Pair("May", "[b]"), Pair("Acme", "[c]"), Pair("acme", "[d]")]
    made, _places = with_stand_ins(turns, pairs)
    assert made[0].text == "[a] you, [b], or [a] they? I will; may be. [c], [c] and [d]"
    assert [(one.text, one.times, one.why) for one in missed_in(turns, pairs)] == [
        ("will", 1, "listed name in lower case"),
        ("may", 1, "listed name in lower case"),
    ]


def test_a_name_in_letters_of_another_writing_is_replaced_too():
    turns = [Spoken("\u0131ngrid", "Ask \u0131ngrid LARSSON.", 7)]
    made, places = with_stand_ins(turns, [Pair("Ingrid Larsson", "U1")])
    assert (made, places) == ([Spoken("\u0131ngrid", "Ask U1.", 7)], 1)


def test_what_has_a_replaced_name_in_it_is_shown_as_it_was_said():
    """“U7@acme.example” was never said, so to list it replaces nothing; the next replacement has to be possible."""
    turns = [
        Spoken("A", "Zoe, hello."),
        Spoken(
            "B",
            "Mail to zoe@acme.example or Zoe Lee, that is e\u0301mile@zoe.example, or acme.example/zoe/x.",
        ),
    ]
    pairs = [Pair("Zoe", "U7")]
    found = [(one.text, one.stand_in) for one in missed_in(turns, pairs)]
    assert found == [
        ("zoe@acme.example", "[address]"), ("\u00e9mile@zoe.example", "[address]"), ("Lee", "[name]"),
    ]  # fmt: skip
    pairs += [Pair(text, stand_in) for text, stand_in in found]
    made, places = with_stand_ins(turns, pairs)
    assert made[1].text == "Mail to [address] or U7 [name], that is [address], or acme.example/U7/x."
    assert (places, missed_in(turns, pairs)) == (6, [])


def test_what_looks_like_a_name_is_found_once_with_its_count():
    turns = [
        Spoken("A", "I asked Peter and Mary Ann, see acme/engine, @kiwi or k@acme.example."),
        Spoken("A", "So Peter. I work at Acme; call +44 20 7946 0958."),
    ]
    found = [(one.text, one.times, one.stand_in) for one in missed_in(turns, [Pair("Mary Ann", "[x]")])]
    assert found[-1] == ("Peter", 2, "[name]")  # the weakest kind comes last
    assert set(found) == {
        ("Peter", 2, "[name]"), ("acme/engine", 1, "[repository]"), ("@kiwi", 1, "[handle]"),
        ("k@acme.example", 1, "[address]"), ("Acme", 1, "[company]"), ("+44 20 7946 0958", 1, "[phone]"),
    }  # fmt: skip


@pytest.mark.parametrize("piece", ["a", "a-", "a@", "a/", " ", "A ", "A", "\u202e", "王"])
@pytest.mark.slow(cases=2)
def test_a_hostile_text_is_read_in_time(piece):
    long = piece * (300_000 // len(piece))
    start = time.monotonic()
    turns = read_turns(f"A: {long}x".encode(), "txt").turns
    missed_in(turns, [Pair("Ann Lee", "U1")])
    most = long[:45_000]
    guide_text(f"## Part\n- {most}x\n{most}\n1. {most}\n## {most}")
    with pytest.raises(Unread, match="more than 200000 characters"):
        guide_text(f"## Part\n- {long}")
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


@pytest.mark.parametrize("ending", ["pdf", "doc", ""])
def test_a_file_without_a_reader_is_refused(ending):
    with pytest.raises(Unread, match="cannot be read"):
        read_turns(b"A: b", ending)


CUES = "1\n00:00:01,000 --> 00:00:02,000\nAnn: One\n\n2\n00:00:03,500 --> 00:00:04,000\nBo: Two\n"
VOICES = (
    "WEBVTT\n\nNOTE by hand\n\n00:01.000 --> 00:02.000\n<v Ann>One</v>\n\n"
    "00:03.500 --> 00:04.000\n<v Bo>Two <script>alert(1)</script></v>\n"
)


def test_each_kind_of_file_has_its_reader():
    ann = Spoken("Ann", "One", 1_000)
    assert read_turns(CUES.encode(), "srt") == ReadTurns([ann, Spoken("Bo", "Two", 3_500)], [])
    assert read_turns(VOICES.encode(), "vtt") == ReadTurns(
        [ann, Spoken("Bo", "Two <script>alert(1)</script>", 3_500)],
        ["Line 3: this is a comment of the file."],
    )
    read = read_turns(document(paragraph("Title") + paragraph("[00:01] Ann: One")), "docx")
    assert read == ReadTurns([ann], ["Paragraph 1: this line is before the first speaker."])


@pytest.mark.parametrize(
    ("data", "ending", "words"),
    [
        (b"A: x\n\xff", "txt", "Line 2: byte 0xFF is not UTF-8. Save the file as UTF-8. Nothing was stored."),
        (CUES.replace("00:00:03,500", "3 o'clock").encode(), "srt", "Line 6: this time cannot be read."),
        (b"WEB\n", "vtt", "Line 1: the first line is not WEBVTT."),
        (b"PK\x03\x04no archive", "docx", "Nothing was stored."),
        (b"%PDF-1.7", "txt", "This is no text file."),
    ],
)
def test_a_refusal_names_the_line_and_the_cause(data, ending, words):
    with pytest.raises(Unread) as refused:
        read_turns(data, ending)
    assert words in str(refused.value)
    assert str(refused.value).endswith("Nothing was stored.")


def test_refusals_are_in_the_language_of_the_page():
    with override("zh-hans"), pytest.raises(Unread) as refused:
        read_turns(b"A: x\n\xff", "txt")
    assert str(refused.value) == "第2行：字节 0xFF 不是 UTF-8。请把文件存为 UTF-8。未保存任何内容。"


def test_stored_turns_are_read_back_as_they_are():
    turns = [Turn(speaker="R2", text="Hi", begins=5_000), Turn(speaker="U1", text="a\nBo: b", begins=6_250)]
    assert read_turns(turns_as_text(turns).encode(), "txt").turns == [
        Spoken("R2", "Hi", 5_000),
        Spoken("U1", "a\nBo: b", 6_250),
    ]
