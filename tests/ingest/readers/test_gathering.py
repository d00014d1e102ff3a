"""Issues that come in several records make one draft: events, and comments that were listed apart."""

import gzip
import io
import json
import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ingest.readers import CommentDraft, Look, open_reader, sniff
from tests.ingest.readers.reading import drafts, identities, read
from tests.ingest.readers.test_packed import zipped
from tests.ingest.readers.test_shapes import COMMENT, REST, SEVEN

OLD = {**REST, "title": "Old", "state": "open", "updated_at": "2024-06-01T00:00:00Z"}
UNDER_7 = {**COMMENT, "issue_url": REST["url"], "html_url": f"{REST['html_url']}#issuecomment-1"}


def event(kind: str, repository: str = "Team/Tool", **payload) -> dict:
    return {
        "id": "1",
        "type": kind,
        "actor": {"id": 1, "login": "x"},
        "repo": {"id": 1, "name": repository},
        "payload": payload,
        "public": True,
        "created_at": "2024-06-02T00:00:00Z",
    }


def lines(*records: dict) -> bytes:
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


class TestEvents:
    HOUR = lines(
        event("WatchEvent", action="started"),
        event("IssuesEvent", action="opened", issue=OLD),
        event("IssueCommentEvent", action="created", issue=OLD, comment={**UNDER_7, "body": "Wy?"}),
        event("PushEvent", commits=[]),
        event("IssueCommentEvent", action="edited", issue=REST, comment={**UNDER_7, "updated_at": "2024-05-31T09:40:00Z"}),
        event("IssuesEvent", action="labeled", issue={**OLD, "title": "Older"}),
    )  # fmt: skip

    def test_the_newest_issue_counts_and_comments_are_gathered_by_id(self):
        reader = open_reader_of(gzip.compress(self.HOUR))

        found = list(reader)

        assert [replace(one, line=1) for one in found] == [replace(SEVEN, has_some_comments=True)]
        assert reader.aside == {"others": 2, "left_out": 0, "comments": 2, "strays": 0}
        assert sniff(self.HOUR).shape == "events"

    def test_a_deleted_comment_is_gone(self):
        gone = event(
            "IssueCommentEvent",
            action="deleted",
            issue=REST,
            comment={**UNDER_7, "updated_at": "2024-06-03T00:00:00Z"},
        )

        assert [one.comments for one in drafts(self.HOUR + lines(gone))] == [()]

    def test_a_short_event_of_a_pull_request_is_an_address(self):
        short = {"id": 1, "number": 8, "url": "https://api.github.com/repos/Team/Tool/pulls/8"}
        whole = {**REST, "html_url": "https://github.com/Team/Tool/pull/8", "number": 8}
        events = [
            event("PullRequestEvent", action="opened", pull_request=one) for one in (short, whole, short)
        ]

        for texts in ([events[0]], events):
            found = drafts(lines(*texts))
            assert [(one.address.number, one.is_pull_request) for one in found] == [("8", True)]
        assert drafts(lines(*events))[0].title == "Loss is NaN"

    def test_events_before_2015_have_no_text(self):
        reader = open_reader_of(lines(event("IssuesEvent", issue=12), event("IssuesEvent", issue=REST)))

        assert identities(list(reader)) == ["Team/Tool#7"]
        assert reader.aside["others"] == 1

    def test_a_broken_event_is_refused_by_its_line(self):
        data = lines(
            event("IssuesEvent", issue={**REST, "created_at": "soon"}), event("IssuesEvent", issue=REST)
        )

        found = read(data)

        assert [(getattr(one, "code", ""), one.line) for one in found] == [("bad_time", 1), ("", 2)]

    def test_only_the_repositories_that_were_chosen(self):
        other = {**REST, "html_url": "https://github.com/o/r/issues/1", "number": 1}
        data = lines(event("IssuesEvent", issue=REST), event("IssuesEvent", repository="o/r", issue=other))
        reader = open_reader_of(data, sniffed=replace(sniff(data), only=("team/tool",)))

        assert identities(list(reader)) == ["Team/Tool#7"]
        assert reader.aside["left_out"] == 1

    def test_hours_of_one_zip_are_gathered_together(self):
        first = lines(event("IssueCommentEvent", issue=OLD, comment={**UNDER_7, "id": 2, "body": "First"}))

        found = drafts(zipped({"1.json": first, "2.json": self.HOUR}))

        assert [[comment.body for comment in one.comments] for one in found] == [["Why?", "First"]]
        assert found[0].file == "2.json"

    def test_a_look_ends_early(self):
        reader = open_reader_of(self.HOUR, look=Look(2, 10**6))

        assert [one.title for one in reader] == ["Old"]
        assert reader.is_cut


