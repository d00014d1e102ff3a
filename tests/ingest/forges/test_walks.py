"""Under every fault, and under all of them: what is found is what is there, or the missing page is named."""

from itertools import pairwise

import pytest

from core.fetch.fetcher import Fetcher
from ingest.forges.client import ForgeClient, Patience
from ingest.forges.gitee import Gitee
from ingest.forges.pages import Moved, PageMissing, RepositoryGone, TokenRefused
from tests.forges import ForgeServer
from tests.ingest.forges.walking import PATIENT, QUICK, TOKENS, asking, everything, forge_of, truth, walked

FORGES = ["github", "gitee"]
ONCE = [
    "secondary", "secondary_dated", "secondary_bare", "429_bare", "primary", "busy", "500", "502", "503", "504", "cut_json",
    "html", "html_403", "empty", "null", "object", "texts", "unnumbered", "deep", "empty_page", "unlinked",
    "link_elsewhere", "reset", "truncated",
]  # fmt: skip
SLOW = ["hang", "drip"]


@pytest.fixture
def server():
    with ForgeServer(patience=0.3) as server:
        yield server


def _same(server, name, repository, **more):
    """Walks all; the result and the truth are equal, and nothing was asked when the server had said to wait."""
    with asking(server, name, **more) as client:
        assert everything(client, repository.path) == truth(repository)
    assert server.violations == []


@pytest.mark.parametrize("name", FORGES)
def test_without_a_fault_each_page_is_asked_for_once(server, name):
    repository = server.add(name, "team/tool", issues=230, comments=2)
    _same(server, name, repository)
    pages = {"github": {"issues": 3, "comments": 3}, "gitee": {"issues": 3, "pulls": 1, "comments": 3}}
    assert server.asked == pages[name]


@pytest.mark.parametrize("name", FORGES)
@pytest.mark.parametrize("fault", [*ONCE, *SLOW])
@pytest.mark.slow(cases=8)
def test_a_fault_once_on_each_list(server, name, fault):
    repository = server.add(name, "team/tool", issues=120, comments=2)
    for kind in ("issues", "comments"):
        for nth in (1, 2):
            server.faults.add(fault, kind=kind, nth={nth}, times=1)
    # A fault on page 1 shifts page 2: the second rule of a list meets a later request.
    _same(server, name, repository, limits=QUICK if fault in SLOW else PATIENT)
    assert all(rule.met == 1 for rule in server.faults.rules)


@pytest.mark.parametrize("name", FORGES)
def test_all_faults_one_after_another(server, name):
    repository = server.add(name, "team/tool", issues=900, comments=2)
    for nth, fault in enumerate(ONCE):
        server.faults.add(fault, at=2 + 3 * nth, times=1)
    _same(server, name, repository, tokens=TOKENS, patience=Patience(faults=12))
    met = {rule.fault for rule in server.faults.rules if rule.met}
    assert len(met) > len(ONCE) * 0.4


