"""The numbers for a method section: how the disagreements of a round, or of one meeting, were settled."""

from collections import Counter
from dataclasses import dataclass
from statistics import median

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Sum

from consensus.models import AgendaItem, Decision, Disagreement, Meeting, Spell, Vote
from consensus.queries.minute_records import Minutes
from rounds.models import Round
from rounds.queries.blindness import seen_by
from studies.models import Membership


@dataclass(frozen=True)
class ConsensusNumbers:
    """How the disagreements of a round, or of one meeting, were settled: the numbers for a method section.

    `there`: the fewest and the most participants of a meeting, None if nobody came. Each standing decision
    counts once: `unanimity`, `majority` and `chair` of meetings, `pair` of two volunteers, `bulk` by a
    majority of the labels, `lead` of a lead alone. `open` issues are not settled.
    """

    meetings: int
    there: tuple[int, int] | None
    discussed: int
    unanimity: int
    majority: int
    chair: int
    pair: int
    lead: int
    bulk: int
    open: int
    median_seconds: float | None

    @property
    def settled(self) -> int:
        """The number of decisions by meetings and pairs, of which the shares are computed."""
        return self.unanimity + self.majority + self.chair + self.pair


def came_up(items: QuerySet[AgendaItem]) -> QuerySet[AgendaItem]:
    """The items that their meeting looked at, voted on or decided."""
    own = [rows.objects.filter(item=OuterRef("pk")) for rows in (Spell, Vote, Decision)]
    return items.filter(Q(Exists(own[0])) | Q(Exists(own[1])) | Q(Exists(own[2])))


def consensus_numbers(round_: Round, member: Membership | None) -> ConsensusNumbers:
    """The numbers of a round, without issues that are withheld from this member. At most six queries."""
    seen = seen_by(Disagreement.objects.filter(round=round_), round_, member)
    standing = Decision.objects.filter(round=round_, superseded_at=None, issue__in=seen.values("issue"))
    counted: Counter[str] = Counter()
    rows = standing.order_by().values_list("method", "how", "item__meeting__kind").annotate(n=Count("pk"))
    for method, how, kind, n in rows:
        counted[_settled_by(method, how, kind)] += n
    items = AgendaItem.objects.filter(round=round_, issue__in=seen.values("issue"))
    spent = (
        Spell.objects.filter(item__in=items.values("pk"), ended_at__isnull=False)
        .filter(Exists(Decision.objects.filter(item=OuterRef("item"), superseded_at=None)))
        .order_by()
        .values("item")
        .annotate(spent=Sum(F("ended_at") - F("began_at")))
        .values_list("spent", flat=True)
    )
    times = [one.total_seconds() for one in spent]
    meetings = Meeting.objects.filter(round=round_, opened_at__isnull=False).annotate(
        came=Count("participants", filter=Q(participants__joined_at__isnull=False))
    )
    came = list(meetings.values_list("came", flat=True))
    there = [number for number in came if number]
    return ConsensusNumbers(
        meetings=len(came),
        there=(min(there), max(there)) if there else None,
        discussed=came_up(items).order_by().values("issue").distinct().count(),
        **{name: counted[name] for name in ("unanimity", "majority", "chair", "pair", "lead", "bulk")},
        open=seen.count() - counted.total(),
        median_seconds=median(times) if times else None,
    )


def meeting_numbers(written: Minutes) -> ConsensusNumbers:
    """The numbers of one meeting, from its minutes."""
    totals = written.totals
    is_pair = written.meeting.kind == Meeting.Kind.PAIR
    there = len(written.there)
    return ConsensusNumbers(
        meetings=1,
        there=(there, there) if there else None,
        discussed=totals.discussed,
        unanimity=0 if is_pair else totals.unanimity,
        majority=totals.majority,
        chair=totals.chair,
        pair=totals.unanimity if is_pair else 0,
        lead=totals.lead,
        bulk=totals.bulk,
        open=totals.parked + totals.open,
        median_seconds=totals.median_seconds,
    )


def _settled_by(method: str, how: str, kind: str | None) -> str:
    if method == Decision.Method.MEETING:
        # Decisions from before agendas existed: a lead recorded what a meeting had decided.
        return "pair" if kind == Meeting.Kind.PAIR else how or "lead"
    return "bulk" if method == Decision.Method.MAJORITY else "lead"
