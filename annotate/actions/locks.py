"""The locks of a round, always taken in this order: round, volunteer, issue, slot, then label and draft.

A submit holds the round as it is (FOR SHARE), so that a close waits for it or is seen by it. The row of the
volunteer makes two windows of one person take turns; the row of the issue makes its last labels do so.
"""

from annotate.errors import NotYourTurn, RemovedFromRound, RoundClosed, RoundNotOpen, TrainingFirst
from annotate.models import Round, RoundIssue, RoundVolunteer
from annotate.queries.training import training_to_pass
from annotate.rules import may_be_volunteer
from ingest.models import Issue
from studies.models import Membership


def hold_round(round_: Round) -> Round:
    """The round as it is now; nobody closes or changes it before this transaction ends."""
    return Round.objects.raw("SELECT * FROM annotate_round WHERE id = %s FOR SHARE", [round_.pk])[0]


def hold_open_round(round_: Round) -> Round:
    """The same, for an open round only. Raises RoundNotOpen, RoundClosed."""
    held = hold_round(round_)
    require_open(held)
    return held


def require_open(round_: Round) -> None:
    if round_.opened_at is None:
        raise RoundNotOpen
    if round_.closed_at is not None:
        raise RoundClosed


def hold_volunteer(round_: Round, member: Membership) -> RoundVolunteer:
    """The member's row in the round, for this transaction alone.

    Raises NotYourTurn for anybody else, RemovedFromRound for who was taken out of it, and TrainingFirst for
    who has not passed the training that the round asks for.
    """
    volunteer = (
        RoundVolunteer.objects.select_for_update(no_key=True, of=("self",))
        .select_related("member", "round__study")
        .filter(round=round_, member=member)
        .first()
    )
    if volunteer is None or not may_be_volunteer(volunteer.member, volunteer.round.study):
        raise NotYourTurn
    if volunteer.left_at is not None:
        raise RemovedFromRound
    if training_to_pass(round_, volunteer) is not None:
        raise TrainingFirst
    return volunteer


def hold_issue(round_: Round, issue: Issue) -> RoundIssue:
    """The issue's row in the round, for this transaction alone. Raises NotYourTurn where it is not in it."""
    found = RoundIssue.objects.select_for_update(no_key=True).filter(round=round_, issue=issue).first()
    if found is None:
        raise NotYourTurn
    return found
