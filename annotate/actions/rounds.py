"""Rounds: planned, opened with all their slots, closed."""

import secrets
from collections.abc import Callable
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotate.actions.plans import NAME_IS_TAKEN, Plan, refusals
from annotate.actions.second_looks import end_looks
from annotate.actions.training import require_answers
from annotate.models import LeftOut
from annotate.queries.gates import unfinished_before
from annotate.queries.left_out import counted_in, left_out_rows
from consensus.actions.decisions import decide_all_by_rule
from consensus.actions.records import record_in_round
from core import clock
from core.jobs import enqueue
from core.models import Job
from core.sql.retry import retried
from core.text.joining import listed
from ingest.models import Issue
from rounds import errors
from rounds.actions.locks import lock_round
from rounds.actions.seals import seal_round
from rounds.actions.slots import drop_misfits, drop_slots, fitting_slots, make_slots, renew_statistics
from rounds.allocation import volunteer_seed
from rounds.errors import RoundRefused
from rounds.models import Round, RoundIssue, RoundVolunteer, Seal
from rounds.queries.rounds import OPENING, opening_of
from rounds.rules import may_be_volunteer, may_close, may_create_round, may_open
from studies.actions.copies import hold_study
from studies.models import Membership, Study

SLOTS_AT_ONCE = 50_000
LONGEST_REASON = 400
SLOTS_IN_A_STEP = 10_000
STORED_AS_ASKED = (
    "study", "name", "kind", "version", "depth", "allocation", "lease_minutes", "order", "rule", "majority",
    "deadline", "excludes", "pass_mark", "training", "drift_percent", "drift_hours",
    "forge_labels",
)  # fmt: skip
"""The fields of a plan that the round has under the same name."""

Report = Callable[[int, int, str], None]
"""Called after each step with the slots made, the slots in all, and the current work. May raise to stop."""


@transaction.atomic
def create_round(*, study: Study, by: Membership, seed: int | None = None, **planned: Any) -> Round:
    """Plan a round; nobody can label in it before it is opened. `planned` has the other fields of a Plan.
    `seed` is a signed 64-bit number, drawn by default. Raises NotAllowed, and RoundRefused with the field to
    change.
    """
    hold_study(study.pk)  # nobody removes issues of the study meanwhile
    if not may_create_round(by, study):
        raise errors.NotAllowed
    planned |= {"name": " ".join(planned["name"].split()), "members": list(planned["members"])}
    plan = Plan(study=study, **planned)
    for refusal in refusals(plan):
        raise refusal
    return _store(plan, by, secrets.randbits(64) - 2**63 if seed is None else seed)


@retried
@transaction.atomic
def open_round(*, round_: Round, by: Membership, reason: str = "") -> Round:
    """Make the missing slots of the round and let its volunteers begin. Returns the opened round. `reason`:
    why the round does not wait for open rounds of earlier stages, for the audit. Raises NotAllowed,
    RoundAlreadyOpen, RoundAlreadyClosed, and RoundRefused when a volunteer has left the study, a training
    lacks answers, or a reason is missing.
    """
    current = _to_be_opened(lock_alone(round_), by)
    passed = _passed_gate(current, reason)
    # All slots, or the slots that an opening in steps or an interrupted opening has not made.
    drop_misfits(current)
    slots = RoundIssue.objects.filter(round=current).count() * current.labels_per_issue
    if fitting_slots(current) < slots:
        renew_statistics("rounds_roundissue", "rounds_roundvolunteer")
        make_slots(current)
        renew_statistics("rounds_assignment")
    current.opened_at = clock.now()
    current.save(update_fields=["opened_at"])
    record_in_round("rounds.opened", current, by, slots=slots, **passed)
    return current


def _passed_gate(current: Round, reason: str) -> dict[str, str]:
    """What the audit says of a round that does not wait for others. Raises RoundRefused without a reason."""
    waits_for = unfinished_before(current)
    if not waits_for:
        return {}
    names = listed(one.name for one in waits_for)
    if not reason.strip():
        raise RoundRefused(
            _(
                "Earlier rounds are still open: %(rounds)s. Close them first, or give a reason"
                " why this round does not wait."
            )
            % {"rounds": names},
            field="reason",
        )
    return {"without_waiting_for": names, "reason": reason.strip()[:LONGEST_REASON]}


