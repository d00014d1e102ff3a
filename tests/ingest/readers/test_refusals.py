"""Everything that can be wrong with a file of issues is told by line, cause and what to do, in these words."""

import bz2
import gzip
import io
import json
import lzma
import tarfile
import warnings
import zipfile
from typing import get_args

import pytest

from ingest.addresses import Reason
from ingest.readers import HEAD_BYTES, Limits, Refusal
from ingest.readers.refusals import FILE_AND_LINE, LINE, REST, TEMPLATES, Word
from tests.ingest.readers.reading import messages, read

URL = "https://github.com/o/r/issues/"
SMALL = Limits(max_bytes=10_000, max_rows=3, max_cell=60, max_record=300)
CHINESE = "url,title\n" + "".join(
    f"https://gitee.com/o/r/issues/I{i},算子编译失败,\n" for i in range(60)
).replace(",\n", "，请问如何解决\n")


def zipped(*names: str, data: bytes = b"<x/>") -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")
        for name in names:
            archive.writestr(name, data)
    return buffer.getvalue()


def locked(archive: bytes) -> bytes:
    """The same with the mark of a password on each file."""
    local = archive[:6] + b"\x01\x00" + archive[8:]
    at = local.index(b"PK\x01\x02")
    return local[: at + 8] + b"\x01\x00" + local[at + 10 :]


def otherwise() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.txt", "https://github.com/o/r/issues/1")
    return buffer.getvalue()


def tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.txt"))
    return buffer.getvalue()


A_LIST = b"https://github.com/o/r/issues/1\n"
UNPACK = ". Unpack it, pack its files as ZIP or gzip, and try again."


