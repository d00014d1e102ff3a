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
from tests.long import only_long

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ISSUES = 20_000
FEW = 130
# So many that the last was opened before the walk begins.
STEP = timedelta(minutes=40)
KILLS = 20


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
    requests, with_kills = _killed(server, study, monkeypatch, forge, issues=ISSUES, kills=KILLS)
    assert with_kills <= 1.05 * requests


def test_a_small_walk_is_killed_at_several_pages(server, study, monkeypatch):
    _killed(server, study, monkeypatch, "github", issues=FEW, kills=4)


def _killed(server, study, monkeypatch, forge, *, issues, kills):
    """A clean walk, and one that is killed and resumed, which must end in the same rows. The requests of both."""
    repository = server.add(forge, "team/tool", issues=issues, comments=3, step=STEP)
    token(server, study)
    least = _least(repository, pulls=forge == "github")
    clean = plan(server, study, repository)
    assert finished(clean).state == Job.State.DONE
    requests = len(server.seen)
    assert least <= requests <= max(1.05 * least, least + 1)
    expected = truth(repository, pulls=forge == "github")
    assert stored(clean) == {"team/tool": expected}

    server.forget()
    harvest = plan(server, study, repository)
    numbers = set(random.Random(3).sample(range(3, requests - 2), kills))
    _kill(monkeypatch, server, numbers)
    died = 0
    for _ in range(kills + 1):
        job = actions.start_harvest(harvest=harvest, by=None, rings=False)
        try:
            jobs.run(job.pk)
            break
        except Killed:
            died += 1
            # As the sweeper finds it; here the next start takes its place.
            Job.objects.filter(pk=job.pk).update(state=Job.State.FAILED, finished_at=server.clock.now())
    harvest.run.refresh_from_db()
    assert (died, numbers) == (kills, set())
    assert harvest.run.counts["complete"]
    # A kill costs its own page at most.
    assert requests < len(server.seen) <= requests + kills
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
    return requests, len(server.seen)


@only_long
def test_memory_stays_flat(server, study):
    """Four times the issues take the same memory."""
    peaks = []
    for nth, how_many in enumerate((5000, 20_000)):
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
