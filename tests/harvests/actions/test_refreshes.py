"""Refreshes: only what changed is fetched, kept beside what is frozen, and nothing in use changes."""

import re
from datetime import UTC, datetime

import pytest
from django.urls import reverse

from core import jobs
from core.models import Job
from harvests import actions
from harvests.errors import HarvestUnfinished
from harvests.models import HarvestedIssue, HarvestPage
from ingest.models import Issue, Snapshot
from studies.models import Role
from tests.factories import make_member, make_version
from tests.harvests.harvesting import finished, plan, run, token
from tests.worlds.pages import client
from tests.worlds.world import World

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["github", "gitee"])
def repository(request, server, study):
    token(server, study)
    return server.add(request.param, "team/tool", issues=230, comments=1)


@pytest.fixture
def harvest(server, study, repository):
    harvest = plan(server, study, repository)
    assert finished(harvest).state == Job.State.DONE
    server.clock.sleep(86_400)
    server.forget()
    return harvest


def _refreshed(harvest):
    refresh = actions.refresh_harvest(harvest=harvest, by=None, rings=False)
    from core import jobs

    refresh.run.refresh_from_db()
    job = jobs.run(refresh.run.job.pk)
    refresh.refresh_from_db()
    while refresh.resume_at:
        job = finished(refresh)
        refresh.refresh_from_db()
    refresh.run.refresh_from_db()
    return refresh, job


class TestUnchanged:
    @pytest.mark.slow
    def test_takes_few_requests(self, server, harvest, repository):
        texts = set(Snapshot.objects.values_list("pk", flat=True))
        refresh, job = _refreshed(harvest)
        assert (job.state, refresh.refreshes) == (Job.State.DONE, harvest)
        assert len(server.seen) <= 5
        assert refresh.run.counts == {
            "complete": True, "listed": 0, "matched": 0, "kept": 0, "unchanged": 230,
        }  # fmt: skip
        assert set(Snapshot.objects.values_list("pk", flat=True)) == texts
        assert [row.outcome for row in refresh.repositories.all()] == ["complete"]

    @pytest.mark.slow
    def test_the_forge_can_say_that_it_is_the_same(self, server, harvest, repository):
        """From the second time on the same is asked for as before, with its ETag."""
        _refreshed(harvest)
        server.clock.sleep(86_400)
        second, _job = _refreshed(harvest)
        server.clock.sleep(86_400)
        server.forget()
        third, job = _refreshed(second)
        assert (job.state, third.refreshes) == (Job.State.DONE, harvest)
        asked = {seen.kind: "if-none-match" in seen.headers for seen in server.seen if "since" in seen.query}
        assert asked == {"issues": repository.forge == "github", "comments": repository.forge == "github"}
        pages = HarvestPage.objects.filter(repository__harvest=third)
        statuses = set(pages.values_list("status", flat=True))
        assert statuses == ({304} if repository.forge == "github" else {200})


