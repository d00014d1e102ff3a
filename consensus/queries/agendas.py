"""Agendas: which issues are on them and decided, and the whole agenda of a meeting for REST."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from math import inf

from django.db.models import F, OuterRef, Q

from consensus.models import AgendaItem, Ballot, Decision, Disagreement, Meeting, Vote
from core.once import once_a_page
from rounds.models import Round
from rounds.queries.blindness import seen_by
from rounds.queries.categories import codebook
from studies.models import Membership


def is_on_agenda() -> Q:
    """Agenda items that are on the agenda; of a closed meeting the items that were on it when it closed."""
    return Q(meeting__closed_at=None, released_at=None) | Q(released_at__gte=F("meeting__closed_at"))


def standing(closed_at: datetime | OuterRef | None) -> Q:
    """Decisions that stand, or that stood when a meeting closed, by any author."""
    if closed_at is None:
        return Q(superseded_at=None)
    return (Q(superseded_at=None) | Q(superseded_at__gt=closed_at)) & Q(decided_at__lte=closed_at)


@once_a_page
def unclosed_meetings(round_: Round) -> list[Meeting]:
    """The meetings of a round that are planned or open, in no order. One query."""
    return list(Meeting.objects.filter(round=round_, closed_at=None))


def open_agendas(round_: Round, member: Membership | None) -> list[Meeting]:
    """The meetings that can take issues on their agenda. One query.

    First meetings at one time: those that the member chairs, open ones, then by date; votes over days come
    last.
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


@dataclass(frozen=True)
class AgendaVote:
    """One vote on an item. `ballots` by pseudonym, None while the vote is open; "" abstains.

    `voted` are the pseudonyms of the voters; `own` is the reader's ballot, None without one.
    """

    number: int
    is_open: bool
    voted: tuple[str, ...]
    own: str | None
    ballots: dict[str, str] | None


@dataclass(frozen=True)
class AgendaLine:
    """One item with what was voted and decided: `item` and `issue` are ids, `url` is that of the issue.

    `decision_number`: of the decision that stands, 0 without one.
    """

    item: int
    issue: int
    url: str
    title: str
    state: str
    decision: str | None
    decision_number: int
    votes: tuple[AgendaVote, ...]


@dataclass(frozen=True)
class Agenda:
    """The items that the reader may see, in order; `withheld` counts the others."""

    lines: tuple[AgendaLine, ...]
    withheld: int


def agenda(meeting: Meeting, member: Membership | None) -> Agenda:
    """The items on the agenda; of a closed meeting the items at its end. Eight queries at most."""
    on_it = AgendaItem.objects.filter(is_on_agenda(), meeting=meeting)
    rows = Disagreement.objects.filter(round=meeting.round, issue__in=on_it.values("issue"))
    seen = seen_by(rows, meeting.round, member)
    shown = list(
        on_it.filter(issue__in=seen.values("issue"))
        .select_related("issue__repository", "issue__current")
        .defer("issue__current__body", "issue__current__comments", "issue__current__labels")
        .order_by("position", "pk")
    )
    codes = {id_: state.code for id_, state in codebook(meeting.round.version_id).states.items()}
    decided = _decided(meeting, [item.issue_id for item in shown])
    votes = _votes(meeting, [item.pk for item in shown], member, codes)
    lines = []
    for item in shown:
        category, number = decided.get(item.issue_id, (None, 0))
        lines.append(
            AgendaLine(
                item=item.pk,
                issue=item.issue_id,
                url=item.issue.url,
                title=item.issue.current.title if item.issue.current else "",
                state=_state(meeting, item, is_decided=category is not None),
                decision=codes[category] if category is not None else None,
                decision_number=number,
                votes=tuple(votes[item.pk]),
            )
        )
    return Agenda(tuple(lines), withheld=on_it.count() - len(lines))


def _state(meeting: Meeting, item: AgendaItem, *, is_decided: bool) -> str:
    if is_decided:
        return "decided"
    if item.pk == meeting.item_id:
        return "now"
    return "parked" if item.parked_at is not None else "waiting"


def _decided(meeting: Meeting, issues: list[int]) -> dict[int, tuple[int, int]]:
    """Issue id to category and number of the decision that stands, or stood when the meeting closed."""
    stood = standing(meeting.closed_at)
    found = Decision.objects.filter(stood, round=meeting.round, issue__in=issues).order_by("number")
    return {
        issue: (category, number)
        for issue, category, number in found.values_list("issue", "category", "number")
    }


def _votes(
    meeting: Meeting, items: list[int], member: Membership | None, codes: dict[int, str]
) -> dict[int, list[AgendaVote]]:
    cast: dict[int, dict[str, str]] = defaultdict(dict)
    own: dict[int, str] = {}
    ballots = Ballot.objects.filter(meeting=meeting, vote__item__in=items).order_by("member__pseudonym")
    for vote_id, who, pseudonym, category in ballots.values_list(
        "vote", "member", "member__pseudonym", "category"
    ):
        code = "" if category is None else codes[category]
        cast[vote_id][pseudonym] = code
        if member is not None and who == member.pk:
            own[vote_id] = code
    found: dict[int, list[AgendaVote]] = defaultdict(list)
    for vote in Vote.objects.filter(item__in=items).order_by("number"):
        is_open = vote.closed_at is None
        found[vote.item_id].append(
            AgendaVote(
                number=vote.number,
                is_open=is_open,
                voted=tuple(cast[vote.pk]),
                own=own.get(vote.pk),
                ballots=None if is_open else dict(cast[vote.pk]),
            )
        )
    return found
