"""Transcripts as text, SRT and WebVTT: who speaks, when, what; and what is refused with its line."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.readers.refusals import Notes, Unreadable
from interviews.readers.text import LONGEST_LINE, MOST_LINES
from interviews.readers.transcripts import READERS, Turn, read_plain, read_srt, read_vtt, write_plain
from interviews.readers.transcripts.labels import said_in
from interviews.readers.transcripts.turns import MOST_BYTES, MOST_TURNS
from tests.interviews.readers.packing import outcome


def told(read) -> list[tuple[str, str, int | None]]:
    return [(turn.speaker, turn.text, turn.begins_ms) for turn in read.turns]


def left_out(read) -> list[tuple[int, str]]:
    return [(note.line, note.code) for note in read.notes]


def refusal(reader, data: bytes) -> tuple[str, int]:
    with pytest.raises(Unreadable) as refused:
        reader(data)
    return refused.value.code, refused.value.line


# --- Text


def test_turns_of_a_text_have_speaker_time_and_further_lines():
    read = read_plain(
        "Title\r\n[01:02:03.5] Ann: One\r\n\r\nand more\r\n[4:05] Bo：Two: three\r\n".encode("utf-8-sig")
    )
    assert told(read) == [("Ann", "One\nand more", 3_723_500), ("Bo", "Two: three", 245_000)]
    assert left_out(read) == [(1, "before_speaker")]


def test_neighbouring_lines_of_one_speaker_are_one_turn():
    read = read_plain(b"[0:01] Ann: a\n[0:02] Ann: b\n[0:03] Bo:\n[0:04] Ann: c\nBo: d")
    assert told(read) == [("Ann", "a\nb\nc", 1000), ("Bo", "d", None)]
    assert left_out(read) == [(3, "empty_turn")]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Ann Lee  0:09", ("Ann Lee", 9000, "")),
        ("Bo (00:10): yes", ("Bo", 10_000, "yes")),
        ("Bo [00:00:12]: yes", ("Bo", 12_000, "yes")),
        ("00:10 Ann: y", ("Ann", 10_000, "y")),
        ("[00:10] - Ann: x", ("Ann", 10_000, "x")),
        ("**Ann:** bold", ("Ann", None, "bold")),
        (">> Ann: x", ("Ann", None, "x")),
        ("采访者：你好", ("采访者", None, "你好")),
        ("\u200f\u200eדנה\u200f: x", ("דנה", None, "x")),
        ("Speaker 1: text", ("Speaker 1", None, "text")),
        ("U1: 5 years", ("U1", None, "5 years")),
        ("Ann at 12:30 we met", (None, None, "Ann at 12:30 we met")),
        ("https://a.example: x", (None, None, "https://a.example: x")),
        ("Is it so? No: never", (None, None, "Is it so? No: never")),
        ("[00:99] x", (None, None, "[00:99] x")),
    ],
)
def test_a_line_says_who_speaks_only_where_it_looks_like_it(line, said):
    assert said_in(line) == said


def test_the_beginning_of_a_sentence_speaks_only_if_it_comes_again():
    text = "Ann: hi\nso the thing is: no\nBo: yes\n"
    assert [turn.speaker for turn in read_plain(text.encode()).turns] == ["Ann", "Bo"]
    again = f"{text}so the thing is: yes\n"
    assert "so the thing is" in read_plain(again.encode()).speakers


def test_a_time_alone_begins_what_follows_and_one_before_further_text_is_no_text():
    read = read_plain(b"Ann: a\n[00:01:00]\nBo: b\n[00:02:00] and c\n12:30 was late")
    assert told(read) == [("Ann", "a", None), ("Bo", "b\nand c\n12:30 was late", 60_000)]


def test_names_from_right_to_left_and_scripts_stay_what_they_are():
    read = read_plain("דנה: <script>alert(1)</script>\nU1: \u202eolleH".encode())
    assert told(read) == [("דנה", "<script>alert(1)</script>", None), ("U1", "\u202eolleH", None)]


def test_what_is_written_is_read_again_even_if_a_line_looks_like_a_speaker():
    turns = (
        Turn("Ann Lee", "One\nNote: two", 1500),
        Turn("דנה", "x: y"),
        Turn("Ann Lee", "[0:01] z", 61_000),
    )
    assert read_plain(write_plain(turns).encode()).turns == turns


# --- Subtitles


def test_cues_of_srt_are_joined_by_speaker():
    read = read_srt(
        b"\n1\n00:00:01,000 --> 00:00:02,000\nAnn: hi\n\nthere\n\n2\n00:00:03.000 --> 00:00:04,000\n"
        b"<i>all</i> {\\an8}<script>\n\n3\n00:00:05,000 --> 00:00:06,000\n- Bo: 5\n42\n"
    )
    assert told(read) == [("Ann", "hi there all <script>", 1000), ("Bo", "5 42", 5000)]


def test_voices_of_vtt_are_speakers_and_other_markup_is_text():
    read = read_vtt(
        "WEBVTT - t\nKind: c\n\nSTYLE\n::cue{}\n\nNOTE hi\nthere\n\n1\n00:01.000 --> 00:02.000 align:start\n"
        "<v Ann Lee>Hi <i>you</i> <script>alert(1)</script></v> <v.loud דנה>no &lt;b&gt;\n<00:01.500>more\n\n"
        "00:03.000 --> 00:04.000\n<v דנה>and\n\n00:05.000 --> 00:06.000\nnobody\n\nfoo".encode()
    )
    assert told(read) == [
        ("Ann Lee", "Hi you <script>alert(1)</script>", 1000),
        ("דנה", "no <b> more and", 1000),
        ("", "nobody", 5000),
    ]
    assert left_out(read) == [(2, "style"), (4, "style"), (7, "comment"), (21, "no_time")]


def test_what_vtt_could_run_is_left_out_or_text():
    read = read_vtt(
        b"WEBVTT\n\nSTYLE\n::cue{background:url(http://x.example)}\n\nNOTE <script>\n\n00:01.000 --> 00:02.000\n"
        b"<v Ann><c.onclick=alert(1)>Hi</c> <img src=x onerror=alert(1)> &lt;script&gt;"
    )
    assert told(read) == [("Ann", "Hi <img src=x onerror=alert(1)> <script>", 1000)]
    assert left_out(read) == [(3, "style"), (6, "comment")]


def test_vtt_without_voices_names_its_speakers_in_the_text():
    read = read_vtt(
        b"WEBVTT\n\n00:01.000 --> 00:02.000\nAnn: a\n\n00:02.000 --> 00:03.000\nb\n\n01:00:00.000 --> 01:00:01.000\nBo: c"
    )
    assert told(read) == [("Ann", "a b", 1000), ("Bo", "c", 3_600_000)]


# --- Refused


@pytest.mark.parametrize(
    ("reader", "data", "code", "line"),
    [
        (read_plain, b"A: \xff", "not_utf8", 1),
        (read_plain, b"\xef\xbb\xbfA: a\r\nB: \xff", "not_utf8", 2),
        (read_plain, b"A: b\rB: \0c", "nul", 2),
        (read_plain, b"A: \xed\xa0\x80", "not_utf8", 1),
        (read_plain, b"\xff\xfeA\0:\0\n\0A\0\0\xd8", "half", 2),
        (read_plain, b"  \n", "empty", 0),
        (read_plain, b"no speaker", "no_speaker", 0),
        (read_plain, b"%PDF-1.7", "not_text", 0),
        (read_plain, b"PK\x03\x04", "not_text", 0),
        (read_plain, b"A: a\nB: " + b"x" * LONGEST_LINE, "line_too_long", 2),
        (read_plain, b"A: a\n" + b"x" * (LONGEST_LINE - 9) + b"\n" + b"x" * 20, "turn_too_long", 3),
        (read_plain, b"A: x\n" + b"B: x\nA: x\n" * (MOST_TURNS // 2), "many_turns", MOST_TURNS + 1),
        (read_plain, b"A: x\n[100:00:00] A: y", "late_time", 2),
        (read_plain, b"A: x" + b"\n" * MOST_LINES, "many_lines", MOST_LINES + 1),
        (read_plain, b" " * (MOST_BYTES + 1), "too_large", 0),
        (read_srt, b"1\n0x:0 --> 1\nx", "bad_time", 2),
        (read_srt, b"1\n00:00:61,000 --> 00:00:62,000\nx", "bad_time", 2),
        (read_srt, b"just text", "no_cue", 0),
        (read_vtt, b"WEBVTT\n\n00:99.000 --> 00:01.000\nx", "bad_time", 3),
        (read_vtt, b"WEBVTT\n\nname\n1 --> 2\nx", "bad_time", 4),
        (read_vtt, b"WEBVTT\n00:01.000 --> 00:02.000\nx", "bad_time", 2),
        (read_vtt, b"WEBVTTX\n\n", "not_vtt", 1),
        (read_vtt, b"WEBVTT\n\nNOTE x", "no_cue", 0),
    ],
)  # fmt: skip
def test_a_broken_or_hostile_file_is_refused_with_its_line(reader, data, code, line):
    assert refusal(reader, data) == (code, line)


def test_a_refusal_is_words_that_can_be_translated_and_repeats_no_text():
    with pytest.raises(Unreadable) as refused:
        read_srt(b"1\n00:00:01,000 --> secret\nx")
    assert str(refused.value) == "Line 2: this time cannot be read. Write times as 00:01:02,500."
    assert refused.value.text(lambda text: text.replace("Line", "Zeile")).startswith("Zeile 2: this")


def test_control_characters_are_left_out_and_notes_are_bounded():
    read = read_plain(b"A: a\x1b[31m\x07b\nB: c")
    assert (told(read)[0], left_out(read)) == (("A", "a[31mb", None), [(1, "controls")])
    many = read_plain(b"A: a\n" + b"\x07\n" * 700 + b"B: c").notes
    assert (len(many), many[-1].params) == (Notes.MOST + 1, {"count": 200})


@pytest.mark.parametrize(
    "piece", ["a", "a:", "[", "(0:00", "<v ", "&", " ", "-->", "0:00 ", "\u202e", "*", "王", "A\n", "\n"]
)
@pytest.mark.parametrize("ending", ["txt", "srt", "vtt"])
@pytest.mark.slow(cases=8)
def test_a_hostile_text_is_read_or_refused_in_time(piece, ending):
    start = {
        "txt": "A: ",
        "srt": "1\n00:00:01,000 --> 00:00:02,000\n",
        "vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\n",
    }
    long = piece * (200_000 // len(piece))
    begun = time.process_time()
    found = outcome(READERS[ending], f"{start[ending]}{long}x".encode())
    is_refused = isinstance(found, Unreadable)
    assert found.code in {"turn_too_long", "bad_time", "no_cue"} if is_refused else found.turns
    assert time.process_time() - begun < 3


LINES = st.lists(
    st.one_of(
        st.sampled_from([
            "WEBVTT", "1", "00:00:01,000 --> 00:00:02,000", "00:01.000 --> 00:02.000", "x --> y", "", "Ann: a",
            "<v Bo>b</v>", "[00:01] Ann: c", "NOTE", "STYLE", "&#0;&#xD800;&lt;", "\ufeff", "99:99:99 Bo", "\x1c: \x85",
        ]),
        st.text(max_size=12),
    )
)  # fmt: skip


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(["txt", "srt", "vtt"]))
def test_reading_gives_turns_or_refuses(lines, joint, ending):
    read = outcome(READERS[ending], joint.join(lines).encode("utf-8", "surrogatepass"))
    assert read.text() if isinstance(read, Unreadable) else read.turns
    for turn in () if isinstance(read, Unreadable) else read.turns:
        assert turn.text.strip() == turn.text != ""
        assert "\0" not in turn.text + turn.speaker
        assert turn.begins_ms is None or 0 <= turn.begins_ms < 360_000_000


@given(st.binary(max_size=60), st.sampled_from(sorted(READERS)))
def test_any_bytes_are_read_or_refused(data, ending):
    found = outcome(READERS[ending], data)
    assert found.text() if isinstance(found, Unreadable) else found.turns
