"""Issues as GraphQL, Perceval, Jira, GitLab's exports and pandas write them; the texts are written for these tests."""

import json
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ingest.addresses import Address
from ingest.readers import CommentDraft, Draft, sniff, sniff_file
from tests.ingest.readers.reading import drafts, identities, messages, read

AT = datetime(2024, 5, 31, 9, 30, tzinfo=UTC)
LATER = datetime(2024, 6, 2, tzinfo=UTC)
SEVEN = Draft(
    line=1,
    address=Address("github", "github.com", "Team/Tool", "7", "issue"),
    url="https://github.com/Team/Tool/issues/7",
    title="Loss is NaN",
    body="It is.",
    author="ada",
    author_association="NONE",
    labels=("bug",),
    state="closed",
    state_reason="not_planned",
    created_at=AT,
    closed_at=LATER,
    updated_at=LATER,
    is_pull_request=False,
    comments=(CommentDraft("grace", "MEMBER", "Why?", AT),),
    comment_count=1,
)


def node(number: int = 7, **more) -> dict:
    return {
        "number": number,
        "title": "Loss is NaN",
        "body": "It is.",
        "url": f"https://github.com/Team/Tool/issues/{number}",
        "author": {"login": "ada"},
        "authorAssociation": "NONE",
        "state": "CLOSED",
        "stateReason": "NOT_PLANNED",
        "createdAt": "2024-05-31T09:30:00Z",
        "closedAt": "2024-06-02T00:00:00Z",
        "updatedAt": "2024-06-02T00:00:00Z",
        "labels": {"nodes": [{"name": "bug"}]},
        "comments": {
            "totalCount": 1,
            "nodes": [
                {
                    "author": {"login": "grace"},
                    "authorAssociation": "MEMBER",
                    "body": "Why?",
                    "createdAt": "2024-05-31T09:30:00Z",
                }
            ],
        },
        **more,
    }


def without(record: dict, *keys: str) -> dict:
    return {key: value for key, value in record.items() if key not in keys}


def page(*nodes: dict, key: str = "nodes", **more) -> dict:
    info = {"hasNextPage": False, "endCursor": "Y3Vyc29y"}
    listed = nodes if key == "nodes" else [{"cursor": "x", "node": one} for one in nodes]
    return {
        "data": {
            "repository": {
                "nameWithOwner": "Team/Tool",
                "issues": {"totalCount": len(nodes), "pageInfo": info, key: list(listed)},
                **more,
            }
        }
    }


