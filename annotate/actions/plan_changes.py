"""A plan that is changed, an opening that is taken back, and a round that is deleted: only while nobody has
labelled in it. The keys of labels hold that too: a slot with a label cannot be deleted.
"""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from annotate.actions.plans import NAME_IS_TAKEN, Plan, refusals
from annotate.actions.rounds import STORED_AS_ASKED, fill_plan, hold_back, lock_alone
from annotate.errors import LabellingBegan, OpeningRuns, RoundInUse
from annotate.models import LeftOut, Skip
from annotate.queries.planning import has_begun
from consensus.actions.records import record_in_round
from core.sql.retry import retried
from rounds import errors
from rounds.actions.slots import drop_slots
from rounds.errors import RoundRefused
from rounds.models import Answer, Round, RoundIssue, RoundVolunteer
from rounds.queries.rounds import opening_of
from rounds.rules import may_create_round
from studies.actions.copies import hold_study
from studies.models import Membership

KEPT = ("study", "kind")
"""What a changed plan keeps: another kind of round is another round."""


@retried
@transaction.atomic
def change_plan(*, round_: Round, by: Membership, **planned: Any) -> Round:
    """Replace the plan of a round that is not open; `planned` has the fields of a Plan. Study, kind and seed
    stay, and so do answers of a training whose issues stay. Raises NotAllowed, RoundAlreadyOpen, OpeningRuns,
    and RoundRefused with the field to change.
    """
    hold_study(round_.study_id)  # nobody removes issues of the study meanwhile
    current = _to_be_changed(round_, by)
    if current.opened_at is not None:
        raise errors.RoundAlreadyOpen
    planned |= {"name": " ".join(planned["name"].split()), "members": list(planned["members"])}
    plan = Plan(study=current.study, replaces=current, **planned | {"kind": current.kind})
    for refusal in refusals(plan):
        raise refusal
    _clear(current)
    for name in STORED_AS_ASKED:
        if name not in KEPT:
            setattr(current, name, getattr(plan, name))
    current.labels_per_issue, current.reveal = plan.k, plan.revealed
    current.selection = dict(plan.selection)
    try:
        with transaction.atomic():
            current.save()
    except IntegrityError as error:
        # Somebody gave another round this name after the check.
        raise RoundRefused(NAME_IS_TAKEN, field="name") from error
    issues = fill_plan(current, plan)
    # Their key to the issues of the round is looked at when the transaction ends.
    there = RoundIssue.objects.filter(round=current)
    Answer.objects.filter(round=current).exclude(issue__in=there.values("issue")).delete()
    record_in_round("rounds.plan_changed", current, by, issues=issues, volunteers=len(plan.members))
    return current


@retried
@transaction.atomic
def take_back_opening(*, round_: Round, by: Membership) -> Round:
    """Make a plan again of an open round in which nobody has begun. Raises NotAllowed, RoundNotOpen,
    RoundAlreadyClosed, and LabellingBegan if there is a label or a draft.
    """
    current = _to_be_changed(round_, by)
    if current.opened_at is None:
        raise errors.RoundNotOpen
    _require_untouched(current)
    drop_slots(current)
    Skip.objects.filter(round=current).delete()
    current.opened_at = None
    current.save(update_fields=["opened_at"])
    hold_back(current)
    record_in_round("rounds.opening_taken_back", current, by)
    return current


@retried
@transaction.atomic
def delete_round(*, round_: Round, by: Membership) -> None:
    """Delete a planned round, or an open one in which nobody has begun, with the answers of a training.
    Raises NotAllowed, OpeningRuns, LabellingBegan, and RoundInUse if another round refers to it.
    """
    current = _to_be_changed(round_, by)
    _require_untouched(current)
    others = Round.objects.filter(training=current) | Round.objects.filter(
        pk__in=LeftOut.objects.filter(other=current).values("round")
    )
    if names := list(others.order_by("pk").values_list("name", flat=True).distinct()):
        raise RoundInUse(current.name, names)
    if current.opened_at is not None:
        current.opened_at = None  # answers can go only from a plan
        current.save(update_fields=["opened_at"])
    record_in_round("rounds.deleted", current, by)
    _clear(current)
    Answer.objects.filter(round=current).delete()
    try:
        current.delete()
    except ProtectedError as error:
        raise RoundInUse(current.name, sorted({str(one) for one in error.protected_objects})) from error


def _to_be_changed(round_: Round, by: Membership) -> Round:
    current = lock_alone(round_)
    if not may_create_round(by, current.study) or current.kind == Round.Kind.LOOK:
        raise errors.NotAllowed
    if current.closed_at is not None:
        raise errors.RoundAlreadyClosed
    job = opening_of(current)
    if current.opened_at is None and job is not None and job.finished_at is None:
        raise OpeningRuns
    return current


def _require_untouched(current: Round) -> None:
    """Raises LabellingBegan if a volunteer or a model has stored anything in the round."""
    if has_begun(current):
        raise LabellingBegan(current.name)


def _clear(current: Round) -> None:
    """Delete what a plan consists of, and slots of an opening that was broken off."""
    drop_slots(current)
    for model in (Skip, LeftOut, RoundVolunteer):
        model.objects.filter(round=current).delete()
    issues = RoundIssue.objects.filter(round=current)
    issues._raw_delete(issues.db)  # noqa: SLF001 - answers may refer to them until the transaction ends
