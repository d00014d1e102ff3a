"""What a forge asks of one client holds for all clients of the study."""

import threading
from datetime import timedelta

import pytest
from django.db import connection

from core import clock, jobs
from core.models import Job
from harvests import actions
from harvests.actions.estimates import estimate
from harvests.actions.quiet import quiet_until
from harvests.models import QuietForge
from ingest.forges.github import GitHub
from tests.factories import make_study
from tests.forges import ForgeServer
from tests.harvests.harvesting import asked, finished, plan, run, token
from tests.ingest.files import load
from tests.long import only_long

pytestmark = pytest.mark.django_db


def _estimate(server, study, repository):
    return estimate(
        study=study, repositories=[asked(server, repository)], opened_from=None, opened_before=None,
        with_pull_requests=False, with_comments=False,
    )  # fmt: skip


@pytest.fixture
def repository(server):
    return server.github("team/tool", issues=20)


def test_an_estimate_heeds_the_wait_of_a_harvest(server, study, repository):
    server.faults.add("secondary", kind="issues", seconds=600)
    harvest = plan(server, study, repository)
    run(harvest)
    harvest.refresh_from_db()
    assert harvest.resume_at == quiet_until(study.pk, server.github_base)
    server.forget()
    found = _estimate(server, study, repository)
    assert found.rows[0].trouble == "not asked: the forge accepts no more requests now"
    assert server.seen == []
    assert _estimate(server, make_study(), repository).rows[0].issues == 20, "other studies have other tokens"


def test_a_harvest_heeds_the_wait_of_an_estimate(server, study, repository):
    server.faults.add("secondary", kind="count", seconds=600)
    _estimate(server, study, repository)
    harvest = plan(server, study, repository)
    server.forget()
    run(harvest)
    harvest.refresh_from_db()
    assert (server.seen, harvest.resume_at) == ([], quiet_until(study.pk, server.github_base))
    clock.sleep(601)
    assert finished(harvest).state == Job.State.DONE
    assert server.violations == []


def test_asking_about_addresses_heeds_it_too(server, study, repository, monkeypatch):
    monkeypatch.setattr(GitHub, "default_base", server.github_base)
    token(server, study)
    load(study, b"https://github.com/team/tool/issues/1\n", "list.txt")
    server.faults.add("busy", kind="graphql", seconds=600)

    def resolve() -> Job | None:
        return jobs.run(actions.resolve_listed(study=study, by=None, rings=False).pk)

    for _ in range(2):
        job = resolve()
        assert job is not None
        assert "nothing is asked before" in job.error
    assert (len(server.seen), server.violations) == (1, [])
    clock.sleep(601)
    job = resolve()
    assert job is not None
    assert job.result == {"issue": 1}


def test_a_new_token_is_asked_with_at_once(server, study, repository):
    server.faults.add("primary", kind="issues", seconds=3000)
    token(server, study)
    harvest = plan(server, study, repository)
    run(harvest)
    assert QuietForge.objects.exists()
    token(server, study, "another_0123456789", "another")
    assert not QuietForge.objects.exists()
    assert run(harvest).state == Job.State.DONE


def test_a_later_moment_stays(study):
    from harvests.actions.quiet import be_quiet

    now = clock.now()
    for minutes in (5, 2):
        be_quiet(study_id=study.pk, base_url="https://x/api", until=now + timedelta(minutes=minutes))
    assert QuietForge.objects.get().until == now + timedelta(minutes=5)


def test_requests_and_waits_are_noted(server, study, repository):
    server.faults.add("502", kind="issues", nth={1})
    server.faults.add("secondary", kind="comments", seconds=30)
    harvest = plan(server, study, repository)
    assert finished(harvest).state == Job.State.DONE
    row = harvest.repositories.get()
    assert row.requests == len(server.seen)
    assert row.waited == pytest.approx(1 + 31)


@only_long
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_two_harvests_at_once_ask_nothing_inside_a_wait(server: ForgeServer, study):
    """One of them is told to wait for less than a run ends for; the other one waits as well."""
    harvests = [
        plan(server, study, server.github(f"team/tool{nth}", issues=400, comments=0)) for nth in (0, 1)
    ]
    server.faults.add("secondary", kind="issues", nth={3}, seconds=40)
    for harvest in harvests:
        actions.start_harvest(harvest=harvest, by=None, rings=False)
    errors: list[BaseException] = []

    def work(harvest) -> None:
        from harvests.actions.fetching import run_harvest

        try:
            run_harvest(harvest=harvest)
        except BaseException as error:  # noqa: BLE001 - told below
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=[harvest]) for harvest in harvests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    # One request may be on its way when the other one is told.
    assert len(server.violations) <= 1
