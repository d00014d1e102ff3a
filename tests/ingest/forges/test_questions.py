"""Counts, addresses and drafts."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO

import pytest

from ingest.addresses import parse
from ingest.forges.gitee import Gitee
from ingest.forges.github import GitHub
from ingest.forges.pages import Count, PageMissing, Paused, Window
from ingest.readers import open_reader
from tests.forges import ForgeServer
from tests.ingest.forges.walking import TOKENS, asking, walked

WINDOW = Window(datetime(2024, 1, 10, tzinfo=UTC), datetime(2024, 2, 1, tzinfo=UTC))


@pytest.fixture
def server():
    with ForgeServer() as server:
        yield server


class TestAddresses:
    def test_of_github(self):
        forge = GitHub()
        since = datetime(2024, 5, 31, 17, 30, tzinfo=UTC)
        assert (
            forge.issues_url("o/r")
            == "https://api.github.com/repos/o/r/issues?state=all&sort=created&direction=asc&per_page=100"
        )
        assert forge.issues_url("o/r", since, 50).endswith("per_page=50&since=2024-05-31T17:30:00Z")
        assert (
            forge.comments_url("o/r", since)
            == "https://api.github.com/repos/o/r/issues/comments?sort=created&direction=asc&per_page=100&since=2024-05-31T17:30:00Z"
        )
        assert forge.pulls_url("o/r") == ""
        assert (forge.host, forge.graphql_url) == ("github.com", "https://api.github.com/graphql")

    def test_of_an_enterprise(self):
        forge = GitHub("https://git.corp/api/v3/")
        assert forge.issues_url("o/r").startswith("https://git.corp/api/v3/repos/o/r/issues?")
        assert (forge.host, forge.graphql_url) == ("git.corp", "https://git.corp/api/graphql")
        forge = Gitee("https://gitee.corp:8443/api/v5")
        assert forge.issues_url("o/r").startswith("https://gitee.corp:8443/api/v5/repos/o/r/issues?")
        assert forge.host == "gitee.corp:8443"

    def test_of_gitee(self):
        forge = Gitee()
        assert (
            forge.issues_url("o/r")
            == "https://gitee.com/api/v5/repos/o/r/issues?sort=created&direction=asc&state=all&per_page=100&page=1"
        )
        assert forge.pulls_url("o/r").startswith("https://gitee.com/api/v5/repos/o/r/pulls?")

    def test_a_path_cannot_leave_its_place(self):
        assert GitHub().issues_url("o/r?x=/../../user").startswith("https://api.github.com/repos/o/r%3Fx%3D/")


class TestCounts:
    @pytest.mark.parametrize("edges", [False, True])
    def test_github_counts_both_kinds_in_the_window(self, server, edges):
        repository = server.github("team/tool", issues=120)
        if edges:
            repository.add(at=WINDOW.start)
            repository.add(at=WINDOW.end)
        with asking(server) as client:
            count = client.count("team/tool", WINDOW)
        issues, pulls = (repository.truth(WINDOW.start, WINDOW.end, pulls=kind) for kind in (False, True))
        assert count == Count(len(issues), len(pulls), complete=True)
        assert server.asked == {"count": 2}

    def test_gitee_counts_issues(self, server):
        repository = server.gitee("team/tool", issues=120)
        repository.add(at=WINDOW.start)
        repository.add(at=WINDOW.end)
        with asking(server, "gitee") as client:
            count = client.count("team/tool", WINDOW)
        assert count == Count(len(repository.truth(WINDOW.start, WINDOW.end, pulls=False)), None)
        assert server.seen[0].query["created_at"] == "20240110T080000+0800-20240201T075959+0800"

    def test_an_incomplete_count_is_asked_for_again(self, server):
        repository = server.github("team/tool", issues=120)
        server.faults.add("incomplete", at=[1, 2])
        with asking(server) as client:
            assert client.count("team/tool", WINDOW).issues == len(
                repository.truth(WINDOW.start, WINDOW.end, pulls=False)
            )

    def test_a_count_that_stays_incomplete_says_so(self, server):
        server.github("team/tool", issues=120)
        server.faults.add("incomplete", times=None)
        with asking(server) as client:
            assert client.count("team/tool", WINDOW) == Count(1, 1, complete=False)

    @pytest.mark.parametrize("name", ["github", "gitee"])
    @pytest.mark.parametrize("fault", ["502", "html", "empty", "cut_json", "secondary", "primary", "reset"])
    def test_under_faults(self, server, name, fault):
        repository = server.add(name, "team/tool", issues=120)
        server.faults.add(fault)
        with asking(server, name) as client:
            assert client.count("team/tool", WINDOW).issues == len(
                repository.truth(WINDOW.start, WINDOW.end, pulls=False)
            )
        assert server.violations == []

    def test_searches_have_a_limit_of_their_own(self, server):
        server.hourly = 2
        server.github("team/tool", issues=150, comments=0, pulls_every=0)
        with asking(server, budget=60) as client:
            client.count("team/tool", WINDOW)
            assert len(walked(client, "issues", client.forge.issues_url("team/tool"))) == 150
            with pytest.raises(Paused):
                client.count("team/tool", WINDOW)
        assert server.violations == []


def _address(path, number, host="github.com"):
    return parse(
        f"https://{host}/{path}/{'pulls' if number.startswith('!') else 'issues'}/{number.removeprefix('!')}"
    )


class TestResolving:
    def _asked(self, server, repository, addresses, tokens=TOKENS[:1]):
        with asking(server, repository.forge, tokens=tokens) as client:
            return client.resolve(addresses)

    def test_fifty_a_request(self, server):
        repository = server.github("team/tool", issues=100)
        addresses = [_address("team/tool", number) for number in repository.truth()]
        found = self._asked(server, repository, addresses)
        assert server.asked == {"graphql": 3}
        assert len(found) == len(addresses) == 125
        for address, resolved in found.items():
            issue = repository.issues[address.number]
            assert resolved.outcome == ("pull_request" if issue.is_pull_request else "issue")
            word = "pull" if issue.is_pull_request else "issues"
            assert resolved.url == f"https://github.com/team/tool/{word}/{address.number}"

    def test_graphql_and_rest_give_equal_drafts(self, server):
        repository = server.github("team/tool", issues=100)
        with asking(server) as client:
            forge = client.forge
            rest = {
                forge.number(record): forge.draft(record)
                for record in walked(client, "issues", forge.issues_url("team/tool"))
            }
            found = client.resolve([_address("team/tool", number) for number in rest])
        assert {address.number: forge.draft(one.record) for address, one in found.items()} == rest
        assert len(rest) == len(repository.truth())

    def test_deleted_transferred_renamed_and_unknown(self, server):
        repository = server.github("team/old", issues=10)
        server.github("team/other", issues=20)
        repository.delete("2")
        repository.delete("3", to="team/other#18")
        server.rename(repository, "team/new")
        gone, moved, here, never, nowhere = (
            _address("team/old", "2"), _address("team/old", "3"), _address("team/old", "4"), _address("team/old", "99"),
            _address("no/such", "1"),
        )  # fmt: skip
        found = self._asked(server, repository, [gone, moved, here, never, nowhere])
        outcomes = {address: resolved.outcome for address, resolved in found.items()}
        assert outcomes == {gone: "gone", moved: "transferred", here: "issue", never: "gone", nowhere: "gone"}
        assert found[moved].url == "https://github.com/team/other/issues/18"
        assert found[here].url == "https://github.com/team/new/issues/4"
        assert found[gone].record is None

    def test_without_a_token_one_by_one(self, server):
        repository = server.github("team/tool", issues=4)
        addresses = [_address("team/tool", number) for number in repository.truth()]
        found = self._asked(server, repository, [*addresses, addresses[0]], tokens=[])
        assert server.asked == {"issue": 5}
        assert [found[address].outcome for address in addresses] == ["issue"] * 4 + ["pull_request"]

    def test_gitee(self, server):
        repository = server.gitee("team/tool", issues=8)
        addresses = [_address("team/tool", number, "gitee.com") for number in repository.truth()]
        repository.delete(addresses[0].number)
        found = self._asked(server, repository, addresses)
        assert {address.number: one.outcome for address, one in found.items() if one.record} == {
            number: "pull_request" if issue.is_pull_request else "issue"
            for number, issue in repository.truth().items()
        }
        assert found[addresses[0]].outcome == "gone"

    @pytest.mark.parametrize("fault", ["502", "html", "empty", "cut_json", "secondary", "primary", "graphql_error", "graphql_limit", "reset"])  # fmt: skip
    def test_under_faults(self, server, fault):
        repository = server.github("team/tool", issues=20)
        server.faults.add(fault)
        found = self._asked(
            server, repository, [_address("team/tool", number) for number in repository.truth()]
        )
        assert len(found) == 25
        assert server.asked == {"graphql": 2}
        assert server.violations == []

    def test_a_request_that_is_too_much_is_halved(self, server):
        repository = server.github("team/tool", issues=40)
        server.faults.add("502", when=lambda seen: seen.body.count(b"issueOrPullRequest") > 13, times=None)
        found = self._asked(
            server, repository, [_address("team/tool", number) for number in repository.truth()]
        )
        assert len(found) == 50
        assert all(one.record for one in found.values())

    def test_one_that_stays_missing_is_not_taken_for_gone(self, server):
        repository = server.github("team/tool", issues=4)
        server.faults.add("502", kind="graphql", times=None)
        with pytest.raises(PageMissing):
            self._asked(server, repository, [_address("team/tool", "1")])


class TestDrafts:
    @pytest.mark.parametrize("name", ["github", "gitee"])
    @pytest.mark.parametrize("has_null_key", [True, False])
    def test_a_file_with_the_same_records_gives_equal_drafts(self, server, name, has_null_key):
        server.github_side.has_null_key = has_null_key
        repository = server.add(name, "team/tool", issues=120)
        with asking(server, name) as client:
            forge = client.forge
            records = walked(client, "issues", forge.issues_url("team/tool"))
            live = [replace(forge.draft(record), line=1) for record in records]
        file = [replace(draft, line=1) for draft in open_reader(BytesIO(json.dumps(records).encode()))]
        assert live == file
        assert {draft.address.number for draft in live} == {forge.number(record) for record in records}
        assert {draft.is_pull_request for draft in live} == ({True, False} if name == "github" else {False})
        assert repository.truth(pulls=False).keys() <= {draft.address.number for draft in live}

    def test_a_key_that_is_null_makes_no_pull_request(self, server):
        server.github_side.has_null_key = True
        repository = server.github("team/tool", issues=10)
        with asking(server) as client:
            records = walked(client, "issues", client.forge.issues_url("team/tool"))
            kinds = {client.forge.number(record): client.forge.is_pull_request(record) for record in records}
        assert all("pull_request" in record for record in records)
        assert kinds == {number: issue.is_pull_request for number, issue in repository.truth().items()}

    def test_comments_come_in_order_of_time(self, server):
        repository = server.github("team/tool", issues=3, comments=0)
        for hour in (5, 3, 4):
            repository.comment("1", f"at {hour}", at=datetime(2024, 1, 2, hour, tzinfo=UTC))
        with asking(server) as client:
            record = client.page("issues", client.forge.issues_url("team/tool")).records[0]
            comments = client.page("comments", client.forge.comments_url("team/tool")).records
            draft = client.forge.draft(record, list(reversed(comments)))
        assert [comment.body for comment in draft.comments] == ["at 3", "at 4", "at 5"]
        assert draft.comment_count == 3

    def test_comments_that_were_not_asked_for_are_a_number(self, server):
        server.github("team/tool", issues=2, comments=1)
        with asking(server) as client:
            record = client.page("issues", client.forge.issues_url("team/tool")).records[0]
        assert client.forge.draft(record).comment_count == client.forge.comment_count(record) == 1
        assert client.forge.draft(record, []).comment_count == 0

    def test_states_and_times_of_gitee(self, server):
        server.gitee("team/tool", issues=4, comments=0, pulls_every=0)
        with asking(server, "gitee") as client:
            records = client.page("issues", client.forge.issues_url("team/tool")).records
            drafts = [client.forge.draft(record) for record in records]
        assert records[0]["created_at"] == "2024-01-01T08:00:00+08:00"
        assert [(draft.state, draft.state_reason) for draft in drafts] == [
            ("progressing", "进行中"), ("closed", "已完成"), ("rejected", "已拒绝"), ("open", "待办的"),
        ]  # fmt: skip
        assert drafts[0].created_at == datetime(2024, 1, 1, tzinfo=UTC)
        assert drafts[1].closed_at == datetime(2024, 1, 1, 10, tzinfo=UTC)

    def test_gitee_names_the_issue_of_a_comment_by_its_id_only(self, server):
        server.gitee_side.names_issue_by_id = True
        repository = server.gitee("team/tool", issues=5, comments=1)
        with asking(server, "gitee") as client:
            forge = client.forge
            numbers = {
                f"id:{forge.id(record)}": forge.number(record)
                for record in walked(client, "issues", forge.issues_url("team/tool"))
            }
            comments = walked(client, "comments", forge.comments_url("team/tool"))
        found = [numbers.get(forge.number_of_comment(comment), "") for comment in comments]
        truth = [
            comment.number for comment in sorted(repository.comments.values(), key=lambda one: one.created_at)
        ]
        assert found == ["" if number.startswith("!") else number for number in truth]