@pytest.mark.parametrize("name", FORGES)
def test_every_second_answer_is_a_fault(server, name):
    """All kinds in turn, on two thirds of the requests of a long walk."""
    repository = server.add(name, "team/tool", issues=1100, comments=1)
    lasting = [fault for fault in ONCE if fault not in {"unlinked", "empty_page"}]
    for nth, fault in enumerate(lasting):
        server.faults.add(fault, at=range(1 + 2 * nth, 2000, 2 * len(lasting)), times=None)
    _same(server, name, repository)
    assert sum(rule.met for rule in server.faults.rules) > 20


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("502", "status 502"), ("html", "a web page came instead of JSON"), ("empty", "the answer is empty"),
        ("cut_json", "the JSON cannot be read"), ("object", "a list was expected, not dict"), ("null", "a list was expected"),
        ("texts", "a record is no object"), ("unnumbered", "a time cannot be read"), ("deep", "the JSON cannot be read"),
        ("reset", ""), ("truncated", ""), ("html_403", "status 403"), ("422", "status 422: Validation Failed"),
        ("redirect_elsewhere", "redirected to another host"), ("moved_elsewhere", "redirected to another host"),
        ("link_elsewhere", "its next page is on another host"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", FORGES)
@pytest.mark.slow(cases=8)
def test_a_fault_that_stays_names_the_missing_page(server, name, fault, cause):
    repository = server.add(name, "team/tool", issues=300, comments=0, pulls_every=0)
    with asking(server, name) as client:
        second = client.page("issues", client.forge.issues_url(repository.path)).next
        server.faults.add(fault, when=lambda seen: seen.query.get("page") == "2", times=None)
        with pytest.raises(PageMissing) as missing:
            walked(client, "issues", client.forge.issues_url(repository.path))
    assert missing.value.url == second
    assert cause in missing.value.cause
    assert "0123456789" not in str(missing.value)
    # Asked for a few times, with longer and longer waits, or not again where that is no use.
    tries = [seen.at for seen in server.seen if seen.query.get("page") == "2"]
    waits = [(later - earlier).total_seconds() for earlier, later in pairwise(tries)]
    useless = {"422", "redirect_elsewhere", "moved_elsewhere"}
    assert waits == ([] if fault in useless else pytest.approx([1, 2, 4, 8, 16], abs=1))


class TestLinks:
    @pytest.mark.parametrize("name", FORGES)
    def test_lost_links_lose_no_page(self, server, name):
        """Without any link the number of the next page is built; at a cursor nothing is: the page is missing."""
        repository = server.add(name, "team/tool", issues=230, comments=0, pulls_every=0)
        server.github_side.is_by_cursor = False
        server.faults.add("unlinked", times=None)
        with asking(server, name) as client:
            found = walked(client, "issues", client.forge.issues_url(repository.path))
        assert {client.forge.number(record) for record in found} == repository.truth().keys()

    def test_lost_links_behind_a_cursor_name_the_page(self, server):
        repository = server.github("team/tool", issues=330, comments=0, pulls_every=0)
        server.faults.add("unlinked", when=lambda seen: "after" in seen.query, times=None)
        with (
            asking(server) as client,
            pytest.raises(PageMissing, match="says nothing of a next page") as missing,
        ):
            walked(client, "issues", client.forge.issues_url(repository.path))
        assert "page=2&after=" in missing.value.url

    def test_a_repository_of_exactly_one_page(self, server):
        repository = server.github("team/tool", issues=100, comments=0, pulls_every=0)
        with asking(server) as client:
            assert len(walked(client, "issues", client.forge.issues_url(repository.path))) == 100

    @pytest.mark.parametrize("name", FORGES)
    def test_empty_pages_are_followed(self, server, name):
        """A forge takes out what a token may not see only after it has cut the pages."""
        repository = server.add(name, "team/tool", issues=530, comments=0, pulls_every=0)
        server.faults.add("empty_page", when=lambda seen: seen.query.get("page") in {"2", "3"}, times=None)
        with asking(server, name) as client:
            found = walked(client, "issues", client.forge.issues_url(repository.path))
        assert len(found) == 330
        assert {client.forge.number(record) for record in found} <= repository.truth().keys()

    def test_empty_pages_without_end_are_not(self, server):
        repository = server.github("team/tool", issues=10)
        server.faults.add("empty_page", times=None)
        with asking(server) as client, pytest.raises(PageMissing, match="21 empty pages in a row"):
            walked(client, "issues", client.forge.issues_url(repository.path))

    @pytest.mark.parametrize("is_by_cursor", [True, False])
    def test_a_cap_on_pages_is_passed_by_links(self, server, is_by_cursor):
        repository = server.github("team/tool", issues=700, comments=0, pulls_every=0)
        server.github_side.page_cap = 3
        server.github_side.is_by_cursor = is_by_cursor
        with asking(server) as client:
            forge = client.forge
            assert len(walked(client, "issues", forge.issues_url(repository.path))) == 700
            with pytest.raises(PageMissing, match="status 422: Pagination with the page parameter"):
                client.page("issues", forge.issues_url(repository.path) + "&page=4")
        assert len(server.seen) == 8


class TestWhileWalking:
    @pytest.mark.parametrize("name", FORGES)
    def test_new_and_edited_issues(self, server, name):
        repository = server.add(name, "team/tool", issues=230, comments=0, pulls_every=0)
        numbers = list(repository.truth())
        server.before(2, lambda: repository.add(body="new"))
        server.before(2, lambda: repository.edit(numbers[0], "edited behind the walk"))
        server.before(2, lambda: repository.edit(numbers[-1], "edited before the walk"))
        begin = server.clock.now()
        with asking(server, name) as client:
            forge = client.forge
            found = walked(client, "issues", forge.issues_url(repository.path))
            assert {forge.number(record) for record in found} == repository.truth().keys()
            # The closing pass: what changed since the walk began.
            changed = walked(client, "issues", forge.issues_url(repository.path, since=begin))
        bodies = {forge.number(record): record["body"] for record in [*found, *changed]}
        assert bodies == {number: issue.body for number, issue in repository.truth().items()}
        assert len(changed) == 3

    def test_deleted_and_transferred_issues_shift_no_page_of_cursors(self, server):
        repository, other = (
            server.github("team/tool", issues=330, comments=1),
            server.github("team/other", issues=3),
        )
        server.before(2, lambda: repository.delete("5"))
        server.before(3, lambda: repository.delete("150", to="team/other#2"))
        with asking(server) as client:
            found = walked(client, "issues", client.forge.issues_url(repository.path))
            numbers = {client.forge.number(record) for record in found}
            assert numbers - repository.truth().keys() == {"5", "150"}
            assert repository.truth().keys() <= numbers
        assert other.truth()

    def test_shifted_pages_of_numbers_leave_a_gap_that_the_numbers_show(self, server):
        """By page number a deletion hides the issue that slips to the page before. GitHub's numbers have no gaps but for
        what was deleted, so the missing ones can be asked for.
        """
        server.github_side.is_by_cursor = False
        repository = server.github("team/tool", issues=250, comments=0)
        server.before(2, lambda: repository.delete("5"))
        with asking(server) as client:
            forge = client.forge
            found = {
                forge.number(record) for record in walked(client, "issues", forge.issues_url(repository.path))
            }
            missing = [
                str(number) for number in range(1, len(repository.issues) + 1) if str(number) not in found
            ]
            assert missing == ["101"]

    def test_shifted_pages_of_gitee_show_in_the_total(self, server):
        """Its numbers have gaps, but each page says how many there are: a total that falls means that a page was shifted."""
        repository = server.gitee("team/tool", issues=250, comments=0, pulls_every=0)
        second = list(repository.truth())[1]
        server.before(2, lambda: repository.delete(second))
        totals, found, url = [], 0, Gitee(server.gitee_base).issues_url("team/tool")
        with asking(server, "gitee") as client:
            while url:
                page = client.page("issues", url)
                totals.append(page.total)
                found, url = found + len(page.records), page.next
        assert totals == [250, 249, 249]
        assert found == 249, "and one of them is the deleted one"


class TestRepositories:
    def test_a_renamed_repository(self, server):
        repository = server.github("team/old", issues=150, comments=0)
        server.rename(repository, "team/new")
        with asking(server) as client:
            with pytest.raises(Moved) as moved:
                client.page("issues", client.forge.issues_url("team/old"))
            assert moved.value.to_path == "team/new"
            assert "/repositories/1000/issues?" in moved.value.to_url
            assert client.repository("Team/OLD").path == "team/new"
            found = walked(client, "issues", moved.value.to_url)
            assert {client.forge.number(record) for record in found} == repository.truth().keys()

    def test_a_renamed_repository_on_gitee(self, server):
        repository = server.gitee("team/old", issues=150, comments=0)
        server.rename(repository, "team/new")
        with asking(server, "gitee") as client:
            with pytest.raises(Moved) as moved:
                client.page("issues", client.forge.issues_url("team/old"))
            assert moved.value.to_path == "team/new"
            assert "token" not in moved.value.to_url
            assert len(walked(client, "issues", moved.value.to_url)) == 150

    @pytest.mark.parametrize("name", FORGES)
    @pytest.mark.parametrize("status", [404, 410, 451])
    def test_a_repository_that_is_gone(self, server, name, status):
        repository = server.add(name, "team/tool", issues=3)
        repository.status = status
        with asking(server, name) as client:
            with pytest.raises(RepositoryGone) as gone:
                client.page("issues", client.forge.issues_url(repository.path))
            assert gone.value.status == status
            with pytest.raises(RepositoryGone):
                client.repository(repository.path)
        assert len(server.seen) == 2, "asking again is no help"

    @pytest.mark.parametrize("name", FORGES)
    def test_facts(self, server, name):
        repository = server.add(name, "team/tool", issues=12)
        with asking(server, name) as client:
            facts = client.repository("TEAM/tool")
        assert (facts.path, facts.is_private, facts.has_issues) == ("team/tool", False, True)
        assert facts.open_issues > 0
        assert repository.path == facts.path

    def test_a_repository_that_does_not_exist(self, server):
        with asking(server) as client, pytest.raises(RepositoryGone):
            client.page("issues", client.forge.issues_url("no/such"))


class TestNotModified:
    def test_an_unchanged_page_is_none(self, server):
        repository = server.github("team/tool", issues=150, comments=0)
        with asking(server) as client:
            url = client.forge.issues_url(repository.path)
            page = client.page("issues", url)
            assert page.etag
            assert client.page("issues", url, page.etag) is None
            repository.edit("5", "changed")
            changed = client.page("issues", url, page.etag)
            assert changed.sha256 != page.sha256
            assert changed.records[4]["body"] == "changed"

    def test_a_fault_is_not_taken_for_unchanged(self, server):
        repository = server.github("team/tool", issues=50, comments=0)
        with asking(server) as client:
            url = client.forge.issues_url(repository.path)
            page = client.page("issues", url)
            for fault in ("502", "html", "empty", "secondary"):
                server.faults.add(fault)
            assert client.page("issues", url, page.etag) is None
        assert server.violations == []


class TestTokens:
    def test_a_refused_token_is_set_aside(self, server):
        repository = server.github("team/tool", issues=250, comments=0)
        server.tokens = {TOKENS[1].secret.reveal()}
        with asking(server, tokens=TOKENS[:2]) as client:
            assert len(walked(client, "issues", client.forge.issues_url(repository.path))) == len(
                repository.truth()
            )
        assert [seen.token.partition("_")[0] for seen in server.seen] == [
            "first",
            "second",
            "second",
            "second",
            "second",
        ]

    @pytest.mark.parametrize("name", FORGES)
    def test_all_refused(self, server, name):
        repository = server.add(name, "team/tool", issues=5)
        server.tokens = set()
        with asking(server, name, tokens=TOKENS[:2]) as client, pytest.raises(TokenRefused) as refused:
            client.page("issues", client.forge.issues_url(repository.path))
        assert refused.value.names == ("first", "second")
        assert len(server.seen) == 2

    def test_without_a_token(self, server):
        repository = server.github("team/tool", issues=5)
        with asking(server, tokens=[]) as client:
            assert client.page("issues", client.forge.issues_url(repository.path)).records
            server.tokens = set()
            with pytest.raises(TokenRefused, match="without a token"):
                client.page("issues", client.forge.issues_url(repository.path))

    def test_no_rights_is_not_asked_for_ever(self, server):
        repository = server.github("team/tool", issues=5)
        server.faults.add("no_rights", token=TOKENS[0].secret.reveal(), times=None)
        with asking(server, tokens=TOKENS[:2]) as client:
            assert client.page("issues", client.forge.issues_url(repository.path)).records
            server.faults.add("no_rights", times=None)
            with pytest.raises(RepositoryGone) as gone:
                client.page("issues", client.forge.issues_url(repository.path))
        assert gone.value.status == 403
        assert len(server.seen) == 4

    def test_a_used_up_token_rests_while_another_works(self, server):
        server.hourly = 3
        repository = server.github("team/tool", issues=700, comments=0)
        begin = server.clock.now()
        with asking(server, tokens=TOKENS) as client:
            found = walked(client, "issues", client.forge.issues_url(repository.path))
        assert len(found) == len(repository.truth())
        assert server.violations == []
        assert [seen.token.partition("_")[0] for seen in server.seen] == ["first"] * 3 + ["second"] * 3 + [
            "third"
        ] * 3
        assert server.clock.now() == begin, "nothing was waited for"

    def test_all_used_up_wait_for_the_first_that_is_ready(self, server):
        server.hourly = 2
        repository = server.github("team/tool", issues=700, comments=0)
        with asking(server, tokens=TOKENS[:2]) as client:
            found = walked(client, "issues", client.forge.issues_url(repository.path))
            assert client.waited > 3600
        assert len(found) == len(repository.truth())
        assert len(server.seen) == 9, "no request was refused"
        assert server.violations == []


def test_a_client_does_not_leave_its_forge(server):
    """Neither by an address that somebody gives it."""
    server.github("team/tool", issues=5)
    with Fetcher(["forge.corp"]) as fetcher:
        forge = forge_of(server, "github")
        client = ForgeClient(forge, fetcher, TOKENS, clock=server.clock.now, sleep=server.clock.sleep)
        for url in (
            "http://forge.corp/x",
            "https://evil.example.org/repos",
            server.url.replace("127.0.0.1", "localhost"),
        ):
            with pytest.raises(PageMissing, match="another host"):
                client.page("issues", url)
    assert server.seen == []
