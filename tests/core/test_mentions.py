import pytest

from core.text.mentions import Piece, named, pieces

PEOPLE = ["R1", "R10", "R2", "r3-b", "Ana M."]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@R1 what do you think?", {"R1"}),
        ("(@r1), @R2; and @R10.", {"R1", "R2", "R10"}),
        ("@R3-B sees it, @R1's log too", {"r3-b", "R1"}),
        ("@Ana M. said so", {"Ana M."}),
        ("@R1@R2", set()),
        ("mail a@R1 or x.@R2", set()),
        ("@R100 and @R1x and @R1-fix are nobody", set()),
        ("in code `@R1` and ``a ` @R2``", set()),
        ("```\n@R1\n``` but @R2", {"R2"}),
        ("```\n@R1 without an end", set()),
        ("one ` backtick @R1", {"R1"}),
        ("", set()),
        ("@", set()),
    ],
)
def test_a_comment_names_who_stands_behind_an_at_sign(text, found):
    assert named(text, PEOPLE) == found


def test_the_pieces_are_the_text():
    text = "Ask @r2: `@R1` is code.\n@R1"
    found = pieces(text, PEOPLE)
    assert found == [Piece("Ask "), Piece("@r2", "R2"), Piece(": `@R1` is code.\n"), Piece("@R1", "R1")]
    assert "".join(piece.text for piece in found) == text


def test_nobody_can_be_named_in_a_study_without_people():
    assert pieces("@R1", []) == [Piece("@R1")]
