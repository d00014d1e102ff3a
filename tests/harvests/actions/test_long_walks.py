"""A long walk: few requests, killed at many pages, in little memory."""

import random
import tracemalloc
from datetime import timedelta

import pytest

from core import jobs
from core.models import Job
from harvests import actions
from harvests.models import HarvestedComment, HarvestedIssue, HarvestPage
from ingest.models import Issue, Snapshot
from tests.harvests.harvesting import finished, plan, run, stored, token, truth
from tests.long import LONG, only_long, sampled

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ISSUES = sampled(20_000, 600)
# So many that the last was opened before the walk begins.
STEP = timedelta(minutes=40)
KILLS = sampled(20, 5)


class Killed(BaseException):
    """The process is gone."""


def _least(repository, *, pulls):
    """The least requests of the method: each page of each list once, one page of each list for late changes, and the
    forge's count before and after."""
    records = len(repository.truth(pulls=None if pulls else False))
    comments = len(repository.comments)
    return -(-records // 100) + -(-comments // 100) + 2 + (4 if pulls else 2)


def _kill(monkeypatch, server, numbers):
    """The process dies at these requests: before the page is stored, or right after."""
    from harvests.actions import walks

    store, real = random.Random(7), walks.store_page

    def dying(repository, forge, page, **places):
        if len(server.seen) not in numbers:
            return real(repository, forge, page, **places)
        numbers.remove(len(server.seen))
        if store.random() < 0.5:
            real(repository, forge, page, **places)
        raise Killed

    monkeypatch.setattr(walks, "store_page", dying)


@pytest.mark.parametrize("forge", ["github", "gitee"])
@only_long
def test_requests_and_kills(server, study, monkeypatch, forge):
    repository = server.add(forge, "team/tool", issues=ISSUES, comments=3, step=STEP)
    token(server, study)
    least = _least(repository, pulls=forge == "github")
    clean = plan(server, study, repository)
    assert finished(clean).state == Job.State.DONE
    requests = len(server.seen)
    assert least <= requests <= 1.05 * least
    expected = truth(repository, pulls=forge == "github")
    assert stored(clean) == {"team/tool": expected}

    server.forget()
    harvest = plan(server, study, repository)
    numbers = set(random.Random(3).sample(range(3, requests - 2), KILLS))
    _kill(monkeypatch, server, numbers)
    died = 0
    for _ in range(KILLS + 1):
        job = actions.start_harvest(harvest=harvest, by=None, rings=False)
        try:
            jobs.run(job.pk)
            break
        except Killed:
            died += 1
            # As the sweeper finds it; here the next start takes its place.
            Job.objects.filter(pk=job.pk).update(state=Job.State.FAILED, finished_at=server.clock.now())
    harvest.run.refresh_from_db()
    assert (died, numbers) == (KILLS, set())
    assert harvest.run.counts["complete"]
    # A kill costs its own page at most.
    assert len(server.seen) <= requests + KILLS
    if LONG:
        assert len(server.seen) <= 1.05 * requests
    assert stored(harvest) == {"team/tool": expected}
    rows = [HarvestedIssue.objects.filter(repository__harvest=one).count() for one in (clean, harvest)]
    comments = [HarvestedComment.objects.filter(repository__harvest=one).count() for one in (clean, harvest)]
    assert (len(set(rows)), len(set(comments))) == (1, 1)
    assert Issue.objects.count() == Snapshot.objects.count() == len(repository.truth(pulls=False))
    positions = list(
        HarvestPage.objects.filter(repository__harvest=harvest)
        .order_by("position")
        .values_list("position", flat=True)
    )
    assert positions == list(range(1, len(positions) + 1))


@only_long
def test_memory_stays_flat(server, study):
    """Four times the issues take the same memory."""
    peaks = []
    for nth, how_many in enumerate((sampled(5000, 600), sampled(20_000, 1500))):
        repository = server.github(f"team/tool{nth}", issues=how_many, comments=2, step=STEP)
        harvest = plan(server, study, repository)
        for row in repository.listed("both"), repository.listed("comments"):
            assert row
        tracemalloc.start()
        assert run(harvest).state == Job.State.DONE
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        del server.repositories[f"github:team/tool{nth}"]
        server._sides()
    assert peaks[1] < 1.3 * peaks[0]
