"""Issues that a lead keeps although no list found them, and takes back while nothing uses them."""

import json
from collections.abc import Collection

from django.db import transaction
from django.db.models import ProtectedError, QuerySet, RestrictedError

from accounts.models import User
from harvests.actions.keeping import Keeper, by_owner, written
from harvests.actions.matching import Judge, compiled
from harvests.actions.pages import Outcome
from harvests.errors import HarvestUnfinished, IssuesInUse
from harvests.models import Harvest, HarvestedIssue
from harvests.queries.harvests import latest_selection
from ingest.actions.finds import begin_search
from ingest.models import Import, Issue
from ingest.rules import may_import
from studies.actions import record
from studies.actions.seats import require_rule

_LEFT_OUT = (Outcome.UNMATCHED, Outcome.PATH_ONLY)
_AT_ONCE = 500


@transaction.atomic
def keep_by_hand(*, harvest: Harvest, ids: Collection[int], by: User | None) -> int:
    """Bring fetched issues in that no list found, or only where it does not count; return their number.
    `ids` are those of HarvestedIssue; others than such issues of this harvest are passed over.

    Raises HarvestUnfinished as long as pages are missing, and PermissionDenied.
    """
    root, run = _locked(harvest, by)
    keeper = _keeper(root)
    kept = 0
    rows = _rows(root, ids).filter(outcome__in=_LEFT_OUT)
    while some := list(rows[:_AT_ONCE]):
        for row in some:
            row.outcome, row.kept_by_hand = Outcome.KEPT, True
        keeper.bring_in(some)
        kept += sum(row.outcome == Outcome.KEPT for row in some)
    if kept:
        record(run.study, "harvests.kept", by, name=run.name, count=kept)
        begin_search(study=run.study, by=by)
    return kept


@transaction.atomic
def take_back(*, harvest: Harvest, ids: Collection[int], by: User | None) -> int:
    """Undo `keep_by_hand`; return the number of issues taken back. An issue that came into the study by
    another import stays in it.

    Raises IssuesInUse if a round, a sample, a list of addresses, a label or a comment uses one of them:
    nothing is taken back then. Raises HarvestUnfinished and PermissionDenied as `keep_by_hand`.
    """
    root, run = _locked(harvest, by)
    rows = list(_rows(root, ids).filter(outcome=Outcome.KEPT, kept_by_hand=True, is_matched=False))
    runs = Import.objects.filter(harvest__in=_kin(root))
    own = Issue.objects.filter(pk__in=[row.issue_id for row in rows], first_import__in=runs)
    used = _used(own)
    if used:
        raise IssuesInUse(used)
    own.delete()
    judge = _judge(root)
    repositories = by_owner(list(root.repositories.all()))
    for row in rows:
        row.issue_id, row.kept_by_hand = None, False
        row.outcome = judge.outcome(
            row, repositories[row.repository_id], json.loads(row.record) if row.record else {}
        )
    written(rows)
    if rows:
        record(run.study, "harvests.taken_back", by, name=run.name, count=len(rows))
    return len(rows)


def _locked(harvest: Harvest, by: User | None) -> tuple[Harvest, Import]:
    """The harvest whose rows these are, and its run, locked until the transaction ends."""
    root = Harvest.objects.get(pk=harvest.refreshes_id or harvest.pk)
    runs = Import.objects.select_for_update(no_key=True, of=("self",)).select_related("study")
    run = runs.get(pk=root.run_id)
    require_rule(run.study, by, may_import)
    if not run.counts.get("complete"):
        raise HarvestUnfinished
    root.run = run
    return root, run


def _rows(root: Harvest, ids: Collection[int]) -> QuerySet[HarvestedIssue]:
    rows = HarvestedIssue.objects.filter(repository__harvest=root, pk__in=ids, vanished_at=None)
    return rows.select_for_update(of=("self",)).order_by("pk")


def _kin(root: Harvest) -> QuerySet[Harvest]:
    return Harvest.objects.filter(pk=root.pk) | Harvest.objects.filter(refreshes=root)


def _judge(root: Harvest) -> Judge:
    """Judges as the latest selection did."""
    latest = latest_selection(root)
    versions = latest.lists.select_related("keyword_list") if latest else ()
    return Judge(compiled(versions), with_pull_requests=root.with_pull_requests)


def _keeper(root: Harvest) -> Keeper:
    repositories = list(root.repositories.all())
    for repository in repositories:
        repository.harvest = root
    return Keeper(root, by_owner(repositories), _judge(root))


def _used(issues: QuerySet[Issue]) -> list[str]:
    """The numbers of those that something refers to."""
    listed = set(issues.exclude(listed=None).values_list("pk", flat=True))
    used = []
    for issue in issues.order_by("pk"):
        point = transaction.savepoint()
        try:
            if issue.pk in listed:
                used.append(issue.number)
            else:
                number = issue.number
                issue.delete()
        except (ProtectedError, RestrictedError):
            used.append(number)
        finally:
            transaction.savepoint_rollback(point)
    return used