def open_round_in_steps(*, round_: Round, by: Membership, report: Report, reason: str = "") -> Round:
    """Open a large round: its slots are made about SLOTS_IN_A_STEP at a time, each step in its own
    transaction. Nobody sees the slots before the last step, which opens the round. An interrupted opening can
    be started again: it makes no slot twice. Raises what open_round raises, and what `report` raises.
    """
    current = _to_be_opened(Round.objects.select_related("study").get(pk=round_.pk), by)
    issues = RoundIssue.objects.filter(round=current).count()
    total = issues * current.labels_per_issue
    renew_statistics("rounds_roundissue", "rounds_roundvolunteer")
    step = max(1, SLOTS_IN_A_STEP // current.labels_per_issue)
    for first in range(1, issues + 1, step):
        _make_some_slots(current, by, first=first, last=first + step - 1)
        done = min(first + step - 1, issues) * current.labels_per_issue
        report(done, total, _("Making the assignments"))
    renew_statistics("rounds_assignment")
    return open_round(round_=current, by=by, reason=reason)


@retried
@transaction.atomic
def take_back_slots(*, round_: Round) -> int:
    """Delete all slots of a round that is not open; returns how many. Raises RoundAlreadyOpen."""
    current = lock_alone(round_)
    if current.opened_at is not None:
        raise errors.RoundAlreadyOpen
    dropped = drop_slots(current)
    hold_back(current)
    return dropped


@transaction.atomic
def begin_opening(*, round_: Round, by: Membership, reason: str = "") -> Job | None:
    """Open the round at once and return None, or return a job that opens it, if it has more than
    SLOTS_AT_ONCE slots. A job that waits or runs already is returned again. Raises what open_round raises.
    """
    current = lock_alone(round_)
    issues = RoundIssue.objects.filter(round=current).count()
    may = may_open(by, current) and current.opened_at is None and current.closed_at is None
    if not may or issues * current.labels_per_issue <= SLOTS_AT_ONCE:
        open_round(round_=current, by=by, reason=reason)
        return None
    _passed_gate(current, reason)
    job = opening_of(current)
    if job is None or job.finished_at is not None:
        arguments = {"round": current.pk, "member": by.pk, "language": get_language(), "reason": reason}
        job = enqueue(OPENING, arguments=arguments, by=by.user)
    return job


@retried
@transaction.atomic
def close_round(*, round_: Round, by: Membership) -> Round:
    """End the round, reveal all of its labels, and decide each complete issue by the round's rule.

    Open second looks of the round end too. If the round is a second look itself, the issues that wait for it
    become complete without the missing labels. Waits for each submit that has begun; a later submit is told
    that the round is closed. Raises NotAllowed, RoundNotOpen, RoundAlreadyClosed.
    """
    if round_.of_id is not None:
        lock_round(Round(pk=round_.of_id))  # always locked before its second look
    current = lock_alone(round_)
    if not may_close(by, current):
        raise errors.NotAllowed
    if current.opened_at is None:
        raise errors.RoundNotOpen
    if current.closed_at is not None:
        raise errors.RoundAlreadyClosed
    # What was labelled before the reveal is sealed before it.
    seal_round(round_=current, why=Seal.Why.CLOSE)
    current.closed_at = max(clock.now(), current.opened_at)
    current.save(update_fields=["closed_at"])
    end_looks(current, current.closed_at)
    decided = decide_all_by_rule(current, current.closed_at)
    record_in_round("rounds.closed", current, by, decided=decided)
    return current


def lock_alone(round_: Round) -> Round:
    """The round as it is now, locked against every other change and every submit."""
    return Round.objects.select_for_update(of=("self",)).select_related("study").get(pk=round_.pk)


def _to_be_opened(current: Round, by: Membership) -> Round:
    """The round, if it can be opened now. Raises what open_round raises."""
    if not may_open(by, current):
        raise errors.NotAllowed
    if current.closed_at is not None:
        raise errors.RoundAlreadyClosed
    if current.opened_at is not None:
        raise errors.RoundAlreadyOpen
    volunteers = RoundVolunteer.objects.filter(round=current).select_related("member").order_by("column")
    gone = [str(v.member) for v in volunteers if not may_be_volunteer(v.member, current.study)]
    if gone:
        raise RoundRefused(
            _("%(who)s can no longer label in this study. Plan the round again without them.")
            % {"who": listed(gone)},
            field="members",
        )
    require_answers(current)
    return current


@retried
@transaction.atomic
def _make_some_slots(round_: Round, by: Membership, *, first: int, last: int) -> None:
    # A lost opening that still runs somewhere must not add slots to a round that is open by now.
    make_slots(_to_be_opened(lock_alone(round_), by), first=first, last=last)


def _store(plan: Plan, by: Membership, seed: int) -> Round:
    try:
        with transaction.atomic():
            round_ = Round.objects.create(
                labels_per_issue=plan.k,
                reveal=plan.revealed,
                selection=dict(plan.selection),
                seed=seed,
                **{name: getattr(plan, name) for name in STORED_AS_ASKED},
            )
    except IntegrityError as error:
        # Somebody gave another round this name after the check.
        raise RoundRefused(NAME_IS_TAKEN, field="name") from error
    issues = fill_plan(round_, plan)
    record_in_round("rounds.created", round_, by, issues=issues, volunteers=len(plan.members))
    return round_


def fill_plan(round_: Round, plan: Plan) -> int:
    """Store the volunteers and issues of a plan, and what it leaves out; returns the number of issues."""
    RoundVolunteer.objects.bulk_create(
        RoundVolunteer(
            round=round_,
            member=member,
            column=column,
            seed=volunteer_seed(round_.seed, column),
            quota=plan.quota_of(member),
        )
        for column, member in enumerate(plan.members, start=1)
    )
    # What is left out is settled now: an issue that comes into a pilot later stays in this round.
    left_out = counted_in(plan.issues, list(dict.fromkeys(plan.left_out)))
    LeftOut.objects.bulk_create(left_out_rows(round_, left_out))
    count = _add_issues(round_, plan.taken)
    hold_back(round_)
    return count


def hold_back(planned: Round) -> None:
    """Make the slots of a training at once: its volunteers do not see its issues in the pilot that the right
    labels come from. See rounds.queries.blindness.
    """
    if planned.kind == Round.Kind.TRAINING:
        make_slots(planned)


def _add_issues(round_: Round, issues: QuerySet[Issue]) -> int:
    ordered = issues if issues.ordered else issues.order_by("repository", "pk")
    query, parameters = ordered.values("pk").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rounds_roundissue (round_id, issue_id, position)"  # noqa: S608 - Django wrote the rest
            f" SELECT %s, chosen.id, row_number() OVER () FROM ({query}) chosen (id)",
            [round_.pk, *parameters],
        )
        count: int = cursor.rowcount
    return count
