"""Plans of harvests, and their runs: started, paused, resumed, refreshed."""

from datetime import UTC, datetime

import pytest
from django.core.exceptions import PermissionDenied

from core import jobs
from core.fetch.errors import AddressRefused
from core.models import Job
from harvests import actions
from harvests.errors import HarvestFetched, HarvestIdle, HarvestRefused, HarvestRunning
from harvests.models import Harvest
from harvests.queries.forge_clients import RepositoryAsked
from ingest.models import Import
from studies.models import Event
from tests.harvests.harvesting import finished, plan, run, stored, token, truth
from tests.long import only_long

pytestmark = pytest.mark.django_db

ENGINE = RepositoryAsked("github", "github.com", "vllm-project/vllm")


def _plan(study, *repositories, **how):
    fields = {
        "opened_from": None, "opened_before": None, "zone": "Asia/Shanghai", "with_pull_requests": False,
        "with_comments": True, "lists": [], "budget": None, "by": None,
    }  # fmt: skip
    return actions.plan_harvest(study=study, repositories=repositories or [ENGINE], **fields | how)


class TestPlanning:
    def test_stores_what_was_asked(self, study, lead):
        start, end = datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)
        other = RepositoryAsked("gitee", "gitee.com", "mindspore/mindspore")
        harvest = _plan(study, ENGINE, other, opened_from=start, opened_before=end, budget=600, by=lead.user)
        harvest = Harvest.objects.get(pk=harvest.pk)
        assert (harvest.opened_from, harvest.opened_before, harvest.zone) == (start, end, "Asia/Shanghai")
        assert (harvest.with_comments, harvest.with_pull_requests, harvest.budget) == (True, False, 600)
        assert list(harvest.repositories.order_by("position").values_list("host", "path", "base_url")) == [
            ("github.com", "vllm-project/vllm", "https://api.github.com"),
            ("gitee.com", "mindspore/mindspore", "https://gitee.com/api/v5"),
        ]
        assert (harvest.run.kind, harvest.run.name) == (Import.Kind.HARVEST, "vllm-project/vllm + 1")
        assert Event.objects.get().verb == "harvests.planned"

    def test_an_enterprise_has_its_usual_address(self, study, settings):
        settings.FORGE_HOSTS = ["git.corp", "gitee.corp"]
        harvest = _plan(
            study, RepositoryAsked("github", "git.corp", "a/b"), RepositoryAsked("gitee", "gitee.corp", "a/b")
        )
        assert list(harvest.repositories.values_list("base_url", flat=True)) == [
            "https://git.corp/api/v3",
            "https://gitee.corp/api/v5",
        ]

    @pytest.mark.parametrize(
        ("how", "field"),
        [
            ({"zone": "Mars/Olympus"}, "zone"),
            ({"zone": "../../etc/passwd"}, "zone"),
            ({"budget": 0}, "budget"),
            (
                {
                    "opened_from": datetime(2024, 1, 1, tzinfo=UTC),
                    "opened_before": datetime(2024, 1, 1, tzinfo=UTC),
                },
                "last_day",
            ),
        ],
    )
    def test_what_cannot_be(self, study, how, field):
        with pytest.raises(HarvestRefused) as refused:
            _plan(study, **how)
        assert refused.value.field == field
        assert not Import.objects.exists()

    @pytest.mark.parametrize(
        "repositories",
        [
            [ENGINE, RepositoryAsked("github", "github.com", "VLLM-project/vllm")],
            [RepositoryAsked("gitlab", "gitlab.com", "a/b")],
            [RepositoryAsked("github", "github.com", "a/b/../../user")],
            [RepositoryAsked("github", "github.com", "a/b?x=1")],
            [RepositoryAsked("github", "github.com", "a")],
            [RepositoryAsked("github", "github.com", f"a/b{nth}") for nth in range(201)],
        ],
    )
    def test_repositories_that_cannot_be(self, study, repositories):
        with pytest.raises(HarvestRefused) as refused:
            _plan(study, *repositories)
        assert refused.value.field == "repositories"
        assert not Import.objects.exists()

    @pytest.mark.parametrize(
        ("base", "words"),
        [
            ("http://git.example.org/api/v3", "https://"),
            ("ftp://git.example.org/api/v3", "https://"),
            ("https://127.0.0.1/api/v3", "FORGE_HOSTS"),
            ("https://localhost/api/v3", "FORGE_HOSTS"),
            ("https://10.1.2.3/api/v3", "FORGE_HOSTS"),
            ("https://[::1]/api/v3", "FORGE_HOSTS"),
            ("https://169.254.169.254/api/v3", "not a public address"),
            ("https://mei:secret@git.example.org/api/v3", "password"),
            ("https://2130706433/api/v3", "cannot be read"),
        ],
    )
    def test_base_addresses_that_may_not_be_asked(self, study, base, words):
        with pytest.raises(AddressRefused, match=words.replace("[", "")):
            _plan(study, RepositoryAsked("github", "git.example.org", "a/b", base))
        assert not Import.objects.exists()

    def test_only_leads(self, study, volunteer):
        with pytest.raises(PermissionDenied):
            _plan(study, by=volunteer.user)
        assert not Import.objects.exists()


