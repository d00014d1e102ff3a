"""The tree of a taxonomy: how it is built, ordered and asked."""

import pytest
from hypothesis import given

from taxonomy.tree import Node, TaxonomyFileError, Tree, phrases, read_csv
from tests.taxonomy.trees import trees

SMALL = """code,level,name
A,type,Question
B,type,Bug
B.1,theme,Memory
B.1.i,sub-theme,Leaks
"""


# Trees from nodes


def test_nodes_are_checked_like_a_file():
    with pytest.raises(TaxonomyFileError) as refused:
        Tree([Node("C", 1, None, "Bug"), Node("C.1", 2, "D", ""), Node("E", 9, None, "Else")])

    assert [str(problem) for problem in refused.value.problems] == [
        "line 2: C.1: the name is empty",
        "line 2: C.1: the parent “D” is missing",
        "line 3: E: unknown level “9”: the levels are type, theme, sub-theme or 1, 2, 3",
    ]


def test_a_tree_without_categories_is_empty():
    tree = Tree([])

    assert (len(tree), list(tree), tree.children()) == (0, [], ())


# Asking


@pytest.mark.parametrize(
    "siblings",
    [["C.10", "C.2", "C.1"], ["C.i", "C.ii", "C.ix", "C.x"], ["C.b", "C.a"], ["C.2", "C.x1", "C.1"]],
    ids=["numbers", "roman", "letters", "mixed"],
)
def test_siblings_stand_as_they_were_given(siblings):
    themes = [Node(code, 2, "C", f"Name {code}") for code in siblings]
    tree = Tree([*themes, Node("C", 1, None, "Bug")])

    assert [node.code for node in tree] == ["C", *siblings]
    assert [node.code for node in tree.children("C")] == siblings


def test_tree_answers_by_code():
    tree = read_csv(SMALL)

    assert tree["B.1"].name == "Memory"
    assert ("B.1" in tree, "b.1" in tree, None in tree) == (True, False, False)
    assert [node.code for node in tree.children()] == ["A", "B"]
    assert tree.children("A") == tree.children("none") == ()
    assert [node.code for node in tree.ancestors("B.1.i")] == ["B", "B.1", "B.1.i"]
    assert [node.code for node in tree.at_level(1)] == ["A", "B"]
    with pytest.raises(KeyError):
        tree.ancestors("nothing")


def test_trees_are_equal_by_content_and_order():
    assert read_csv(SMALL) == Tree(reversed(list(read_csv(SMALL))))
    assert hash(read_csv(SMALL)) == hash(read_csv(SMALL))
    assert read_csv(SMALL) != read_csv(SMALL.replace("Leaks", "Leak"))
    assert read_csv(SMALL) != SMALL


def test_phrases():
    assert phrases("a; b, c;\n d ;e\n\n") == ("a", "b, c", "d ;e")
    assert phrases("") == ()


@given(trees())
def test_preorder_holds_each_category_once_after_its_parent(tree):
    codes = [node.code for node in tree]

    assert len(set(codes)) == len(codes) == len(tree)
    for node in tree:
        assert node.parent is None or codes.index(node.parent) < codes.index(node.code)
        assert tree.ancestors(node.code)[-1] == node
        assert len(tree.ancestors(node.code)) == node.level
    assert [node for top in tree.children() for node in tree if tree.ancestors(node.code)[0] == top] == list(
        tree
    )