A_PAGE = (
    "This is an HTML page, not a list of issues: the site may have answered with a sign-in or error page. "
    "Download the file itself and try again."
)
NOT_TEXT = ", not text. Save the rows as CSV (UTF-8), JSON or JSONL and try again."
UNREAD = " The rest of the file was not read."
NO_DELIMITER = (
    "Line 1: the columns cannot be separated. Use commas, semicolons or tabs, and name one of the columns "
    "url, issue_url, html_url or link."
) + UNREAD
WHOLE_FILES = {
    "empty": (b"", "The file is empty: it holds no rows."),
    "nothing but white space": (b" \n\n\t", "The file holds no rows."),
    "nothing but a byte order mark": (b"\xef\xbb\xbf", "The file holds no rows."),
    "a header alone": (b"url,title\n", "The file holds no rows."),
    "an empty array": (b"[]", "The file holds no rows."),
    "empty arrays": (b"[][ ]\n[[]]", "The file holds no rows."),
    "no items": (b'{"total_count": 0, "items": []}', "The file holds no rows."),
    "a page": (b"\n<!DOCTYPE html>\n<html><head><title>Sign in</title>", A_PAGE),
    "a page of UTF-16": ("<html>".encode("utf-16"), A_PAGE),
    "a page of XML": (b'<?xml version="1.0"?><!DOCTYPE html PUBLIC "x"><html xmlns="y">', A_PAGE),
    "XML": (
        b'<?xml version="1.0"?><rss>',
        "This is an XML file. Save the rows as CSV (UTF-8), JSON or JSONL and try again.",
    ),
    "a spreadsheet": (
        zipped("xl/workbook.xml"),
        f"This is a spreadsheet or another Office file (.xlsx, .ods, .docx){NOT_TEXT}",
    ),
    "a document": (
        zipped("mimetype", "content.xml"),
        f"This is a spreadsheet or another Office file (.xlsx, .ods, .docx){NOT_TEXT}",
    ),
    "an old spreadsheet": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100),
        f"This is an old Excel or Word file (.xls, .doc){NOT_TEXT}",
    ),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", f"This is a PNG picture{NOT_TEXT}"),
    "bzip2": (bz2.compress(A_LIST), f"This is a bzip2 archive{UNPACK}"),
    "xz": (lzma.compress(A_LIST), f"This is an xz archive{UNPACK}"),
    "zstd": (b"\x28\xb5\x2f\xfd" + bytes(20), f"This is a zstd archive{UNPACK}"),
    "tar": (tar(), f"This is a tar archive{UNPACK}"),
    "tar in gzip": (gzip.compress(tar()), f"This is a tar archive{UNPACK}"),
    "gzip in gzip": (
        gzip.compress(gzip.compress(A_LIST)),
        "This is an archive inside an archive. Unpack it and pack its files into one ZIP.",
    ),
    "gzip in ZIP": (
        zipped("a.gz", data=gzip.compress(A_LIST)),
        "a.gz: this is an archive inside an archive. Unpack it and pack its files into one ZIP.",
    ),
    "a locked ZIP": (
        locked(zipped("a.txt", data=A_LIST)),
        "a.txt: the file is locked by a password. Pack it without a password.",
    ),
    "a ZIP packed otherwise": (
        otherwise(),
        "a.txt: the file is packed by a method that is not read here. Pack it as an ordinary ZIP archive.",
    ),
    "a ZIP cut short": (
        zipped("a.txt", data=A_LIST * 100)[:60],
        "The ZIP archive is cut or damaged. Fetch it or pack it again.",
    ),
    "a ZIP without files": (zipped(), "The ZIP archive holds no files."),
    "a ZIP of folders": (zipped("a/", ".hidden", "__MACOSX/a.txt"), "The ZIP archive holds no files."),
    "a ZIP of too many files": (
        zipped(*(f"{n}.txt" for n in range(1001))),
        "The ZIP archive has more than 1000 files. Pack fewer files into one.",
    ),
    "two files of one name": (
        zipped("a.txt", "a.txt"),
        'The ZIP archive has two files named "a.txt". Rename one of them and pack the files again.',
    ),
    "gzip cut at once": (
        gzip.compress(A_LIST)[:12],
        "The gzip file ends too early, after 1 unpacked bytes. Fetch it again whole.",
    ),
    "gzip of something else": (
        gzip.compress(A_LIST)[:10] + b"\xff" * 20,
        "The packed file is damaged after 0 unpacked bytes. Fetch it or pack it again.",
    ),
    "a bomb": (
        gzip.compress(b" " * 20_000_000),
        "Unpacked, the file is more than 200 times as large as packed, which no list of issues is. Unpack it, check it, and load what it holds.",
    ),
    "comments alone": (
        b'[{"id": 1, "body": "B", "issue_url": "https://api.github.com/repos/o/r/issues/1"}]',
        "This is a comment, not an issue. Pack the file of the issues and that of the comments as one ZIP archive.",
    ),
    "an error of GraphQL": (
        b'{"data": null, "errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}',
        'The forge answered with an error, not with issues: "API rate limit exceeded". Ask it again and load its new answer.',
    ),
    "an error of Jira": (
        b'{"errorMessages": ["Issue does not exist"], "errors": {}}',
        'The forge answered with an error, not with issues: "Issue does not exist". Ask it again and load its new answer.',
    ),
    "a broken document of Jira": (
        json.dumps({"key": "AB-1", "fields": {"description": {"type": "doc"}}}).encode(),
        f'Line 1: "description" is a document of Jira that cannot be read. Ask Jira by /rest/api/2/, for plain texts.{UNREAD}',
    ),
    "a frame of other objects": (
        b'{"url": {"0": "https://github.com/o/r/issues/1"}, "title": "T"}',
        f'Line 1, record 1: the column "title" is no object of its rows. Write the frame with orient="records" and lines=True.{UNREAD}',
    ),
    "another binary file": (bytes(range(1, 32)) * 10, f"This is a binary file{NOT_TEXT}"),
    "Latin-1": (
        "url,title\nx,y\nhttps://github.com/o/r/issues/1,café\n".encode("latin-1"),
        f"Line 3: byte 0xE9 is not UTF-8, and the file does not say which encoding it has. Save it as UTF-8 and try again.{UNREAD}",
    ),
    "GB18030": (
        CHINESE.encode("gb18030"),
        f"Line 2: byte 0xCB is not UTF-8; encoding GB18030 detected. Save the file as UTF-8, or choose that encoding, and try again.{UNREAD}",
    ),
    "UTF-16 without a mark": (
        "url,title\n".encode("utf-16-le"),
        "Encoding UTF-16 without a byte order mark detected. Save the file as UTF-8 and try again.",
    ),
    "UTF-32": (
        "url,title\n".encode("utf-32"),
        "Encoding UTF-32 detected. Save the file as UTF-8 and try again.",
    ),
    "lines of an old Macintosh": (
        b"url\rhttps://github.com/o/r/issues/1\r",
        "The lines end with carriage returns only, as on old Macintoshes. Save the file with LF or CRLF line ends and try again.",
    ),
    "an error of the forge": (
        b'{"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest"}',
        'The forge answered with an error, not with issues: "Bad credentials". Ask it again and load its new answer.',
    ),
    "an unknown delimiter": (b"title|url\nT|https://github.com/o/r/issues/1\n", NO_DELIMITER),
    "two delimiters that fit": (b"a,url,b;url;c\nx\n", NO_DELIMITER),
    "no header": (
        b"https://github.com/o/r/issues/1,T\nhttps://github.com/o/r/issues/2,T\n",
        f"Line 1: the first row is an issue already, where the names of the columns are expected. Add a row with the names, one of them url.{UNREAD}",
    ),
    "a column twice": (
        b"url,Title,body, title\nx,y,z,w\n",
        f'Line 1: columns 2 and 4 are both named "title". Rename or remove one of them.{UNREAD}',
    ),
    "two columns without a name": (
        b",url,\nx,y,z\n",
        f'Line 1: columns 1 and 3 are both named "". Rename or remove one of them.{UNREAD}',
    ),
    "two columns for one field": (
        b"url,created_at,createdAt\nx,y,z\n",
        f'Line 1: the columns "created_at" and "createdAt" both name the created_at. Rename or remove one of them.{UNREAD}',
    ),
    "no column with addresses": (
        b"id,title,text\n1,T,B\n",
        f"Line 1: no column holds the address of the issue; the columns are id, title, text. Name one of them url, issue_url, html_url or link.{UNREAD}",
    ),
    "no key with addresses": (
        b'[{"id": 1, "title": "T"}]',
        f"Line 1: no key holds the address of the issue; the keys are id, title. Name one of them html_url, url, issue_url or link.{UNREAD}",
    ),
    "an array of numbers": (
        b"[1, 2]",
        f"Line 1, record 1: the record is a number, not an object with keys.{UNREAD}",
    ),
    "a broken object": (
        b'{"url" 1}',
        f"Line 1, record 1: this is not valid JSON (Expecting ':' delimiter, column 8). Mend it.{UNREAD}",
    ),
    "an object cut short": (
        b'[{"url": "https://git',
        f"Line 1, record 1: the file ends in the middle of the JSON. Fetch it again whole.{UNREAD}",
    ),
    "a hundred thousand brackets": (
        b"[" * 100_000,
        f"Line 1: the JSON is nested too deeply. Load a list of issues.{UNREAD}",
    ),
    "a header that is never closed": (
        b'"url,title\nx,y\n',
        f'Line 1: a cell opened with " here does not end within 65536 characters. Close it, or double the ".{UNREAD}',
    ),
}