class TestChanged:
    @pytest.mark.slow
    def test_is_kept_beside_what_is_frozen(self, server, harvest, repository):
        edited, commented, closed = list(repository.truth(pulls=False))[:3]
        frozen = dict(Issue.objects.values_list("number", "current"))
        repository.edit(edited, "quite another text")
        repository.comment(commented, "me too")
        repository.issues[closed].updated_at = server.clock.now()  # a subscription, which no text shows
        new = repository.add(comments=1)
        server.clock.sleep(60)
        refresh, job = _refreshed(harvest)
        assert job.state == Job.State.DONE
        counts = refresh.run.counts
        assert (counts["new"], counts["changed"], counts["known"], counts["unchanged"]) == (1, 2, 1, 228)
        now = dict(Issue.objects.values_list("number", "current"))
        assert {number: pk for number, pk in now.items() if number != new.number} == frozen
        texts = Snapshot.objects.filter(issue__number=edited).order_by("pk")
        assert [text.body for text in texts][1:] == ["quite another text"]
        last = Snapshot.objects.filter(issue__number=commented).latest("pk")
        assert last.comments[-1]["body"] == "me too"
        assert Snapshot.objects.filter(issue__number=closed).count() == 1
        assert (
            Issue.objects.get(number=new.number).current.comments[0]["body"]
            == repository.comments_of(new.number)[0].body
        )
        assert len(server.seen) <= 5

    @pytest.mark.slow
    def test_a_second_refresh_changes_nothing(self, server, harvest, repository):
        repository.edit(next(iter(repository.truth(pulls=False))), "quite another text")
        _refreshed(harvest)
        texts = Snapshot.objects.count()
        refresh, _job = _refreshed(harvest)
        counts = refresh.run.counts
        assert (counts.get("new"), counts.get("changed"), counts["known"]) == (None, None, 1)
        assert Snapshot.objects.count() == texts

    @pytest.mark.slow
    def test_what_is_gone_from_the_forge_stays_in_the_study(self, server, harvest, repository):
        gone = next(iter(repository.truth(pulls=False)))
        repository.delete(gone)
        refresh, job = _refreshed(harvest)
        assert job.state == Job.State.DONE
        assert [row.outcome for row in refresh.repositories.all()] == ["complete"]
        row = HarvestedIssue.objects.get(number=gone)
        assert (row.outcome, row.vanished_at) == ("kept", server.clock.now())
        assert Issue.objects.get(number=gone).current is not None
        server.forget()
        _refreshed(harvest)
        assert len(server.seen) <= 5, "it is looked for once"

    @pytest.mark.slow
    def test_an_issue_that_comes_back(self, server, harvest, repository):
        gone = next(iter(repository.truth(pulls=False)))
        repository.delete(gone)
        _refreshed(harvest)
        server.clock.sleep(86_400)
        repository.issues[gone].gone = ""
        repository._listed.clear()
        repository.edit(gone, "here again")
        refresh, _job = _refreshed(harvest)
        row = HarvestedIssue.objects.get(number=gone)
        assert (row.outcome, row.vanished_at) == ("kept", None)
        assert [one.outcome for one in refresh.repositories.all()] == ["complete"]


class TestInSeveralRuns:
    def test_what_came_before_a_page_was_missing_is_counted(self, server, study):
        """One repository is chosen from in the first run, the other one in the second."""
        near, far = (server.github(f"team/{name}", issues=20, pulls_every=0) for name in ("near", "far"))
        harvest = plan(server, study, near, far)
        finished(harvest)
        server.clock.sleep(86_400)
        for repository in (near, far):
            repository.add()
            repository.edit("1", "quite another text")
        server.clock.sleep(60)
        server.faults.add("502", when=lambda seen: "/team/far/issues" in seen.path, times=None)
        refresh, job = _refreshed(harvest)
        assert job.state == Job.State.FAILED
        assert refresh.run.counts == {}
        server.faults.rules.clear()
        assert finished(refresh).state == Job.State.DONE
        refresh.run.refresh_from_db()
        assert refresh.run.counts == {
            "complete": True, "listed": 4, "matched": 4, "kept": 4, "new": 2, "changed": 2, "unchanged": 38,
        }  # fmt: skip

    def test_a_selection_leaves_what_a_refresh_is_listing(self, server, study):
        """It is chosen with the refresh, when that has all of it."""
        near, far = (server.github(f"team/{name}", issues=20, pulls_every=0) for name in ("near", "far"))
        harvest = plan(server, study, near, far)
        finished(harvest)
        server.clock.sleep(86_400)
        far.add()
        near.add()
        server.clock.sleep(60)
        server.faults.add("502", when=lambda seen: "/team/far/issues/comments" in seen.path, times=None)
        refresh, _job = _refreshed(harvest)
        job = jobs.run(actions.select_issues(harvest=harvest, lists=[], by=None, rings=False).pk)
        assert (job.state, job.result["listed"]) == (Job.State.DONE, 41)
        assert not Issue.objects.filter(repository__path="team/far", number="21").exists()
        server.faults.rules.clear()
        finished(refresh)
        refresh.run.refresh_from_db()
        assert refresh.run.counts["new"] == 2

    def test_the_harvest_asked_again_keeps_what_a_refresh_brought(self, server, study):
        """Its window ends where it began; a refresh stored what came later."""
        repository = server.github("team/tool", issues=20, pulls_every=0)
        server.faults.add("incomplete", kind="count", times=None)
        harvest = plan(server, study, repository)
        finished(harvest)
        assert harvest.repositories.get().outcome == "unchecked"
        server.clock.sleep(86_400)
        new = repository.add(body="Came later")
        server.clock.sleep(60)
        _refreshed(harvest)
        server.faults.rules.clear()
        repository.delete("3")
        finished(harvest)
        row = HarvestedIssue.objects.get(number=new.number)
        assert (row.outcome, "Came later" in row.record) == ("kept", True)
        assert HarvestPage.objects.filter(repository__harvest=harvest, phase="again").exists()


