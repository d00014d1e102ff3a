"""Transcripts as Word documents: what a reader of the document sees, and no bomb."""

import io
import resource
import time
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interviews.readers.office import DEEPEST, MOST_PARTS
from interviews.readers.refusals import Unreadable
from interviews.readers.text import MOST_LINES
from interviews.readers.transcripts import read_docx
from interviews.readers.transcripts.docx import USUAL
from tests.interviews.readers.packing import W, document, outcome, packed, paragraph, run
from tests.interviews.readers.test_transcripts import left_out, told


def refused(data: bytes) -> Unreadable:
    with pytest.raises(Unreadable) as caught:
        read_docx(data)
    return caught.value


def test_paragraphs_are_turns_whatever_their_runs():
    read = read_docx(
        document(
            paragraph("[00:0", "1:02] An", "n: One & ", "<b>") + paragraph("more") + paragraph("דנה: yes")
        )
    )
    assert told(read) == [("Ann", "One & <b>\nmore", 62_000), ("דנה", "yes", None)]


def test_breaks_and_tabs_are_text():
    read = read_docx(
        document(
            "<w:p><w:r><w:t>Ann:</w:t><w:tab/><w:t>a</w:t><w:br/><w:t>b</w:t><w:noBreakHyphen/><w:t>c</w:t></w:r></w:p>"
        )
    )
    assert told(read) == [("Ann", "a\nb-c", None)]


def test_inserted_text_is_read_and_deleted_moved_and_hidden_text_is_not():
    shown, changed = '<w:vanish w:val="0"/>', "<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>"
    body = (
        f"<w:p>{run('Ann: a ')}<w:ins>{run('new ')}</w:ins><w:del>{run('SECRET')}"
        "<w:r><w:delText>SECRET</w:delText></w:r></w:del>"
        f"<w:moveFrom>{run('SECRET')}</w:moveFrom><w:moveTo>{run('moved ')}</w:moveTo></w:p>"
        f"<w:p>{run('SECRET', '<w:vanish/>')}{run('seen', shown)}{run(' too', changed)}</w:p>"
    )
    read = read_docx(document(body))
    assert told(read) == [("Ann", "a new moved\nseen too", None)]
    assert left_out(read) == [(1, "deleted"), (2, "hidden")]


def test_comments_footnotes_boxes_and_fields_are_not_read():
    body = (
        f"<w:p>{run('Ann: a')}<w:r><w:commentReference w:id='1'/></w:r><w:r><w:footnoteReference w:id='1'/></w:r>"
        f"<w:r><w:instrText>HYPERLINK x</w:instrText></w:r><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>{paragraph('box')}"
        f"</w:txbxContent></mc:Choice><mc:Fallback>{paragraph('old')}</mc:Fallback></mc:AlternateContent></w:r>{run(' b')}</w:p>"
    )
    read = read_docx(document(body))
    assert told(read) == [("Ann", "a b", None)]
    assert {code for _line, code in left_out(read)} == {"comments", "footnotes", "text_box"}
    assert read.notes[0].text().startswith("Paragraph 1: ")


def test_rows_of_a_table_are_turns():
    def row(*cells: str) -> str:
        return f"<w:tr>{''.join(f'<w:tc>{cell}</w:tc>' for cell in cells)}</w:tr>"

    rows = row(paragraph("0:05"), paragraph("Ann"), paragraph("one") + paragraph("Note: two"))
    rows += row(paragraph("0:09"), paragraph("Bo:"), paragraph("three"))
    rows += row(paragraph("Ann: whole"), paragraph(""))
    assert told(read_docx(document(f"<w:tbl>{rows}</w:tbl>"))) == [
        ("Ann", "one\nNote: two", 5000), ("Bo", "three", 9000), ("Ann", "whole", None),
    ]  # fmt: skip


def test_the_main_part_is_found_by_its_relation():
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="/word/document2.xml"/></Relationships>'
    )
    data = packed(
        {
            "_rels/.rels": relations,
            "word/document2.xml": f"<w:document {W}>{paragraph('Ann: two')}</w:document>",
        }
    )
    assert told(read_docx(data)) == [("Ann", "two", None)]