class TestGraphQL:
    @pytest.mark.parametrize(
        "text",
        [
            json.dumps(page(node())),
            json.dumps(page(node()), indent=2),
            json.dumps(page(node(), key="edges")),
            json.dumps([page(node())]),
            json.dumps([[page(node())]]),
            json.dumps(page()) + json.dumps(page(node())),
            json.dumps({"data": {"search": {"issueCount": 1, "edges": [{"node": node()}]}}}),
            json.dumps({"data": {"repository": {"issue": node()}}}),
            json.dumps(node()),
            json.dumps([{"cursor": "x", "node": node(__typename="Issue")}]),
        ],
        ids=[
            "a page",
            "a pretty page",
            "edges",
            "slurped pages",
            "pages in pages",
            "pages one after another",
            "a search",
            "one issue",
            "a node",
            "an edge with its type",
        ],
    )
    def test_is_read_in_every_arrangement(self, text):
        assert [replace(found, line=1) for found in drafts(text)] == [SEVEN]
        assert sniff(text.encode()).shape == "graphql"

    @pytest.mark.parametrize("key", ["nodes", "edges"])
    def test_a_last_page_that_another_one_follows_is_told(self, key):
        """All pages but the last one were loaded, or `--paginate` was left out."""
        first, last = (
            page(node(), key=key),
            page(node(9, url="https://github.com/Team/Tool/issues/9"), key=key),
        )
        for one in (first, last):
            one["data"]["repository"]["issues"]["pageInfo"]["hasNextPage"] = True
        found = read(json.dumps([first, last]))
        assert identities(found) == ["Team/Tool#7", "Team/Tool#9", "more_pages"]
        assert "is followed by another page" in found[-1].message
        last["data"]["repository"]["issues"]["pageInfo"]["hasNextPage"] = False
        assert identities(read(json.dumps([first, last]))) == ["Team/Tool#7", "Team/Tool#9"]

    def test_issues_and_pull_requests_of_one_answer(self):
        pull = node(8, url="https://github.com/Team/Tool/pull/8", state="MERGED", __typename="PullRequest")
        answer = page(node(__typename="Issue"), pullRequests={"nodes": [pull]})

        found = drafts(json.dumps(answer))

        assert identities(found) == ["Team/Tool#7", "Team/Tool#8"]
        assert [(one.is_pull_request, one.state) for one in found] == [(False, "closed"), (True, "merged")]

    def test_nodes_of_other_types_are_no_issues(self):
        answer = {
            "data": {
                "search": {"nodes": [node(__typename="Issue"), {"__typename": "Repository", "name": "x"}]}
            }
        }

        assert identities(read(json.dumps(answer))) == ["Team/Tool#7"]

    def test_the_answer_names_the_repository_of_nodes_without_an_address(self):
        text = json.dumps(page(without(node(), "url")))
        sniffed = sniff(text.encode())

        assert sniffed.mapping["repository"] == "repository.nameWithOwner"
        assert sniffed.base == "github.com"
        assert drafts(text) == [replace(SEVEN, is_pull_request=None)]
        assert identities(read(text, sniffed=replace(sniffed, base="git.example.org"))) == ["Team/Tool#7"]
        assert (
            drafts(text, sniffed=replace(sniffed, base="git.example.org"))[0].address.host
            == "git.example.org"
        )

    def test_fewer_comments_than_there_are_are_some_of_them(self):
        comments = {"totalCount": 30, "nodes": node()["comments"]["nodes"]}

        found = drafts(json.dumps(page(node(comments=comments))))[0]

        assert (len(found.comments), found.comment_count, found.has_some_comments) == (1, 30, True)
        assert drafts(json.dumps(page(node(comments={"totalCount": 3}))))[0].comment_count == 3

    def test_an_error_beside_the_data_is_told(self):
        answer = {**page(node()), "errors": [{"type": "SOME", "message": "Something went wrong"}]}

        assert messages(json.dumps(answer)) == [
            "",
            'Line 1, record 1: the forge answered with an error, not with issues: "Something went wrong". Ask it again and load its new answer.',
        ]


REST = {
    "html_url": "https://github.com/Team/Tool/issues/7",
    "url": "https://api.github.com/repos/Team/Tool/issues/7",
    "number": 7,
    "title": "Loss is NaN",
    "body": "It is.",
    "user": {"login": "ada"},
    "author_association": "NONE",
    "labels": [{"name": "bug"}],
    "state": "closed",
    "state_reason": "not_planned",
    "created_at": "2024-05-31T09:30:00Z",
    "closed_at": "2024-06-02T00:00:00Z",
    "updated_at": "2024-06-02T00:00:00Z",
    "comments": 1,
}
COMMENT = {
    "id": 1,
    "user": {"login": "grace"},
    "author_association": "MEMBER",
    "body": "Why?",
    "created_at": "2024-05-31T09:30:00Z",
    "updated_at": "2024-05-31T09:30:00Z",
}


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_search_results_slurped_or_not(depth):
    answer: object = {"total_count": 1, "incomplete_results": False, "items": [without(REST, "comments")]}
    for _ in range(depth):
        answer = [answer]

    found = drafts(json.dumps(answer))

    assert found == [replace(SEVEN, comments=(), comment_count=None)]


