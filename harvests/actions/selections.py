"""Chooses among the fetched issues of a harvest, by keyword lists, and brings the chosen ones into the study.

A selection looks at each fetched issue once, 500 in a transaction, with its counts and its place: it goes on
where it was cut off. What was kept before stays kept, whatever a later selection says.
"""

from collections.abc import Callable, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import User
from core import clock, jobs
from core.models import Job
from core.sql.retry import retried
from harvests.actions.keeping import Keeper
from harvests.actions.matching import Judge, compiled
from harvests.actions.pages import Phase, owner_of
from harvests.errors import HarvestUnfinished, SelectionRunning
from harvests.models import Harvest, HarvestedIssue, HarvestedRepository, Selection
from harvests.queries.harvests import current_versions, latest_selection, totals
from harvests.queries.selecting import SELECTION_JOB, going_on, looked_at_since, part_of_harvest
from ingest.actions.finds import begin_search
from ingest.actions.similar import begin_comparison
from ingest.models import Import, KeywordListVersion
from ingest.rules import may_import
from studies.actions import record
from studies.actions.seats import require_rule

CHUNK = 500

Report = Callable[[int, int | None, str], None]


@transaction.atomic
def select_issues(
    *, harvest: Harvest, lists: Sequence[KeywordListVersion], by: User | None, rings: bool = True
) -> Job:
    """Choose again among the fetched issues, by other lists or other versions of them; fetches nothing.

    Raises HarvestUnfinished as long as pages are missing, SelectionRunning while a selection of this harvest
    is going on, and PermissionDenied.
    """
    root = harvest.refreshes or harvest
    runs = Import.objects.select_for_update(no_key=True, of=("self",)).select_related("study")
    run = runs.get(pk=root.run_id)
    require_rule(run.study, by, may_import)
    if not run.counts.get("complete"):
        raise HarvestUnfinished
    # Each selection is compared with the one before it, so that two never run at the same time.
    if going_on().filter(harvest=root).exists():
        raise SelectionRunning
    selection = Selection.objects.create(harvest=root, chosen_by=by)
    selection.lists.set(lists)
    arguments = {"selection": selection.pk, "language": get_language()}
    if rings:
        return jobs.enqueue(SELECTION_JOB, arguments=arguments, by=by)
    return Job.objects.create(kind=SELECTION_JOB, arguments=arguments, created_by=by)


def select_fetched(*, harvest: Harvest, report: Report = lambda *_told: None) -> dict[str, Any]:
    """Choose among what a harvest has fetched: by the lists it names, or, for a refresh, by the versions that
    chose last. Goes on with a selection that a former run began. Returns the numbers of the flow figure.
    """
    selection = part_of_harvest(harvest) or _begun(harvest)
    return run_selection(selection=selection, report=report)


@transaction.atomic
def _begun(harvest: Harvest) -> Selection:
    former = latest_selection(harvest.refreshes) if harvest.refreshes else None
    versions = former.lists.all() if former else current_versions(harvest.lists.values_list("pk", flat=True))
    selection = Selection.objects.create(harvest=harvest, chosen_by=harvest.run.created_by)
    selection.lists.set(versions)
    return selection


def run_selection(*, selection: Selection, report: Report = lambda *_told: None) -> dict[str, Any]:
    """Choose; safe to repeat after any interruption. Returns the numbers of the flow figure. Raises every
    error of `report` (between two chunks).
    """
    pass_ = _Pass(selection)
    while pass_.goes_on():
        report(*pass_.progress())
    return _finish(selection)


class _Pass:
    """One run of a selection, from where it stands."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        harvest = Harvest.objects.select_related("run__study", "refreshes__run").get(pk=selection.harvest_id)
        self._harvest = harvest
        done = harvest.repositories.filter(phase=Phase.DONE).exclude(outcome=HarvestedRepository.Outcome.GONE)
        self._repositories = {owner_of(repository): repository for repository in done}
        for repository in self._repositories.values():
            repository.harvest = harvest
        self._rows = HarvestedIssue.objects.filter(repository__in=self._repositories)
        if harvest.refreshes_id:
            self._rows = self._rows.filter(page__repository__harvest=harvest)
        else:
            self._rows = self._rows.exclude(outcome="", page__repository__in=_coming(harvest))
        self._total = self._rows.count()
        self._done = self._rows.filter(pk__lte=selection.searched_to).count()
        self._looked_at_since = looked_at_since(selection)
        versions = selection.lists.select_related("keyword_list").order_by("keyword_list", "pk")
        self._lists = compiled(versions)
        self._judge = Judge(self._lists, with_pull_requests=harvest.with_pull_requests)

    def progress(self) -> tuple[int, int, str]:
        return self._done, max(self._total, self._done + 1), _("selecting issues")

    @retried
    def goes_on(self) -> bool:
        """Look at the next rows. False if there are none."""
        with transaction.atomic():
            selection = Selection.objects.select_for_update(no_key=True).get(pk=self.selection.pk)
            # Locked: a lead may keep one of them by hand at this moment.
            coming = self._rows.filter(pk__gt=selection.searched_to).order_by("pk")
            rows = list(coming.select_for_update(no_key=True, of=("self",))[:CHUNK])
            if not rows:
                return False
            for one in self._lists:
                # From what is stored: the finds of an aborted transaction do not count.
                one.restore(selection.terms)
            keeper = Keeper(
                self._harvest, self._repositories, self._judge, looked_at_since=self._looked_at_since
            )
            for key, numbers in keeper.keep(rows).items():
                held = selection.counts.setdefault(str(key), {})
                for name, number in numbers.items():
                    held[name] = held.get(name, 0) + number
            selection.terms = [one.as_json() for one in self._lists]
            selection.searched_to = rows[-1].pk
            selection.save(update_fields=["counts", "terms", "searched_to"])
        self._done += len(rows)
        return True


def _coming(harvest: Harvest) -> list[int]:
    """The repositories of refreshes that go on: what they list is chosen when they are done, and counted with
    them.
    """
    going = Harvest.objects.filter(refreshes=harvest).exclude(run__counts__has_key="complete")
    return list(HarvestedRepository.objects.filter(harvest__in=going).values_list("pk", flat=True))


@transaction.atomic
def _finish(selection: Selection) -> dict[str, Any]:
    """Close a selection, record it, and begin a search for keywords."""
    held = Selection.objects.select_for_update(no_key=True, of=("self",)).select_related(
        "harvest__run__study", "harvest__run__created_by", "chosen_by"
    )
    selection = held.get(pk=selection.pk)
    counts = totals(selection)
    if selection.finished_at is None:
        Selection.objects.filter(pk=selection.pk).update(finished_at=clock.now())
        run = selection.harvest.run
        if run.counts.get("complete"):
            Import.objects.filter(pk=run.pk).update(counts=counts | {"complete": True})
        record(run.study, "harvests.selected", selection.chosen_by, name=run.name, kept=counts["kept"])
        begin_search(study=run.study, by=selection.chosen_by)
        begin_comparison(study=run.study, by=selection.chosen_by)
    return counts