def test_macros_and_links_to_files_outside_are_not_followed():
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    outside = "".join(
        f'<Relationship Id="{place}" Type="{relation}" Target="{target}" TargetMode="External"/>'
        for place, target in enumerate(
            ("file:///etc/passwd", "../../../etc/passwd", "http://127.0.0.1:9/a.xml")
        )
    )
    parts = {
        "_rels/.rels": f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{outside}</Relationships>',
        USUAL: f"<w:document {W}>{paragraph('Ann: two')}</w:document>",
        "word/vbaProject.bin": b"\xd0\xcf\x11\xe0",
        "../../escaped": "x",
    }
    assert told(read_docx(packed(parts))) == [("Ann", "two", None)]


def test_a_bomb_ends_early_and_takes_no_memory():
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive,
        archive.open("word/document.xml", "w") as part,
    ):
        part.write(f"<w:document {W}>".encode())
        for _ in range(40):
            part.write(b" " * (1 << 20))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.monotonic()
    error = refused(out.getvalue())
    assert (error.code, error.part) == ("bomb", "word/document.xml")
    assert str(error).startswith("Part “word/document.xml”: unpacked, this part is more than 200 times")
    assert time.monotonic() - begun < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10  # KiB


@pytest.mark.parametrize("of", ["document", "relations", "wide", "external"])
def test_entities_are_refused_before_they_grow(of):
    grown = '<!DOCTYPE a [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    evil = f"{grown}<w:document {W}><w:p><w:r><w:t>Ann: &b;</w:t></w:r></w:p></w:document>"
    parts = {"word/document.xml": evil.encode("utf-16") if of == "wide" else evil}
    if of == "external":
        parts = {USUAL: '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><a>&a;</a>'}
    if of == "relations":
        parts = {"_rels/.rels": f"{grown}<a>&b;</a>", "word/document.xml": "<a/>"}
    assert refused(packed(parts)).code == "doctype"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty"),
        (b"{\\rtf1", "not_packed"),
        (b"PK\x03\x04" + b"x" * 40, "zip_damaged"),
        (packed({"a.txt": "x"}), "no_part"),
        (packed({"word/document.xml": f"<w:document {W}><w:p>"}), "damaged"),
        (packed({"word/document.xml": f"<w:document {W}>{'<w:a>' * (DEEPEST + 1)}"}), "deep"),
        (packed({"word/document.xml": f"<w:document {W}><w:p>&#0;</w:p></w:document>"}), "damaged"),
        (packed({"word/document.xml": f"<w:document {W}><w:p>&#xD800;</w:p></w:document>"}), "damaged"),
        (packed({"word/document.xml": '<?xml version="1.0" encoding="x-none"?><a/>'}), "damaged"),
        (packed({str(number): "" for number in range(MOST_PARTS + 1)}), "many_parts"),
        (packed({USUAL: f"<w:document {W}>{'<w:p/>' * (MOST_LINES + 1)}"}, zipfile.ZIP_STORED), "many_lines"),
        (document(paragraph("nobody speaks")), "no_speaker"),
        (document(""), "no_speaker"),
    ],
)
def test_a_broken_or_hostile_file_is_refused(data, code):
    assert refused(data).code == code


def test_a_part_that_is_there_twice_or_locked_is_refused():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(USUAL, "<a/>")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr(USUAL, "<b/>")
    assert refused(out.getvalue()).code == "zip_damaged"
    data = bytearray(document(paragraph("Ann: a")))
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    assert refused(bytes(data)).code == "locked"


def test_a_long_paragraph_is_refused_by_its_number():
    error = refused(document(paragraph("Ann: a") + "<w:p>" + run("ab cd " * 90_000) + "</w:p>"))
    assert (error.code, error.line, error.text()[:12]) == ("line_too_long", 2, "Paragraph 2:")


WHOLE = document(paragraph("[00:01] Ann: one") + paragraph("Bo: two"))


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=4),
    st.integers(0, len(WHOLE)),
)
def test_a_damaged_file_is_read_or_refused(changes, cut):
    data = bytearray(WHOLE)
    for place, byte in changes:
        data[place] = byte
    for file in (bytes(data), bytes(data[:cut])):
        found = outcome(read_docx, file)
        assert found.text() if isinstance(found, Unreadable) else found.turns


@settings(max_examples=40)
@given(st.text(alphabet='<>/wptr:= "x&;!-[]?', max_size=40))
def test_any_markup_is_read_or_refused(markup):
    found = outcome(read_docx, document(paragraph("A: b") + markup))
    assert found.text() if isinstance(found, Unreadable) else found.turns
