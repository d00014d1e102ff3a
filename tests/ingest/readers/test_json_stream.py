"""JSON in every shape that forges and tools write it, in pieces of any size."""

import io
import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ingest.readers import sniff, window
from ingest.readers.layouts import layout_of
from ingest.readers.refusals import Refusal
from ingest.readers.scanner import records
from ingest.readers.window import Record
from tests.ingest.readers.reading import drafts, identities, read

ONE = '{"url": "https://github.com/o/r/issues/1", "title": "one"}'
TWO = '{"url": "https://github.com/o/r/issues/2", "title": "two, [2] {\\"x\\": 1}"}'
BOTH = ["o/r#1", "o/r#2"]

SHAPES = {
    "array": f"[{ONE},{TWO}]",
    "pretty array": f"[\n  {ONE},\n  {TWO}\n]\n",
    "lines": f"{ONE}\n{TWO}\n",
    "lines of Windows": f"{ONE}\r\n{TWO}\r\n",
    "blank lines": f"\n{ONE}\n\n\n{TWO}",
    "arrays one after another": f"[{ONE}][{TWO}]",
    "arrays by line": f"[{ONE}]\n[]\n[{TWO}]\n",
    "array of arrays": f"[[{ONE}],[{TWO}],[]]",
    "objects one after another": f"{ONE}{TWO}",
    "a sequence": f"\x1e{ONE}\n\x1e{TWO}\n",
    "a search answer": f'{{"total_count": 2, "incomplete_results": false, "items": [{ONE}, {TWO}]}}',
    "two search answers": f'{{"total_count": 2, "items": [{ONE}]}}{{"total_count": 2, "items": [{TWO}]}}',
    "an answer with more behind": f'{{"items": [{ONE},{TWO}], "next": "x", "page": {{"n": [1]}}, "bad": []}}',
    "a byte order mark": f"\ufeff[{ONE},{TWO}]",
    "addresses": '["https://github.com/o/r/issues/1", "o/r#2"]',
    "addresses by line": '"https://github.com/o/r/issues/1"\n"https://github.com/o/r/issues/2"\n',
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_read(shape):
    assert identities(read(SHAPES[shape])) == BOTH
    assert sniff(SHAPES[shape].encode(), "x.json").format == ("urls" if SHAPES[shape][0] == '"' else "json")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_pieces_of_any_size_give_the_same(shape, size, monkeypatch):
    whole = list(records(io.StringIO(SHAPES[shape]), encoding="utf-8", max_record=1000))
    monkeypatch.setattr(window, "CHUNK", size)

    assert list(records(io.StringIO(SHAPES[shape]), encoding="utf-8", max_record=1000)) == whole


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=10,
)


@given(
    st.lists(st.dictionaries(st.text(max_size=6), JSON, max_size=5), max_size=6), st.sampled_from([None, 1])
)
def test_any_objects_come_back_from_an_array_and_from_lines(values, indent):
    # What looks like a forge's answer or a frame is entered, and is no record.
    assume(not any(layout_of(json.dumps(value), 0) for value in values))
    array = io.StringIO(json.dumps(values, indent=indent))
    lines = io.StringIO("\n".join(json.dumps(value, ensure_ascii=False) for value in values))

    assert [found.value for found in records(array, encoding="utf-8", max_record=10**6)] == values
    assert [found.value for found in records(lines, encoding="utf-8", max_record=10**6)] == values


@given(st.text(alphabet='{}[],:"\\ \nab1', max_size=60))
def test_any_text_is_read_to_its_end_or_refused(text):
    found = list(records(io.StringIO(text), encoding="utf-8", max_record=1000))

    assert all(isinstance(one, Record | Refusal) for one in found)
    assert [one.line for one in found] == sorted(one.line for one in found)
    assert all(one.message for one in found if isinstance(one, Refusal))
    assert not [one for one in found[:-1] if isinstance(one, Refusal) and one.fatal]


def test_records_know_their_line_and_number():
    found = list(records(io.StringIO(SHAPES["pretty array"]), encoding="utf-8", max_record=1000))

    assert [(one.line, one.record) for one in found] == [(2, 1), (3, 2)]
    assert found[0].raw == ONE


def test_a_broken_line_does_not_harm_its_neighbours():
    text = "\n".join([ONE, '{"url": "cut', TWO, "junk", '{"url" 1}', "[]", ONE + ",", TWO])

    found = read(text)

    assert identities(found) == [
        "o/r#1",
        "json_syntax",
        "o/r#2",
        "json_syntax",
        "json_syntax",
        "o/r#1",
        "json_syntax",
        "o/r#2",
    ]
    assert [one.line for one in found] == [1, 2, 3, 4, 5, 7, 7, 8]


def test_a_broken_object_over_several_lines_is_one_refusal():
    broken = '{\n  "url": "https://github.com/o/r/issues/3",\n  "title" "x",\n  "state": "open"\n}'

    assert identities(read(f"{ONE}\n{broken}\n{TWO}")) == ["o/r#1", "json_syntax", "o/r#2"]


def test_a_broken_array_refuses_the_rest():
    found = read(f"[{ONE},\n {{broken}},\n{TWO}]")

    assert identities(found) == ["o/r#1", "json_syntax"]
    assert found[1].fatal


def test_a_record_in_another_encoding_is_refused_alone():
    chinese = ONE.replace("one", "一二三四五六七八九十")
    data = f"[{chinese},\n{ONE},\n{TWO}]".encode().replace(b'"one"', b'"caf\xe9"')

    found = read(data)

    assert identities(found) == ["o/r#1", "wrong_bytes", "o/r#2"]
    assert found[1].raw == ONE.replace("one", "caf\ufffd")


def test_nul_and_half_characters_of_escapes_are_replaced_and_counted():
    body = '"body": "\\ud800 \\ud83d\\ude00 \\udc00", "title"'
    text = ONE.replace("one", "a\\u0000").replace('"title"', body)

    draft = drafts(text)[0]

    assert (draft.title, draft.body, draft.repaired) == ("a\ufffd", "\ufffd \U0001f600 \ufffd", 3)


@pytest.mark.parametrize("escape", ["\\u0000", "\\ud800", "\\u001b"])
@pytest.mark.parametrize(
    ("record", "code"),
    [
        ('{"url": "https://github.com/o/r/issues/1%s"}', "address_control"),
        ('{"url": "https://github.com/o/r/issues/1", "state": "open%s"}', "bad_code"),
        ('{"url": "https://github.com/o/r/issues/1", "author_association": "%s"}', "bad_code"),
        ('"https://github.com/o/r/issues/1%s"', "address_control"),
    ],
)
def test_in_addresses_and_codes_they_refuse_the_record(record, code, escape):
    assert identities(read(f"{ONE}\n{record % escape}")) == ["o/r#1", code]


def test_an_object_too_long_is_refused_and_read_past(monkeypatch):
    monkeypatch.setattr(window, "CHUNK", 16)
    long = json.dumps({"url": "https://github.com/o/r/issues/3", "body": "x" * 9000})

    lines = list(records(io.StringIO(f"{ONE}\n{long}\n{TWO}"), encoding="utf-8", max_record=4500))
    array = list(records(io.StringIO(f"[{ONE},{long},{TWO}]"), encoding="utf-8", max_record=4500))

    assert [getattr(one, "code", "") for one in lines] == ["", "record_too_long", ""]
    assert [getattr(one, "code", "") for one in array] == ["", "record_too_long"]
    assert array[-1].fatal