@pytest.mark.parametrize("case", WHOLE_FILES)
def test_a_file_that_cannot_be_read_says_why(case):
    data, message = WHOLE_FILES[case]

    assert messages(data) == [message]


GOOD = "https://github.com/o/r/issues/1"
DEEP = f'{{"url": "{GOOD}", "x": {"[" * 100}' + "[" * 100_000
AS = "Write it as https://github.com/owner/repository/issues/129."
ROWS = {
    "a comment in a list": (
        f"{GOOD}\n# old ones\n",
        ["", 'Line 2: "# old ones" is not the address of an issue: it holds a space.'],
    ),
    "no address in a list": (
        f"{GOOD}\nnonsense\n",
        [
            "",
            'Line 2: "nonsense" is not the address of an issue: it does not begin with https:// or http://.',
        ],
    ),
    "an endless line in a list": (
        f"{GOOD}\n{'x' * 5000}\n{GOOD}\n",
        ["", "Line 2: the line has more than 60 characters. Shorten it.", ""],
    ),
    "too few cells": (
        f"url,title\n{URL}1\n{URL}2,T\n",
        [
            "Line 2: the row has 1 cells, the header has 2. Quote the cells that hold a delimiter, or add what is missing.",
            "",
        ],
    ),
    "too many cells": (
        f"url,title\n{URL}1,a,b\n",
        [
            "Line 2: the row has 3 cells, the header has 2. Quote the cells that hold a delimiter, or add what is missing."
        ],
    ),
    "quotation marks": (
        f'url,title\n{URL}1,"a" b\n{URL}2,T\n',
        [
            "Line 2: the quotation marks do not fit together (',' expected after '\"'). Put the whole cell in \" and double each \" inside it.",
            "",
        ],
    ),
    "a quotation that never ends": (
        f'url,title\n{URL}1,T\n{URL}2,"a\n{URL}3,T\n',
        [
            "",
            f'Line 3: a cell opened with " here does not end within 300 characters. Close it, or double the ".{UNREAD}',
        ],
    ),
    "a quotation that ends too late": (
        f'url,title\n{URL}1,"a\n' + "x\n" * 300 + '"\n',
        [
            f'Line 2: a cell opened with " here does not end within 300 characters. Close it, or double the ".{UNREAD}'
        ],
    ),
    "an endless row": (
        f"url,title\n{URL}1,{'x' * 2000}\n{URL}2,T\n",
        ["Line 2: the line has more than 300 characters. Shorten it.", ""],
    ),
    "a long cell": (
        f"url,title\n{URL}1,{'x' * 61}\n",
        ['Line 2: "title" has 61 characters, more than the 60 allowed. Shorten it.'],
    ),
    "no address": ("url,title\n,T\n", ['Line 2: "url" is empty: no address of an issue. Fill it in.']),
    "the wrong address": (
        "url\nhttps://github.com/o/r\n",
        [f'Line 2: "https://github.com/o/r" is not the address of an issue. {AS}'],
    ),
    "NUL in an address": (
        f"url,title\n{URL}1\0,T\n",
        ["Line 2: the address of the issue holds a control character, NUL or half a character. Remove it."],
    ),
    "NUL in a state": (
        f"url,state\n{URL}1,op\0en\n",
        ['Line 2: "state" holds NUL, half a character or another control character. Remove it.'],
    ),
    "a time": (
        f"url,created_at\n{URL}1,yesterday\n{URL}2,2024-05-31 09:30\n",
        [
            'Line 2: "created_at" holds "yesterday", which cannot be read as a time. Write it as 2024-05-31T09:30:00Z.',
            'Line 3: "created_at" holds "2024-05-31 09:30", a time without a time zone. Write it as 2024-05-31T09:30:00Z.',
        ],
    ),
    "labels": (
        f"url,labels\n{URL}1,['bug'\n",
        ['Line 2: "labels" cannot be read as labels. Separate their names by ; or |.'],
    ),
    "a repository without a host": (
        "repo,number\no/r,1\n",
        [
            'Line 2: "repo" holds "o/r", a repository without its host. Type the host, such as github.com, on the page of the file.'
        ],
    ),
    "an object in a cell": (
        f"url,user\n{URL}1,{{'login'\n",
        ['Line 2: "user" holds an object or a list that cannot be read. Write it as JSON.'],
    ),
    "comments": (
        f"url,comments\n{URL}1,I agree\n",
        ['Line 2: "comments" is neither a count nor a list of comments.'],
    ),
    "too many rows": (
        "url\n" + f"{GOOD}\n" * 4,
        ["", "", "", f"Line 5: the file has more than 3 rows. Split it and load the parts.{UNREAD}"],
    ),
    "a file too large": (
        f"url\n{GOOD}\n\n\n{'x' * 30000}\n",
        ["", "The file has more than 10000 bytes. Split it and load the parts."],
    ),
    "a line of JSON cut short": (
        f'{{"url": "{URL}1"}}\n{{"url": "https:\n{{"url": "{URL}3"}}\n',
        [
            "",
            "Line 2, record 2: this is not valid JSON (Invalid control character at, column 16). Mend it.",
            "",
        ],
    ),
    "a line of JSON that ends inside a list": (
        f'{{"url": "{URL}1"}}\n{{"url": "{URL}2", "labels": [\n{{"url": "{URL}3"}}\n',
        [
            "",
            "Line 2, record 2: the line ends in the middle of its JSON. Write the whole record on this line.",
            "",
        ],
    ),
    "a line of JSON that ends inside an object": (
        f'{{"url": "{URL}1", "user": {{\r\n{{"url": "{URL}2"}}\r\n{{"url": "{URL}3"}}\r\n',
        [
            "Line 1, record 1: the line ends in the middle of its JSON. Write the whole record on this line.",
            "",
            "",
        ],
    ),
    "a line of JSON with too many brackets": (
        f'{{"url": "{URL}1"}}\n{{"url": "{URL}2"]\n{{"url": "{URL}3"}}\n',
        ["", "Line 2, record 2: this is not valid JSON (Expecting ',' delimiter, column 42). Mend it.", ""],
    ),
    "the last line of JSON cut short": (
        f'{{"url": "{URL}1"}}\n{{"url": "{URL}2", "labels": ["a',
        ["", "Line 2, record 2: the file ends in the middle of the JSON. Fetch it again whole."],
    ),
    "no comma in an array": (
        f'[{{"url": "{URL}1"}} {{"url": "{URL}2"}}]',
        [
            "",
            f"Line 1, record 1: this is not valid JSON (Expecting ',' delimiter, column 45). Mend it.{UNREAD}",
        ],
    ),
    "a comma too many in an array": (
        f'[\n{{"url": "{URL}1"}},\n]',
        ["", f"Line 3, record 1: this is not valid JSON (Expecting value, column 1). Mend it.{UNREAD}"],
    ),
    "an array that ends too early": (
        f'[{{"url": "{URL}1"}},\n',
        ["", f"Line 2, record 1: the file ends in the middle of the JSON. Fetch it again whole.{UNREAD}"],
    ),
    "a number of five thousand digits": (
        f'{{"url": "{URL}1"}}\n{{"number": {"1" * 5000}}}\n',
        ["", "Line 2, record 2: this is not valid JSON (Number too long, column 1). Mend it."],
    ),
    "a key twice": (
        f'[{{"url": "{URL}1"}},\n{{"url": "{URL}2", "title": "a", "title": "b"}},\n{{"url": "{URL}3"}}]',
        ["", 'Line 2, record 2: the key "title" occurs twice in one object. Remove one of them.', ""],
    ),
    "a record too long": (
        f'[{{"url": "{URL}1"}},\n{{"url": "{URL}2", "x": "{"y" * 300}"}},\n{{"url": "{URL}3"}}]',
        [
            "",
            "Line 2, record 2: the record has more than 300 characters. Shorten it, or leave out its discussion.",
            "",
        ],
    ),
    "no object": (
        f'[{{"url": "{URL}1"}}, null, true, 5, 2.5]',
        [
            "",
            "Line 1, record 2: the record is null, not an object with keys.",
            "Line 1, record 3: the record is true or false, not an object with keys.",
            "Line 1, record 4: the record is a number, not an object with keys.",
            "Line 1, record 5: the record is a number, not an object with keys.",
        ],
    ),
    "no text": (
        f'{{"url": "{URL}1", "title": ["T"]}}',
        ['Line 1, record 1: "title" is a list, where a text is expected.'],
    ),
    "another number": (
        f'{{"url": "{URL}1", "number": 2}}',
        ['Line 1, record 1: "number" is 2, but the number in the address is 1. Correct one of them.'],
    ),
    "objects among addresses": (f'["{GOOD}", {{"url": "{URL}2"}}]', ["", ""]),
}


