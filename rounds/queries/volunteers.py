"""The volunteers of a round, and what a change of them would do: the dry run of actions.volunteers. The
numbers count who has labelled, never which category: a lead sees them before reveal.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection
from django.db.models import Count, Q, QuerySet

from rounds.models import Assignment, Label, Round, RoundIssue, RoundVolunteer
from rounds.queries.rounds import candidates, reveals_complete_issues, volunteers
from rounds.queries.training import training_results
from rounds.rules import may_be_volunteer, may_watch_training
from studies.models import Membership

HIDDEN = "(i.completed_at IS NULL AND i.was_completed_at IS NULL OR NOT %(by_issue)s)"
"""SQL, on a row `i` of RoundIssue in an open round: its labels are not revealed, and never were."""

NOT_THEIRS = """
    NOT EXISTS (
        SELECT FROM rounds_assignment o
        WHERE o.round_id = a.round_id AND o.issue_id = a.issue_id AND o.volunteer_id = %(to)s
    )
    AND NOT EXISTS (
        SELECT FROM rounds_label l
        WHERE l.round_id = a.round_id AND l.issue_id = a.issue_id AND l.volunteer_id = %(to)s
    )
"""
"""SQL, on a row `a` of Assignment: the member %(to)s has neither slot nor label on its issue."""

_REMOVAL = f"""
    SELECT count(*), count(*) FILTER (WHERE {NOT_THEIRS}), count(*) FILTER (WHERE NOT EXISTS (
        SELECT FROM rounds_assignment o
        WHERE o.round_id = a.round_id AND o.issue_id = a.issue_id AND o.submitted_at IS NULL AND o.id <> a.id
    ))
    FROM rounds_assignment a
    WHERE a.round_id = %(round)s AND a.volunteer_id = %(member)s AND a.submitted_at IS NULL
"""


_INCOMPLETE = """
    SELECT i.url, r.path, i.number, count(a.submitted_at), count(*)
    FROM rounds_roundissue c
    JOIN ingest_issue i ON i.id = c.issue_id
    JOIN ingest_repository r ON r.id = i.repository_id
    JOIN rounds_assignment a ON a.round_id = c.round_id AND a.issue_id = c.issue_id
    WHERE c.round_id = %(round)s AND c.completed_at IS NULL
    GROUP BY c.position, i.url, r.path, i.number
    ORDER BY c.position
