"""Names in transcripts: replaced, looked for where they were missed, and found in what leaves the study."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.readers.names import Replacement, missed, names_in, parts_of_name, pseudonymise


def said(text: str, *pairs: tuple[str, str]) -> str:
    return pseudonymise([text], [Replacement(*pair) for pair in pairs]).texts[0]


def suspects(text: str, *originals: str) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in missed([text], originals)]


# --- Replaced


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ANN  Lee, ann\nlee's and Leesa", "U1, U1's and Leesa"),
        ("Annlee and Joann and Ann2 stay", "Annlee and Joann and Ann2 stay"),
        ("ann_lee, a.nn, (Ann)", "U1_[lee], a.nn, (U1)"),
        ("Ｚｏｅ\u0308, ZOË and zoë; but Zoe", "[z], [z] and [z]; but Zoe"),
        ("Zoë\u0301 stays", "Zoë\u0301 stays"),
        ("王小明说，问王小明", "[name]说，问[name]"),
        ("说ann说", "说U1说"),
        ("김철수가", "[k]가"),
        ("Ask \u0131ngrid or İNGRID", "Ask [i] or [i]"),
        ("weiß and WEISS", "[w] and [w]"),
        ("O’BRIEN’S and o'brien", "[o]’S and [o]"),
        ("Jean\u2011Luc", "[j]"),
        ("A\u200bnn and A\u00adnn", "U1 and U1"),
        (
            "\u202eA\u2066nn\u202c A\u034fnn A\ufe0fnn A\U000e0100nn Ann\ufe0f",
            "\u202eU1\u202c U1 U1 U1 U1\ufe0f",
        ),
        ("A\u1160nn, A\u3164nn, A\uffa0nn, A\u0334nn, A\u20ddnn", "U1, U1, U1, U1, U1"),
        ("Ann\u2800Lee", "U1"),
        ("דנה, ודנה", "[d], ודנה"),
    ],
)
def test_names_are_replaced_in_any_writing_but_not_within_words(text, expected):
    pairs = [
        ("Ann", "U1"), ("Ann Lee", "U1"), ("Zoë", "[z]"), ("王小明", "[name]"), ("김철수", "[k]"), ("Ingrid", "[i]"),
        ("Weiß", "[w]"), ("O'Brien", "[o]"), ("Jean-Luc", "[j]"), ("דנה", "[d]"), ("LEE", "[lee]"),
    ]  # fmt: skip
    assert said(text, *pairs) == expected


def test_the_longest_name_wins_and_overlapping_names_leave_no_rest():
    pairs = (("Ann", "[a]"), ("Ann Lee", "[al]"), ("Lee Smith", "[ls]"))
    assert said("Ann Lee, Ann, Ann Lee Smith!", *pairs) == "[al], [a], [al]!"


def test_a_name_that_is_an_ordinary_word_needs_a_capital_and_other_names_do_not():
    pairs = (("Will", "[w]"), ("Maria", "[m]"), ("Apple", "[a]"), ("acme", "[c]"), ("Acme", "[C]"))
    assert said("Will you, WILL, will; maria; an apple at Apple; acme, Acme, ACME", *pairs) == (
        "[w] you, [w], will; [m]; an apple at [a]; [c], [C], [c]"
    )


def test_places_are_shown_with_what_stands_around_them():
    made = pseudonymise(
        ["x", "Yes, Ann said. " + "y" * 99, "Ann Lee"],
        [Replacement("ann lee", "U1"), Replacement("ANN", "U2")],
    )
    assert made.texts == ("x", "Yes, U2 said. " + "y" * 99, "U1")
    first, second = made.places
    assert (first.turn, first.start, first.end, first.before) == (2, 5, 8, "Yes, ")
    assert (len(first.after), first.after[:6]) == (60, " said.")
    assert (second.turn, second.original, second.stand_in) == (3, "Ann Lee", "U1")


def test_stand_ins_are_not_replaced_again_and_blank_names_match_nothing():
    assert said("Ann and Bo", ("Ann", "Bo"), ("Bo", "Ann"), ("", "x"), (" \u200b ", "y")) == "Bo and Ann"
    assert said("nobody") == "nobody"


def test_a_place_and_a_replacement_do_not_show_names_where_they_are_printed():
    made = pseudonymise(["Ann"], [Replacement("Ann", "U1")])
    assert "Ann" not in f"{made!r} {made.places[0]!r} {Replacement('Ann', 'U1')!r}"


# --- Found in what leaves the study


def test_names_are_found_in_exports():
    found = names_in(["clean", '{"text": "ann  LEE"}', "王小明; Leesa"], ["Lee", "Ann Lee", "王小明"])
    assert [(one.text, one.name, one.start, one.end) for one in found] == [(1, 1, 10, 18), (2, 2, 0, 3)]
    assert names_in(["clean"], []) == []


NAMES = st.lists(
    st.sampled_from(
        ["Ann", "Ann Lee", "Lee", "王小明", "Zoë", "Müller-Weiß", "O'Brien", "김", "İpek", "ﬁona"]
    ),
    min_size=1,
    unique=True,
)


@given(
    NAMES,
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    "Ann",
                    " ",
                    "LEE",
                    "zoë",
                    "王小明",
                    "'s",
                    ".",
                    "\u0301",
                    "ß",
                    "o’brien",
                    "김",
                    "ﬁ",
                    "ona",
                    "\u200b",
                ]
            ),
            st.text(max_size=3),
        )
    ),
)
def test_no_name_is_left_and_everything_else_is(names, pieces):
    text = "".join(pieces)
    made = pseudonymise([text], [Replacement(name, "[x]") for name in names])
    assert names_in([made.texts[0]], names) == []
    rest, last = "", 0
    for place in made.places:
        assert place.original == text[place.start : place.end]
        rest, last = f"{rest}{text[last : place.start]}[x]", place.end
    assert rest + text[last:] == made.texts[0]


# --- Missed


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Write k.lee@acme.example or joe at acme dot com.", [("email", "k.lee@acme.example"), ("email", "joe at acme dot com")]),
        ("See https://a.example/b?c), www.x.example and docs.acme.io/x.", [("url", "https://a.example/b?c"), ("url", "www.x.example"), ("url", "docs.acme.io/x")]),
        ("Call +49 (170) 123-4567 or 13812345678, not 1000000 or 2,000,000.", [("phone", "+49 (170) 123-4567"), ("phone", "13812345678")]),
        ("It was 192.168.0.1 and fe80::1 at 00:01:02 with 3.11.7.", [("ip", "192.168.0.1"), ("ip", "fe80::1")]),
        ("by @kiwi_x in acme/engine-2 and/or 3/4", [("handle", "@kiwi_x"), ("repository", "acme/engine-2")]),
        ("I work at Google. We've been working for a company called Blue Sky Labs, I worked at huawei in it.", [
            ("employer", "Google"), ("employer", "Blue Sky Labs"), ("employer", "huawei"),
        ]),
        ("I work at home and work with them", []),
        ("我在华为工作，我叫李雷，王老师说", [("employer", "华为"), ("name", "李雷"), ("name", "王老师")]),
        ("so Ludwig van Beethoven and Jean-Luc O’Neil's idea", [("name", "Ludwig van Beethoven"), ("name", "Jean-Luc O’Neil")]),
        ("Peter Smith said so. When Mary came, Dr. J. R. Ewing left", [("name", "Peter Smith"), ("capital", "Mary"), ("name", "J. R. Ewing")]),
        ("Мы спросили Ивана Петрова", [("name", "Ивана Петрова")]),
        ("Peter said. Then I used PyTorch on a GPU on Monday with U1", []),
        ("קוראים לי דנה", [("name", "דנה")]),
        ("[Peter Pan] and [company]", []),
    ],
)  # fmt: skip
def test_what_may_identify_somebody_is_found(text, found):
    assert suspects(text) == found


def test_a_listed_name_in_lower_case_is_shown_if_it_is_a_word():
    assert suspects("will you ask will, maria", "Will", "Maria") == [("word", "will"), ("word", "will")]


def test_suspects_say_their_place():
    (one,) = missed(["x", "ask @kiwi"])
    assert (one.turn, one.start, one.end) == (1, 4, 9)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a-",
        "a@",
        "a/",
        " ",
        "A ",
        "A.",
        "0:",
        "1.",
        "www.",
        "I work at ",
        "[",
        "\u202e",
        "王",
        "\u0301\u0327",
        "(",
    ],
)
@pytest.mark.slow(cases=2)
def test_hostile_turns_cost_no_time(piece):
    turns = [piece * (200_000 // len(piece))]
    begun = time.process_time()
    missed(turns, ["Will"])
    pseudonymise(turns, [Replacement("Ann Lee", "U1"), Replacement("a", "b")])
    assert time.process_time() - begun < 5


@given(st.text(max_size=60))
def test_any_text_is_searched(text):
    places = [(one.start, one.end) for one in missed([text], ["Will"])]
    assert places == sorted(places)
    assert all(first[1] <= second[0] for first, second in pairwise(places))


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Ann van Dyke", ["Ann", "Dyke"]),
        ("zuzana kowalczyk", ["zuzana", "kowalczyk"]),
        ("Zuzana", []),
        ("王小明", ["小明"]),
        ("Speaker 1", []),
        ("U1", []),
        ("SPEAKER_00", []),
    ],
)
def test_parts_of_a_name_are_its_words(name, parts):
    assert parts_of_name(name) == parts
    assert parts_of_name(name, [name]) == ([name, *parts] if parts or name == "Zuzana" else [])
