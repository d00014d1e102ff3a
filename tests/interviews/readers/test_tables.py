"""Tables of participants and codebooks: every cell as a text, flaws named, hostile files refused."""

import io
import time
import zipfile
from datetime import date, datetime

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interviews.readers.background import read_background
from interviews.readers.codebook import COLUMNS, CodebookRow, read_codebook, unknown_links, write_codebook
from interviews.readers.refusals import Unreadable
from interviews.readers.tables import LONGEST_CELL, MOST_BYTES, MOST_COLUMNS, MOST_ROWS
from tests.conftest import SHARED_DATA
from tests.interviews.readers.packing import outcome, packed

SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def published(name: str) -> bytes:
    path = SHARED_DATA / "interviews" / name
    if not path.is_file():
        pytest.skip("the data of the reference study is not part of the project")
    return path.read_bytes()


def workbook(rows, merged=(), sheets=1) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for cells in merged:
        book.active.merge_cells(cells)
    for _ in range(sheets - 1):
        book.create_sheet()
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def with_sheet(content: str, data: bytes | None = None) -> bytes:
    """A workbook whose sheet has this XML."""
    with zipfile.ZipFile(io.BytesIO(data or workbook([["a"], ["b"]]))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return packed({**parts, "xl/worksheets/sheet1.xml": content})


def named(table) -> list[tuple[int, str]]:
    return [(note.line, note.code) for note in table.problems]


def refused(read, data: bytes) -> tuple[str, int]:
    found = outcome(read, data)
    assert isinstance(found, Unreadable)
    return found.code, found.line


# --- Participants


def test_cells_of_a_sheet_are_texts_and_merged_ones_are_filled():
    rows = [
        ["Role", "Years", "On", "Notes"],
        ["Dev", 3, date(2026, 1, 2), "one\ntwo\n"],
        ["דנה", 1.5, datetime(2026, 1, 2, 3, 4), None],  # noqa: DTZ001 - as spreadsheets have it
        [None, "8 Months", True, None],
        [None, None, None, None],
        ["=1+1", 2.0, "x", " y "],
    ]
    table = read_background(workbook(rows, merged=["D2:D4", "A3:A4"], sheets=2))
    assert table.header == ("Role", "Years", "On", "Notes")
    assert table.rows == (
        (2, ("Dev", "3", "2026-01-02", "one\ntwo\n")),
        (3, ("דנה", "1.5", "2026-01-02 03:04:00", "one\ntwo\n")),
        (4, ("דנה", "8 Months", "TRUE", "one\ntwo\n")),
        (6, ("", "2", "x", " y ")),
    )
    assert [(note.code, note.params) for note in table.problems] == [
        ("other_sheets", {"number": 1, "count": 2}), ("merged", {"count": 3}),
    ]  # fmt: skip


def test_a_csv_table_keeps_lines_in_cells_and_names_its_flaws():
    data = '\ufeffRole;Role;;Sex\nDev;a;b;"Fe\nMale"\nDev;a;b;female\nDev;a\n\nQA;c;d;\'=x\nDev;a;b;FEMALE\n'
    table = read_background(data.encode())
    assert table.header == ("Role", "Role", "", "Sex")
    assert table.rows == (
        (2, ("Dev", "a", "b", "Fe\nMale")), (4, ("Dev", "a", "b", "female")), (7, ("QA", "c", "d", "=x")),
        (8, ("Dev", "a", "b", "FEMALE")),
    )  # fmt: skip
    assert named(table) == [(1, "same_name"), (1, "no_name"), (5, "ragged"), (8, "letter_case")]


WIDE = f'<worksheet {SHEET}><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="XFD1" t="inlineStr"><is><t>b</t></is></c></row></sheetData></worksheet>'
TALL = f'<worksheet {SHEET}><sheetData><row r="1048576"><c r="A1048576"><v>1</v></c></row></sheetData></worksheet>'
EVIL = f'<!DOCTYPE a [<!ENTITY b "xxxx">]><worksheet {SHEET}><sheetData/></worksheet>'


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", "empty", 0),
        (b"a,b\n", "no_rows", 0),
        (b"a,b\nc\n", "no_rows", 0),
        (b'a,b\n"c,d\n', "unclosed_quote", 2),
        (b'a,b\n"c"x,d\n', "quotes", 2),
        (b"a,b\n\xff,d\n", "not_utf8", 2),
        (b"a,b\n\0,d\n", "nul", 2),
        (b"a\n" + b"x" * (LONGEST_CELL + 1), "cell_too_long", 2),
        (b"a\n" + b"x\n" * (MOST_ROWS + 1), "many_rows", MOST_ROWS + 2),
        (b"," * MOST_COLUMNS + b"x\ny\n", "many_columns", 1),
        (b"x" * (MOST_BYTES + 1), "too_large", 0),
        (b"PK\x03\x04nothing", "zip_damaged", 0),
        (packed({"a": "b"}), "damaged", 0),
        (with_sheet(WIDE), "many_columns", 1),
        (with_sheet(TALL), "many_rows", MOST_ROWS + 2),
        (with_sheet(EVIL), "doctype", 0),
        (with_sheet("<a"), "damaged", 0),
        (with_sheet(f"<worksheet {SHEET}>" + " " * (4 << 20)), "bomb", 0),
    ],
)
def test_a_broken_or_hostile_table_is_refused(data, code, line):
    begun = time.monotonic()
    assert refused(read_background, data) == (code, line)
    assert time.monotonic() - begun < 3


