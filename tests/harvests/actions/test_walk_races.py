"""Two runs of one harvest at once: a worker that was taken for lost is still alive."""

import threading

import pytest
from django.db import connection

from core.models import Job
from harvests import actions
from harvests.actions import fetching
from harvests.errors import SelectionRunning
from harvests.models import HarvestedComment, HarvestedIssue, HarvestPage
from harvests.queries.selecting import going_on
from ingest.models import Issue, Snapshot
from tests.factories import make_list
from tests.harvests.harvesting import plan, stored, truth
from tests.long import only_long
from tests.races import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@only_long
def test_each_page_and_each_issue_is_stored_once(server, study):
    repository = server.github("team/tool", issues=330, comments=2)
    harvest = plan(server, study, repository)
    actions.start_harvest(harvest=harvest, by=None, rings=False)
    errors: list[BaseException] = []

    def work() -> None:
        try:
            fetching.run_harvest(harvest=harvest)
        except BaseException as error:  # noqa: BLE001 - told below
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert stored(harvest) == {"team/tool": truth(repository)}
    pages = HarvestPage.objects.order_by("position")
    urls = list(pages.values_list("phase", "url"))
    assert len(set(urls)) == len(urls)
    assert list(pages.values_list("position", flat=True)) == list(range(1, len(urls) + 1))
    assert HarvestedIssue.objects.count() == len(repository.truth())
    comments = [
        one for one in repository.comments.values() if not repository.issues[one.number].is_pull_request
    ]
    assert HarvestedComment.objects.count() == len(comments)
    assert Issue.objects.count() == Snapshot.objects.count() == 330
    harvest.run.refresh_from_db()
    assert harvest.run.counts["complete"]
    assert harvest.run.counts["kept"] == 330


def test_a_lead_keeps_an_issue_while_a_selection_runs(server, study):
    """Whichever comes first, the row says what became of its issue."""
    from harvests.actions.selections import run_selection
    from harvests.models import Selection

    repository = server.github("team/tool", issues=60, comments=0, pulls_every=0)
    version = make_list(study, "nosuchword")
    harvest = plan(server, study, repository, lists=[version.keyword_list])
    actions.start_harvest(harvest=harvest, by=None, rings=False)
    fetching.run_harvest(harvest=harvest)
    assert not Issue.objects.exists()
    ids = list(HarvestedIssue.objects.values_list("pk", flat=True))
    errors: list[BaseException] = []

    def thread_of(act) -> threading.Thread:
        def work() -> None:
            try:
                act()
            except BaseException as error:  # noqa: BLE001 - told below
                errors.append(error)
            finally:
                connection.close()

        return threading.Thread(target=work)

    selection = Selection.objects.create(harvest=harvest)
    selection.lists.set([version])
    threads = [
        thread_of(lambda: run_selection(selection=selection)),
        thread_of(lambda: actions.keep_by_hand(harvest=harvest, ids=ids, by=None)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert set(HarvestedIssue.objects.values_list("outcome", "kept_by_hand")) == {("kept", True)}
    assert HarvestedIssue.objects.exclude(issue=None).count() == 60
    assert Issue.objects.count() == 60


def test_of_two_selections_asked_for_at_the_same_moment_one_is_refused(server, study):
    """Each selection is compared with the one before it: two that run at once would tell wrong numbers."""
    repository = server.github("team/tool", issues=3, comments=0, pulls_every=0)
    version = make_list(study, "nosuchword")
    harvest = plan(server, study, repository, lists=[version.keyword_list])
    actions.start_harvest(harvest=harvest, by=None, rings=False)
    fetching.run_harvest(harvest=harvest)

    def select() -> Job:
        return actions.select_issues(harvest=harvest, lists=[version], by=None, rings=False)

    ended = at_once(select, select, select)
    [job] = [one for one in ended if isinstance(one, Job)]
    assert [type(one) for one in ended if one is not job] == [SelectionRunning] * 2
    assert list(going_on().values_list("pk", flat=True)) == [job.arguments["selection"]]
