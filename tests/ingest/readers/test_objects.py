"""Issues as forges and tools describe them; the texts are written for these tests."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ingest.addresses import Address
from ingest.readers import CommentDraft, Draft, Limits, sniff
from tests.ingest.readers.reading import drafts, identities, read

REST = {
    "url": "https://api.github.com/repos/Team/Tool/issues/7",
    "repository_url": "https://api.github.com/repos/Team/Tool",
    "html_url": "https://github.com/Team/Tool/issues/7",
    "number": 7,
    "title": "Loss is NaN",
    "user": {"login": "ada", "id": 1},
    "labels": [{"name": "bug", "color": "f00"}, {"name": "help wanted"}],
    "state": "closed",
    "state_reason": "not_planned",
    "comments": 4,
    "created_at": "2024-05-31T09:30:00Z",
    "updated_at": "2024-06-02T00:00:00Z",
    "closed_at": "2024-06-01T00:00:00Z",
    "author_association": "NONE",
    "pull_request": None,
    "body": "It is.",
}
AT = datetime(2024, 5, 31, 9, 30, tzinfo=UTC)
JUNE = datetime(2024, 6, 2, tzinfo=UTC)
TEAM_7 = Address("github", "github.com", "Team/Tool", "7", "issue")
DRAFT = Draft(
    line=1,
    address=TEAM_7,
    url="https://github.com/Team/Tool/issues/7",
    title="Loss is NaN",
    body="It is.",
    author="ada",
    labels=("bug", "help wanted"),
    state="closed",
    created_at=AT,
    is_pull_request=False,
    comment_count=2,
)


def one(**changes):
    """The draft of the REST object with some keys changed, or left out (...)."""
    record = {key: value for key, value in {**REST, **changes}.items() if value is not ...}
    return drafts(json.dumps(record))[0]


def test_a_github_rest_object():
    assert one() == replace(
        DRAFT, author_association="NONE", state_reason="not_planned", comment_count=4,
        closed_at=datetime(2024, 6, 1, tzinfo=UTC), updated_at=JUNE,
    )  # fmt: skip


def test_what_gh_issue_list_prints():
    record = {
        "author": {"id": "MDQ6", "is_bot": False, "login": "ada", "name": "Ada"},
        "body": "It is.",
        "closedAt": None,
        "comments": [
            {
                "id": "IC_1",
                "author": {"login": "grace"},
                "authorAssociation": "MEMBER",
                "body": "Why\u0000?",
                "createdAt": "2024-05-31T09:30:00Z",
            },
            {"author": None, "authorAssociation": "NONE", "body": "Me too", "createdAt": None},
        ],
        "createdAt": "2024-05-31T09:30:00Z",
        "labels": [{"id": "LA_1", "name": "bug", "description": "", "color": "f00"}],
        "number": 7,
        "state": "OPEN",
        "stateReason": "",
        "title": "Loss is NaN",
        "updatedAt": "2024-06-02T00:00:00Z",
        "url": "https://github.com/Team/Tool/issues/7",
    }

    comments = (CommentDraft("grace", "MEMBER", "Why\ufffd?", AT), CommentDraft("", "NONE", "Me too", None))
    expected = {"labels": ("bug",), "state": "open", "updated_at": JUNE, "comments": comments, "repaired": 1}
    assert drafts(json.dumps([record])) == [replace(DRAFT, **expected)]


def test_a_gitee_rest_object():
    record = {
        "url": "https://gitee.com/api/v5/repos/team/tool/issues/I6UHT3",
        "html_url": "https://gitee.com/team/tool/issues/I6UHT3",
        "number": "I6UHT3",
        "state": "closed",
        "issue_state": "已完成",
        "title": "编译失败",
        "body": None,
        "user": {"login": "ada", "name": "Ada L."},
        "labels": [{"id": 1, "name": "kind/bug"}],
        "created_at": "2024-05-31T17:30:00+08:00",
        "finished_at": "2024-06-01T08:00:00+08:00",
        "comments": 2,
    }

    assert drafts(json.dumps(record)) == [
        replace(
            DRAFT, address=Address("gitee", "gitee.com", "team/tool", "I6UHT3", "issue"), url=record["html_url"],
            title="编译失败", body="", labels=("kind/bug",), state_reason="已完成",
            closed_at=datetime(2024, 6, 1, tzinfo=UTC),
        )
    ]  # fmt: skip


def test_a_gitlab_rest_object():
    record = {
        "id": 900,
        "iid": 7,
        "title": "Loss is NaN",
        "description": "It is.",
        "state": "opened",
        "labels": ["bug", "help wanted"],
        "author": {"username": "ada", "name": "Ada L."},
        "user_notes_count": 2,
        "created_at": "2024-05-31T09:30:00.000Z",
        "web_url": "https://gitlab.com/group/part/tool/-/issues/7",
    }

    address = Address("gitlab", "gitlab.com", "group/part/tool", "7", "issue")
    assert drafts(json.dumps([record])) == [
        replace(DRAFT, address=address, url=record["web_url"], state="open")
    ]


def test_generic_keys():
    record = {"link": REST["html_url"], "description": "It is.", "author": "ada", "labels": "a|b"}

    draft = drafts(json.dumps(record))[0]

    assert (draft.body, draft.author, draft.labels) == ("It is.", "ada", ("a", "b"))
    assert draft.is_pull_request is None


def test_repository_and_number_stand_for_the_address_where_there_is_no_page():
    draft = drafts(json.dumps({"repository_url": REST["repository_url"], "number": 7, "title": "T"}))[0]

    assert draft.address == TEAM_7
    assert draft.is_pull_request is None


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"pull_request": None}, False),
        ({"pull_request": {}}, False),
        ({"pull_request": {"url": "https://api.github.com/repos/Team/Tool/pulls/7"}}, True),
        ({"pull_request": ...}, False),
        ({"pull_request": None, "html_url": "https://github.com/Team/Tool/pull/7"}, True),
        ({"pull_request": ..., "html_url": "https://github.com/Team/Tool/pull/7"}, True),
        ({"pull_request": None, "html_url": ...}, False),
        ({"pull_request": ..., "html_url": ...}, None),
        ({"pull_request": ..., "number": ...}, None),
        ({"pull_request": ..., "isPullRequest": True}, True),
    ],
)
def test_a_pull_request_is_told_by_the_truth_of_its_key_not_its_presence(changes, expected):
    assert one(**changes).is_pull_request is expected
    assert one(**changes).address.identity == ("github.com", "team/tool", "7")


@pytest.mark.parametrize("cell", ["", "None", "false", "0", "nan", "True", "{'url': 1}"])
def test_in_a_table_the_same_holds_for_its_words(cell):
    text = f"url;pull_request\nhttps://github.com/o/r/issues/1;{cell}\n"

    assert drafts(text)[0].is_pull_request is (cell in {"True", "{'url': 1}"})


def test_a_table_without_that_column_does_not_say():
    assert drafts("html_url,title\nhttps://github.com/o/r/issues/1,T\n")[0].is_pull_request is None
    assert drafts("html_url,title\nhttps://github.com/o/r/pull/1,T\n")[0].is_pull_request is True


def test_what_is_missing_or_null_is_empty():
    empty = {key: None for key in REST if key not in {"url", "html_url", "repository_url"}}

    assert one(**empty) == Draft(1, TEAM_7, REST["html_url"], is_pull_request=False)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024-05-31T09:30:00Z", AT),
        ("2024-05-31T09:30:00.000Z", AT),
        ("2024-05-31T17:30:00+08:00", AT),
        ("2024-05-31 09:30:00+00:00", AT),
        ("2024-05-31 09:30:00 UTC", AT),
        (1717147800, AT),
        (1717147800000, AT),
        ("", None),
        (None, None),
    ],
)
def test_times_are_moments_in_utc(value, expected):
    assert one(created_at=value).created_at == expected


BAD_TIMES = (
    "yesterday", "2024-13-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00", "1717147800",
    True, 5, -1717147800, 10**400, {},
)  # fmt: skip
WITHOUT_ZONE = ("2024-05-31T09:30:00", "2024-05-31")


@pytest.mark.parametrize("value", [*BAD_TIMES, *WITHOUT_ZONE])
def test_a_time_that_cannot_be_read_refuses_the_record(value):
    code = "no_zone" if value in WITHOUT_ZONE else "bad_time"
    assert identities(read(json.dumps({**REST, "closed_at": value}))) == [code]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["a", "b"], ("a", "b")),
        ([{"name": "a"}, {"name": " b "}, {"name": ""}], ("a", "b")),
        ("a; b|c;;", ("a", "b", "c")),
        ('["a;b", "c"]', ("a;b", "c")),
        ("['a;b', \"it's\"]", ("a;b", "it's")),
        ("[{'id': 1, 'name': 'a', 'description': None}]", ("a",)),
        ({"nodes": [{"name": "a"}], "totalCount": 1}, ("a",)),
        ("good first issue, please", ("good first issue, please",)),
        ([], ()),
        ("", ()),
    ],
)
def test_labels_are_names(labels, expected):
    assert one(labels=labels).labels == expected


@pytest.mark.parametrize("labels", [["a", 1], [{"id": 1}], {"a": 1}, 3, "['a', b]", "[" * 100000])
def test_labels_that_cannot_be_read_refuse_the_record(labels):
    assert identities(read(json.dumps({**REST, "labels": labels}))) == ["bad_labels"]


@pytest.mark.parametrize(
    ("count", "expected"), [(0, 0), (3, 3), (3.0, 3), ("3", 3), ("3.0", 3), (None, None), ([], 0)]
)
def test_a_count_of_comments(count, expected):
    draft = one(comments=count)

    assert (draft.comment_count, draft.comments) == (expected, ())


@pytest.mark.parametrize("comments", [-1, 1.5, True, "many", {}, ["text"], 2**31, 10**400])
def test_comments_that_are_neither_count_nor_list_refuse_the_record(comments):
    assert identities(read(json.dumps({**REST, "comments": comments}))) == ["bad_comments"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"title": 5}, "not_text"),
        ({"body": ["a"]}, "not_text"),
        ({"user": {"login": 5}}, "not_text"),
        ({"state": True}, "not_text"),
        ({"html_url": 5}, "not_text"),
        ({"html_url": None}, "no_url"),
        ({"html_url": ""}, "no_url"),
        ({"number": 8}, "number_differs"),
        ({"number": "7x"}, "number_differs"),
        ({"title": "x" * 101}, "cell_too_long"),
        ({"user": {"login": "x" * 101}}, "cell_too_long"),
        ({"state": "x" * 33}, "cell_too_long"),
        ({"comments": [{"body": "x" * 101}]}, "cell_too_long"),
        ({"comments": [{"body": 1}]}, "not_text"),
        ({"comments": [{"created_at": "soon"}]}, "bad_time"),
        ({"comments": [{"author_association": "A\0"}]}, "bad_code"),
        ({"state": "open\n"}, "bad_code"),
        ({"state_reason": "a\x7f"}, "bad_code"),
    ],
)
def test_a_value_of_the_wrong_kind_or_length_refuses_the_record(changes, code):
    assert identities(read(json.dumps({**REST, **changes}), limits=Limits(max_cell=100))) == [code]


def test_the_keys_are_mapped_and_shown():
    sniffed = sniff(json.dumps([REST]).encode(), "issues.json")

    assert sniffed.mapping == {
        "url": "html_url",
        "number": "number",
        "title": "title",
        "body": "body",
        "author": "user.login",
        "author_association": "author_association",
        "labels": "labels",
        "state": "state",
        "state_reason": "state_reason",
        "created_at": "created_at",
        "closed_at": "closed_at",
        "updated_at": "updated_at",
        "comments": "comments",
        "is_pull_request": "pull_request",
    }
    assert sniffed.columns == tuple(REST)
    assert sniffed.unused == ("url", "repository_url")
    assert sniffed.sample == (
        {
            **{key: str(value) for key, value in REST.items()},
            "user": '{"login": "ada", "id": 1}',
            "labels": '[{"name": "bug", "color": "f00"}, {"name": "help wanted"}]',
            "pull_request": "",
        },
    )


def test_a_key_that_only_later_records_have_is_read():
    first = {key: value for key, value in REST.items() if key not in {"pull_request", "body"}}
    second = {
        **REST,
        "number": 8,
        "html_url": "https://github.com/Team/Tool/issues/8",
        "pull_request": {"url": "u"},
    }

    found = drafts(json.dumps(first) + "\n" + json.dumps(second))

    assert [(draft.body, draft.is_pull_request) for draft in found] == [("", False), ("It is.", True)]


# Counted with grep over the lines: '"pull_request":{', '"body":null' and '"body":""'.
@pytest.mark.parametrize(
    ("name", "issues", "pull_requests", "without_body", "longest"),
    [
        ("hf_datasets_api_sample.jsonl", 233, 326, 19 + 19, 26730),
        ("sglang_issues_sample.jsonl", 133, 0, 2, 59141),
    ],
)
def test_the_real_samples_are_read_whole(issue_samples, name, issues, pull_requests, without_body, longest):
    found = drafts((issue_samples / name).read_bytes(), name)

    assert len(found) == issues + pull_requests
    assert sum(draft.is_pull_request is True for draft in found) == pull_requests
    assert sum(draft.is_pull_request is False for draft in found) == issues
    assert sum(not draft.body for draft in found) == without_body
    assert max(len(draft.body) for draft in found) == longest
    assert len({draft.address.identity for draft in found}) == len(found)
    assert all(draft.title and draft.created_at and draft.comment_count is not None for draft in found)
