"""The second gate of blindness: revealed issues that are withheld from a member, who has yet to label them in
another round. The first gate is `rounds.queries.rounds`.

A member who still has to label an issue must not see the labels of others for it in any round.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, TypeVar

from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from core.once import once_a_page
from rounds.models import Assignment, Round, RoundIssue, RoundVolunteer
from rounds.queries.rounds import once_revealed, revealed
from studies.models import Membership

WithheldIssues = QuerySet[RoundIssue]
OfAnIssue = TypeVar("OfAnIssue", bound=Model)
"""A model with a `round` and an `issue`: `Disagreement`, or `RoundIssue` itself."""

IS_AHEAD = Q(Q(round__opened_at__isnull=False) | Q(round__kind=Round.Kind.TRAINING), round__closed_at=None)
"""A condition on the seats of a round: its volunteers still have to label. The slots of a training exist once
it is planned, so that its right labels cannot be read in the pilot that they come from.
"""

NOTHING: WithheldIssues = RoundIssue.objects.none()
"""The withheld issues of a reader at the shell: none."""


def _can_fall_to(member: int | OuterRef) -> Q:
    """A condition on slots: not submitted, and this member's own or still available to them.

    In a k of n round another volunteer's slot becomes free when they skip, leave or let the lease run out;
    nobody gets a slot on an issue that they have labelled in that round.
    """
    own = OuterRef(member) if isinstance(member, OuterRef) else member
    labelled = Assignment.objects.filter(
        round=OuterRef("round"), issue=OuterRef("issue"), volunteer=own, submitted_at__isnull=False
    )
    shared = Q(volunteer=None) | Q(round__allocation=Round.Allocation.K_OF_N)
    return Q(Q(volunteer=member) | Q(shared, ~Exists(labelled)), submitted_at=None)


def still_to_label(round_: Round, member: Membership | None) -> QuerySet[Assignment]:
    """The open slots that this member has, or could still get, in other open rounds and planned
    trainings of the taxonomy.

    One small query finds these rounds. Without any, the result is empty and needs no query:
    `.query.is_empty()` is true.
    """
    if member is None:
        return Assignment.objects.none()
    rounds = _labels_in((member.pk,), round_)
    if not rounds:
        return Assignment.objects.none()
    return Assignment.objects.filter(_can_fall_to(member.pk), round__in=rounds)


def _labels_in(members: Collection[int], round_: Round) -> list[int]:
    """The other rounds of the round's taxonomy in which any of these members has yet to label. One small
    query.
    """
    seats = _open_seats(frozenset(members), round_.version.taxonomy_id)
    return [other for other in seats if other != round_.pk]


@once_a_page
def _open_seats(members: frozenset[int], taxonomy_id: int) -> list[int]:
    """The rounds of the taxonomy in which any of these members has yet to label."""
    seats = RoundVolunteer.objects.filter(
        member__in=members,
        left_at=None,
        round__version__taxonomy=taxonomy_id,
    ).filter(IS_AHEAD)
    return list(seats.values_list("round", flat=True).distinct())


def withheld_issues(round_: Round, member: Membership | None) -> WithheldIssues:
    """The revealed issues of a round that are withheld from this member: reports and files for them leave
    these out. One small query as in `still_to_label`; the result is read where it is used.
    """
    turns = still_to_label(round_, member)
    if turns.query.is_empty():
        return NOTHING
    return revealed(round_).filter(Exists(turns.filter(issue=OuterRef("issue"))))


def keeps_frozen(round_: Round, member: Membership | None) -> WithheldIssues:
    """The issues that keep the frozen reports of a round from this member: the withheld ones, and issues that
    were revealed once and are due for their second look. A frozen report may contain both.
    """
    turns = still_to_label(round_, member)
    if turns.query.is_empty():
        return NOTHING
    return once_revealed(round_).filter(Exists(turns.filter(issue=OuterRef("issue"))))


@dataclass(frozen=True)
class Reader:
    """The reader of a report, for whom issues are withheld: a member, or None at the shell."""

    member: Membership | None

    def withheld_issues(self, rounds: Iterable[Round]) -> WithheldIssues:
        """The issues of these rounds that are withheld from the reader. At most one small query."""
        return withheld_issues_in(rounds, [self.member] if self.member else [])


def seen_sql(blind: WithheldIssues, column: str, *, by: str = "issue_id") -> tuple[str, dict[str, Any]]:
    """For raw SQL: a condition that the issue in `column` is not withheld, and its parameters by name. "true"
    if no issue is withheld. `by`: "id" if the column contains ids of `RoundIssue`.
    """
    if blind.query.is_empty():
        return "true", {}
    query, values = blind.values(by).query.sql_with_params()
    named = {f"withheld{place}": value for place, value in enumerate(values)}
    query %= tuple(f"%({name})s" for name in named)
    return f"NOT EXISTS (SELECT FROM ({query}) withheld WHERE withheld.{by} = {column})", named


def seen_by(found: QuerySet[OfAnIssue], round_: Round, member: Membership | None) -> QuerySet[OfAnIssue]:
    """The rows of `found`, all of one round, whose issues are not withheld from this member."""
    turns = still_to_label(round_, member)
    if turns.query.is_empty():
        return found
    return found.exclude(Exists(turns.filter(issue=OuterRef("issue"))))


def seen_by_seats(found: QuerySet[OfAnIssue], seats: Iterable[Membership]) -> QuerySet[OfAnIssue]:
    """The rows of `found` that are not withheld from the user with these seats. One small query."""
    for kept in _kept_from(seats):
        found = found.exclude(kept)
    return found


def withheld_issues_in(rounds: Iterable[Round], seats: Iterable[Membership]) -> WithheldIssues:
    """`withheld_issues` of several rounds, for all memberships of one person. One small query."""
    kept = _kept_from(seats)
    if not kept:
        return NOTHING
    return reduce(or_, map(revealed, rounds), NOTHING).filter(reduce(or_, kept))


def _kept_from(seats: Iterable[Membership]) -> list[Q]:
    """For each seat in an open round: a condition on the rows that its open slots withhold."""
    seats_ahead = RoundVolunteer.objects.filter(
        member__in=[seat.pk for seat in seats],
        left_at=None,
    ).filter(IS_AHEAD)
    labelled = seats_ahead.values_list("round", "round__version__taxonomy", "member")
    return [
        Q(
            ~Q(round=round_id),
            Exists(
                Assignment.objects.filter(_can_fall_to(member_id), round=round_id, issue=OuterRef("issue"))
            ),
            round__version__taxonomy=taxonomy_id,
        )
        for round_id, taxonomy_id, member_id in labelled
    ]


@once_a_page
def is_withheld(round_: Round, issue_id: int, member: Membership | None) -> bool:
    """Does this member still have to label the issue in another round?"""
    return still_to_label(round_, member).filter(issue=issue_id).exists()


def withheld_from(round_: Round, issue_id: int, members: Collection[int]) -> frozenset[int]:
    """The ids of the members who still have to label the issue elsewhere. At most two queries."""
    rounds = _labels_in(members, round_) if members else []
    if not rounds:
        return frozenset()
    turns = Assignment.objects.filter(
        _can_fall_to(OuterRef("member")), round=OuterRef("round"), issue=issue_id
    )
    seats = RoundVolunteer.objects.filter(Exists(turns), member__in=members, left_at=None, round__in=rounds)
    return frozenset(seats.values_list("member", flat=True))


def waits_elsewhere(*, member: str, round_: str, taxonomy: str, issue: str) -> Exists:
    """A condition on rows with these columns: must the member still label the issue in another round?"""
    turns = Assignment.objects.filter(
        _can_fall_to(OuterRef(OuterRef(member))), round=OuterRef("round"), issue=OuterRef(OuterRef(issue))
    )
    seats = RoundVolunteer.objects.filter(
        Exists(turns),
        ~Q(round=OuterRef(round_)),
        member=OuterRef(member),
        left_at=None,
        round__version__taxonomy=OuterRef(taxonomy),
    ).filter(IS_AHEAD)
    return Exists(seats)
