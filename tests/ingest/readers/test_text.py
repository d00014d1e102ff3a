"""Text comes in whole, or repaired and counted, or not at all; inert cells come back as they were."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.csv import make_inert
from ingest.readers.refusals import excerpt
from ingest.readers.text import Source, clean, encoding_of, open_text, undo_inert, wrong_byte

DANGEROUS = st.text(alphabet="'=+-@\t\rab", max_size=8)


@given(st.one_of(st.text(), DANGEROUS))
def test_an_inert_cell_comes_back_as_it_was(cell):
    assert undo_inert(make_inert(cell)) == cell


@given(st.one_of(st.text(), DANGEROUS))
def test_no_cell_begins_as_a_formula_once_it_is_inert(cell):
    assert not make_inert(cell).startswith(("=", "+", "-", "@", "\t", "\r"))


@pytest.mark.parametrize(
    ("cell", "inert"),
    [
        ("=1+1", "'=1+1"),
        ("'=1+1", "''=1+1"),
        ("@user", "'@user"),
        ("-v does nothing", "'-v does nothing"),
        ("\tx", "'\tx"),
        ("C.9", "C.9"),
        ("'quoted'", "'quoted'"),
        ("", ""),
        ("'", "'"),
    ],
)
def test_only_what_a_spreadsheet_would_run_is_changed(cell, inert):
    assert make_inert(cell) == inert


@pytest.mark.parametrize(
    ("text", "cleaned", "count"),
    [
        ("plain \x1b[31m text\r\n", "plain \x1b[31m text\r\n", 0),
        ("汉字 \U0001f600", "汉字 \U0001f600", 0),
        ("a\0b\0", "a\ufffdb\ufffd", 2),
        ("a\ud800b\udfff", "a\ufffdb\ufffd", 2),
        ("\udced\udca0\udc80", "\ufffd", 1),
    ],
)
def test_what_cannot_be_stored_is_replaced_and_counted(text, cleaned, count):
    assert clean(text) == (cleaned, count)


@given(st.text(st.characters(codec=None), max_size=50))
def test_cleaned_text_can_always_be_stored(text):
    cleaned, count = clean(text)

    assert "\0" not in cleaned
    cleaned.encode("utf-8")
    assert (count == 0) == (cleaned == text)


@given(st.binary(max_size=60))
def test_a_wrong_byte_is_found_exactly_in_what_is_not_utf_8(data):
    with open_text(Source(io.BytesIO(data), max_bytes=1000), "utf-8") as stream:
        text = stream.read()
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        assert wrong_byte(text) is not None
    else:
        assert wrong_byte(text) is None


def test_the_first_wrong_byte_is_named():
    with open_text(Source(io.BytesIO(b"caf\xe9 \xff"), max_bytes=1000), "utf-8") as stream:
        assert wrong_byte(stream.read()) == "E9"


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        (b"url\n", "utf-8"),
        ("url\n汉字\n".encode(), "utf-8"),
        ("url\n汉字\n".encode("utf-8-sig"), "utf-8-sig"),
        ("url\n汉字\n".encode("utf-16"), "utf-16"),
        ("url\n汉字\n".encode()[:-2], "utf-8"),
        (("汉字" * 20).encode() + b"\xe9\n", "utf-8"),
    ],
)
def test_the_encoding_is_what_the_file_says(head, encoding):
    assert encoding_of(head) == encoding


def test_an_encoding_is_taken_when_it_was_chosen_and_known():
    assert encoding_of("url\n汉字\n".encode("gb18030"), "gb18030") == "gb18030"
    assert encoding_of("url\n汉字\n".encode("utf-8-sig"), "gb18030") == "utf-8-sig"
    with pytest.raises(ValueError, match="'rot13' is not one of"):
        encoding_of(b"url\n", "rot13")


def test_the_source_counts_and_leaves_its_stream_open():
    stream = io.BytesIO(b"0123456789")
    head = stream.read(4)
    source = Source(stream, head=head, max_bytes=10)

    with open_text(source, "utf-8") as text:
        assert text.read() == "0123456789"

    assert source.bytes_read == 10
    assert not stream.closed


def test_an_excerpt_is_short_and_fit_to_be_stored():
    assert excerpt("a\0\ud800\nb") == "a\ufffd\ufffd b"
    assert excerpt("x" * 81) == "x" * 79 + "…"
    assert excerpt("x" * 80) == "x" * 80