@pytest.mark.parametrize("case", ROWS)
def test_a_row_that_is_not_taken_says_why(case):
    data, expected = ROWS[case]

    assert messages(data, limits=SMALL) == expected


def test_a_row_of_another_encoding_names_its_byte():
    data = CHINESE.encode() + b"https://github.com/o/r/issues/1,caf\xe9\n"

    assert (
        messages(data)[-1]
        == "Line 62: byte 0xE9 is not UTF-8: the row comes from another encoding. Save the file as UTF-8."
    )


def test_a_row_that_the_chosen_encoding_does_not_fit_names_its_byte():
    data = CHINESE.encode("gb18030") + b"https://github.com/o/r/issues/1,\xff\n"

    assert (
        messages(data, encoding="gb18030")[-1]
        == "Line 62: byte 0xFF is not GB18030: the row comes from another encoding. Save the file as UTF-8."
    )


def test_a_line_that_ends_too_early_is_told_from_a_file_that_does():
    cut = f'{{"url": "{GOOD}"}}\n{{"url": "{GOOD}", "labels":'
    long = f'{{"url": "{GOOD}", "x": [{"[0], " * 100_000}0]}}'
    of_line = (
        "Line 2, record 2: the line ends in the middle of its JSON. Write the whole record on this line."
    )

    assert messages(f"{cut}\n{long}\n{long}\n") == ["", of_line, "", ""]
    assert messages(f"{cut} [\n{long}\n") == ["", of_line, ""]
    # A record over several lines: the next line is none by itself.
    spread = messages(f'{cut} [\n{{"name": "a"}},\n{{"name": "b"}}\n')
    assert spread[1] == "Line 2, record 2: the file ends in the middle of the JSON. Fetch it again whole."


