"""Rounds that a user may see, and the one gate of blindness: what of a round is revealed."""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from accounts.models import User
from annotate.models import Decision, Label, Round, RoundIssue, RoundVolunteer
from studies.queries import studies_for


@dataclass(frozen=True)
class RoundProgress:
    """How far a round is. `complete` is None while nobody is to see that: before close, under that policy."""

    issues: int
    complete: int | None


def rounds_for(user: User | AnonymousUser) -> QuerySet[Round]:
    """The rounds of the studies that this user is a member of."""
    return Round.objects.filter(study__in=studies_for(user)).select_related("study", "version__taxonomy")


def revealed(round_: Round) -> QuerySet[RoundIssue]:
    """The issues whose labels others may see: those that are complete, or all once the round is closed."""
    issues = RoundIssue.objects.filter(round=round_)
    if round_.closed_at:
        return issues
    if round_.reveal == Round.Reveal.ISSUE_COMPLETE:
        return issues.filter(completed_at__isnull=False)
    return issues.none()


def revealed_labels(round_: Round) -> QuerySet[Label]:
    """The labels of revealed issues; surplus ones included and marked."""
    return Label.objects.filter(round=round_, issue__in=revealed(round_).values("issue"))


def standing_decisions(round_: Round) -> QuerySet[Decision]:
    """The decisions of revealed issues that no newer one supersedes."""
    return Decision.objects.filter(
        round=round_, superseded_at=None, issue__in=revealed(round_).values("issue")
    )


def volunteers(round_: Round) -> QuerySet[RoundVolunteer]:
    """Who labels in the round, in the order of their columns, with their memberships."""
    return RoundVolunteer.objects.filter(round=round_).select_related("member").order_by("column")


def round_progress(round_: Round) -> RoundProgress:
    """The issues of the round, and how many of them are complete. Two queries at most."""
    issues = RoundIssue.objects.filter(round=round_)
    hidden = round_.reveal == Round.Reveal.ROUND_CLOSED and not round_.closed_at
    return RoundProgress(
        issues=issues.count(),
        complete=None if hidden else issues.filter(completed_at__isnull=False).count(),
    )
