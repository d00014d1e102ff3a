import io

import pytest

from annotate.pilot_taxonomy import Missing, draft_taxonomy
from taxonomy.presets import PRESETS, load_preset
from taxonomy.tree import MAX_TEXT, Node, Tree, read_csv, write_csv


def tree(codes: str) -> Tree:
    return Tree(
        Node(code, code.count(".") + 1, code.rpartition(".")[0] or None, f"Name of {code}", position=place)
        for place, code in enumerate(codes.split())
    )


BOOK = tree("A A.1 A.1.i A.1.ii A.2 B B.1 C C.1 C.9 C.10")


def codes_of(tree):
    return [node.code for node in tree]


def test_what_was_used_stays_with_what_stands_above_it():
    assert codes_of(draft_taxonomy(BOOK, {"A.1.ii": [], "C": []})) == ["A", "A.1", "A.1.ii", "C"]


def test_all_stays_if_asked():
    assert draft_taxonomy(BOOK, {"B": []}, keep_unused=True) == BOOK


def test_nothing_used_and_nothing_missing_is_an_empty_tree():
    assert len(draft_taxonomy(BOOK, {})) == 0


def test_examples_come_behind_those_of_the_category():
    book = Tree([Node("A", 1, None, "Bug", examples="first; second")])
    found = draft_taxonomy(book, {"A": ["third; or so", "third; or so", " ", "a\nline\x00break"]})
    assert found["A"].examples == "first; second; third, or so; a line break"


def test_no_more_examples_than_a_category_may_hold():
    found = draft_taxonomy(BOOK, {"B": ["x" * 3000, "y" * 3000, "z" * 900]})["B"]
    assert found.examples == "x" * 3000
    assert len(draft_taxonomy(BOOK, {"B": [str(n) for n in range(9)]})["B"].examples.split("; ")) == 5
    assert len(draft_taxonomy(BOOK, {"B": ["x" * 5000]})["B"].examples) == MAX_TEXT


@pytest.mark.parametrize(
    ("nearest", "code", "level", "parent"),
    [
        ("A.1.i", "A.1.iii", 3, "A.1"),
        ("A.1", "A.3", 2, "A"),
        ("C.9", "C.11", 2, "C"),
        ("B", "B.2", 2, "B"),
        (None, "D", 1, None),
    ],
)
def test_a_missing_category_stands_beside_what_came_nearest(nearest, code, level, parent):
    made = draft_taxonomy(BOOK, {}, [Missing("Deadlock", ["Two wait", "for each other"], nearest, ["e"])])
    node = made[code]
    assert (node.name, node.level, node.parent, node.definition, node.examples) == (
        "Deadlock", level, parent, "Two wait for each other", "e",
    )  # fmt: skip


def test_missing_categories_get_codes_of_their_own():
    made = draft_taxonomy(BOOK, {"C.1": []}, [Missing("X", nearest="C.1"), Missing("Y", nearest="C.10")])
    assert codes_of(made) == ["C", "C.1", "C.11", "C.12"]


def test_a_name_that_a_sibling_has_only_adds_its_examples():
    made = draft_taxonomy(BOOK, {"C.1": ["one"]}, [Missing("name of  c.1", nearest="C.9", examples=["two"])])
    assert codes_of(made) == ["C", "C.1"]
    assert made["C.1"].examples == "one; two"


def test_a_name_with_line_breaks_and_of_any_length_is_one_that_a_tree_may_hold():
    made = draft_taxonomy(BOOK, {}, [Missing("a\nb" + "c" * 300)])
    assert made["D"].name == ("a b" + "c" * 300)[:200]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_draft_of_a_whole_preset_survives_its_file(preset):
    book = load_preset(preset)
    missing = [Missing(f"New at {code}", ["=1+1"], code, ["a; b"]) for code in codes_of(book)]
    made = draft_taxonomy(book, {code: ["@example", 'quoted "x", y'] for code in codes_of(book)}, missing)
    text = io.StringIO(newline="")
    write_csv(made, text)
    assert read_csv(text.getvalue()) == made
    assert len(made) == 2 * len(book)
