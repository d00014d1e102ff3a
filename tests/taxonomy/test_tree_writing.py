"""Taxonomies into CSV, and back."""

import io

import pytest
from hypothesis import given

from taxonomy.tree import Node, Tree, read_csv, write_csv
from tests.taxonomy.trees import trees


def written(tree):
    stream = io.StringIO()
    write_csv(tree, stream)
    return stream.getvalue()


PLAIN = "code,level,name\nB,type,Bug\nB.1,theme,Memory\nB.1.i,sub-theme,Leaks\n"


def test_writes_only_the_columns_in_use():
    assert written(read_csv(PLAIN)) == PLAIN
    assert written(read_csv('name,code,level,excludes\nBug,B,type,"x, y"\n')) == (
        'code,level,name,excludes\nB,type,Bug,"x, y"\n'
    )  # fmt: skip


def test_writes_parents_where_codes_do_not_tell_them():
    source = "code,level,name,parent\nQ,type,Question,\nmem,theme,Memory,Q\n"

    assert written(read_csv(source)) == source


@pytest.mark.parametrize("text", ["=1+1", "+x", "-x", "@x", "＝x", "'=x", "''-x"])
def test_formulas_are_written_inert_and_come_back(text):
    tree = Tree([Node(text, 1, None, text, definition=text)])

    assert written(tree) == f"code,level,name,definition\n'{text},type,'{text},'{text}\n"
    assert read_csv(written(tree)) == tree


def test_an_apostrophe_that_guards_nothing_stays():
    tree = Tree([Node("A", 1, None, "'quoted'")])

    assert "'quoted'" in written(tree).splitlines()[1].split(",")
    assert read_csv(written(tree)) == tree


@given(trees())
def test_any_tree_survives_writing_and_reading(tree):
    text = written(tree)

    again = read_csv(text.encode())

    assert again == tree
    assert written(again) == text
    assert again.replaced == 0


@pytest.mark.parametrize("name", ["系统兼容性", "تسرّب الذاكرة", "דליפת זיכרון", "می‌خواهم", "🧪 Ünïcode"])
def test_names_in_any_script_survive(name):
    tree = Tree([Node("T", 1, None, name)])

    assert written(tree) == f"code,level,name\nT,type,{name}\n"
    assert read_csv(written(tree).encode())["T"].name == name


def test_the_published_taxonomy_comes_back_byte_for_byte(published):
    source = (published / "taxonomy.csv").read_bytes()

    assert written(read_csv(source)).encode() == source