class TestRunning:
    def test_the_numbers_of_a_run(self, server, study, lead):
        repository = server.github("team/tool", issues=40)
        harvest = plan(server, study, repository, by=lead.user)
        job = run(harvest)
        numbers = {"listed": 50, "pull_requests": 10, "matched": 40, "kept": 40, "new": 40}
        assert (job.state, job.result) == (Job.State.DONE, numbers)
        harvest.run.refresh_from_db()
        assert harvest.run.counts == numbers | {"complete": True}
        with pytest.raises(HarvestFetched):
            actions.start_harvest(harvest=harvest, by=lead.user)

    def test_starts_once(self, server, study, lead):
        harvest = plan(server, study, server.github("team/tool", issues=4))
        job = actions.start_harvest(harvest=harvest, by=lead.user)
        assert job.arguments == {"harvest": harvest.pk, "language": "en"}
        with pytest.raises(HarvestRunning):
            actions.start_harvest(harvest=harvest, by=lead.user)
        assert Job.objects.count() == 1

    def test_only_leads(self, server, study, volunteer):
        harvest = plan(server, study, server.github("team/tool", issues=4))
        for act in (actions.start_harvest, actions.pause_harvest, actions.refresh_harvest):
            with pytest.raises(PermissionDenied):
                act(harvest=harvest, by=volunteer.user)
        assert not Job.objects.exists()


class TestPausing:
    def test_a_lead_pauses_between_two_pages(self, server, study, lead, monkeypatch):
        repository = server.github("team/tool", issues=330, comments=1)
        harvest = plan(server, study, repository)
        job = actions.start_harvest(harvest=harvest, by=None, rings=False)
        # A report is written twice a second at most.
        monkeypatch.setattr(jobs.time, "monotonic", iter(range(10_000)).__next__)

        def pause(done, total, step):
            if done == 200:
                actions.pause_harvest(harvest=harvest, by=lead.user)

        ended = jobs.run(job.pk, watch=pause)
        assert ended.state == Job.State.CANCELLED
        assert dict(server.asked) == {"count": 2, "issues": 2}
        assert actions.resume_harvests() == 0
        assert run(harvest).state == Job.State.DONE
        assert stored(harvest) == {"team/tool": truth(repository)}
        assert dict(server.asked) == {"count": 4, "issues": 6, "comments": 4}

    def test_there_is_nothing_to_pause(self, server, study, lead):
        harvest = plan(server, study, server.github("team/tool", issues=4))
        with pytest.raises(HarvestIdle):
            actions.pause_harvest(harvest=harvest, by=lead.user)

    def test_a_used_up_token_pauses_and_the_harvest_goes_on_by_itself(self, server, study):
        server.hourly = 3
        repository = server.github("team/tool", issues=330, comments=1)
        token(server, study)
        harvest = plan(server, study, repository)
        job = run(harvest)
        harvest.refresh_from_db()
        assert job.state == Job.State.DONE
        assert job.result == {"paused": "rate_limit", "until": harvest.resume_at.isoformat()}
        assert actions.resume_harvests() == 0, "it is not time yet"
        asked = len(server.seen)
        assert run(harvest).result == job.result, "nor when somebody starts it"
        assert len(server.seen) == asked
        server.clock.sleep((harvest.resume_at - server.clock.now()).total_seconds())
        assert actions.resume_harvests() == 1
        assert actions.resume_harvests() == 0, "once"
        harvest.run.refresh_from_db()
        jobs.run(harvest.run.job.pk)
        assert finished(harvest).state == Job.State.DONE
        assert stored(harvest) == {"team/tool": truth(repository)}
        assert server.violations == []

    def test_what_a_lead_paused_does_not_go_on_by_itself(self, server, study, lead):
        server.hourly = 3
        token(server, study)
        harvest = plan(server, study, server.github("team/tool", issues=330))
        run(harvest)
        actions.pause_harvest(harvest=harvest, by=lead.user)
        server.clock.sleep(10_000)
        assert actions.resume_harvests() == 0

    @only_long
    def test_a_budget_ends_a_run(self, server, study):
        repository = server.gitee("team/tool", issues=530)
        harvest = plan(server, study, repository, budget=2)
        job = run(harvest)
        assert job.result["paused"] == "budget"
        assert len(server.seen) == 3, "one each 0.75 seconds"
        assert finished(harvest).state == Job.State.DONE
        assert stored(harvest) == {"team/tool": truth(repository, pulls=False)}