def open_reader_of(data: bytes, **more):
    return open_reader(io.BytesIO(data), "x", **more)


class TestCommentsApart:
    @pytest.mark.parametrize("names", [("issues.json", "comments.json"), ("b.json", "a.json")])
    def test_a_zip_of_issues_and_comments(self, names):
        eight = {**REST, "html_url": REST["html_url"][:-1] + "8", "url": REST["url"][:-1] + "8", "number": 8}
        files = dict(zip(names, [json.dumps([REST, eight]), json.dumps([UNDER_7])], strict=True))
        data = zipped({name: files[name].encode() for name in sorted(files)})

        found = drafts(data)

        assert [(one.comments, one.comment_count) for one in found] == [(SEVEN.comments, 1), ((), 0)]
        assert not any(one.has_some_comments for one in found)

    def test_comments_of_other_issues_are_counted(self):
        stray = {
            **UNDER_7,
            "id": 2,
            "issue_url": REST["url"] + "1",
            "html_url": f"{REST['html_url']}1#issuecomment-2",
        }
        reader = open_reader_of(
            zipped({"a.json": json.dumps([REST]).encode(), "b.json": json.dumps([stray]).encode()})
        )

        assert identities(list(reader)) == ["Team/Tool#7"]
        assert reader.aside == {"others": 0, "left_out": 0, "comments": 1, "strays": 1}

    def test_one_file_of_both(self):
        assert drafts(json.dumps([REST, UNDER_7]) + json.dumps([])) == [SEVEN]

    def test_a_comment_far_behind_issues_is_never_taken_for_an_issue(self):
        issues = [
            {**REST, "html_url": f"https://github.com/o/r/issues/{n}", "number": n} for n in range(1, 61)
        ]

        found = read(json.dumps([*issues, UNDER_7]))

        assert [getattr(one, "code", "") for one in found[-2:]] == ["", "comment_alone"]

    def test_gitlab_notes_without_what_the_system_did(self):
        issue = {"iid": 7, "project_id": 3, "title": "T", "web_url": "https://gitlab.com/g/p/-/issues/7"}
        note = {
            "id": 1,
            "body": "Why?",
            "author": {"username": "grace"},
            "noteable_iid": 7,
            "noteable_type": "Issue",
            "project_id": 3,
            "system": False,
        }
        files = {
            "i.json": [issue],
            "n.json": [
                note,
                {**note, "id": 2, "system": True},
                {**note, "id": 3, "noteable_type": "MergeRequest"},
            ],
        }
        reader = open_reader_of(zipped({name: json.dumps(value).encode() for name, value in files.items()}))

        assert [one.comments for one in reader] == [(CommentDraft("grace", "", "Why?", None),)]
        assert reader.aside == {"others": 1, "left_out": 0, "comments": 2, "strays": 1}


def test_the_comments_of_one_issue_have_a_limit():
    many = [{**UNDER_7, "id": n, "body": random.Random(n).randbytes(450_000).hex()} for n in range(5)]
    data = zipped({"i.json": json.dumps([REST]).encode(), "c.jsonl": lines(*many)})

    assert identities(read(data)) == ["record_too_long"]


def test_a_draft_comes_back_from_disk_as_it_was():
    half = {**REST, "title": "\ud800 \0", "body": "算子", "created_at": "2024-05-31T17:30:00+08:00"}

    apart = drafts(zipped({"i.json": json.dumps([half]).encode(), "c.json": json.dumps([UNDER_7]).encode()}))

    assert [replace(one, file="") for one in apart] == [
        replace(
            SEVEN,
            title="\ufffd \ufffd",
            body="算子",
            created_at=datetime(2024, 5, 31, 9, 30, tzinfo=UTC),
            repaired=2,
        )
    ]