def envelope(
    data: dict, category: str = "issue", backend: str = "GitHub", updated: float = 1717286400.0
) -> dict:
    return {
        "backend_name": backend,
        "backend_version": "0.28.0",
        "category": category,
        "classified_fields_filtered": None,
        "data": data,
        "origin": "https://github.com/Team/Tool",
        "perceval_version": "1.0.0",
        "search_fields": {"item_id": "1"},
        "tag": "x",
        "timestamp": 1717300000.0,
        "updated_on": updated,
        "uuid": "0" * 40,
    }


class TestPerceval:
    def test_the_answer_inside_with_its_comments(self):
        text = json.dumps(envelope({**REST, "comments_data": [COMMENT]})) + "\n"

        assert sniff(text.encode()).shape == "perceval"
        assert drafts(text) == [SEVEN]

    def test_the_newest_of_one_issue_counts(self):
        old = envelope({**REST, "title": "Old", "updated_at": "2024-06-01T00:00:00Z"})
        new = envelope({**REST, "comments_data": [COMMENT]})

        for order in ([old, new], [new, old]):
            assert [replace(one, line=1) for one in drafts(json.dumps(order))] == [SEVEN]

    def test_a_pull_request_and_what_is_neither(self):
        pull = {**REST, "html_url": "https://github.com/Team/Tool/pull/8", "number": 8}
        text = json.dumps([envelope(pull, "pull_request"), envelope({"forks": 1}, "repository")])

        assert [(one.address.number, one.is_pull_request) for one in drafts(text)] == [("8", True)]

    def test_gitlab_without_what_the_system_said(self):
        data = {
            "iid": 7,
            "title": "Loss is NaN",
            "description": "It is.",
            "state": "opened",
            "author": {"username": "ada"},
            "web_url": "https://gitlab.com/g/p/-/issues/7",
            "user_notes_count": 1,
            "notes_data": [
                {
                    "author": {"username": "grace"},
                    "body": "Why?",
                    "created_at": "2024-05-31T09:30:00.000Z",
                    "system": False,
                },
                {
                    "author": {"username": "ada"},
                    "body": "closed",
                    "created_at": "2024-05-31T09:31:00.000Z",
                    "system": True,
                },
            ],
        }

        found = drafts(json.dumps(envelope(data, backend="GitLab")))[0]

        assert found.address.identity == ("gitlab.com", "g/p", "7")
        assert (found.state, found.comments) == ("open", (CommentDraft("grace", "", "Why?", AT),))

    def test_jira(self):
        found = drafts(
            json.dumps(
                envelope({**JIRA, "comments_data": JIRA["fields"]["comment"]["comments"]}, backend="Jira")
            )
        )

        assert found == [KAFKA]


def says(text, *marks):
    return {"type": "paragraph", "content": [{"type": "text", "text": text, "marks": list(marks)}]}


def item(*content):
    return {"type": "listItem", "content": list(content)}


def cell(text):
    return {"type": "tableCell", "content": [says(text)]}


