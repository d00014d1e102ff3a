"""Which texts of a draft name codes that are others now."""

import pytest

from taxonomy.tree.draft_trees import Entry
from taxonomy.tree.drafts import ADD, DESCRIBE, MERGE, MOVE, RETIRE, SPLIT, Change, Draft
from taxonomy.tree.mentions import stale_mentions

TEXT = "see A and a fault → C.1; C.10, not C.1.i; C.1."


def published(text: str = TEXT) -> list[Entry]:
    rows = [("a", "A", None), ("c", "C", None), ("c1", "C.1", "c"), ("c2", "C.2", "c"), ("c10", "C.10", "c")]
    return [Entry(key, code, f"Name of {code}", parent) for key, code, parent in rows] + [
        Entry("c1i", "C.1.i", "Name of C.1.i", "c1"),
        Entry("b", "B", "Writer", None, excludes=text),
    ]


def found(*changes: Change, text: str = TEXT) -> list[tuple[str, str, str, tuple[str, ...]]]:
    draft = Draft(published(text))
    for change in changes:
        draft.apply(change)
    return [
        (each.entry.code, each.field, each.code, tuple(entry.code for entry in each.became))
        for each in stale_mentions(draft)
    ]


def test_nothing_is_stale_in_a_draft_that_changes_no_code() -> None:
    parts = [{"key": "x", "name": "Part"}]
    changes = [
        Change(DESCRIBE, "c1", {"name": "Other"}),
        Change(SPLIT, "c1", {"parts": parts, "stays": True}),
        Change(MERGE, "c2", {"into": "c10"}),
    ]

    assert found() == found(*changes) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (Change(DESCRIBE, "c1", {"code": "C.7"}), [("C.1", ("C.7",)), ("C.1.i", ("C.7.i",))]),
        (Change(MOVE, "c10", {"parent": "a"}), [("C.10", ("A.1",))]),
        (Change(MERGE, "c10", {"into": "c2"}), [("C.10", ("C.2",))]),
        (Change(RETIRE, "c10"), [("C.10", ())]),
        (
            Change(
                SPLIT,
                "c10",
                {"parts": [{"key": "x", "name": "X"}, {"key": "y", "name": "Y"}], "stays": False},
            ),
            [("C.10", ("C.11", "C.12"))],
        ),
        (Change(DESCRIBE, "a", {"code": "Q"}), [("A", ("Q",))]),
    ],
    ids=["recoded", "moved", "merged", "retired", "split", "a type after see"],
)
def test_a_code_that_is_another_now(change, expected) -> None:
    assert found(change) == [("B", "excludes", code, became) for code, became in expected]


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("a → C.1", True), ("(C.1)", True), ("C.1, or so", True), ("at the end C.1.", True), ("c.1", True),
        ("C.10", False), ("C.1.i", False), ("XC.1", False), ("AC.C.1", False), ("C.1-b", False), ("C 1", False),
    ],
)  # fmt: skip
def test_a_code_is_a_word_of_its_own(text, is_named) -> None:
    named = [
        code for _entry, _field, code, _became in found(Change(DESCRIBE, "c1", {"code": "C.7"}), text=text)
    ]

    assert ("C.1" in named) == is_named


@pytest.mark.parametrize(
    ("text", "is_named"),
    [("A word", False), ("see A", True), ("→A", True), ("see also A", False), ("→ AB", False)],
)
def test_the_code_of_a_type_counts_where_it_is_pointed_at(text, is_named) -> None:
    assert bool(found(Change(DESCRIBE, "a", {"code": "Q"}), text=text)) == is_named


def test_a_code_that_another_has_now_is_right_in_a_text_of_the_draft() -> None:
    swap = [
        Change(DESCRIBE, "c2", {"code": "C.3"}),
        Change(DESCRIBE, "c10", {"code": "C.2"}),
        Change(ADD, "n", {"name": "New", "definition": "unlike C.2"}),
    ]

    assert found(*swap, text="a → C.2") == [("B", "excludes", "C.2", ("C.3",))]
    rewritten = Change(DESCRIBE, "b", {"excludes": "b → C.2"})
    assert found(*swap, rewritten, text="a → C.2") == []
    assert found(rewritten, *swap[:1], text="") == [("B", "excludes", "C.2", ("C.3",))]
