"""Taxonomies from CSV: what is read, what is refused and how it is told."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxonomy.tree import MAX_BYTES, MAX_CATEGORIES, Node, Problem, TaxonomyFileError, read_csv


def rows(*lines, header="code,level,name"):
    return "".join(f"{line}\n" for line in (header, *lines))


def refusals(source):
    """Line, code and message of every problem."""
    with pytest.raises(TaxonomyFileError) as refused:
        read_csv(source)
    return [(problem.line, problem.code, problem.message) for problem in refused.value.problems]


INVISIBLE = "the code contains a space or an invisible character ({} at position {})"
COLUMNS = (
    "code, level, name, definition, includes, excludes, examples, parent,"
    " name_zh, definition_zh, includes_zh, excludes_zh, examples_zh"
)
SMALL = rows("A,type,Question", "B,type,Bug", "B.1,theme,Memory", "B.1.i,sub-theme,Leaks")


# Reading


def test_reads_types_themes_and_sub_themes():
    assert tuple(read_csv(SMALL)) == (
        Node("A", 1, None, "Question"),
        Node("B", 1, None, "Bug"),
        Node("B.1", 2, "B", "Memory"),
        Node("B.1.i", 3, "B.1", "Leaks"),
    )


@pytest.mark.parametrize(
    "source",
    [
        SMALL.encode(),
        b"\xef\xbb\xbf" + SMALL.encode(),
        "\ufeff" + SMALL,
        SMALL.replace("\n", "\r\n").encode(),
        SMALL.replace("\n", "\r"),
        SMALL.rstrip("\n"),
        io.BytesIO(SMALL.encode()),
        SMALL.replace(",", ";"),
        SMALL.replace(",", "\t"),
        "\n\n" + SMALL + "\n,,\n",
        SMALL.replace("sub-theme", "3").replace("theme", "2").replace("type", "1"),
        SMALL.replace("sub-theme", " Sub-Theme ").replace("type", "TYPE"),
        SMALL.replace("code,level,name", " Code , LEVEL,Name"),
    ],
    ids=[
        "bytes", "bom", "bom in text", "crlf", "cr", "no last line end",
        "byte stream", "semicolons", "tabs", "blank lines", "levels as numbers",
        "levels in any case", "header in any case",
    ],
)  # fmt: skip
def test_reads_the_same_tree_from_any_form(source):
    assert read_csv(source) == read_csv(SMALL)


def test_reads_columns_in_any_order_with_texts():
    tree = read_csv(
        'name,examples,excludes,includes,definition,level,code\nBug,e,x → A,i,"two\r\nlines",type,B\n'
    )

    assert tuple(tree) == (Node("B", 1, None, "Bug", "two\nlines", "i", "x → A", "e"),)


def test_children_may_stand_before_their_parents():
    header, question, bug, memory, leaks = SMALL.splitlines()

    assert read_csv(f"{header}\n{leaks}\n{memory}\n{question}\n{bug}") == read_csv(SMALL)


def test_position_is_the_place_in_the_file():
    tree = read_csv(rows("B.1,theme,Memory", "", "B,type,Bug"))

    assert {node.code: node.position for node in tree} == {"B.1": 0, "B": 1}


def test_parent_column_overrides_the_code():
    tree = read_csv(rows("Q,type,Question,", "mem,theme,Memory,Q", "mem.x,sub-theme,Leaks,", "v1.2,type,Odd,",
                         header="code,level,name,parent"))  # fmt: skip

    assert {node.code: node.parent for node in tree} == {"Q": None, "mem": "Q", "mem.x": "mem", "v1.2": None}


def test_names_and_codes_in_any_script_are_kept():
    names = ["系统兼容性与集成失败", "تسرّب الذاكرة", "דליפת זיכרון", "می‌خواهم", "🧪 Ünïcode"]
    tree = read_csv(rows(*(f"错误{place},type,{name}" for place, name in enumerate(names))).encode())

    assert [node.name for node in tree] == names
    assert [node.code for node in tree] == [f"错误{place}" for place in range(5)]


def test_what_cannot_be_stored_in_a_text_is_replaced_and_counted():
    tree = read_csv(rows("A,type,a\0b\ud800,\0", header="code,level,name,definition"))

    assert (tree["A"].name, tree["A"].definition, tree.replaced) == ("a\ufffdb\ufffd", "\ufffd", 3)
    assert read_csv(SMALL).replaced == 0


# Refusing: the file


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        (b"", 1, "the file is empty"),
        ("\ufeff\n\n,,\n", 1, "the file is empty"),
        ("\n\ncode,level,name\n\n", 3, "the file has a header but no category"),
        (SMALL.encode("utf-16"), 1, "the file is UTF-16 or UTF-32: save the file as UTF-8"),
        (SMALL.encode("utf-16-be"), 1, "the file is UTF-16 or UTF-32: save the file as UTF-8"),
        (SMALL.encode("utf-32"), 1, "the file is UTF-16 or UTF-32: save the file as UTF-8"),
        ("code,level,name\r\nA,type,Naïve\r\n".encode("latin-1"), 2,
         "the file is not UTF-8 (byte 0xEF in this line): save the file as UTF-8"),
        ("code,level,name\nA,type,x\nB,type,错误\n".encode("gb18030"), 3,
         "the file is not UTF-8 (byte 0xB4 in this line): save the file as UTF-8"),
        (b"code,level,name\nA,type,\xed\xa0\x80\n", 2,
         "the file is not UTF-8 (byte 0xED in this line): save the file as UTF-8"),
        (b"\n <!DOCTYPE html><title>Sign in</title>", 1, "the file is a web page or XML, not CSV"),
        (b"x" * (MAX_BYTES + 1), 1,
         "the file is larger than 5,000,000 bytes, the limit for a taxonomy"),
        (SMALL + 'C,type,"open\nD,type,never closed\n', 6,
         "the file cannot be read as CSV from this line: unexpected end of data"),
        ('code,level,name\nA,type,"a"b\n', 2,
         "the file cannot be read as CSV from this line: ',' expected after '\"'"),
        ("code,level,name\nA,type," + "x" * 200_000, 2,
         "the file cannot be read as CSV from this line: field larger than field limit (131072)"),
        ('"code,level,name\n', 1, "the file cannot be read as CSV from this line: unexpected end of data"),
    ],
    ids=["empty", "blank", "header only", "utf-16", "utf-16 without bom", "utf-32", "latin-1", "gb18030",
         "surrogate", "web page", "too large", "open quote", "text after quote", "huge cell",
         "open quote in the header"],
)  # fmt: skip
def test_unreadable_files_are_refused(source, line, message):
    csv.field_size_limit(131_072)  # one for the process: a reader of other files may have raised it
    assert refusals(source) == [(line, "", message)]


def test_a_huge_stream_is_not_read_to_its_end():
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size=-1):
            assert size > 0
            self.given += size
            return b"x" * size

    endless = Endless()

    assert refusals(endless) == [(1, "", "the file is larger than 5,000,000 bytes, the limit for a taxonomy")]
    assert endless.given == MAX_BYTES + 1


@pytest.mark.parametrize(
    ("header", "messages"),
    [
        ("code,name", ["the column “level” is missing"]),
        ("kode;level;name", [
            "the column “code” is missing", "the column “level” is missing", "the column “name” is missing",
            f"unknown column “kode;level;name”: the columns are {COLUMNS}",
        ]),
        ("code,level,name,Name ", ["two columns have the header “name”"]),
        ("code,level,name,", ["column 4 has no header"]),
        ("code,level,name,note,note", [
            f"unknown column “note”: the columns are {COLUMNS}",
            "two columns have the header “note”",
        ]),
    ],
    ids=["missing", "all missing", "doubled", "unnamed", "unknown and doubled"],
)  # fmt: skip
def test_wrong_headers_are_refused(header, messages):
    assert refusals(rows("A,type,Question", header=header)) == [(1, "", message) for message in messages]


def test_too_many_categories_are_refused():
    fits = [f"T{number},type,Name {number}" for number in range(MAX_CATEGORIES)]

    assert len(read_csv(rows(*fits))) == MAX_CATEGORIES
    assert refusals(rows(*fits, "X,type,One more", "Y,type,Another")) == [
        (MAX_CATEGORIES + 2, "", "a taxonomy has at most 5,000 categories, and this line is beyond the limit")
    ]


# Refusing: rows


@pytest.mark.parametrize(
    ("row", "code", "message"),
    [
        ("C,type", "C", "the row has 2 cells, but the header has 3 columns"),
        ("C,type,Bug,more", "C", "the row has 4 cells, but the header has 3 columns"),
        (",type,Bug", "", "the code is empty"),
        ("C,type,", "C", "the name is empty"),
        ("C,type,  ", "C", "the name is empty"),
        ("C,kind,Bug", "C", "unknown level “kind”: the levels are type, theme, sub-theme or 1, 2, 3"),
        ("C,,Bug", "C", "unknown level “”: the levels are type, theme, sub-theme or 1, 2, 3"),
        ("C,4,Bug", "C", "unknown level “4”: the levels are type, theme, sub-theme or 1, 2, 3"),
        ("C,0,Bug", "C", "unknown level “0”: the levels are type, theme, sub-theme or 1, 2, 3"),
        ("C ,type,Bug", "C ", INVISIBLE.format("U+0020", 2)),
        ("C\u00a0x,type,Bug", "C\u00a0x", INVISIBLE.format("U+00A0", 2)),
        ("C\u200b,type,Bug", "C\u200b", INVISIBLE.format("U+200B", 2)),
        ("\u202eC,type,Bug", "\u202eC", INVISIBLE.format("U+202E", 1)),
        ("C\0,type,Bug", "C\ufffd", INVISIBLE.format("U+0000", 2)),
        ("C\ud800,type,Bug", "C\ufffd", INVISIBLE.format("U+D800", 2)),
        ('"C\nx",type,Bug', "C\nx", INVISIBLE.format("U+000A", 2)),
        ("C" * 33 + ",type,Bug", "C" * 33, "the code has 33 characters, but at most 32 are allowed"),
        ("C" * 99 + ",type,Bug", "C" * 40 + "…", "the code has 99 characters, but at most 32 are allowed"),
        ("C,type," + "n" * 201, "C", "the name has 201 characters, but at most 200 are allowed"),
        ("C,type," + "错" * 10_000, "C", "the name has 10,000 characters, but at most 200 are allowed"),
        ('C,type,"two\nlines"', "C", "the name contains a line break or another control character"),
        ("C,type,a\x1bb", "C", "the name contains a line break or another control character"),
    ],
)  # fmt: skip
def test_wrong_rows_are_refused(row, code, message):
    assert refusals(rows("A,type,Question", row)) == [(3, code, message)]


def test_longest_code_name_and_text_are_taken():
    (node,) = read_csv(rows(f"{'C' * 32},type,{'n' * 200},{'d' * 4000}", header="code,level,name,definition"))

    assert [len(text) for text in (node.code, *node.texts.values())] == [32, 200, 4000, *[0] * 8]


def test_longer_texts_are_refused():
    assert refusals(rows(f"C,type,Bug,{'d' * 4001}", header="code,level,name,definition")) == [
        (2, "C", "the definition has 4,001 characters, but at most 4,000 are allowed")
    ]


# Refusing: the tree


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["C,type,Bug", "C,type,Other"], [(3, "C", "line 2 already has this code, written “C”")]),
        (["C,type,Bug", "c,type,Other"], [(3, "c", "line 2 already has this code, written “C”")]),
        (["C,type,Bug", "Ｃ,type,Other"], [(3, "Ｃ", "line 2 already has this code, written “C”")]),
        (["É,type,Bug", "E\u0301,type,Other"],
         [(3, "E\u0301", "line 2 already has this code, written “É”")]),
        (["C.3.ii,sub-theme,Data"], [(2, "C.3.ii", "the parent “C.3” is missing")]),
        (["c,type,Bug", "C.1,theme,Memory"], [(3, "C.1", "the parent “C” is missing; “c” looks similar")]),
        (["memory,theme,Memory"],
         [(2, "memory", "a theme needs a type as its parent, but this row has no parent")]),
        (["memory,sub-theme,Memory"],
         [(2, "memory", "a sub-theme needs a theme as its parent, but this row has no parent")]),
        (["C,type,Bug", "C.1,type,Memory"],
         [(3, "C.1", "a type has no parent, but this row has the parent “C”")]),
        (["C.1,type,Memory"], [(2, "C.1", "a type has no parent, but this row has the parent “C”")]),
        (["C,type,Bug", "C.1,sub-theme,Memory"],
         [(3, "C.1", "a sub-theme needs a theme as its parent, but the parent “C” is a type")]),
        (["C,type,Bug", "C.1,theme,Memory", "C.1.i,theme,Leaks"],
         [(4, "C.1.i", "a theme needs a type as its parent, but the parent “C.1” is a theme")]),
        (["C,type,Bug", "C.1,theme,Memory", "C.1.i,sub-theme,Leaks", "C.1.i.a,sub-theme,Slow leaks"],
         [(5, "C.1.i.a", "more than three levels: C > C.1 > C.1.i > C.1.i.a")]),
        (["C,type,Bug", "C.1,theme,Memory", "C.2,theme,memory "],
         [(4, "C.2", "C.1 on line 3 has the same parent and the same name")]),
        (["C,type,Bug", "D,type,ＢＵＧ"], [(3, "D", "C on line 2 has the same parent and the same name")]),
    ],
)  # fmt: skip
def test_unsound_trees_are_refused(lines, expected):
    assert refusals(rows(*lines)) == expected


def test_the_same_name_under_another_parent_is_taken():
    assert len(read_csv(rows("C,type,Bug", "D,type,Wish", "C.1,theme,Memory", "D.1,theme,Memory"))) == 4


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["A,theme,One,A"], [(2, "A", "the parents form a circle: A > A")]),
        (["T,type,Top,", "A,theme,One,B", "B,theme,Two,A"],
         [(3, "A", "the parents form a circle: A > B > A")]),
        (["X,sub-theme,Outside,C", "B,theme,Two,C", "C,theme,Three,A", "A,theme,One,B"],
         [(3, "B", "the parents form a circle: B > C > A > B")]),
        (["A,type,One,B", "B,theme,Two,A", "P,theme,Three,Q", "Q,theme,Four,P"],
         [(2, "A", "the parents form a circle: A > B > A"),
          (4, "P", "the parents form a circle: P > Q > P")]),
        ([f"N{place},theme,Name {place},N{(place + 1) % 9}" for place in range(9)],
         [(2, "N0", "the parents form a circle: N0 > N1 > N2 > N3 > N4 > N5 > … > N0")]),
    ],
    ids=["itself", "two", "three with one hanging on", "two circles", "nine"],
)  # fmt: skip
def test_circles_are_refused_once_each(lines, expected):
    assert refusals(rows(*lines, header="code,level,name,parent")) == expected


def test_every_problem_of_a_file_is_told_in_order():
    source = rows(
        "C,type,Bug",
        "C.1,theme,",
        "C.1.i,sub-theme,Leaks",
        "C.2,theme",
        "C.2.i,sub-theme,Rank hangs",
        "C.3 ,kind,Numbers",
        "X.1,theme,Lost",
        "C,type,Bug",
        ",theme,",
    )

    assert refusals(source) == [
        (3, "C.1", "the name is empty"),
        (5, "C.2", "the row has 2 cells, but the header has 3 columns"),
        (7, "C.3 ", INVISIBLE.format("U+0020", 4)),
        (7, "C.3 ", "unknown level “kind”: the levels are type, theme, sub-theme or 1, 2, 3"),
        (8, "X.1", "the parent “X” is missing"),
        (9, "C", "line 2 already has this code, written “C”"),
        (10, "", "the code is empty"),
        (10, "", "the name is empty"),
    ]


def test_nothing_is_said_of_parents_when_the_file_breaks_off():
    assert refusals(rows("C.1,theme,", 'C,type,"Bug')) == [
        (2, "C.1", "the name is empty"),
        (3, "", "the file cannot be read as CSV from this line: unexpected end of data"),
    ]


def test_lines_are_those_of_an_editor():
    source = rows('A,type,Question,"a\nb\nc"', "", "B,what,Bug,", header="code,level,name,definition")

    assert [line for line, _, _ in refusals(source)] == [6]


def test_the_error_reads_as_a_list_of_lines_and_can_be_said_in_another_language():
    with pytest.raises(TaxonomyFileError) as refused:
        read_csv(rows("C.1,theme,Memory", ",type,Bug"))

    assert str(refused.value) == "line 2: C.1: the parent “C” is missing\nline 3: the code is empty"
    missing = Problem(2, "C.1", "the parent “%(parent)s” is missing", {"parent": "C"})
    assert refused.value.problems[0] == missing


@given(
    st.one_of(
        st.binary(max_size=300), st.text(max_size=300).map(lambda text: f"code,level,name,parent\n{text}")
    )
)
def test_any_bytes_give_a_tree_or_told_problems(source):
    problems, tree = (), None
    try:
        tree = read_csv(source)
    except TaxonomyFileError as refused:
        problems = refused.problems

    assert bool(problems) != bool(tree)
    assert all(problem.line >= 1 and str(problem).startswith("line ") for problem in problems)
