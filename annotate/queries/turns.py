"""Whose turn it is at what. Everything here is the member's own: the same whatever others label."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from annotate.models import Assignment, Draft, Label, Round, Skip
from ingest.models import Issue
from studies.models import Membership


@dataclass(frozen=True)
class Turn:
    """One member at one issue: what the labelling page shows, and what its form was made from.

    `assignment` is None where the slot went to somebody else meanwhile: what is typed is kept all the same.
    `issue` comes with its repository and current snapshot.
    """

    assignment: Assignment | None
    issue: Issue
    draft: Draft | None
    label: Label | None
    skipped: bool = False

    @property
    def lease_until(self) -> datetime | None:
        return self.assignment.lease_until if self.assignment else None

    @property
    def seen_revision(self) -> int:
        """Goes into the form: save_draft refuses when another window has saved since."""
        return self.draft.revision if self.draft else 0

    @property
    def seen_snapshot(self) -> int:
        """Goes into the form: the text that the label is about, 0 where only the address was known."""
        return self.issue.current_id or 0


def own_slots(round_: Round, member: Membership) -> QuerySet[Assignment]:
    return Assignment.objects.filter(round=round_, volunteer=member)


def own_skips_of(round_: Round, member: Membership) -> QuerySet[Skip]:
    """For Exists: the member's skips of the issue of an outer row."""
    return Skip.objects.filter(round=round_, volunteer=member, issue=OuterRef("issue"))


def current_turn(round_: Round, member: Membership, *, holding: Collection[int] = ()) -> Turn | None:
    """The turn that the member has now, None without one: reads only, two queries.

    Fully crossed: the open slot of lowest rank, then, once only skipped issues are left, the one skipped
    longest ago. k of n: a slot already claimed, the one last touched; none is claimed here.
    `holding`: the ids of issues that the member's page has in hand already; the turn after those is meant.
    """
    open_slots = (
        own_slots(round_, member)
        .filter(submitted_at=None)
        .exclude(issue__in=holding)
        .select_related("issue__repository", "issue__current")
    )
    if round_.allocation == Round.Allocation.K_OF_N:
        slot = open_slots.order_by("-lease_until", "id").first()
    else:
        slot = open_slots.exclude(Exists(own_skips_of(round_, member))).order_by(
            "rank"
        ).first() or skipped_longest_ago(open_slots, round_, member)
    return None if slot is None else turn_of(slot, member)


def skipped_longest_ago(slots: QuerySet[Assignment], round_: Round, member: Membership) -> Assignment | None:
    """Of these slots, the one whose issue the member skipped longest ago: it comes again first."""
    last = (
        Skip.objects.filter(round=round_, volunteer=member, issue=OuterRef("issue"))
        .order_by("-id")
        .values("skipped_at")[:1]
    )
    return (
        slots.filter(Exists(own_skips_of(round_, member)))
        .annotate(skipped_at=Subquery(last))
        .order_by("skipped_at", "rank")
        .first()
    )


def turn_of(slot: Assignment, member: Membership) -> Turn:
    """The turn at an open slot whose issue is loaded."""
    draft = Draft.objects.filter(round=slot.round_id, issue=slot.issue_id, volunteer=member).first()
    return Turn(assignment=slot, issue=slot.issue, draft=draft, label=None)


def issue_in(round_: Round, issue_id: int) -> Issue | None:
    """An issue of the round, without its text; whether it is the member's turn is for the actions to say."""
    return Issue.objects.filter(in_rounds__round=round_, pk=issue_id).first()


def turn_at(round_: Round, member: Membership, issue_id: int) -> Turn | None:
    """The member at one issue of the round: to go back, to change, or to show again what was refused.

    None unless the issue is or was theirs: they have a slot, a label, a draft or a skip on it.
    """
    own = {"round": round_, "volunteer": member, "issue": issue_id}
    slot = Assignment.objects.filter(**own).first()
    draft = Draft.objects.filter(**own).first()
    label = Label.objects.filter(**own).first()
    skipped = Skip.objects.filter(**own).exists()
    if not (slot or draft or label or skipped):
        return None
    issue = Issue.objects.select_related("repository", "current").get(pk=issue_id)
    return Turn(assignment=slot, issue=issue, draft=draft, label=label, skipped=skipped)
