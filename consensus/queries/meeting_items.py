"""Single items of an agenda, as one member may see them."""

from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import Count, Exists, F, OuterRef, QuerySet

from accounts.models import User
from consensus.models import AgendaItem, Disagreement, Meeting, Vote
from consensus.queries.alike import alike_items
from consensus.queries.votes import waits_for_ballot
from rounds.models import Round, RoundIssue
from rounds.queries.blindness import seen_by, still_to_label
from studies.models import Membership
from studies.rules import LABELLING

_UP_TO_DATE = """
    SELECT 1
    FROM consensus_meeting m
    JOIN rounds_round r ON r.id = m.round_id
    JOIN studies_membership s ON s.study_id = r.study_id
    JOIN consensus_participant p ON p.meeting_id = m.id AND p.member_id = s.id
    WHERE m.id = %s AND m.revision = %s AND m.opened_at IS NOT NULL AND m.closed_at IS NULL
      AND s.user_id = %s AND s.left_at IS NULL AND s.role = ANY(%s)
      AND p.joined_at IS NOT NULL AND p.left_at IS NULL AND p.last_seen_at > %s
"""


def is_up_to_date(meeting_id: int, user: User | AnonymousUser, revision: int, seen_after: datetime) -> bool:
    """Is this screen up to date? One statement, because every screen asks once a second.

    True if the screen shows this revision of an open meeting in which its user is present and was seen after
    this moment. After False the caller has to read the meeting.
    """
    parameters = [meeting_id, revision, user.pk, sorted(LABELLING), seen_after]
    with connection.cursor() as cursor:
        cursor.execute(_UP_TO_DATE, parameters)
        return cursor.fetchone() is not None


def items_seen_by(meeting: Meeting, member: Membership | None) -> QuerySet[AgendaItem]:
    """The items that are or were on the agenda of this meeting and that the member may see."""
    rows = seen_by(Disagreement.objects.filter(round=meeting.round), meeting.round, member)
    return AgendaItem.objects.filter(meeting=meeting, issue__in=rows.values("issue"))


def round_withholding(meeting: Meeting, member: Membership | None, item_id: int | None) -> Round | None:
    """The other round in which the member still has to label this issue, or None. At most two queries."""
    if item_id is None:
        return None
    issue = AgendaItem.objects.filter(meeting=meeting, pk=item_id).values("issue")
    turns = still_to_label(meeting.round, member)
    if turns.query.is_empty():
        return None
    turn = turns.filter(issue__in=issue).select_related("round").order_by("pk").first()
    return turn.round if turn else None


def looked_at_again(meeting: Meeting, member: Membership | None) -> int:
    """How many issues left the agenda because a second look made them blind again, without issues that the
    member has yet to label in another round.
    """
    blind = RoundIssue.objects.filter(
        round=meeting.round_id, completed_at=None, was_completed_at__isnull=False
    ).values("issue")
    gone = AgendaItem.objects.filter(meeting=meeting, released_at__isnull=False, issue__in=blind)
    turns = still_to_label(meeting.round, member).exclude(round__of=meeting.round_id)
    if not turns.query.is_empty():
        gone = gone.exclude(Exists(turns.filter(issue=OuterRef("issue"))))
    return gone.count()


def closable_votes(meeting: Meeting, member: Membership | None) -> int:
    """Over days: the number of open votes with their quorum, on issues that the member may see."""
    votes = Vote.objects.filter(closed_at=None, item__in=items_seen_by(meeting, member).values("pk"))
    cast = votes.annotate(cast=Count("ballots")).filter(cast__gte=F("meeting__quorum"))
    return cast.count()


def waiting_votes(meeting: Meeting, member: Membership) -> int:
    """Over days, or in a pair: the number of undecided issues that wait for the member's ballot."""
    return items_seen_by(meeting, member).filter(waits_for_ballot([member])).count()


def alike_issues(item: AgendaItem, member: Membership | None) -> list[tuple[int, str]]:
    """Id and title of the issues on the agenda that wait and are like this one. At most five queries."""
    ids = alike_items(item, member)
    rows = AgendaItem.objects.filter(pk__in=ids).values_list(
        "pk", "issue", "issue__current__title", "issue__repository__path", "issue__number"
    )
    found = {pk: (issue, title or f"{path} #{number}") for pk, issue, title, path, number in rows}
    return [found[id_] for id_ in ids if id_ in found]
