"""Published studies: what a folder holds, and its tables and lists line by line."""

import subprocess
from pathlib import Path

import pytest

from ingest.addresses import Address
from ingest.readers import Draft, Limits, Refusal, UnreadableFile
from ingest.readers.published import (
    LabelRow,
    PublishedRepository,
    Skipped,
    Survey,
    label_columns,
    label_rows,
    list_rows,
    survey,
)

HEADER = "Issue_URL,Label1,Label2,Final_Label\n"
URL = "https://github.com/team/tool/issues/"
REST = " The rest of the file was not read."


def put(path: Path, content: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(path: Path) -> list[str]:
    """What is said of the rows that were not taken; '' stands for one that was."""
    return [row.message if isinstance(row, Refusal) else "" for row in label_rows(path)]


def test_a_folder_is_surveyed(tmp_path):
    labels = put(tmp_path / "tool" / "tool.csv", HEADER)
    newer = put(tmp_path / "tool" / "tool_2024.txt", f"{URL}2\n")
    older = put(tmp_path / "tool" / "tool_2023.txt", "")
    only_list = put(tmp_path / "other" / "other_2025.txt", "")
    taxonomy = put(tmp_path / "taxonomy.csv", "code,level,name\n")
    put(tmp_path / ".DS_Store", b"\0\0\0\1Bud1")
    put(tmp_path / "bug_symptoms.csv", "rootcause,subcategory,symptoms\n")
    put(tmp_path / ".git" / "config", "")
    put(tmp_path / "figures" / "one.png", "")
    put(tmp_path / "tool" / ".DS_Store", "")
    put(tmp_path / "tool" / "tool_23.txt", "")
    put(tmp_path / "tool" / "Tool.csv", "")
    put(tmp_path / "tool" / "raw" / "x.csv", "")

    assert survey(tmp_path) == Survey(
        repositories=(
            PublishedRepository("other", None, ((2025, only_list),)),
            PublishedRepository("tool", labels, ((2023, older), (2024, newer))),
        ),
        taxonomy=taxonomy,
        skipped=(
            Skipped(".DS_Store", "a hidden file"),
            Skipped(".git", "a hidden file"),
            Skipped("bug_symptoms.csv", "not part of the published layout"),
            Skipped("figures/one.png", "not part of the published layout"),
            Skipped("figures", "a folder without the files of a repository"),
            Skipped("tool/.DS_Store", "a hidden file"),
            Skipped("tool/Tool.csv", "not part of the published layout"),
            Skipped("tool/raw", "not part of the published layout"),
            Skipped("tool/tool_23.txt", "not part of the published layout"),
        ),
        volunteers=2,
        refusals=(),
    )


def test_a_table_is_read_row_by_row_in_its_order(tmp_path):
    path = put(tmp_path / "tool.csv", f"{HEADER}{URL}9,A.1,A.2,A.1\n{URL}3,C.3.ii,,\n{URL}9,A.1,A.1,A.1\n")

    nine = Address("github", "github.com", "team/tool", "9", "issue")
    assert list(label_rows(path)) == [
        LabelRow(2, nine, f"{URL}9", ("A.1", "A.2"), "A.1"),
        LabelRow(
            3, Address("github", "github.com", "team/tool", "3", "issue"), f"{URL}3", ("C.3.ii", None), None
        ),
        LabelRow(4, nine, f"{URL}9", ("A.1", "A.1"), "A.1"),
    ]
    assert label_columns(path) == 2


def test_a_list_is_read_line_by_line_and_may_be_empty(tmp_path):
    path = put(tmp_path / "tool" / "tool_2024.txt", f"{URL}9\r\n\n{URL}3/\nx\n{URL}9")
    nine = Address("github", "github.com", "team/tool", "9", "issue")

    assert list(list_rows(path)) == [
        Draft(1, nine, f"{URL}9"),
        Draft(3, Address("github", "github.com", "team/tool", "3", "issue"), f"{URL}3/"),
        Refusal(4, "address_scheme", {"url": "x"}, "x", file="tool/tool_2024.txt"),
        Draft(5, nine, f"{URL}9"),
    ]
    assert list(list_rows(put(tmp_path / "e" / "e_2023.txt", ""))) == []
    assert list(list_rows(put(tmp_path / "e" / "e_2024.txt", "\n"))) == []


def test_a_header_alone_is_a_table_without_rows(tmp_path):
    assert list(label_rows(put(tmp_path / "t.csv", HEADER))) == []


def test_inert_cells_come_back_as_they_were(tmp_path):
    path = put(tmp_path / "t.csv", f"{HEADER}{URL}1,'=A,''-B,'+\n")

    assert [(row.labels, row.final) for row in label_rows(path)] == [(("=A", "'-B"), "+")]


HEADERS = {
    "Issue_URL,Label1,Lable2,Final_Label": 'column 3 is "Lable2".',
    "Issue_URL,Label2,Label1,Final_Label": 'column 2 is "Label2".',
    "issue_url,Label1,Final_Label": 'column 1 is "issue_url".',
    "Issue_URL,Label1,Label2": 'column 3 is "Label2".',
    "Issue_URL,Final_Label": 'column 2 is "Final_Label".',
    "Issue_URL": "column 2 is missing.",
    "Issue_URL,Label1,Label1,Final_Label": 'column 3 is "Label1".',
    "Issue_URL;Label1;Final_Label": 'column 1 is "Issue_URL;Label1;Final_Label".',
    f"{URL}1,A.1,A.1": f'column 1 is "{URL}1".',
}


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_must_be_that_of_the_layout(tmp_path, header):
    path = put(tmp_path / "tool" / "tool.csv", f"{header}\n")
    message = (
        "tool/tool.csv, line 1: the first line must be Issue_URL,Label1,…,LabelN,Final_Label; "
        f"{HEADERS[header]}{REST}"
    )

    assert [refusal.message for refusal in survey(tmp_path).refusals] == [message]
    assert refused(path) == [message]


ROWS = {
    f"{URL}1,A.1,A.1\n": (
        "line 2: the row has 3 cells, the header has 4. Quote the cells that hold a delimiter, or add what is "
        "missing."
    ),
    f"{URL}1,A.1,A.1,A.1,A.1\n": (
        "line 2: the row has 5 cells, the header has 4. Quote the cells that hold a delimiter, or add what is "
        "missing."
    ),
    f"{URL}1,A .1,A.1,A.1\n": (
        'line 2: Label1 holds "A .1": a code has no spaces, line breaks or control characters. Correct it.'
    ),
    f"{URL}1,A.1, A.1,A.1\n": (
        'line 2: Label2 holds " A.1": a code has no spaces, line breaks or control characters. Correct it.'
    ),
    f"{URL}1,A.1,A.1,A\0.1\n": (
        'line 2: Final_Label holds "A\ufffd.1": a code has no spaces, line breaks or control characters. '
        "Correct it."
    ),
    f'{URL}1,"A\n.1",A.1,A.1\n': (
        'line 2: Label1 holds "A .1": a code has no spaces, line breaks or control characters. Correct it.'
    ),
    f"{URL}1,{'A' * 65},A.1,A.1\n": (
        'line 2: "Label1" has 65 characters, more than the 64 allowed. Shorten it.'
    ),
    "https://github.com/team/tool,A.1,A.1,A.1\n": (
        'line 2: "https://github.com/team/tool" is not the address of an issue. '
        "Write it as https://github.com/owner/repository/issues/129."
    ),
    ",A.1,A.1,A.1\n": "line 2: the address of the issue is empty. Fill it in.",
    f"{URL}1\0,A.1,A.1,A.1\n": (
        "line 2: the address of the issue holds a control character, NUL or half a character. Remove it."
    ),
    f'{URL}1,"A"1,A.1,A.1\n': (
        "line 2: the quotation marks do not fit together (',' expected after '\"'). Put the whole cell in \" and "
        'double each " inside it.'
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_a_row_that_is_not_taken_says_why_and_harms_no_other(tmp_path, row):
    path = put(tmp_path / "tool" / "tool.csv", f"{HEADER}{row}{URL}2,A.1,A.1,A.1\n")

    assert refused(path) == [f"tool/tool.csv, {ROWS[row]}", ""]


def test_a_table_in_another_encoding_is_refused_by_line(tmp_path):
    path = put(tmp_path / "tool" / "tool.csv", HEADER.encode() + URL.encode() + b"1,A.\xe9,A.1,A.1\n")

    assert refused(path) == [
        (
            "tool/tool.csv, line 2: byte 0xE9 is not UTF-8, and the file does not say which encoding it has. "
            f"Save it as UTF-8 and try again.{REST}"
        )
    ]
    assert [refusal.code for refusal in survey(tmp_path).refusals] == ["encoding"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "tool/tool.csv: the file is empty: it holds no rows."),
        (
            b"<html>",
            (
                "tool/tool.csv: this is an HTML page, not a list of issues: the site may have answered with a sign-in "
                "or error page. Download the file itself and try again."
            ),
        ),
    ],
)
def test_a_table_that_is_none_is_refused_by_name(tmp_path, content, message):
    path = put(tmp_path / "tool" / "tool.csv", content)

    assert refused(path) == [message]
    assert [refusal.message for refusal in survey(tmp_path).refusals] == [message]


def test_a_list_that_is_none_is_refused_by_name(tmp_path):
    path = put(tmp_path / "tool" / "tool_2024.txt", b"PK\x03\x04")

    assert [refusal.message for refusal in list_rows(path)] == [
        (
            "tool/tool_2024.txt: this is a ZIP archive or a spreadsheet (.xlsx, .ods), not text. "
            "Save the rows as CSV (UTF-8), JSON or JSONL and try again."
        )
    ]


def test_files_larger_than_allowed_are_not_read(tmp_path):
    table = put(tmp_path / "tool" / "tool.csv", HEADER + f"{URL}1,A.1,A.1,A.1\n" * 5000)
    urls = put(tmp_path / "tool" / "tool_2024.txt", f"{URL}1\n" * 5000)
    small = Limits(max_bytes=1000)

    assert list(label_rows(table, limits=small))[-1].message == (
        "tool/tool.csv: the file has more than 1000 bytes. Split it and load the parts."
    )
    assert list(list_rows(urls, limits=small))[-1].message == (
        "tool/tool_2024.txt: the file has more than 1000 bytes. Split it and load the parts."
    )


def test_all_tables_have_the_same_volunteers(tmp_path):
    put(tmp_path / "a" / "a.csv", HEADER)
    put(tmp_path / "b" / "b.csv", "Issue_URL,Label1,Final_Label\n")

    found = survey(tmp_path)

    assert found.volunteers == 2
    assert [refusal.message for refusal in found.refusals] == [
        (
            "b/b.csv, line 1: the file has 1 columns of labels, a/a.csv has 2. All files of a study have the same "
            f"number.{REST}"
        )
    ]


def test_folders_that_differ_in_case_only_are_refused(tmp_path):
    put(tmp_path / "Tool" / "Tool.csv", HEADER)
    put(tmp_path / "tool" / "tool.csv", HEADER)

    assert [refusal.message for refusal in survey(tmp_path).refusals] == [
        (
            'tool: the names of this folder and of "Tool" differ in upper and lower case only. Rename or remove one '
            "of them."
        )
    ]


def test_a_folder_without_a_study_is_refused(tmp_path):
    put(tmp_path / "study" / "notes.txt", "")

    with pytest.raises(UnreadableFile) as nothing:
        survey(tmp_path / "study")
    with pytest.raises(UnreadableFile) as missing:
        survey(tmp_path / "elsewhere")

    assert (
        str(nothing.value) == "study: the folder holds no <Repo>/<Repo>.csv and no <Repo>/<Repo>_<year>.txt."
    )
    assert str(missing.value) == "elsewhere: there is no such folder."


def test_the_reference_study_is_read_whole(published):
    found = survey(published)
    tables = {repository.name: list(label_rows(repository.labels)) for repository in found.repositories}
    lists = {
        (repository.name, year): [row.url for row in list_rows(path)]
        for repository in found.repositories
        for year, path in repository.lists
    }

    assert (found.volunteers, found.refusals) == (7, ())
    assert found.taxonomy == published / "taxonomy.csv"
    assert [skipped.name for skipped in found.skipped] == [
        *("README.md", "bug_symptoms.csv", "filter_keywords.txt", "question_intents.csv")
    ]
    # wc -l of each table, less the header.
    assert {name: len(rows) for name, rows in tables.items()} == {
        "ColossalAI": 3855,
        "Megatron-LM": 1114,
        "MindSpeed": 80,
        "mindspore": 3014,
        "pytorch": 4181,
        "vllm": 13546,
    }
    rows = [row for table in tables.values() for row in table]
    assert len(rows) == 25790
    assert len({row.address.identity for row in rows}) == 25784
    assert all(len(row.labels) == 7 and None not in row.labels and row.final for row in rows)
    assert (len(lists), lists["MindSpeed", 2023], len(lists["vllm", 2024])) == (18, [], 8423)
    assert sum(map(len, lists.values())) == 25790


def test_the_reference_study_written_again_is_the_same_byte_for_byte(published):
    for repository in survey(published).repositories:
        header = "Issue_URL,Label1,Label2,Label3,Label4,Label5,Label6,Label7,Final_Label\n"
        written = header + "".join(
            ",".join([row.url, *row.labels, row.final]) + "\n" for row in label_rows(repository.labels)
        )

        assert written.encode() == repository.labels.read_bytes()
        for _, path in repository.lists:
            assert "".join(f"{row.url}\n" for row in list_rows(path)).encode() == path.read_bytes()


def test_the_codes_are_counted_as_other_tools_count_them(published):
    path = published / "vllm" / "vllm.csv"
    counted = subprocess.run(
        ["grep", "-o", ",B[.]2\\b", str(path)], capture_output=True, text=True, check=True
    )

    codes = [code for row in label_rows(path) for code in (*row.labels, row.final)]

    assert codes.count("B.2") == len(counted.stdout.splitlines())
