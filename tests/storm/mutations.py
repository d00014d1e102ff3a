"""What is taken out, one at a time, to see that a life notices: locks, gates and rules.

Two are not here, because ten lives noticed nothing. Without its lock of the issue a submit is as safe as before: the
trigger of labels locks the same row. Without a second try nothing fails either, since all locks are taken in one order
and there is no deadlock to survive; tests/core/test_retry.py makes one.
"""

from typing import Any

from annotate.actions import turns
from annotate.queries import labels as label_queries
from consensus.actions import decisions
from core.sql.prepared import Prepared
from rounds.actions import locks
from rounds.models import RoundIssue, RoundVolunteer
from rounds.queries import blindness
from rounds.queries import rounds as round_queries
from tests.storm import mutations_of_votes
from tests.storm.patches import Patch, everywhere


def submit_locks_nothing(patch: Patch) -> None:
    statement = locks._LOCK_PLACE._execute, locks._LOCK_PLACE._prepare
    without = statement[1]
    for lock in ("ORDER BY id FOR SHARE", "FOR NO KEY UPDATE OF v", "FOR NO KEY UPDATE OF i"):
        assert lock in without
        without = without.replace(lock, "")
    _other_statement(patch, without)


def submit_does_not_lock_the_round(patch: Patch) -> None:
    _other_statement(patch, locks._LOCK_PLACE._prepare.replace("ORDER BY id FOR SHARE", ""))


def _other_statement(patch: Patch, prepare: str) -> None:
    """The same parameters, under a name that no connection knows yet."""
    other = Prepared("lock_place_mutated", "SELECT 1")
    other._parameters = locks._LOCK_PLACE._parameters
    other._prepare = prepare.replace("PREPARE lock_place ", f"PREPARE lock_place_{hash(prepare) & 0xFFFF} ")
    other._name = f"lock_place_{hash(prepare) & 0xFFFF}"
    other._execute = locks._LOCK_PLACE._execute.replace("lock_place", other._name)
    patch.setattr(locks, "_LOCK_PLACE", other)


def claims_take_slots_that_others_take(patch: Patch) -> None:
    claim = turns.claim_query
    patch.setattr(
        turns, "claim_query", lambda *given: claim(*given).replace("FOR UPDATE OF a SKIP LOCKED", "")
    )


def two_windows_claim_at_once(patch: Patch) -> None:
    def unlocked(round_: Any, member: Any) -> Any:
        return RoundVolunteer.objects.select_related("member", "round__study").get(
            round=round_, member=member
        )

    everywhere(patch, locks.lock_volunteer, unlocked)


def claims_ignore_leases(patch: Patch) -> None:
    places = [
        (which.replace("a.lease_until < %(now)s AND ", ""), where, order)
        for which, where, order in turns.PLACES
    ]
    patch.setattr(turns, "PLACES", [places[2], *places])


def everything_is_revealed(patch: Patch) -> None:
    everywhere(patch, round_queries.revealed, lambda round_: RoundIssue.objects.filter(round=round_))
    everywhere(patch, round_queries.once_revealed, lambda round_: RoundIssue.objects.filter(round=round_))


def complete_issues_are_revealed_early(patch: Patch) -> None:
    """Of rounds that reveal their labels when they close."""

    def early(round_: Any) -> Any:
        return RoundIssue.objects.filter(round=round_, completed_at__isnull=False)

    everywhere(patch, round_queries.revealed, early)
    everywhere(patch, round_queries.reveals_complete_issues, lambda _round: True)


def nothing_is_withheld(patch: Patch) -> None:
    """From those who still label the issue in another round."""
    patch.setattr(blindness, "_labels_in", lambda *_given: [])
    patch.setattr(blindness, "_kept_from", lambda *_given: [])


def labels_change_after_their_reveal(patch: Patch) -> None:
    everywhere(patch, label_queries.is_changeable, lambda *_given: True)


def closed_rounds_take_labels(patch: Patch) -> None:
    everywhere(patch, locks.require_open, lambda _round: None)


def those_taken_out_go_on(patch: Patch) -> None:
    everywhere(patch, locks.require_seat, lambda *_given: None)


def nothing_is_decided(patch: Patch) -> None:
    everywhere(patch, decisions.decide_by_rule, lambda *_given, **_more: None)


MUTATIONS = [
    submit_locks_nothing,
    submit_does_not_lock_the_round,
    claims_take_slots_that_others_take,
    two_windows_claim_at_once,
    claims_ignore_leases,
    everything_is_revealed,
    complete_issues_are_revealed_early,
    nothing_is_withheld,
    labels_change_after_their_reveal,
    closed_rounds_take_labels,
    those_taken_out_go_on,
    nothing_is_decided,
    *mutations_of_votes.MUTATIONS,
]