DOCUMENT = {
    "type": "doc",
    "version": 1,
    "content": [
        {"type": "heading", "attrs": {"level": 2}, "content": [{"type": "text", "text": "Loss"}]},
        {
            "type": "paragraph",
            "content": [
                {"type": "text", "text": "See "},
                {
                    "type": "text",
                    "text": "this",
                    "marks": [{"type": "link", "attrs": {"href": "https://a.example/1"}}],
                },
                {"type": "hardBreak"},
                {"type": "mention", "attrs": {"id": "1", "text": "@ada"}},
                {
                    "type": "text",
                    "text": " 算子",
                    "marks": [{"type": "textColor", "attrs": {"color": "red"}}],
                },
            ],
        },
        {
            "type": "codeBlock",
            "attrs": {"language": "python"},
            "content": [{"type": "text", "text": "a = {1}\n  b"}],
        },
        {
            "type": "bulletList",
            "content": [
                item(says("one"), {"type": "orderedList", "content": [item(says("in it"))]}),
                item(says("two", {"type": "strong"})),
            ],
        },
        {"type": "panel", "attrs": {"panelType": "info"}, "content": [says("note", {"type": "code"})]},
        {
            "type": "taskList",
            "content": [
                {
                    "type": "taskItem",
                    "attrs": {"state": "DONE"},
                    "content": [{"type": "text", "text": "done"}],
                }
            ],
        },
        {"type": "blockquote", "content": [says("a"), says("b")]},
        {"type": "rule"},
        {
            "type": "table",
            "content": [
                {"type": "tableRow", "content": [cell("x"), cell("y")]},
                {"type": "tableRow", "content": [cell("1"), cell("2")]},
            ],
        },
        {"type": "paragraph", "content": []},
        {"type": "somethingNew", "content": [says("kept all the same")]},
    ],
}
MARKDOWN = """## Loss

See [this](https://a.example/1)
@ada 算子

```python
a = {1}
  b
```

* one
  1. in it
* **two**

`note`

- [x] done

> a
>
> b

---

| x | y |
| --- | --- |
| 1 | 2 |

kept all the same"""

JIRA = {
    "expand": "operations,names",
    "id": "12345",
    "self": "https://issues.apache.org/jira/rest/api/2/issue/12345",
    "key": "KAFKA-7",
    "fields": {
        "summary": "Loss is NaN",
        "description": "It {{is}}.",
        "reporter": {"name": "ada", "displayName": "Ada L.", "emailAddress": "ada@example.org"},
        "creator": {"name": "bot"},
        "labels": ["bug"],
        "status": {"name": "Resolved", "statusCategory": {"id": 3, "key": "done"}},
        "resolution": {"name": "Won't Fix"},
        "created": "2024-05-31T09:30:00.000+0000",
        "updated": "2024-06-02T00:00:00.000+0000",
        "resolutiondate": "2024-06-02T00:00:00.000+0000",
        "comment": {
            "comments": [
                {
                    "id": "1",
                    "author": {"name": "grace"},
                    "body": "Why?",
                    "created": "2024-05-31T09:30:00.000+0000",
                }
            ],
            "maxResults": 1,
            "total": 1,
        },
        "customfield_10010": {"value": "x"},
    },
}
KAFKA = replace(
    SEVEN,
    address=Address("jira", "issues.apache.org", "jira/KAFKA", "7", "issue"),
    url="https://issues.apache.org/jira/browse/KAFKA-7",
    body="It {{is}}.",
    author_association="",
    state_reason="won't fix",
    comments=(CommentDraft("grace", "", "Why?", AT),),
)