def test_an_object_nested_too_deeply_is_refused_alone():
    data = f'{{"url": "{GOOD}"}}\n{DEEP}\n{{"url": "{GOOD}"}}\n'

    found = messages(data)
    assert found == ["", "Line 2, record 2: the JSON is nested too deeply. Load a list of issues.", ""]


def test_a_first_record_longer_than_any_may_be_is_told_so():
    data = b'[{"url": "https://github.com/o/r/issues/1", "body": "' + b"x" * 2 * HEAD_BYTES + b'"}]'

    assert messages(data) == [
        f"Line 1, record 1: the record has more than 4194304 characters. Shorten it, or leave out its discussion.{UNREAD}"
    ]


ADDRESSES = {
    "empty": ("<>", "the address of the issue is empty. Fill it in."),
    "too_long": (
        f"{GOOD}?{'x' * 500}",
        "the address of the issue is too long. Leave out what follows its number.",
    ),
    "control": (
        f"{GOOD}\x1b",
        "the address of the issue holds a control character, NUL or half a character. Remove it.",
    ),
    "space": ("a b", '"a b" is not the address of an issue: it holds a space.'),
    "scheme": ("x", '"x" is not the address of an issue: it does not begin with https:// or http://.'),
    "host": ("https://-/", '"https://-/" is not the address of an issue: its host name cannot be read.'),
    "escape": ("https://a/%", '"https://a/%" is not the address of an issue: its %-escapes cannot be read.'),
    "shape": ("https://a/o", f'"https://a/o" is not the address of an issue. {AS}'),
    "repository": (
        "https://a/o/ö/issues/1",
        '"https://a/o/ö/issues/1" is not the address of an issue: no forge allows such a repository name.',
    ),
    "number": (
        "https://a/o/r/issues/x",
        '"https://a/o/r/issues/x" is not the address of an issue: its number cannot be read.',
    ),
    "discussion": (
        "https://a/o/r/discussions/1",
        '"https://a/o/r/discussions/1" is the address of a discussion, not of an issue.',
    ),
}