"""


@dataclass(frozen=True)
class Seat:
    """One volunteer of a round, with the number of their `labels` (without surplus ones) and of their open
    slots. `can_label`: their role in the study allows it. A volunteer who was taken out has no open slots.
    """

    volunteer: RoundVolunteer
    labels: int
    surplus: int
    open_slots: int
    can_label: bool

    @property
    def is_active(self) -> bool:
        return self.volunteer.left_at is None and self.can_label

    @property
    def is_stuck(self) -> bool:
        """In the round but unable to label: a fully crossed round waits in vain for their labels."""
        return self.volunteer.left_at is None and not self.can_label


@dataclass(frozen=True)
class VolunteerAddition:
    """What adding a member does: `slots` new slots for them (none in k of n, where volunteers claim slots).
    `revealed` issues keep their number of labels. `returns`: the member comes back to their former column.
    """

    slots: int
    revealed: int
    returns: bool


@dataclass(frozen=True)
class VolunteerRemoval:
    """What taking a volunteer out does: `labels` stay; `handed` of the `open_slots` go to somebody else.

    `completed` issues lack only this volunteer's label; None where nobody may see that number, in k of n, and
    when the slots are handed over. `left`: the volunteers who remain.
    """

    labels: int
    open_slots: int
    handed: int
    completed: int | None
    left: int


@dataclass(frozen=True)
class LabelsRaise:
    """What more labels per issue do: `slots` more on `issues`; `revealed` issues keep their number."""

    issues: int
    slots: int
    revealed: int


def active_volunteers(round_: Round) -> list[RoundVolunteer]:
    """The volunteers who can label in the round now: not taken out, and with a role for it. One query."""
    found = volunteers(round_).filter(left_at=None)
    return [one for one in found if may_be_volunteer(one.member, round_.study)]


def seats(round_: Round) -> list[Seat]:
    """Everyone who labels or labelled in the round, in the order of their columns. Three queries."""
    labels = {
        member: (given, surplus)
        for member, given, surplus in Label.objects.filter(round=round_)
        .order_by()
        .values_list("volunteer")
        .annotate(given=Count("id", filter=Q(surplus=False)), more=Count("id", filter=Q(surplus=True)))
    }
    # Slots of a round that is not open yet are left out: an opening may still be making them.
    waiting = Assignment.objects.filter(
        round=round_, round__opened_at__isnull=False, submitted_at=None, volunteer__isnull=False
    )
    slots = dict(waiting.order_by().values_list("volunteer").annotate(n=Count("*")))
    return [
        Seat(
            volunteer=one,
            labels=labels.get(one.member_id, (0, 0))[0],
            surplus=labels.get(one.member_id, (0, 0))[1],
            open_slots=slots.get(one.member_id, 0),
            can_label=may_be_volunteer(one.member, round_.study),
        )
        for one in volunteers(round_)
    ]


def through_training(round_: Round, seats: list[Seat], reader: Membership) -> dict[int, bool]:
    """By member id: may this volunteer label, after the training that the round asks for? Four queries
    at most.

    While the training runs, only for leads who may watch it, and only of volunteers who have labelled all of
    it. Empty for other readers until it is closed.
    """
    training = round_.training
    if training is None or (training.closed_at is None and not may_watch_training(reader, training)):
        return {}
    found = training_results([(training.pk, seat.volunteer.member_id) for seat in seats])
    return {
        member: result.opens
        for (_training, member), result in found.items()
        if training.closed_at or result.is_finished or result.opens
    }


def seats_after_training(training: Round) -> list[RoundVolunteer]:
    """The seats in open rounds that require this training, with who let the volunteer in. One query."""
    seats = RoundVolunteer.objects.filter(
        round__training=training, round__opened_at__isnull=False, round__closed_at=None
    )
    return list(seats.filter(left_at=None).select_related("round", "admitted_by__user").order_by("round"))


def addable(round_: Round) -> QuerySet[Membership]:
    """The members who can label and are not in this round, including those who were taken out of it."""
    inside = RoundVolunteer.objects.filter(round=round_, left_at=None).values("member")
    return candidates(round_.study).exclude(pk__in=inside)


def slot_count(round_: Round) -> int:
    """The slots of a round, labelled or not; before opening, the slots that opening will make."""
    if round_.opened_at is None:
        return RoundIssue.objects.filter(round=round_).count() * round_.labels_per_issue
    return Assignment.objects.filter(round=round_).count()


def addition(round_: Round, member: Membership) -> VolunteerAddition:
    """What add_volunteer would do now. At most three queries."""
    issues = RoundIssue.objects.filter(round=round_)
    revealed = 0 if not reveals_complete_issues(round_) else issues.filter(completed_at__isnull=False).count()
    returns = RoundVolunteer.objects.filter(round=round_, member=member).exists()
    slots = 0
    if round_.allocation == Round.Allocation.CROSSED:
        hidden = issues.filter(completed_at=None) if reveals_complete_issues(round_) else issues
        own = Assignment.objects.filter(round=round_, volunteer=member).values("issue")
        slots = (hidden.exclude(issue__in=own) if returns else hidden).count()
    return VolunteerAddition(slots, revealed, returns)


def removal(round_: Round, member: Membership, to: Membership | None = None) -> VolunteerRemoval:
    """What remove_volunteer would do now. Three queries."""
    with connection.cursor() as cursor:
        cursor.execute(_REMOVAL, {"round": round_.pk, "member": member.pk, "to": to.pk if to else 0})
        open_slots, takes, alone = cursor.fetchone()
    handed = takes if to else 0
    completed = None
    if round_.allocation == Round.Allocation.CROSSED and reveals_complete_issues(round_) and to is None:
        completed = alone
    left = [one for one in active_volunteers(round_) if one.member_id != member.pk]
    return VolunteerRemoval(
        labels=Label.objects.filter(round=round_, volunteer=member, surplus=False).count(),
        open_slots=open_slots,
        handed=handed,
        completed=completed,
        left=len(left),
    )


def raising(round_: Round, to: int) -> LabelsRaise:
    """What raise_labels_per_issue would do now. One query."""
    issues = RoundIssue.objects.filter(round=round_)
    counted = issues.aggregate(all=Count("id"), complete=Count("completed_at"))
    revealed = counted["complete"] if reveals_complete_issues(round_) else 0
    hidden = counted["all"] - revealed
    return LabelsRaise(hidden, hidden * (to - round_.labels_per_issue), revealed)


def shows_incomplete(round_: Round) -> bool:
    """May people see which issues lack labels? Not before close, if the round reveals labels only then."""
    return round_.opened_at is not None and reveals_complete_issues(round_)


def incomplete_issues(round_: Round) -> QuerySet[RoundIssue]:
    """The issues that lack labels, without their texts; empty while nobody may see which issues these are."""
    if not shows_incomplete(round_):
        return RoundIssue.objects.none()
    issues = RoundIssue.objects.filter(round=round_, completed_at=None)
    issues = issues.select_related("issue__repository", "issue__current")
    return issues.defer("issue__current__body", "issue__current__comments")


def incomplete_rows(round_: Round) -> Iterator[tuple[str, str, str, int, int]]:
    """(URL, repository, number, labels, wanted) of each issue that lacks labels in a closed round. No rows
    before close: until then the number of labels of an issue is hidden.
    """
    if round_.closed_at is None:
        return
    with connection.cursor() as cursor:
        cursor.execute(_INCOMPLETE, {"round": round_.pk})
        while rows := cursor.fetchmany(2000):
            yield from rows