class TestJira:
    def test_a_search_over_rest(self):
        answer = {"expand": "schema,names", "startAt": 0, "maxResults": 50, "total": 1, "issues": [JIRA]}

        assert drafts(json.dumps(answer)) == [KAFKA]
        assert drafts(json.dumps(JIRA)) == [KAFKA]
        assert sniff(json.dumps(answer).encode()).shape == "jira"

    def test_an_open_issue_without_comments(self):
        fields = {
            **JIRA["fields"],
            "status": {"name": "In Progress", "statusCategory": {"key": "indeterminate"}},
        }
        fields |= {
            "resolution": None,
            "comment": {"comments": [], "total": 0},
            "reporter": None,
            "resolutiondate": None,
        }

        found = drafts(json.dumps({**JIRA, "fields": fields}))[0]

        assert (found.state, found.state_reason, found.author, found.comment_count) == (
            "open",
            "in progress",
            "",
            0,
        )

    def test_without_its_site_a_person_names_it(self):
        text = json.dumps([without(JIRA, "self")])
        sniffed = sniff(text.encode())

        assert sniffed.mapping["number"] == "issue key"
        assert drafts(text, sniffed=replace(sniffed, base="issues.apache.org/jira")) == [KAFKA]

    def test_rich_text_is_read_as_markdown(self):
        rich = deepcopy(JIRA)
        rich["fields"]["description"] = DOCUMENT
        rich["fields"]["comment"]["comments"][0]["body"] = {"type": "doc", "content": [says("Why?")]}
        (draft,) = drafts(json.dumps([rich]))

        assert draft.body == MARKDOWN
        assert draft.comments[0].body == "Why?"

    def test_a_document_that_is_too_deep_or_none_is_refused_alone(self):
        deep = says("Why?")
        for _ in range(60):
            deep = {"type": "blockquote", "content": [deep]}
        for content in (None, [deep]):
            rich = {**JIRA, "key": "KAFKA-8", "fields": {"description": {"type": "doc", "content": content}}}

            assert identities(read(json.dumps([JIRA, rich]))) == ["jira/KAFKA#7", "rich_text"]

    def test_one_rich_text_is_refused_alone(self):
        rich = {**JIRA, "key": "KAFKA-8", "fields": {"description": {"type": "doc"}}}

        assert identities(read(json.dumps([JIRA, rich]))) == ["jira/KAFKA#7", "rich_text"]

    def test_the_csv_repeats_columns_and_names_no_zone(self):
        text = (
            "Summary,Issue key,Issue id,Status,Resolution,Reporter,Created,Updated,Resolved,Labels,Labels,Description,Comment,Comment\n"
            "Loss is NaN,KAFKA-7,12345,Resolved,Won't Fix,ada,31/May/24 5:30 PM,02/Jun/24 8:00 AM,2024-06-02 08:00,bug,,It {{is}}.,"
            '31/May/24 5:30 PM;grace;Why?,"Also; this"\n'
        )
        sniffed = sniff(text.encode())
        by_hand = replace(sniffed, base="issues.apache.org/jira", zone="Asia/Shanghai")

        assert sniffed.shape == "jira_csv"
        assert identities(read(text)) == ["no_url_column"]
        assert identities(read(text, sniffed=replace(by_hand, zone=""))) == ["no_zone"]
        assert drafts(text, sniffed=by_hand) == [
            replace(
                KAFKA,
                line=2,
                author="ada",
                state="resolved",
                comments=(CommentDraft("grace", "", "Why?", AT), CommentDraft("", "", "Also; this", None)),
                comment_count=2,
            )
        ]

    def test_one_column_of_comments_is_a_list_too(self):
        text = "Summary,Issue key,Comment\nT,KAFKA-7,a comment\nT,KAFKA-8,\n"

        found = drafts(text, sniffed=replace(sniff(text.encode()), base="jira.example.org"))

        assert [[comment.body for comment in one.comments] for one in found] == [["a comment"], []]


class TestGitLabExport:
    LINE = {
        "iid": 7,
        "title": "Loss is NaN",
        "author_id": 12,
        "project_id": 3,
        "description": "It is.",
        "state": "closed",
        "created_at": "2024-05-31T09:30:00.000Z",
        "closed_at": "2024-06-02T00:00:00.000Z",
        "updated_at": "2024-06-02T00:00:00.000Z",
        "label_links": [{"label": {"title": "bug", "color": "#f00"}}],
        "notes": [
            {
                "note": "Why?",
                "author": {"name": "grace"},
                "created_at": "2024-05-31T09:30:00.000Z",
                "system": False,
            },
            {
                "note": "closed",
                "author": {"name": "ada"},
                "created_at": "2024-05-31T09:31:00.000Z",
                "system": True,
            },
        ],
    }

    def test_a_line_of_issues(self):
        text = json.dumps(self.LINE) + "\n"
        sniffed = sniff(text.encode(), "issues.ndjson")

        assert sniffed.shape == "gitlab_export"
        assert identities(read(text)) == ["no_url_key"]
        assert drafts(text, sniffed=replace(sniffed, base="gitlab.com/group/part/tool")) == [
            replace(
                SEVEN,
                address=Address("gitlab", "gitlab.com", "group/part/tool", "7", "issue"),
                url="https://gitlab.com/group/part/tool/-/issues/7",
                author="",
                author_association="",
                state_reason="",
                comments=(CommentDraft("grace", "", "Why?", AT),),
            )
        ]

    def test_a_line_of_merge_requests(self):
        text = json.dumps({**self.LINE, "target_branch": "main"})

        found = drafts(text, sniffed=replace(sniff(text.encode()), base="gitlab.com/group/tool"))[0]

        assert (found.address.number, found.is_pull_request) == ("!7", True)