@pytest.mark.parametrize("reason", get_args(Reason))
def test_each_bad_address_says_why(reason):
    url, message = ADDRESSES[reason]

    assert messages(f"url,title\n{url},T\n") == [f"Line 2: {message}"]


def test_the_raw_text_of_a_refusal_can_always_be_stored():
    found = read(
        b'{"url": "https://github.com/o/r/issues/1"}\n{"url": "a\0\xed\xa0\x80' + b"y" * 5000 + b'"}\n'
    )

    assert found[1].raw.startswith('{"url": "a\ufffd\ufffd\ufffd\ufffdyyy')
    assert len(found[1].raw) <= 2000


def test_a_refusal_speaks_the_language_it_is_given():
    refusal = Refusal(3, "binary", {"kind": Word("a PNG picture")}, fatal=True, file="x.csv")
    german = {
        FILE_AND_LINE: "%(file)s, Zeile %(line)d: %(cause)s",
        TEMPLATES["binary"]: "das ist %(kind)s.",
        "a PNG picture": "ein PNG-Bild",
        REST: "Der Rest wurde nicht gelesen.",
    }

    assert (
        refusal.text(german.__getitem__)
        == "x.csv, Zeile 3: das ist ein PNG-Bild. Der Rest wurde nicht gelesen."
    )


def test_what_stands_in_a_file_is_never_translated():
    refusal = Refusal(1, "address_space", {"url": "null"})
    asked: list[str] = []

    def translate(text: str) -> str:
        asked.append(text)
        return text

    assert refusal.text(translate) == 'Line 1: "null" is not the address of an issue: it holds a space.'
    assert asked == [TEMPLATES["address_space"], LINE]


LARGE = {"unpacked_too_large", "frame_too_large"}
PUBLISHED = {
    "not_published", "labels_differ", "bad_label", "no_folder", "no_study", "two_letter_cases", "files_twice",
    "two_studies", "taxonomy", "unknown_codes", "many_refused", "twin",
}  # fmt: skip
"""Refusals of published studies: tests/ingest/readers/test_laid_out.py and tests/replication."""


def test_every_refusal_there_is_stands_in_these_tables():
    files = [data for data, _ in WHOLE_FILES.values()]
    rows = [data for data, _ in ROWS.values()]
    found = [one for data in files for one in read(data)] + [
        one for data in rows for one in read(data, limits=SMALL)
    ]
    codes = {one.code for one in found if isinstance(one, Refusal)} | {
        f"address_{reason}" for reason in ADDRESSES
    }

    assert codes | {"wrong_bytes", "more_pages"} | LARGE | PUBLISHED == set(TEMPLATES)
