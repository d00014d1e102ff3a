"""The file that maps summaries to sub-themes: what is read, what is refused, and byte-equal round trips."""

import pytest

from boards.mapping import MAX_SUMMARIES, MappingRefused, SubTheme, read_mapping, write_mapping

HEADER = "rootcause,subcategory,symptoms\n"


@pytest.mark.parametrize(
    ("name", "rows", "summaries"), [("bug_symptoms.csv", 45, 1586), ("question_intents.csv", 9, 297)]
)
def test_the_published_files_come_back_byte_for_byte(published, name, rows, summaries):
    data = (published / name).read_bytes()
    found = read_mapping(data)
    assert (len(found), sum(len(row.symptoms) for row in found)) == (rows, summaries)
    assert write_mapping(found).encode() == data


def test_what_the_commas_of_the_published_file_became(published):
    """A name in quotes without a comma stands for one that had commas; without quotes its 、 is its own."""
    first, *rest = read_mapping((published / "bug_symptoms.csv").read_bytes())
    assert first.subcategory == "Build, Installation, and Low-Level Support Failures"
    assert first.symptoms[0] == "Compilation failure、build error、platform not supported"
    assert {row.rootcause for row in rest} >= {"Code Quality、Logging、Testing and Security"}


def test_commas_join_summaries_and_are_written_otherwise_inside_one():
    rows = [
        SubTheme("Code, tests", "One", ("Crash, then hang", "Slow")),
        SubTheme("", "Two, three", ("Leak",)),
        SubTheme("Code, tests", "Four", ("Crash, alone",)),
        SubTheme("Code", "None", ()),
    ]
    text = write_mapping(rows)
    assert text == (
        f'{HEADER}"Code、 tests",One,"Crash、 then hang,Slow"\n,"Two、 three",Leak\n'
        '"Code、 tests",Four,Crash、 alone\nCode,None,\n'
    )
    again = read_mapping(text.encode())
    assert [row.rootcause for row in again] == ["Code, tests", "", "Code, tests", "Code"]
    assert [row.symptoms for row in again] == [
        ("Crash、 then hang", "Slow"),
        ("Leak",),
        ("Crash、 alone",),
        (),
    ]
    assert write_mapping(again) == text


def test_quotes_and_what_a_spreadsheet_would_run_come_back():
    rows = [SubTheme("A", 'The "fast" path', ('Says "no"', "=1+1", "'-x")), SubTheme("=A", "-B", ("@c",))]
    text = write_mapping(rows)
    assert text == (f'{HEADER}A,"The ""fast"" path","Says ""no"",\'=1+1,\'\'-x"\n\'=A,\'-B,\'@c\n')
    assert read_mapping(text.encode()) == rows


def test_line_ends_a_byte_order_mark_and_blank_lines_are_no_matter():
    data = b'\xef\xbb\xbfrootcause,subcategory,symptoms\r\n\r\nA,B,"x,y"\r\n'
    assert read_mapping(data) == [SubTheme("A", "B", ("x", "y"))]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('A,B,"x,y', "the quote at character 5 is not closed in this line"),
        ('A,B,"x"y', "a comma is missing after the closing quote at character 7, before “y”"),
        ('A,B,"x" ', "a comma is missing after the closing quote at character 7, before “ ”"),
        ('A,B,x"y', "the quote at character 6 is inside a cell that does not start with a quote"),
        ('A,B, "x,y"', "the quote at character 6 is inside a cell that does not start with a quote"),
        ("A,B", "the row has 2 cells instead of 3: put a cell with commas into quotes"),
        ("A,B,x,y", "the row has 4 cells instead of 3: put a cell with commas into quotes"),
        ('A,B,"x,,y"', "summary 2 of 3 is empty: remove one comma"),
        ('A,B,"x,"', "summary 2 of 2 is empty: remove one comma"),
        ('"A,B",C,x', "the name “A,B” contains a comma: write 、 instead"),
        ("A, ,x", "the sub-theme has no name"),
        ("a,last,x", "“last” is already in line 2"),
        (f"A,B,{'x' * 501}", "summary 1 has more than 500 characters"),
        (f"A,{'x' * 201},x", "a name has more than 200 characters"),
    ],
)
def test_a_line_is_refused_with_its_number_and_why(line, why):
    with pytest.raises(MappingRefused) as refused:
        read_mapping(f"{HEADER}A,Last,x\n\n{line}\nA,Good,y\n".encode())
    [problem] = refused.value.problems
    assert (problem.line, str(problem)) == (4, why)


def test_every_bad_line_is_named_and_none_hides_the_next():
    with pytest.raises(MappingRefused) as refused:
        read_mapping(f'{HEADER}A,B,"x\nA,C,y\nA,D,z"\n'.encode())
    assert [problem.line for problem in refused.value.problems] == [2, 4]


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"", 1),
        (b"subcategory,rootcause,symptoms\nA,B,x\n", 1),
        (b"rootcause;subcategory;symptoms\n", 1),
        (HEADER.encode(), 1),
        (f"{HEADER}A,B,\n".encode(), 1),
        (f"{HEADER}A,B,x\n".encode() + b"A,C,\xff\n", 3),
        (f"{HEADER}A,B,x\0\n".encode(), 2),
        (b"x" * 5_000_001, 1),
        (f'{HEADER}A,B,"{",".join(["x"] * (MAX_SUMMARIES + 1))}"\n'.encode(), 1),
    ],
)
def test_a_file_that_is_none_is_refused(data, line):
    with pytest.raises(MappingRefused) as refused:
        read_mapping(data)
    assert [problem.line for problem in refused.value.problems] == [line]