FRAME = [
    without(REST, "comments", "labels", "user"),
    {
        **without(REST, "comments", "labels", "user"),
        "html_url": REST["html_url"][:-1] + "8",
        "number": 8,
        "body": None,
    },
]
COLUMNS = list(FRAME[0])
ORIENTS = {
    "records": FRAME,
    "columns": {name: {str(nth): row[name] for nth, row in enumerate(FRAME)} for name in COLUMNS},
    "index": {str(nth): row for nth, row in enumerate(FRAME)},
    "split": {
        "columns": COLUMNS,
        "index": [0, 1],
        "data": [[row[name] for name in COLUMNS] for row in FRAME],
    },
    "table": {
        "schema": {
            "fields": [
                {"name": "index", "type": "integer"},
                *({"name": name, "type": "string"} for name in COLUMNS),
            ],
            "primaryKey": ["index"],
            "pandas_version": "1.4.0",
        },
        "data": [{"index": nth, **row} for nth, row in enumerate(FRAME)],
    },
}


class TestPandas:
    @pytest.mark.parametrize("orient", ORIENTS)
    @pytest.mark.parametrize("indent", [None, 4])
    def test_every_orient_is_the_same_frame(self, orient, indent):
        text = json.dumps(ORIENTS[orient], indent=indent)

        found = [replace(one, line=1) for one in drafts(text)]

        whole = replace(SEVEN, author="", labels=(), comments=(), comment_count=None)
        eight = replace(whole.address, number="8")
        assert found == [whole, replace(whole, address=eight, url=FRAME[1]["html_url"], body="")]
        assert sniff(text.encode()).layout == ("" if orient == "records" else orient)

    def test_the_label_of_a_row_can_be_the_number(self):
        text = json.dumps({"7": {"title": "T"}, "8": {"title": "U"}})
        sniffed = sniff(text.encode())
        chosen = replace(sniffed, mapping={"number": "index", "title": "title"}, base="github.com/Team/Tool")

        assert identities(drafts(text, sniffed=chosen)) == ["Team/Tool#7", "Team/Tool#8"]

    def test_rows_and_columns_that_do_not_fit_are_refused(self):
        split = {
            "columns": ["url", "title"],
            "index": [0, 1],
            "data": [["https://github.com/o/r/issues/1"], ["https://github.com/o/r/issues/2", "T"]],
        }

        assert identities(read(json.dumps(split))) == ["ragged", "o/r#2"]

    def test_a_broken_cell_refuses_its_row(self):
        text = '{"url": {"0": "https://github.com/o/r/issues/1", "1": "https://github.com/o/r/issues/2"}, "user": {"0": {"a": 1, "a": 2}, "1": null}}'

        assert identities(read(text)) == ["duplicate_key", "o/r#2"]

    def test_a_frame_by_columns_longer_than_the_head_is_read_whole(self, tmp_path):
        count = 3000
        frame = {
            "body": {str(n): f"{n} " * 400 for n in range(count)},
            "html_url": {str(n): f"https://github.com/o/r/issues/{n + 1}" for n in range(count)},
        }
        path = tmp_path / "frame.json"
        path.write_text(json.dumps(frame))
        assert path.stat().st_size > 4 * 1024**2

        with path.open("rb") as stream:
            sniffed = sniff_file(stream, path.name)
        found = drafts(path.read_bytes())

        assert sniffed.mapping["url"] == "html_url"
        assert len(found) == count
        assert (found[-1].address.number, found[-1].body) == ("3000", "2999 " * 400)

    def test_one_larger_than_it_may_be_says_how_to_write_it(self, monkeypatch):
        monkeypatch.setattr("ingest.readers.scanner.MOST_CHARACTERS", 100)

        assert messages(json.dumps(ORIENTS["columns"])) == [
            'Line 1, record 2: the frame is written column by column and has more than 100 characters. Write it with orient="records" and lines=True. The rest of the file was not read.'
        ]

    def test_cells_of_to_csv_are_python(self):
        text = (
            "html_url,user,labels,comments,created_at\n"
            """https://github.com/o/r/issues/1,"{'login': 'ada', 'id': 1, 'site_admin': False}","[{'id': 1, 'name': ""it's""}]","[{'user': {'login': 'bo'}, 'body': 'a\\n\\u00e9'}]",2024-05-31 09:30:00+00:00\n"""
            "https://github.com/o/r/issues/2,,[],3.0,\n"
        )

        first, second = drafts(text)

        assert (first.author, first.labels, first.created_at) == ("ada", ("it's",), AT)
        assert first.comments == (CommentDraft("bo", "", "a\né", None),)
        assert (second.author, second.labels, second.comment_count) == ("", (), 3)


