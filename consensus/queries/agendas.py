"""Agendas: which issues are on them and decided, and the whole agenda of a meeting for REST."""

from collections import defaultdict
from datetime import datetime
from math import inf
from typing import Any, Literal

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from consensus.models import AgendaItem, Ballot, Decision, Disagreement, Meeting, Vote
from consensus.queries.votes import NO_CATEGORY_CODE
from core.once import once_a_page
from rounds.models import Round
from rounds.queries.blindness import seen_by
from rounds.queries.categories import ShownCodebook, codebook
from rounds.queries.rounds import revealed
from studies.models import Membership

State = Literal["waiting", "now", "parked", "decided"]
"""The state of an item of an agenda."""


def is_on_agenda() -> Q:
    """Agenda items that are on the agenda; of a closed meeting the items that were on it when it closed."""
    return Q(meeting__closed_at=None, released_at=None) | Q(released_at__gte=F("meeting__closed_at"))


def standing(closed_at: datetime | OuterRef | None) -> Q:
    """A condition on decisions: they stand, or stood when the meeting closed, whoever made them."""
    if closed_at is None:
        return Q(superseded_at=None)
    return (Q(superseded_at=None) | Q(superseded_at__gt=closed_at)) & Q(decided_at__lte=closed_at)


def standing_decisions(round_: Round) -> QuerySet[Decision]:
    """The decisions of revealed issues of a round that no newer one supersedes."""
    return Decision.objects.filter(standing(None), round=round_, issue__in=revealed(round_).values("issue"))


@once_a_page
def unclosed_meetings(round_: Round) -> list[Meeting]:
    """The meetings of a round that are planned or open, in no order. One query."""
    return list(Meeting.objects.filter(round=round_, closed_at=None))


def open_agendas(round_: Round, member: Membership | None) -> list[Meeting]:
    """The meetings that can take issues on their agenda. One query. Meetings at one time come first: those
    that the member chairs, then open ones, then by date. Meetings over days come last; pairs are left out.
    """

    def place(meeting: Meeting) -> tuple[bool, bool, float, float, int]:
        return (
            meeting.kind == Meeting.Kind.APART,
            member is None or meeting.chair_id != member.pk,
            meeting.opened_at.timestamp() if meeting.opened_at else inf,
            meeting.starts_at.timestamp() if meeting.starts_at else inf,
            meeting.pk,
        )

    meetings = (one for one in unclosed_meetings(round_) if one.kind != Meeting.Kind.PAIR)
    return sorted(meetings, key=place)


def state_of(meeting: Meeting, item: int, category: int | None, parked_at: datetime | None) -> State:
    """The state of the item with this id; `category` is that of its standing decision."""
    if category is not None:
        return "decided"
    if item == meeting.item_id:
        return "now"
    return "waiting" if parked_at is None else "parked"


def agenda(meeting: Meeting, member: Membership | None) -> tuple[list[dict[str, Any]], int]:
    """The items that the reader may see, in order, and the number of the other items. At most seven queries.

    For a closed meeting, the items at its close. `consensus.api.meetings.AgendaLineSerializer` explains the
    fields.
    """
    on_it = AgendaItem.objects.filter(is_on_agenda(), meeting=meeting)
    rows = Disagreement.objects.filter(round=meeting.round, issue__in=on_it.values("issue"))
    seen = seen_by(rows, meeting.round, member)
    stood = decided_last(meeting)
    shown = list(
        on_it.filter(issue__in=seen.values("issue"))
        .annotate(
            category=Subquery(stood.values("category")[:1]), number=Subquery(stood.values("number")[:1])
        )
        .select_related("issue__repository", "issue__current")
        .defer("issue__current__body", "issue__current__comments", "issue__current__labels")
        .order_by("position", "pk")
    )
    book = codebook(meeting.round.version_id)
    votes = _votes(meeting, [item.pk for item in shown], member, book)
    lines = [
        {
            "item": item.pk,
            "issue": item.issue_id,
            "url": item.issue.url,
            "title": item.issue.current.title if item.issue.current else "",
            "state": state_of(meeting, item.pk, item.category, item.parked_at),
            "decision": book.code(item.category) or None,
            "decision_number": item.number or 0,
            "votes": votes[item.pk],
        }
        for item in shown
    ]
    return lines, on_it.count() - len(lines)


def decided_last(meeting: Meeting) -> QuerySet[Decision]:
    """For items of an outer query: the decisions that stand, or stood at the close, newest first."""
    own = Decision.objects.filter(round=meeting.round, issue=OuterRef("issue"))
    return own.filter(standing(meeting.closed_at)).order_by("-number")


def _votes(
    meeting: Meeting, items: list[int], member: Membership | None, book: ShownCodebook
) -> dict[int, list[dict[str, Any]]]:
    """The votes by item: of an open vote only the names of its voters and the reader's own ballot."""
    cast: dict[int, dict[str, str]] = defaultdict(dict)
    own: dict[int, str] = {}
    ballots = Ballot.objects.filter(meeting=meeting, vote__item__in=items).order_by("member__pseudonym")
    told = ballots.values_list("vote", "member", "member__pseudonym", "category", "none_fits")
    for vote_id, who, pseudonym, category, none_fits in told:
        cast[vote_id][pseudonym] = NO_CATEGORY_CODE if none_fits else book.code(category)
        if member is not None and who == member.pk:
            own[vote_id] = cast[vote_id][pseudonym]
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for vote in Vote.objects.filter(item__in=items).order_by("number"):
        is_open = vote.closed_at is None
        found[vote.item_id].append(
            {
                "number": vote.number,
                "is_open": is_open,
                "voted": list(cast[vote.pk]),
                "own": own.get(vote.pk),
                "ballots": None if is_open else cast[vote.pk],
            }
        )
    return found
