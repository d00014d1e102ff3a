"""A screening's open disagreements, decided by majority at once; and that taken back at once."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotate import errors
from annotate.actions.decisions import decide
from annotate.models import Decision, Round
from annotate.queries.rounds import reveals_complete_issues
from annotate.rules import may_settle
from core.retry import retried
from studies.actions import record
from studies.models import Membership


@retried
@transaction.atomic
def settle_by_majority(*, round_: Round, by: Membership, at_least: int) -> int:
    """Decide the open disagreements of a screening for which `at_least` labels are the same; how many.

    What has a decision keeps it, and what has no such majority stays open. The decisions share their moment:
    `take_back_majority` finds them by it.
    Raises NotAllowed, NotAScreening, NotRevealed, NotAMajority.
    """
    current = _hold_alone(round_, by)
    if not current.labels_per_issue < 2 * at_least <= 2 * current.labels_per_issue:
        raise errors.NotAMajority
    decided = len(decide(current, timezone.now(), at_least=at_least, by=by))
    if decided:
        record(
            current.study,
            "decisions.majority",
            by.user,
            round=current.name,
            at_least=at_least,
            decided=decided,
        )
    return decided


@retried
@transaction.atomic
def take_back_majority(*, round_: Round, by: Membership, decided_at: datetime) -> int:
    """Supersede what one `settle_by_majority` decided and still stands; how many issues are open again.

    No decision follows at once: the issues are open disagreements, and the decisions stay in their history.
    Raises NotAllowed, NotAScreening, NotRevealed.
    """
    current = _hold_alone(round_, by)
    batch = Decision.objects.filter(
        round=current,
        method=Decision.Method.MAJORITY,
        decided_by__isnull=False,
        decided_at=decided_at,
        superseded_at=None,
    )
    reopened = batch.update(superseded_at=timezone.now())
    if reopened:
        record(current.study, "decisions.majority_taken_back", by.user, round=current.name, reopened=reopened)
    return reopened


def _hold_alone(round_: Round, by: Membership) -> Round:
    """The screening as it is now; nobody labels or decides in it before this transaction ends."""
    current = Round.objects.select_for_update(of=("self",)).select_related("study").get(pk=round_.pk)
    if not may_settle(by, current):
        raise errors.NotAllowed
    if current.kind != Round.Kind.SCREENING:
        raise errors.NotAScreening
    if not reveals_complete_issues(current):
        raise errors.NotRevealed
    return current