def test_merged_ranges_beyond_the_table_cost_nothing_and_overlapping_ones_are_refused():
    cells = '<sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row></sheetData>'
    one = '<mergeCell ref="A1:XFD1048576"/>'
    merged = with_sheet(f"<worksheet {SHEET}>{cells}<mergeCells>{one}</mergeCells></worksheet>")
    assert read_background(merged).rows[0].cells[0] == "2"
    many = with_sheet(f"<worksheet {SHEET}>{cells}<mergeCells>{one * 4999}</mergeCells></worksheet>")
    assert refused(read_background, many)[0] == "damaged"


BOOK = workbook([["Role", "Years"], ["Dev", 3], ["QA", "x"]], merged=["B2:B3"])


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, len(BOOK) - 1), st.integers(0, 255)), max_size=4))
def test_a_damaged_workbook_is_read_or_refused(changes):
    data = bytearray(BOOK)
    for place, byte in changes:
        data[place] = byte
    found = outcome(read_background, bytes(data))
    assert found.text() if isinstance(found, Unreadable) else found.rows


@given(
    st.one_of(
        st.binary(max_size=40),
        st.text(alphabet="a,;\t\"\n\r'=\ud800\0", max_size=40).map(
            lambda text: text.encode("utf-8", "surrogatepass")
        ),
    )
)
def test_any_bytes_are_a_table_or_refused(data):
    found = outcome(read_background, data)
    assert found.text() if isinstance(found, Unreadable) else found.rows


def test_the_published_background_table_is_read_whole():
    table = read_background(published("Interviewee Background.xlsx"))
    assert table.header == ("Roles", "Gender", "Experience Years for LLMs", "Responsibilities")
    assert len(table.rows) == 19
    assert table.rows[3].cells[2] == "8 Months"
    assert len({row.cells[3] for row in table.rows[4:8]}) == 1
    assert all(row.cells[3].strip() for row in table.rows)
    assert named(table) == [(0, "merged"), (17, "letter_case"), (20, "letter_case")]


# --- Codebooks


def row(**values: str) -> CodebookRow:
    cells = dict.fromkeys(
        ("participant", "kind", "experience", "context", "prompt", "quote", "linked", "insight"), ""
    )
    return CodebookRow(**{**cells, "participant": "U1", **values})


def test_a_codebook_may_have_its_columns_in_any_order_and_its_links_are_codes():
    header = ",".join(reversed(COLUMNS))
    book = read_codebook(
        f'{header},More\nwhy,"A.1; B.2、C.3 /A.1, see below",q,p,c,e,User,U1,x\n,,q,,,,,,\n'.encode()
    )
    assert book.rows[0] == row(
        kind="User", experience="e", context="c", prompt="p", quote="q", linked="A.1; B.2、C.3 /A.1, see below",
        insight="why", line=2,
    )  # fmt: skip
    assert book.rows[0].links == ("A.1", "B.2", "C.3")
    assert [(note.line, note.code, dict(note.params)) for note in book.problems] == [
        (2, "not_a_code", {"text": "see below"}), (3, "no_participant", {}),
    ]  # fmt: skip


def test_links_to_categories_that_do_not_exist_are_named():
    rows = [row(linked="A.1, B.5", line=2), row(linked="", line=3), row(linked="B.5, C.1", line=4)]
    found = unknown_links(rows, ["A.1", "C.1"])
    assert [(note.line, note.params["code"]) for note in found] == [(2, "B.5"), (4, "B.5")]
    assert found[0].text() == "Line 2: the taxonomy has no category B.5."


def test_a_codebook_without_a_column_is_refused():
    found = outcome(read_codebook, b"Participant,Type\nU1,User\n")
    assert str(found) == "Line 1: the column “Experience Level” is missing. Add the column."


CELLS = st.text(alphabet="aé王,;\"'=+-@\t\n .", max_size=8)


@settings(max_examples=40)
@given(st.lists(st.tuples(*[CELLS] * 8), min_size=1, max_size=4))
def test_what_is_written_is_read_again(cells):
    rows = [CodebookRow(*(f"{one}x" for one in line)) for line in cells]
    text = write_codebook(rows)
    assert [one.cells for one in read_codebook(text.encode()).rows] == [one.cells for one in rows]


def test_a_cell_that_a_spreadsheet_would_run_is_written_inert():
    text = write_codebook([row(participant="=cmd()", quote="-1")])
    assert text.splitlines()[1] == '\'=cmd(),,,,,"\'-1","",""'


def test_the_published_codebook_comes_out_byte_by_byte():
    data = published("CodeBook.csv")
    book = read_codebook(data)
    assert (len(book.rows), book.problems) == (19, ())
    assert write_codebook(book.rows).encode() == data
    known = {f"{letter}.{n}" for letter, most in (("A", 4), ("B", 4), ("C", 10)) for n in range(1, most + 1)}
    assert [(note.line, note.params["code"]) for note in unknown_links(book.rows, known)] == [
        (6, "C.11"), (12, "B.5"), (17, "C.11"),
    ]  # fmt: skip