class TestWhen:
    def test_not_before_all_is_fetched(self, server, study):
        harvest = plan(server, study, server.github("team/tool", issues=10))
        with pytest.raises(HarvestUnfinished):
            actions.refresh_harvest(harvest=harvest, by=None)
        run(harvest)
        refresh = actions.refresh_harvest(harvest=harvest, by=None, rings=False)
        for one in (harvest, refresh):
            with pytest.raises(HarvestUnfinished):
                actions.refresh_harvest(harvest=one, by=None)

    def test_the_window_stays(self, server, study):
        repository = server.github("team/tool", issues=200, comments=0)
        end = datetime(2024, 2, 1, tzinfo=UTC)
        harvest = plan(server, study, repository, opened_before=end)
        finished(harvest)
        server.clock.sleep(86_400)
        repository.edit("2", "changed in the window")
        repository.edit("150", "changed outside")
        repository.add()
        refresh, _job = _refreshed(harvest)
        assert (refresh.opened_before, refresh.run.counts["changed"]) == (end, 1)
        assert (
            set(Issue.objects.values_list("number", flat=True))
            == repository.truth(None, end, pulls=False).keys()
        )


class TestListedWithoutText:
    @pytest.mark.slow
    def test_a_text_joins_an_address(self, server, harvest, repository):
        """The first text of an issue is shown, also when a refresh brings it."""
        number = next(iter(repository.truth(pulls=False)))
        Issue.objects.filter(number=number).update(current=None)
        Snapshot.objects.filter(issue__number=number).delete()
        repository.edit(number, "a text at last")
        _refreshed(harvest)
        assert Issue.objects.get(number=number).current.body == "a text at last"


class TestUnderTheHandsOfVolunteers:
    @pytest.mark.slow
    def test_the_labelling_page_stays_byte_for_byte(self, server, study, repository, harvest):
        """Issues of an open round are edited, commented, closed and deleted on their forge."""
        version = make_version(study)
        member = make_member(study)
        issues = list(Issue.objects.order_by("pk")[:4])
        world = World(study, version, issues[0].repository, issues, make_member(study, Role.LEAD), [member])
        opened = world.round(
            issues=Issue.objects.filter(pk__in=[issue.pk for issue in issues]).order_by("pk")
        )
        reader = client(member)
        address = reverse("label", args=[opened.pk])
        before = _bytes(reader.get(address))
        assert any(issue.current.title in before for issue in issues)
        for issue in issues[:3]:
            repository.edit(issue.number, "quite another text")
            repository.comment(issue.number, "a late comment")
            repository.issues[issue.number].title = "Another title"
        repository.delete(issues[3].number)
        refresh, job = _refreshed(harvest)
        assert (job.state, refresh.run.counts["changed"]) == (Job.State.DONE, 3)
        assert _bytes(reader.get(address)) == before
        page = reverse("issue", args=[study.slug, issues[0].pk])
        assert "quite another text" not in client(world.lead).get(page).content.decode()


def _bytes(response) -> str:
    """The page without what differs between any two answers."""
    assert response.status_code == 200
    text = response.content.decode()
    text = re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", text)
    text = re.sub(r'"X-CSRFToken": "[^"]*"', "", text)
    return re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "", text)
