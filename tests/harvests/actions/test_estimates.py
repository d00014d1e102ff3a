"""Estimates of requests and time, from the counts of the forges."""

from datetime import UTC, datetime, timedelta

import pytest

from harvests.actions.estimates import estimate
from ingest.models import Import
from tests.harvests.harvesting import asked, finished, plan, token
from tests.long import only_long

pytestmark = pytest.mark.django_db

START, END = datetime(2024, 1, 10, tzinfo=UTC), datetime(2024, 2, 10, tzinfo=UTC)


def _estimate(server, study, *repositories, **how):
    fields = {"opened_from": None, "opened_before": None, "with_pull_requests": False, "with_comments": True}
    wanted = [asked(server, repository) for repository in repositories]
    return estimate(study=study, repositories=wanted, **fields | how)


@pytest.mark.parametrize("forge", ["github", "gitee"])
@pytest.mark.slow
@only_long
def test_is_near_to_what_a_harvest_takes(server, study, forge):
    repository = server.add(
        forge, "team/tool", issues=1200, comments=6 if forge == "github" else 3, pulls_every=0
    )
    token(server, study)
    found = _estimate(server, study, repository)
    assert found.rows[0].issues == 1200
    assert not Import.objects.exists()
    server.forget()
    finished(plan(server, study, repository))
    assert found.requests == pytest.approx(len(server.seen), abs=2)
    assert found.seconds == round(found.requests * 0.8)


def test_counts_the_window(server, study):
    repository = server.github("team/tool", issues=400)
    row = _estimate(
        server, study, repository, opened_from=START, opened_before=END, with_comments=False
    ).rows[0]
    truth = repository.truth(START, END, pulls=False)
    assert (row.issues, row.requests) == (len(truth), 2 + 1 + 4)


def test_waits_for_the_hourly_limit(server, study):
    repository = server.github("team/tool", issues=4000, comments=0, step=timedelta(hours=1))
    without = _estimate(server, study, repository)
    token(server, study)
    with_token = _estimate(server, study, repository)
    assert without.requests == with_token.requests == 50 + 150 + 2 + 4
    assert without.seconds - with_token.seconds == 3 * 3600


def test_a_repository_in_trouble_does_not_keep_the_others(server, study):
    there = server.github("team/tool", issues=10)
    gone = server.gitee("team/gone", issues=10)
    gone.status = 404
    limited = server.github("team/limited", issues=10)
    server.faults.add("secondary", when=lambda seen: "team/limited" in seen.query.get("q", ""), times=None)
    found = _estimate(server, study, there, gone, limited)
    assert [(row.path, row.issues, row.trouble) for row in found.rows] == [
        ("team/tool", 10, ""),
        ("team/gone", None, "not found, or not visible with your tokens"),
        ("team/limited", None, "not asked: the forge accepts no more requests now"),
    ]
    assert found.requests == found.rows[0].requests


def test_nobody_waits_long(server, study):
    server.github("team/tool", issues=10)
    server.faults.add("502", times=None)
    begin = server.clock.now()
    repositories = [server.github(f"team/tool{nth}", issues=1) for nth in range(30)]
    found = _estimate(server, study, *repositories)
    assert (server.clock.now() - begin).total_seconds() <= 20
    assert {row.trouble for row in found.rows} == {
        "no answer: status 502",
        "not asked: the forge accepts no more requests now",
    }
