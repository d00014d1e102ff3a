"""The walk over a repository: nothing is lost, and nothing is asked for twice."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from core.models import Job
from harvests.actions import quiet
from harvests.actions.walk_checks import told_of_comments
from harvests.models import HarvestPage
from ingest.models import Issue
from tests.harvests.harvesting import finished, plan, run, stored, token, truth
from tests.ingest.forges.walking import QUICK
from tests.long import only_long, sampled

pytestmark = pytest.mark.django_db

START, END = datetime(2024, 1, 15, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC)


def _outcomes(harvest):
    return [(row.outcome, row.trouble) for row in harvest.repositories.order_by("position")]


def _complete(server, harvest, *repositories, pulls=None, start=None, end=None, with_pulls=False):
    """The harvest ends, and has exactly what is there."""
    job = finished(harvest)
    assert (job.state, job.error) == (Job.State.DONE, "")
    assert stored(harvest) == {
        one.path: truth(
            one, start, end, pulls=one.forge == "github" if pulls is None else pulls, with_pulls=with_pulls
        )
        for one in repositories
    }
    assert _outcomes(harvest) == [("complete", "")] * len(repositories)
    assert server.violations == []


class TestWithoutFaults:
    def test_github(self, server, study):
        repository = server.github("team/tool", issues=230)
        token(server, study)
        _complete(server, plan(server, study, repository), repository)
        assert Issue.objects.count() == len(repository.truth(pulls=False))
        assert dict(server.asked) == {"count": 4, "issues": 4, "comments": 4}

    def test_gitee(self, server, study):
        repository = server.gitee("team/tool", issues=230)
        _complete(server, plan(server, study, repository), repository)
        # Gitee counts by a list of one.
        assert dict(server.asked) == {"issues": 6, "comments": 4}

    @pytest.mark.parametrize("forge", ["github", "gitee"])
    def test_a_window_ends_the_walk(self, server, study, forge):
        repository = server.add(forge, "team/tool", issues=1500, comments=0)
        for edge in (START, END):
            repository.add(at=edge - timedelta(seconds=1))
            repository.add(at=edge)
        harvest = plan(server, study, repository, opened_from=START, opened_before=END)
        _complete(server, harvest, repository, start=START, end=END)
        assert sum(seen.kind == "issues" for seen in server.seen) < 8
        kept = set(Issue.objects.values_list("number", flat=True))
        assert kept == repository.truth(START, END, pulls=False).keys()

    @pytest.mark.parametrize("forge", ["github", "gitee"])
    def test_with_pull_requests(self, server, study, forge):
        repository = server.add(forge, "team/tool", issues=130)
        harvest = plan(server, study, repository, with_pull_requests=True)
        _complete(server, harvest, repository, pulls=True, with_pulls=forge == "github")
        assert Issue.objects.filter(is_pull_request=True).count() == len(repository.truth(pulls=True))
        assert Issue.objects.count() == len(repository.truth())

    @pytest.mark.parametrize("forge", ["github", "gitee"])
    def test_without_comments(self, server, study, forge):
        repository = server.add(forge, "team/tool", issues=130)
        harvest = plan(server, study, repository, with_comments=False)
        job = finished(harvest)
        assert job.state == Job.State.DONE
        assert not any(seen.kind == "comments" for seen in server.seen)
        found = {
            issue.number: issue.current.comment_count for issue in Issue.objects.select_related("current")
        }
        assert found == {
            number: len(repository.comments_of(number)) for number in repository.truth(pulls=False)
        }

    def test_the_journal_tells_every_page(self, server, study):
        repository = server.github("team/tool", issues=130)
        harvest = plan(server, study, repository)
        _complete(server, harvest, repository)
        base = f"{server.github_base}/repos/team/tool"
        pages = list(HarvestPage.objects.order_by("position"))
        assert [(page.phase, page.records, page.status) for page in pages] == [
            ("listing", 100, 200), ("listing", 62, 200), ("comments", 100, 200), ("comments", 62, 200),
            ("closing", 0, 200), ("late_comments", 0, 200),
        ]  # fmt: skip
        assert [page.position for page in pages] == [1, 2, 3, 4, 5, 6]
        assert pages[0].url == f"{base}/issues?state=all&sort=created&direction=asc&per_page=100"
        assert pages[0].next_url == pages[1].url
        assert pages[4].url.endswith("&since=2026-01-15T11:00:00Z")
        assert all(len(page.sha256) == 64 and page.etag for page in pages)

    def test_several_repositories_of_both_forges(self, server, study):
        repositories = [
            server.github("team/tool", issues=130), server.gitee("team/tool", issues=120),
            server.github("team/empty", issues=0),
        ]  # fmt: skip
        harvest = plan(server, study, *repositories)
        job = finished(harvest)
        assert job.state == Job.State.DONE
        found = {(row.host, row.path): row for row in harvest.repositories.all()}
        assert [row.outcome for row in found.values()] == ["complete"] * 3
        assert Issue.objects.count() == 250

    def test_a_key_that_is_null_makes_no_pull_request(self, server, study):
        server.github_side.has_null_key = True
        repository = server.github("team/tool", issues=30)
        _complete(server, plan(server, study, repository), repository)

    def test_older_comments_of_gitee_name_their_issue_by_its_id(self, server, study):
        server.gitee_side.names_issue_by_id = True
        repository = server.gitee("team/tool", issues=130)
        _complete(server, plan(server, study, repository), repository)
        assert not any(seen.kind == "comments_of" for seen in server.seen)


ONCE = [
    "secondary", "secondary_dated", "secondary_bare", "429_bare", "primary", "busy", "500", "502", "503", "504", "cut_json",
    "html", "html_403", "empty", "null", "object", "texts", "unnumbered", "deep", "empty_page", "unlinked",
    "link_elsewhere", "reset", "truncated",
]  # fmt: skip
# As many as a long run takes, in turn over both forges.
PAIRS = [(fault, forge) for fault in ONCE for forge in ("github", "gitee")]


CAUSES = {
    "502": "status 502", "html": "a web page came instead of JSON", "404": "status 404",
    "422": "status 422: Validation Failed", "no_rights": "status 403",
    "redirect_elsewhere": "redirected to another host",
}  # fmt: skip
LASTING = [
    (fault, cause, kind, forge)
    for fault, cause in CAUSES.items()
    for kind in ("issues", "comments")
    for forge in ("github", "gitee")
]


class TestUnderFaults:
    @pytest.mark.parametrize(("fault", "forge"), PAIRS[:: sampled(1, 3)])
    @pytest.mark.slow(cases=4)
    def test_once_on_each_list(self, server, study, forge, fault):
        repository = server.add(forge, "team/tool", issues=120)
        token(server, study)
        for kind in ("issues", "comments"):
            server.faults.add(fault, kind=kind, nth={2}, times=1)
        _complete(server, plan(server, study, repository), repository)
        assert all(rule.met == 1 for rule in server.faults.rules)

    @pytest.mark.slow
    @pytest.mark.parametrize("forge", ["github", "gitee"])
    def test_answers_that_do_not_end_are_asked_for_again(self, server, study, forge, monkeypatch):
        """One hangs, another one drips; the platform waits as short as a test can."""
        monkeypatch.setattr(quiet, "asking", partial(quiet.asking, limits=QUICK))
        repository = server.add(forge, "team/tool", issues=120)
        token(server, study)
        server.faults.add("hang", kind="issues", nth={2}, times=1)
        server.faults.add("drip", kind="comments", nth={1}, times=1)
        _complete(server, plan(server, study, repository), repository)
        assert [rule.met for rule in server.faults.rules] == [1, 1]

    @pytest.mark.slow
    @pytest.mark.parametrize("forge", ["github", "gitee"])
    @only_long
    def test_all_of_them(self, server, study, forge):
        repository = server.add(forge, "team/tool", issues=700)
        token(server, study)
        lasting = [fault for fault in ONCE if fault not in {"unlinked", "empty_page"}]
        for nth, fault in enumerate(lasting):
            server.faults.add(fault, at=range(1 + 2 * nth, 2000, 2 * len(lasting)), times=None)
        _complete(server, plan(server, study, repository), repository)
        assert sum(rule.met for rule in server.faults.rules) > 18

    @pytest.mark.slow
    @pytest.mark.parametrize(("fault", "cause", "kind", "forge"), LASTING[:: sampled(1, 3)])
    def test_one_that_lasts_names_the_page(self, server, study, forge, fault, cause, kind):
        """The other repository is fetched; later the walk goes on at the page that is missing."""
        repository = server.add(forge, "team/tool", issues=120)
        other = server.add(forge, "team/other", issues=20)
        token(server, study)
        server.faults.add(
            fault, when=lambda seen: seen.kind == kind and "/team/tool/" in seen.path and _page(seen) == 2,
            times=None,
        )  # fmt: skip
        harvest = plan(server, study, repository, other)
        job = finished(harvest)
        row = harvest.repositories.get(position=1)
        assert job.state == Job.State.FAILED
        assert (row.phase, row.outcome, row.missing_url) == (
            "listing" if kind == "issues" else "comments", "", row.next_url
        )  # fmt: skip
        assert row.trouble == f"{row.missing_url} could not be fetched: {cause}."
        assert f"team/tool: {row.trouble}" in job.error
        assert "page=2" in row.missing_url
        assert stored(harvest)["team/other"] == truth(other, pulls=forge == "github")
        kept = {issue.repository.path for issue in Issue.objects.select_related("repository")}
        assert kept == {"team/other"}, "what is not complete is not chosen from"

        server.faults.rules.clear()
        server.forget()
        _complete(server, harvest, repository, other)
        assert not any(
            seen.kind == "issues" and _page(seen) == 1 and "since" not in seen.query
            for seen in server.seen
            if forge == "github"
        )

    @pytest.mark.slow
    @pytest.mark.parametrize("forge", ["github", "gitee"])
    def test_pages_in_a_circle_end(self, server, study, forge):
        """Each page has a next one, and none is the last."""
        server.github_side.is_by_cursor = False
        repository = server.add(forge, "team/tool", issues=120)
        token(server, study)
        server.faults.add("circle", kind="issues", times=None)
        harvest = plan(server, study, repository)
        job = finished(harvest)
        row = harvest.repositories.get()
        assert (job.state, row.outcome, row.phase) == (Job.State.FAILED, "", "listing")
        assert row.trouble == f"{row.missing_url} could not be fetched: its pages go round in a circle."
        assert len(server.seen) < 40
        server.faults.rules.clear()
        _complete(server, harvest, repository)

    @pytest.mark.parametrize(
        ("forge", "fault", "cause"),
        [
            ("github", "huge_id", "a record has no id"), ("gitee", "huge_id", "a record has no id"),
            ("github", "huge_number", "a record has no number"),
        ],
    )  # fmt: skip
    def test_numbers_that_no_forge_has(self, server, study, forge, fault, cause):
        repository = server.add(forge, "team/tool", issues=20)
        server.faults.add(fault, kind="issues", when=lambda seen: "created_at" not in seen.query, times=None)
        harvest = plan(server, study, repository)
        job = finished(harvest)
        row = harvest.repositories.get()
        assert (job.state, row.trouble) == (
            Job.State.FAILED, f"{row.missing_url} could not be fetched: {cause}."
        )  # fmt: skip

    @pytest.mark.parametrize("forge", ["github", "gitee"])
    def test_refused_tokens(self, server, study, forge):
        repository = server.add(forge, "team/tool", issues=20)
        kept = token(server, study)
        server.tokens = {"another"}
        harvest = plan(server, study, repository)
        job = run(harvest)
        assert job.state == Job.State.FAILED
        assert f"The forge refused mine (#{kept.pk}). Add a valid token." in job.error
        kept.refresh_from_db()
        assert kept.refused_at == server.clock.now()
        token(server, study, "another_0123456789", "good")
        server.tokens = {"another_0123456789"}
        _complete(server, harvest, repository)
        assert server.seen[-1].token == "another_0123456789"
        assert sum(seen.token != "another_0123456789" for seen in server.seen) == 1, "it was asked for once"

    @pytest.mark.slow
    @pytest.mark.parametrize("forge", ["github", "gitee"])
    @pytest.mark.parametrize("status", [404, 410, 451])
    def test_a_repository_that_is_gone(self, server, study, forge, status):
        gone = server.add(forge, "team/gone", issues=3)
        gone.status = status
        repository = server.add(forge, "team/tool", issues=20)
        harvest = plan(server, study, gone, repository)
        job = finished(harvest)
        assert (job.state, job.error) == (Job.State.DONE, "")
        rows = harvest.repositories.order_by("position")
        assert [row.outcome for row in rows] == ["gone", "complete"]
        assert f"The forge answered {status} to {rows[0].base_url}/repos/team/gone" in rows[0].trouble
        # It may come back, or a token for it be added: a further start asks for it again.
        gone.status = 200
        _complete(server, harvest, gone, repository)

    def test_hidden_comments_are_told_and_asked_for_once(self, server, study):
        """A forge can count comments that it does not list."""
        repository = server.github("team/tool", issues=30)
        harvest = plan(server, study, repository)
        number = next(
            number for number, one in repository.truth(pulls=False).items() if repository.comments_of(number)
        )
        true = server.github_side._record

        def record(issue, where):
            found = true(issue, where)
            return found | {"comments": found["comments"] + 1} if issue.number == number else found

        server.github_side._record = record
        job = finished(harvest)
        row = harvest.repositories.get()
        assert (job.state, row.outcome, row.counted["short_of_comments"]) == (Job.State.DONE, "complete", 1)
        assert server.asked["comments_of"] == 1
        assert told_of_comments(row.counted) == "1 issue has fewer comments here than its forge counts."
        assert told_of_comments({}) == ""

    @pytest.mark.slow
    @pytest.mark.parametrize("forge", ["github", "gitee"])
    def test_all_of_them_while_it_changes(self, server, study, forge):
        """Every second answer is a fault, pages have numbers up to a cap, and issues are edited, deleted, commented, moved
        and opened between pages; the repository is renamed.
        """
        server.github_side.is_by_cursor = False
        server.github_side.page_cap = 5
        repository = server.add(
            forge, "team/tool", issues=640, comments=2, pulls_every=0 if forge == "gitee" else 5
        )
        there = server.add(forge, "team/there", issues=3)
        for name in ("first", "second"):
            token(server, study, f"{name}_0123456789abcdef", name)
        lasting = [fault for fault in ONCE if fault not in {"unlinked", "empty_page"}]
        for nth, fault in enumerate(lasting):
            server.faults.add(fault, at=range(2 + 2 * nth, 3000, 2 * len(lasting)), times=None)
        numbers = list(repository.truth(pulls=False))
        begin = server.clock.now()

        def happens(nth):
            repository.delete(numbers[nth])
            repository.delete(numbers[300 + nth], f"team/there#{next(iter(there.issues))}")
            repository.edit(numbers[100 + nth], f"edited {nth}")
            repository.comment(numbers[200 + nth], f"late {nth}")
            repository.add(comments=1)

        for nth in range(12):
            at = 4 + 5 * nth
            server.before(at, lambda nth=nth: happens(nth))
        server.before(31, lambda: server.rename(repository, "team/renamed"))
        harvest = plan(server, study, repository)
        job = finished(harvest)
        row = harvest.repositories.get()
        assert (job.state, job.error, row.outcome, row.trouble) == (Job.State.DONE, "", "complete", "")
        end = row.started_at.replace(microsecond=0)
        assert begin <= end
        assert stored(harvest) == {"team/tool": truth(repository, None, end, pulls=forge == "github")}
        assert (
            set(Issue.objects.values_list("number", flat=True))
            == repository.truth(None, end, pulls=False).keys()
        )
        assert server.violations == []


def _page(seen):
    return int(seen.query.get("page", "1"))


@pytest.mark.slow
class TestWhileItChanges:
    """Things happen on the forge between two pages."""

    @pytest.fixture(params=["github by numbers", "github by cursors", "gitee"])
    def repository(self, request, server, study):
        server.github_side.is_by_cursor = request.param == "github by cursors"
        forge = request.param.partition(" ")[0]
        token(server, study)
        return server.add(
            forge, "team/tool", issues=260, comments=1, pulls_every=0 if forge == "gitee" else 4
        )

    @staticmethod
    def _before_page(server, number, act, kind="issues"):
        server.before(lambda seen: seen.kind == kind and _page(seen) == number, act)

    def test_an_issue_is_deleted(self, server, study, repository):
        first = next(iter(repository.truth(pulls=False)))
        self._before_page(server, 2, lambda: repository.delete(first))
        harvest = plan(server, study, repository)
        _complete(server, harvest, repository)
        assert not Issue.objects.filter(number=first).exists()

    @only_long
    def test_several_are_deleted_and_others_come(self, server, study, repository):
        numbers = list(repository.truth(pulls=False))

        def act():
            for number in numbers[3:8]:
                repository.delete(number)
            repository.add(comments=2)

        self._before_page(server, 3, act)
        harvest = plan(server, study, repository)
        begin = server.clock.now()
        _complete(server, harvest, repository, end=begin)

    def test_one_is_deleted_while_comments_are_listed(self, server, study, repository):
        numbers = [number for number in repository.truth(pulls=False) if repository.comments_of(number)]
        self._before_page(server, 2, lambda: repository.delete(numbers[0]), "comments")
        _complete(server, plan(server, study, repository), repository)

    def test_one_is_transferred(self, server, study, repository):
        there = server.add(repository.forge, "team/there", issues=3)
        number = list(repository.truth(pulls=False))[5]
        to = f"team/there#{next(iter(there.issues))}"
        self._before_page(server, 2, lambda: repository.delete(number, to))
        _complete(server, plan(server, study, repository), repository)

    def test_one_is_edited_and_one_gets_a_comment(self, server, study, repository):
        numbers = list(repository.truth(pulls=False))

        def act():
            server.clock.sleep(60)
            repository.edit(numbers[0], "another text")
            repository.comment(numbers[1], "a late comment")

        self._before_page(server, 2, act, "comments")
        harvest = plan(server, study, repository)
        _complete(server, harvest, repository)
        assert Issue.objects.get(number=numbers[0]).current.body == "another text"
        assert Issue.objects.get(number=numbers[1]).current.comments[-1]["body"] == "a late comment"

    def test_a_new_one_is_after_the_window(self, server, study, repository):
        """A window without an end ends where the walk began."""
        before = repository.truth(pulls=False).keys()

        def act():
            server.clock.sleep(60)
            repository.add(comments=1)

        self._before_page(server, 2, act)
        harvest = plan(server, study, repository)
        begin = server.clock.now()
        _complete(server, harvest, repository, end=begin)
        assert set(Issue.objects.values_list("number", flat=True)) == set(before)

    def test_the_repository_is_renamed(self, server, study, repository):
        self._before_page(server, 3, lambda: server.rename(repository, "team/renamed"))
        harvest = plan(server, study, repository)
        job = finished(harvest)
        assert (job.state, job.error) == (Job.State.DONE, "")
        assert stored(harvest) == {"team/tool": truth(repository, pulls=repository.forge == "github")}
        assert harvest.repositories.get().moved_to == "team/renamed"
        listed = [
            _page(seen)
            for seen in server.seen
            if seen.kind == "issues" and "since" not in seen.query and "created_at" not in seen.query
        ]
        assert listed == [1, 2, 3, *range(3, max(listed) + 1)], "no page was listed twice"

    def test_it_was_renamed_before(self, server, study, repository):
        harvest = plan(server, study, repository)
        server.rename(repository, "team/renamed")
        job = finished(harvest)
        assert (job.state, job.error) == (Job.State.DONE, "")
        assert stored(harvest) == {"team/tool": truth(repository, pulls=repository.forge == "github")}
