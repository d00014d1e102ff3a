"""What is revealed in one round and still blind for a member: issues that they have yet to label in another.

Whoever still has to label an issue must not see what others said of it before, in whatever round they did.
"""

from collections.abc import Collection, Iterable

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotate.models import Assignment, Disagreement, Round, RoundVolunteer
from studies.models import Membership


def still_to_label(round_: Round, member: Membership | None) -> QuerySet[Assignment]:
    """The turns at issues that this member has yet to take in other open rounds of the same taxonomy.

    Slots that nobody has claimed yet are among them where the member could claim them. Without a query, and
    empty, for who labels nowhere else: `.query.is_empty()` says so. One small query otherwise.
    """
    if member is None:
        return Assignment.objects.none()
    seats = RoundVolunteer.objects.filter(
        member=member,
        left_at=None,
        round__version__taxonomy=round_.version.taxonomy_id,
        round__opened_at__isnull=False,
        round__closed_at=None,
    ).exclude(round=round_)
    rounds = list(seats.values_list("round", flat=True))
    if not rounds:
        return Assignment.objects.none()
    return Assignment.objects.filter(
        Q(volunteer=member) | Q(volunteer=None), round__in=rounds, submitted_at=None
    )


def seen_by(
    found: QuerySet[Disagreement], round_: Round, member: Membership | None
) -> QuerySet[Disagreement]:
    """Of these disagreements of a round, those that nothing keeps from this member."""
    turns = still_to_label(round_, member)
    if turns.query.is_empty():
        return found
    return found.exclude(Exists(turns.filter(issue=OuterRef("issue"))))


def seen_by_seats(found: QuerySet[Disagreement], seats: Iterable[Membership]) -> QuerySet[Disagreement]:
    """Of these disagreements of any rounds, those that nothing keeps from who has these memberships.

    One small query.
    """
    labelled = list(
        RoundVolunteer.objects.filter(
            member__in=[seat.pk for seat in seats],
            left_at=None,
            round__opened_at__isnull=False,
            round__closed_at=None,
        ).values_list("round", "round__version__taxonomy", "member")
    )
    for round_id, taxonomy_id, member_id in labelled:
        turns = Assignment.objects.filter(
            Q(volunteer=member_id) | Q(volunteer=None),
            round=round_id,
            submitted_at=None,
            issue=OuterRef("issue"),
        )
        found = found.exclude(~Q(round=round_id), Exists(turns), round__version__taxonomy=taxonomy_id)
    return found


def is_withheld(round_: Round, issue_id: int, member: Membership | None) -> bool:
    """Does this member still have to label the issue elsewhere?"""
    return still_to_label(round_, member).filter(issue=issue_id).exists()


def withheld_from(round_: Round, issue_id: int, members: Collection[int]) -> frozenset[int]:
    """Those of these members who still have to label the issue elsewhere. One query, none without members."""
    if not members:
        return frozenset()
    turns = Assignment.objects.filter(
        Q(volunteer=OuterRef("member")) | Q(volunteer=None),
        round=OuterRef("round"),
        issue=issue_id,
        submitted_at=None,
    )
    seats = RoundVolunteer.objects.filter(
        Exists(turns),
        member__in=members,
        left_at=None,
        round__version__taxonomy=round_.version.taxonomy_id,
        round__opened_at__isnull=False,
        round__closed_at=None,
    ).exclude(round=round_)
    return frozenset(seats.values_list("member", flat=True))


def waits_elsewhere(*, member: str, round_: str, taxonomy: str, issue: str) -> Exists:
    """For rows of a query that name these: does the member still have to label the issue in another round?"""
    turns = Assignment.objects.filter(
        Q(volunteer=OuterRef(OuterRef(member))) | Q(volunteer=None),
        round=OuterRef("round"),
        issue=OuterRef(OuterRef(issue)),
        submitted_at=None,
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
