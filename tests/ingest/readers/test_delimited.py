"""Tables: a header, delimiters and quotes as they come, a row for each issue."""

from datetime import UTC, datetime

import pytest

from ingest.addresses import Address
from ingest.readers import Draft, Limits, Sniffed, open_reader, sniff
from tests.ingest.readers.reading import drafts, identities, read

FULL = (
    "Issue URL,Title,Description,Author,Labels,State,createdAt,closed_at,comments,pull_request,Note\r\n"
    'https://github.com/o/r/issues/1,First,"It says ""no"",\r\nthen stops",ada,bug; build | ci,OPEN,'
    "2024-05-31T09:30:00Z,,3,,x\r\n"
    "https://github.com/o/r/issues/2,Second,,,,closed,2024-05-31 09:30:00 UTC,2024-06-01T09:30:00+08:00,0,"
    "{'url': 'u'},\r\n"
)


def test_each_column_is_read_as_its_field():
    first, second = drafts(FULL)

    assert first == Draft(
        line=2,
        address=Address("github", "github.com", "o/r", "1", "issue"),
        url="https://github.com/o/r/issues/1",
        title="First",
        body='It says "no",\r\nthen stops',
        author="ada",
        labels=("bug", "build", "ci"),
        state="open",
        created_at=datetime(2024, 5, 31, 9, 30, tzinfo=UTC),
        is_pull_request=False,
        comment_count=3,
    )
    assert second == Draft(
        line=4,
        address=Address("github", "github.com", "o/r", "2", "issue"),
        url="https://github.com/o/r/issues/2",
        title="Second",
        state="closed",
        created_at=datetime(2024, 5, 31, 9, 30, tzinfo=UTC),
        closed_at=datetime(2024, 6, 1, 1, 30, tzinfo=UTC),
        is_pull_request=True,
        comment_count=0,
    )


def test_the_mapping_is_shown_before_anything_is_read():
    assert sniff(FULL.encode(), "issues.csv") == Sniffed(
        format="csv",
        encoding="utf-8",
        delimiter=",",
        mapping={
            "url": "Issue URL",
            "title": "Title",
            "body": "Description",
            "author": "Author",
            "labels": "Labels",
            "state": "State",
            "created_at": "createdAt",
            "closed_at": "closed_at",
            "comments": "comments",
            "is_pull_request": "pull_request",
        },
        columns=(
            *("Issue URL", "Title", "Description", "Author", "Labels", "State"),
            *("createdAt", "closed_at", "comments", "pull_request", "Note"),
        ),
        sample=(
            {
                "Issue URL": "https://github.com/o/r/issues/1",
                "Title": "First",
                "Description": 'It says "no",  then stops',
                "Author": "ada",
                "Labels": "bug; build | ci",
                "State": "OPEN",
                "createdAt": "2024-05-31T09:30:00Z",
                "closed_at": "",
                "comments": "3",
                "pull_request": "",
                "Note": "x",
            },
            {
                "Issue URL": "https://github.com/o/r/issues/2",
                "Title": "Second",
                "Description": "",
                "Author": "",
                "Labels": "",
                "State": "closed",
                "createdAt": "2024-05-31 09:30:00 UTC",
                "closed_at": "2024-06-01T09:30:00+08:00",
                "comments": "0",
                "pull_request": "{'url': 'u'}",
                "Note": "",
            },
        ),
    )
    assert sniff(FULL.encode(), "issues.csv").unused == ("Note",)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_comma_semicolon_and_tab_are_told_apart(delimiter, quote):
    rows = [["title", "url"], ["T", "https://github.com/o/r/issues/1"]]
    text = "\n".join(delimiter.join(f"{quote}{cell}{quote}" for cell in row) for row in rows)

    assert sniff(text.encode(), "x.csv").delimiter == delimiter
    assert [draft.title for draft in drafts(text)] == ["T"]


def test_one_column_needs_no_delimiter():
    found = drafts("url\nhttps://github.com/o/r/issues/1\n\nhttps://github.com/o/r/issues/2")

    assert [(draft.line, draft.address.number) for draft in found] == [(2, "1"), (4, "2")]


