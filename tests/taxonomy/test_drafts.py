"""A draft: changes folded over the published tree, what they refuse, and what became of each category."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxonomy.tree import TEXTS, Node, Tree
from taxonomy.tree.codes import free_code, next_code
from taxonomy.tree.draft_trees import Entry, Fate
from taxonomy.tree.drafts import (
    ADD,
    DESCRIBE,
    KINDS,
    MERGE,
    MOVE,
    RETIRE,
    SPLIT,
    Change,
    Draft,
    Refused,
    fold,
)
from taxonomy.tree.hues import hues

PUBLISHED = (
    Entry("b", "B", "Requirement", None),
    Entry("c", "C", "Bug", None),
    Entry("c1", "C.1", "Memory", "c", definition="Memory is lost."),
    Entry("c1i", "C.1.i", "Leaks", "c1"),
    Entry("c1ii", "C.1.ii", "Waste", "c1"),
    Entry("c2", "C.2", "Speed", "c"),
    Entry("c2i", "C.2.i", "Slow paths", "c2"),
    Entry("c3", "C.3", "Docs", "c"),
)


def draft(*changes: Change) -> Draft:
    made, broken = fold(PUBLISHED, changes)
    assert broken is None, broken
    return made


def lines(made: Draft) -> list[str]:
    return [f"{entry.code} {entry.name}" for entry in made]


def why(*changes: Change) -> str:
    """Why the last of these changes is refused; it leaves the draft as it was."""
    *before, last = changes
    made = draft(*before)
    then = (lines(made), [made.fate(entry.key) for entry in PUBLISHED])
    with pytest.raises(Refused) as refused:
        made.apply(last)
    assert (lines(made), [made.fate(entry.key) for entry in PUBLISHED]) == then
    return str(refused.value)


def parts(*names: str) -> list[dict[str, str]]:
    return [{"key": name.lower(), "name": name} for name in names]


# Adding


def test_what_is_added_gets_the_next_code_and_the_last_place():
    made = draft(
        Change(ADD, "d", {"name": "Question"}),
        Change(ADD, "c4", {"parent": "c", "name": "Tests"}),
        Change(ADD, "c1iii", {"parent": "c1", "name": "Fragments", "after": "c1i"}),
        Change(ADD, "c3i", {"parent": "c3", "name": "Typos", "after": None}),
    )

    assert lines(made) == [
        "B Requirement", "C Bug",
        "C.1 Memory", "C.1.i Leaks", "C.1.iii Fragments", "C.1.ii Waste",
        "C.2 Speed", "C.2.i Slow paths",
        "C.3 Docs", "C.3.i Typos",
        "C.4 Tests", "D Question",
    ]  # fmt: skip
    assert [made.level(key) for key in ("d", "c4", "c3i")] == [1, 2, 3]


@pytest.mark.parametrize(
    ("above", "siblings", "level", "expected"),
    [
        (None, [], 1, "A"), (None, ["A", "C"], 1, "D"), (None, ["Z"], 1, "1"), (None, ["bug", "ask"], 1, "1"),
        ("C", [], 2, "C.1"), ("C", ["C.2", "C.9"], 2, "C.10"), ("C", ["C.a"], 2, "C.1"),
        ("C.1", [], 3, "C.1.i"), ("C.1", ["C.1.viii"], 3, "C.1.ix"), ("C.1", ["C.1.3"], 3, "C.1.4"),
        ("C.1", ["x", "y"], 3, "C.1.i"), ("C", ["C.t1", "C.t7"], 2, "C.t8"), ("C", ["C.one", "C.two"], 2, "C.1"),
        ("C.1", ["C.1.xxxviii", "C.1.xxxix"], 3, "C.1.xl"), ("C.1", ["C.1.i", "C.1.iii"], 3, "C.1.iv"),
    ],
)  # fmt: skip
def test_codes_go_on_as_those_of_the_siblings(above, siblings, level, expected):
    assert next_code(above, siblings, level) == expected


@pytest.mark.parametrize(
    ("above", "siblings", "taken", "expected"),
    [(None, ["A", "C"], {"d"}, "E"), ("C", ["C.1"], {"c.2", "c.3"}, "C.4")],
)
def test_a_free_code_is_nobody_elses(above, siblings, taken, expected):
    assert free_code(above, siblings, 1 if above is None else 2, taken) == expected


def test_a_suggested_code_is_free_in_the_whole_tree():
    assert draft(Change(DESCRIBE, "b", {"code": "C.4"})).suggested_code("c") == "C.5"


@pytest.mark.parametrize(
    ("given", "cause"),
    [
        ({"name": ""}, "the name is empty"),
        ({"name": " \t"}, "the name is empty"),
        ({"name": "x" * 10_000}, "the name has 10,000 characters, but at most 200 are allowed"),
        ({"name": "one\ntwo"}, "the name contains a line break or another control character"),
        ({"name": "BUG"}, "C has the same parent and the same name “Bug”"),
        ({"name": "Ｂｕｇ"}, "C has the same parent and the same name “Bug”"),
        ({"name": "B\u200bug"}, "C has the same parent and the same name “Bug”"),
        ({"name": "Other", "code": "c.1"}, "the category “Memory” already has the code C.1"),
        ({"name": "Other", "code": "D 1"}, "the code contains a space or an invisible character (U+0020 at position 2)"),
        ({"name": "Other", "code": "D" * 33}, "the code has 33 characters, but at most 32 are allowed"),
        ({"name": "Other", "definition": "x" * 4001}, "the definition has 4,001 characters, but at most 4,000 are allowed"),
        ({"name": "Other", "hue": 4}, "this colour does not exist"),
    ],
)  # fmt: skip
def test_what_is_not_sound_is_refused_with_its_cause(given, cause):
    assert why(Change(ADD, "x", given)) == cause


def test_names_of_all_scripts_are_told_apart():
    made = draft(
        Change(ADD, "x", {"name": "内存泄漏"}),
        Change(ADD, "y", {"name": "内存溢出"}),
        Change(ADD, "z", {"name": "תקלה"}),
        Change(ADD, "w", {"parent": "c1", "name": "Bug"}),
    )

    assert [made[key].name for key in "xyzw"] == ["内存泄漏", "内存溢出", "תקלה", "Bug"]


# Describing


def test_a_new_code_is_that_of_what_stands_below_as_well():
    made = draft(
        Change(DESCRIBE, "c1", {"code": "C.7"}), Change(DESCRIBE, "c", {"code": "K", "name": "Fault"})
    )

    assert lines(made) == [
        "B Requirement", "K Fault", "K.7 Memory", "K.7.i Leaks", "K.7.ii Waste", "K.2 Speed", "K.2.i Slow paths",
        "K.3 Docs",
    ]  # fmt: skip
    fates = [made.fate(key) for key in ("c1i", "c3", "b")]
    assert fates == [Fate("renamed", ("c1i",)), Fate("renamed", ("c3",)), Fate("same", ("b",))]


def test_a_code_of_its_own_kind_stays_when_the_one_above_changes():
    made = draft(Change(DESCRIBE, "c1i", {"code": "leak"}), Change(DESCRIBE, "c1", {"code": "M"}))

    assert [entry.code for entry in made.below("c1")] == ["leak", "M.ii"]


def test_a_new_code_must_be_free_for_what_stands_below_as_well():
    made = draft(Change(DESCRIBE, "c2i", {"code": "C.9.i"}))

    with pytest.raises(Refused, match=r"the category “Slow paths” already has the code C\.9\.i"):
        made.apply(Change(DESCRIBE, "c1", {"code": "C.9"}))
    # What it leaves behind is free again.
    made.apply(Change(DESCRIBE, "c1", {"code": "C.1.i"}))
    assert [entry.code for entry in made.below("c1")] == ["C.1.i.i", "C.1.i.ii"]


def test_texts_are_cleaned_and_change_no_labels():
    made = draft(Change(DESCRIBE, "c1", {"definition": " lost\r\nagain \0"}))

    assert made["c1"].definition == "lost\nagain \ufffd"
    assert made.fate("c1") == Fate("same", ("c1",))


# Moving


def test_what_moves_takes_what_is_below_and_the_next_code_along():
    made = draft(Change(MOVE, "c1", {"parent": "b"}))

    assert lines(made)[:5] == ["B Requirement", "B.1 Memory", "B.1.i Leaks", "B.1.ii Waste", "C Bug"]
    assert [made.fate(key).kind for key in ("c1", "c1i", "c2")] == ["moved", "renamed", "same"]


def test_among_siblings_only_the_place_changes():
    made = draft(
        Change(MOVE, "c3", {"parent": "c", "after": None}), Change(MOVE, "c1", {"parent": "c", "after": "c2"})
    )

    assert [entry.code for entry in made.below("c")] == ["C.3", "C.2", "C.1"]
    assert made.fate("c3") == Fate("same", ("c3",))


def test_a_level_up_and_down():
    made = draft(Change(MOVE, "c1i", {"parent": "c", "after": "c1"}), Change(MOVE, "c3", {"parent": "c2"}))

    expected = ["C.1 Memory", "C.1.ii Waste", "C.4 Leaks", "C.2 Speed", "C.2.i Slow paths", "C.2.ii Docs"]
    assert lines(made)[2:] == expected
    assert (made.level("c1i"), made.level("c3")) == (2, 3)


def test_a_type_that_goes_below_another_has_no_colour_any_more():
    assert draft(Change(DESCRIBE, "b", {"hue": 2}))["b"].hue == 2
    assert draft(Change(DESCRIBE, "b", {"hue": 2}), Change(MOVE, "b", {"parent": "c"}))["b"].hue is None


# Merging, splitting, retiring


def test_merged_categories_bring_what_is_below_along():
    made = draft(Change(MERGE, "c1", {"into": "c2"}))

    assert lines(made)[2:] == ["C.2 Speed", "C.2.i Slow paths", "C.2.ii Leaks", "C.2.iii Waste", "C.3 Docs"]
    assert made.fate("c1") == Fate("merged", ("c2",))
    assert made.fate("c1i") == Fate("moved", ("c1i",))


def test_a_split_puts_its_parts_beside_it():
    stays = draft(Change(SPLIT, "c1i", {"parts": parts("Held"), "stays": True}))
    ends = draft(Change(SPLIT, "c1i", {"parts": parts("Held", "Lost"), "stays": False}))

    assert lines(stays)[3:6] == ["C.1.i Leaks", "C.1.iii Held", "C.1.ii Waste"]
    assert stays.fate("c1i") == Fate("split", ("c1i", "held"))
    assert lines(ends)[3:6] == ["C.1.iii Held", "C.1.iv Lost", "C.1.ii Waste"]
    assert ends.fate("c1i") == Fate("split", ("held", "lost"))


def test_retired_with_all_below():
    made = draft(Change(RETIRE, "c1"))

    assert lines(made) == ["B Requirement", "C Bug", "C.2 Speed", "C.2.i Slow paths", "C.3 Docs"]
    assert [made.fate(key) for key in ("c1", "c1i", "c1ii")] == [Fate("retired", ())] * 3


@pytest.mark.parametrize(
    ("changes", "fate"),
    [
        ([Change(MERGE, "c1i", {"into": "c1ii"}), Change(MERGE, "c1ii", {"into": "c2i"})], Fate("merged", ("c2i",))),
        ([Change(MERGE, "c1i", {"into": "c1ii"}), Change(RETIRE, "c1ii")], Fate("retired", ())),
        ([Change(MERGE, "c1i", {"into": "c1ii"}), Change(SPLIT, "c1ii", {"parts": parts("X")})],
         Fate("split", ("c1ii", "x"))),
        ([Change(SPLIT, "c1ii", {"parts": parts("X")}), Change(MERGE, "c1i", {"into": "c1ii"})],
         Fate("merged", ("c1ii",))),
        ([Change(SPLIT, "c1i", {"parts": parts("X")}), Change(MERGE, "x", {"into": "c1i"})], Fate("same", ("c1i",))),
        ([Change(SPLIT, "c1i", {"parts": parts("X")}), Change(MERGE, "c1i", {"into": "c2i"})],
         Fate("split", ("x", "c2i"))),
        ([Change(SPLIT, "c1i", {"parts": parts("X", "Y"), "stays": False}), Change(RETIRE, "y")],
         Fate("split", ("x",))),
        ([Change(ADD, "n", {"parent": "c1", "name": "N"}), Change(MERGE, "c1i", {"into": "n"})],
         Fate("merged", ("n",))),
        ([Change(MOVE, "c1i", {"parent": "c2"}), Change(DESCRIBE, "c1i", {"name": "L"})], Fate("moved", ("c1i",))),
    ],
    ids=["merged twice", "retired after", "split after", "split before", "split taken back", "split then merged",
         "a part retired", "into a new one", "moved and renamed"],
)  # fmt: skip
def test_what_became_of_a_category_after_several_changes(changes, fate):
    found = draft(*changes).fate("c1i")

    assert (found.kind, set(found.targets)) == (fate.kind, set(fate.targets))


# Refusing


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ([Change(ADD, "x", {"parent": "c1i", "name": "Deeper"})],
         "C.1.i is a sub-theme, and a taxonomy has at most three levels"),
        ([Change(ADD, "x", {"name": "תקלה"}), Change(ADD, "y", {"name": "תקלה"})],
         "D has the same parent and the same name “תקלה”"),
        ([Change(DESCRIBE, "c1", {"hue": 3})], "only types have their own colour"),
        ([Change(ADD, "x", {"parent": "c", "name": "X", "hue": 1})], "only types have their own colour"),
        ([Change(MOVE, "c1", {"parent": "c2"})], "C.1.i would be on level 4, and a taxonomy has at most three levels"),
        ([Change(MOVE, "c", {"parent": "c1"})], "C cannot be below itself"),
        ([Change(MOVE, "c", {"parent": "c"})], "C cannot be below itself"),
        ([Change(ADD, "x", {"parent": "c2", "name": "Leaks"}), Change(MOVE, "c1i", {"parent": "c2"})],
         "C.2.ii has the same parent and the same name “Leaks”"),
        ([Change(MERGE, "c1", {"into": "c1"})], "C.1 cannot be merged into itself"),
        ([Change(MERGE, "c1i", {"into": "c2"})], "C.1.i is a sub-theme and C.2 is a theme: only categories of the same level can be merged"),
        ([Change(ADD, "x", {"parent": "c2", "name": "Leaks"}), Change(MERGE, "c1", {"into": "c2"})],
         "C.1.i and C.2.ii would have the same parent and the same name: merge these two first"),
        ([Change(MERGE, "c3", {"into": "c2"}), Change(DESCRIBE, "c3", {"name": "x"})],
         "C.3 no longer exists and became C.2"),
        ([Change(SPLIT, "c1i", {"parts": []})], "a split needs at least two parts"),
        ([Change(SPLIT, "c1i", {"parts": parts("One"), "stays": False})], "a split needs at least two parts"),
        ([Change(SPLIT, "c1", {"parts": parts("One", "Two"), "stays": False})],
         "C.1 has categories below: keep C.1 as one part, or move these categories first"),
        ([Change(SPLIT, "c1i", {"parts": parts("Held", "Waste")})],
         "C.1.ii has the same parent and the same name “Waste”"),
        ([Change(RETIRE, "c1"), Change(RETIRE, "c1i")], "C.1.i no longer exists because the category was retired"),
        ([Change(RETIRE, "nothing")], "the category does not exist"),
    ],
)  # fmt: skip
def test_what_the_tree_does_not_allow_is_refused_with_its_cause(changes, cause):
    assert why(*changes) == cause


# Folding


def test_the_first_change_that_does_not_go_is_named():
    made, broken = fold(
        PUBLISHED, [Change(RETIRE, "c3"), Change(DESCRIBE, "c3", {"name": "Texts"}), Change(RETIRE, "c2")]
    )

    assert broken is not None
    assert (broken.place, str(broken.cause)) == (1, "C.3 no longer exists because the category was retired")
    assert "c2" in made


@st.composite
def acts(draw):
    """A change of any kind, of any category that there is or was, with whatever values."""
    kind = draw(st.sampled_from(KINDS))
    keys = [entry.key for entry in PUBLISHED] + ["n1", "n2", "n3"]
    key, other = draw(st.sampled_from(keys)), draw(st.sampled_from([*keys, None]))
    name = draw(st.sampled_from(["Leaks", "New", "Other", "内存", ""]))
    values = {
        ADD: {"parent": other, "name": name},
        DESCRIBE: {"name": name, "code": draw(st.sampled_from(["B", "C.1", "X", "C.2.i"]))},
        MOVE: {"parent": other, **draw(st.sampled_from([{}, {"after": None}, {"after": "c2"}]))},
        MERGE: {"into": other or "c2"},
        SPLIT: {"parts": [{"key": f"{key}{len(name)}", "name": name}], "stays": draw(st.booleans())},
        RETIRE: {},
    }[kind]
    return Change(kind, key, values)


def node_of(entry, draft):
    texts = {name: getattr(entry, name) for name in ("name", *TEXTS)}
    return Node(entry.code, draft.level(entry.key), entry.parent and draft[entry.parent].code, **texts)


@given(st.lists(acts(), max_size=12))
def test_whatever_is_done_leaves_a_sound_tree_in_which_every_label_has_its_place(changes):
    made = Draft(PUBLISHED)
    for change in changes:
        try:
            made.apply(change)
        except Refused:
            continue

    assert len(Tree(node_of(entry, made) for entry in made)) == len(made)
    for entry in PUBLISHED:
        fate = made.fate(entry.key)
        assert all(target in made for target in fate.targets)
        assert (fate.kind == "retired") == (not fate.targets)
        assert fate.kind != "same" or made[entry.key].code == entry.code


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ([None, None, None, None, None], [0, 1, 2, 3, 3]),
        ([None, 0, 1, 2], [3, 0, 1, 2]),
        ([0, 2, None], [0, 2, 1]),
        ([None, None, 0], [1, 2, 0]),
        ([3, 3, None], [3, 3, 2]),
        ([], []),
    ],
    ids=["by place", "all taken", "place taken", "two are moved on", "none is never taken", "no type"],
)
def test_a_type_has_its_own_colour_or_one_that_is_free(own, expected):
    assert hues(own) == expected