class TestPlaces:
    """Files that name no page: repository and number, or the number alone, with what a person types."""

    def test_a_frame_of_one_repository(self):
        text = "number,title,created_at\n7.0,Loss is NaN,2024-05-31 17:30:00\n#8,Other,\n"
        sniffed = sniff(text.encode())

        assert sniffed.mapping == {"number": "number", "title": "title", "created_at": "created_at"}
        assert identities(read(text)) == ["no_url_column"]
        found = drafts(text, sniffed=replace(sniffed, base="github.com/Team/Tool", zone="Asia/Shanghai"))
        assert identities(found) == ["Team/Tool#7", "Team/Tool#8"]
        assert (found[0].url, found[0].created_at) == (SEVEN.url, AT)

    @pytest.mark.parametrize(
        ("base", "row", "url"),
        [
            ("github.com", {"repo": "o/r", "number": 7}, "https://github.com/o/r/issues/7"),
            (
                "gitlab.com",
                {"repo": "g/p", "number": 7, "is_pull_request": True},
                "https://gitlab.com/g/p/merge_requests/7",
            ),
            ("gitee.com", {"repo": "o/r", "number": "I6UHT3"}, "https://gitee.com/o/r/issues/I6UHT3"),
            ("gitlab.com/g/h/p", {"x": "", "iid": 7}, "https://gitlab.com/g/h/p/-/issues/7"),
            ("jira.example.org", {"x": "", "issue_key": "AB-7"}, "https://jira.example.org/browse/AB-7"),
            (
                "",
                {"repository_url": "https://api.github.com/repos/o/r", "number": 7},
                "https://api.github.com/repos/o/r/issues/7",
            ),
            (
                "",
                {"repository": {"html_url": "https://github.com/o/r"}, "number": 7},
                "https://github.com/o/r/issues/7",
            ),
        ],
    )
    def test_the_address_is_built(self, base, row, url):
        text = json.dumps([row])

        assert drafts(text, sniffed=replace(sniff(text.encode()), base=base))[0].url == url

    def test_an_empty_number_is_refused(self):
        text = json.dumps([{"number": None, "title": "T"}, {"number": "x", "title": "T"}])

        found = read(text, sniffed=replace(sniff(text.encode()), base="github.com/o/r"))
        assert identities(found) == ["no_url", "address_number"]
