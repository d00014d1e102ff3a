"""The second gate of blindness: what is revealed in one round (the first gate, `rounds.queries.rounds`) and
held back from a member, because they have yet to label the issue in another round.

Whoever still has to label an issue must not see what others said of it before, in whatever round they did.
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
"""A model with a `round` and an `issue`: a disagreement, or the issue of a round itself."""

NOTHING: WithheldIssues = RoundIssue.objects.none()
"""What is held back from who asks at the shell: nothing."""


def _can_fall_to(member: int | OuterRef) -> Q:
    """For open turns: it is this member's, or could be given to them yet.

    Where k volunteers label an issue, a slot that another one holds falls free when they skip, leave or take
    too long; it goes to nobody who has labelled the issue in that round.
    """
    own = OuterRef(member) if isinstance(member, OuterRef) else member
    labelled = Assignment.objects.filter(
        round=OuterRef("round"), issue=OuterRef("issue"), volunteer=own, submitted_at__isnull=False
    )
    shared = Q(volunteer=None) | Q(round__allocation=Round.Allocation.K_OF_N)
    return Q(Q(volunteer=member) | Q(shared, ~Exists(labelled)), submitted_at=None)


def still_to_label(round_: Round, member: Membership | None) -> QuerySet[Assignment]:
    """The turns at issues that this member has yet to take, or could be given, in other open rounds of the
    taxonomy.

    Without a query, and empty, for who labels nowhere else: `.query.is_empty()` says so. One small query
    otherwise.
    """
    if member is None:
        return Assignment.objects.none()
    rounds = _labels_in((member.pk,), round_)
    if not rounds:
        return Assignment.objects.none()
    return Assignment.objects.filter(_can_fall_to(member.pk), round__in=rounds)


def _labels_in(members: Collection[int], round_: Round) -> list[int]:
    """The other open rounds of the round's taxonomy that any of these members labels in. One small query."""
    seats = _open_seats(frozenset(members), round_.version.taxonomy_id)
    return [other for other in seats if other != round_.pk]


@once_a_page
def _open_seats(members: frozenset[int], taxonomy_id: int) -> list[int]:
    """The open rounds of the taxonomy that any of these members labels in."""
    seats = RoundVolunteer.objects.filter(
        member__in=members,
        left_at=None,
        round__version__taxonomy=taxonomy_id,
        round__opened_at__isnull=False,
        round__closed_at=None,
    )
    return list(seats.values_list("round", flat=True).distinct())


def withheld_issues(round_: Round, member: Membership | None) -> WithheldIssues:
    """The revealed issues of a round that this member has yet to label elsewhere: no report or file that they
    get holds one. Costs what `still_to_label` costs; the issues are asked for where it is used.
    """
    turns = still_to_label(round_, member)
    if turns.query.is_empty():
        return NOTHING
    return revealed(round_).filter(Exists(turns.filter(issue=OuterRef("issue"))))


def keeps_frozen(round_: Round, member: Membership | None) -> WithheldIssues:
    """What keeps the frozen reports of a round from this member: all that is held back from them, and what
    was revealed once and is for them to look at again. A frozen report may be of that, too.
    """
    turns = still_to_label(round_, member)
    if turns.query.is_empty():
        return NOTHING
    return once_revealed(round_).filter(Exists(turns.filter(issue=OuterRef("issue"))))


@dataclass(frozen=True)
class Reader:
    """Who reads, as far as it says what is held back from them: a member, or None at the shell."""

    member: Membership | None

    def withheld_issues(self, rounds: Iterable[Round]) -> WithheldIssues:
        """What of these rounds is held back from them. One small query, none for who asks at the shell."""
        return withheld_issues_in(rounds, [self.member] if self.member else [])


def seen_sql(blind: WithheldIssues, column: str, *, by: str = "issue_id") -> tuple[str, dict[str, Any]]:
    """For a statement that is written out: the condition that the issue in this column is not held back, and
    its parameters by name. "true" where nothing is. `by`: "id" where the column is that of a `RoundIssue`.
    """
    if blind.query.is_empty():
        return "true", {}
    query, values = blind.values(by).query.sql_with_params()
    named = {f"withheld{place}": value for place, value in enumerate(values)}
    query %= tuple(f"%({name})s" for name in named)
    return f"NOT EXISTS (SELECT FROM ({query}) withheld WHERE withheld.{by} = {column})", named


def seen_by(found: QuerySet[OfAnIssue], round_: Round, member: Membership | None) -> QuerySet[OfAnIssue]:
    """Of these disagreements of a round, those that nothing keeps from this member."""
    turns = still_to_label(round_, member)
    if turns.query.is_empty():
        return found
    return found.exclude(Exists(turns.filter(issue=OuterRef("issue"))))


def seen_by_seats(found: QuerySet[OfAnIssue], seats: Iterable[Membership]) -> QuerySet[OfAnIssue]:
    """Of these disagreements of any rounds, or issues of them, those that nothing keeps from who has these
    memberships.

    One small query.
    """
    for kept in _kept_from(seats):
        found = found.exclude(kept)
    return found


def withheld_issues_in(rounds: Iterable[Round], seats: Iterable[Membership]) -> WithheldIssues:
    """`withheld_issues` of several rounds and for all memberships of one person. One small query."""
    kept = _kept_from(seats)
    if not kept:
        return NOTHING
    return reduce(or_, map(revealed, rounds), NOTHING).filter(reduce(or_, kept))


def _kept_from(seats: Iterable[Membership]) -> list[Q]:
    """For each seat in an open round: what its turns keep back in other rounds of the taxonomy."""
    labelled = RoundVolunteer.objects.filter(
        member__in=[seat.pk for seat in seats],
        left_at=None,
        round__opened_at__isnull=False,
        round__closed_at=None,
    ).values_list("round", "round__version__taxonomy", "member")
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
    """Does this member still have to label the issue elsewhere?"""
    return still_to_label(round_, member).filter(issue=issue_id).exists()


def withheld_from(round_: Round, issue_id: int, members: Collection[int]) -> frozenset[int]:
    """Those of these members who still have to label the issue elsewhere. Two queries at most, none without
    members.
    """
    rounds = _labels_in(members, round_) if members else []
    if not rounds:
        return frozenset()
    turns = Assignment.objects.filter(
        _can_fall_to(OuterRef("member")), round=OuterRef("round"), issue=issue_id
    )
    seats = RoundVolunteer.objects.filter(Exists(turns), member__in=members, left_at=None, round__in=rounds)
    return frozenset(seats.values_list("member", flat=True))


def waits_elsewhere(*, member: str, round_: str, taxonomy: str, issue: str) -> Exists:
    """For rows of a query that name these: does the member still have to label the issue in another round?"""
    turns = Assignment.objects.filter(
        _can_fall_to(OuterRef(OuterRef(member))), round=OuterRef("round"), issue=OuterRef(OuterRef(issue))
    )
    seats = RoundVolunteer.objects.filter(
        Exists(turns),
        ~Q(round=OuterRef(round_)),
        member=OuterRef(member),
        left_at=None,
        round__version__taxonomy=OuterRef(taxonomy),
        round__opened_at__isnull=False,
        round__closed_at=None,
    )
    return Exists(seats)