def test_the_published_layout_is_read_as_issues_too():
    text = "Issue_URL,Label1,Label2,Final_Label\nhttps://gitee.com/o/r/issues/I6UHT3,A.1,A.2,A.1\n"

    assert identities(drafts(text)) == ["o/r#I6UHT3"]
    assert sniff(text.encode(), "r.csv").unused == ("Label1", "Label2", "Final_Label")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_encodings_that_say_what_they_are_are_read(encoding):
    text = "url,title\nhttps://github.com/o/r/issues/1,编译失败 🙂\n"

    assert [draft.title for draft in drafts(text.encode(encoding))] == ["编译失败 🙂"]


def test_another_encoding_is_read_when_it_was_chosen():
    data = "url,title\nhttps://github.com/o/r/issues/1,编译失败\n".encode("gb18030")

    assert [draft.title for draft in drafts(data, encoding="gb18030")] == ["编译失败"]


def test_a_number_in_a_table_is_not_taken_for_the_issue_s_own():
    assert identities(read("number,url\n1,https://github.com/o/r/issues/9\n")) == ["o/r#9"]


def test_cells_made_inert_come_back_as_they_were():
    text = "url,title,body\nhttps://github.com/o/r/issues/1,'=SUM(1),''@x\n"

    draft = drafts(text)[0]

    assert (draft.title, draft.body) == ("=SUM(1)", "'@x")


def test_nul_and_half_characters_in_texts_are_replaced_and_counted():
    data = b"url,title,body\nhttps://github.com/o/r/issues/1,a\0b,c\xed\xa0\x80d\0\n"

    draft = drafts(data)[0]

    assert (draft.title, draft.body, draft.repaired) == ("a\ufffdb", "c\ufffdd\ufffd", 3)


def test_lone_surrogates_of_utf_16_are_replaced_and_counted():
    data = (
        "url,title\nhttps://github.com/o/r/issues/1,a".encode("utf-16")
        + b"\x00\xd8"
        + "b\n".encode("utf-16-le")
    )

    draft = drafts(data)[0]

    assert (draft.title, draft.repaired) == ("a\ufffdb", 1)


def test_a_bad_row_does_not_harm_its_neighbours():
    url = "https://github.com/o/r/issues/"
    data = (
        f"url,title\n{url}1,一二三四五六七八九十\n{url}2\n{url}3,three\n".encode()
        + f"{url}4,caf".encode()
        + b"\xe9\n"
        + f'{url}5,"fi"ve\n{url}6,six\n{url}7,"seven'.encode()
    )

    assert identities(read(data)) == [
        "o/r#1",
        "ragged",
        "o/r#3",
        "wrong_bytes",
        "quotes",
        "o/r#6",
        "unclosed_quote",
    ]


def test_a_carriage_return_inside_a_cell_is_kept_when_quoted_and_refused_otherwise():
    text = 'url,title\r\nhttps://github.com/o/r/issues/1,"a\rb"\r\nhttps://github.com/o/r/issues/2,a\rb\r\n'

    found = read(text)

    assert found[0].title == "a\rb"
    assert (found[1].line, found[1].code) == (3, "quotes")


def test_the_raw_row_is_kept_with_its_refusal():
    found = read('url,title\n"https://github.com/o/r/issues/1","two\nlines",3\n')

    assert (found[0].line, found[0].raw) == (2, '"https://github.com/o/r/issues/1","two\nlines",3\n')


def test_no_more_rows_than_allowed_are_read():
    text = "url\n" + "".join(f"https://github.com/o/r/issues/{i}\n" for i in range(1, 6))

    assert len(drafts(text, limits=Limits(max_rows=5))) == 5
    found = read(text, limits=Limits(max_rows=3))
    assert identities(found) == ["o/r#1", "o/r#2", "o/r#3", "too_many_rows"]
    assert found[-1].line == 5


def test_a_changed_mapping_is_obeyed_and_a_wrong_one_refused():
    text = b"url,title,summary\nhttps://github.com/o/r/issues/1,T,S\n"
    sniffed = sniff(text, "x.csv")
    stored = {"format": "csv", "encoding": "utf-8", "delimiter": ",", "columns": list(sniffed.columns)}

    changed = Sniffed(**stored, mapping={"url": "url", "title": "summary"})
    assert drafts(text.decode(), sniffed=changed)[0].title == "S"

    with pytest.raises(ValueError, match="no such field: \\['heading'\\]"):
        open_reader(None, sniffed=Sniffed(**stored, mapping={"heading": "title"}))
    with pytest.raises(ValueError, match="a column that the file does not have"):
        open_reader(None, sniffed=Sniffed(**stored, mapping={"title": "heading"}))
