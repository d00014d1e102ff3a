"""What one argument can settle: disagreements between the same categories, and of these the ones that are
alike.

Alike by the words of their titles and of the summaries of their labels. Of an issue without any, as in
published labels that are known by their address alone, the split and who stands apart say what it is like.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from django.contrib.postgres.aggregates import StringAgg
from django.db import connection
from django.db.models import Case, Count, Exists, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Left

from annotate import models
from annotate.likeness import LONGEST, like, stars
from annotate.models import AgendaItem, Label, Round
from annotate.queries.categories import Codebook
from annotate.queries.confusion import all_said
from annotate.queries.narrowing import Narrowing, found, in_state, settling, waiting
from annotate.queries.withheld import seen_by
from core.plain import plain_rows
from ingest.models import Snapshot
from studies.models import Membership

OPEN = "?"
"""In the place of a code: labels that propose a category."""

State = Literal["open", "agenda", "decided"]
STATES: tuple[State, ...] = ("open", "agenda", "decided")


@dataclass(frozen=True)
class Between:
    """Where disagreements lie: between two categories, by their codes, or OPEN; the first before the second
    in the tree. `more`: in three ways and more, these two the most chosen.
    """

    first: str
    second: str
    more: bool = False


@dataclass(frozen=True)
class Pair:
    """So many disagreements lie there."""

    between: Between
    issues: int


class Row(NamedTuple):
    """What groups are made of: an issue, the snapshot that its title is read from, and how its labels part.

    `split`: category id and labels, the most first. None of it ever changes.
    """

    issue: int
    snapshot: int | None
    split: tuple[tuple[int, int], ...]
    open_labels: int
    apart: tuple[int, ...]


@dataclass(frozen=True)
class Group:
    """Disagreements that are alike, the centre first, then the nearest to it: ids of issues.

    `issues` are those in the state that was asked for, `others` those in the two other states. `words`:
    what their texts share. Without texts, `split` (category id, labels) and `apart` say what they have in
    common. `decided` counts the categories that were decided on among the others, most first: what went
    before.
    """

    centre: int
    issues: tuple[int, ...]
    others: tuple[int, ...]
    words: tuple[str, ...]
    split: tuple[tuple[int, int], ...]
    open_labels: int
    apart: tuple[int, ...]
    decided: tuple[tuple[int, int], ...]

    @property
    def is_by_text(self) -> bool:
        return bool(self.words)


@dataclass(frozen=True)
class Groups:
    """The groups of what lies between two categories, the largest first.

    `alone`: issues that are like no other, in the order of the round. `positions`: of all these issues in
    the round. `states`: how many there are in each. `without_text`: how many have neither title nor
    summary.
    """

    groups: tuple[Group, ...]
    alone: tuple[int, ...]
    positions: dict[int, int]
    states: dict[State, int]
    without_text: int


def pairs(round_: Round, narrowing: Narrowing, member: Membership | None, book: Codebook) -> list[Pair]:
    """Between which categories the disagreements lie that the filters leave: two ways first, then three and
    more by their first two; the most issues first, then in the order of the tree. One query, and those of
    the filters; for all that are open, which are the most, one for each other state.
    """
    if narrowing == Narrowing(state="open"):
        counted = all_said(round_, member).between - _pairs_taken(round_, member)
    else:
        counted = _pairs_of(found(round_, narrowing, member))
    codes = [*(state.code for state in book.states.values()), OPEN]
    places = {id_: place for place, id_ in enumerate(book.states)} | {None: len(book.states)}
    placed: Counter[tuple[bool, int, int]] = Counter()
    for (is_more, one, other), issues in counted.items():
        first, second = sorted((places[one], places[other]))
        placed[is_more, first, second] += issues
    return [
        Pair(Between(codes[first], codes[second], is_more), issues)
        for (is_more, first, second), issues in sorted(
            placed.items(), key=lambda one: (one[0][0], -one[1], one[0][1:])
        )
    ]


def _pairs_of(rows: QuerySet[models.Disagreement]) -> Counter[tuple[bool, int | None, int | None]]:
    """As `AllSaid.between`."""
    more = Case(When(ways__gt=2, then=Value(True)), default=Value(False))
    lines = rows.order_by().annotate(more=more).values_list("more", "chosen__0", "chosen__1")
    return Counter({tuple(between): issues for *between, issues in lines.annotate(issues=Count("pk"))})


_TAKEN = """
    SELECT found.ways > 2, found.chosen[1], found.chosen[2], count(*)
    FROM ({found}) found
    JOIN (
        SELECT issue_id FROM annotate_decision
        WHERE round_id = %s AND superseded_at IS NULL AND NOT method = 'unanimous'
        UNION SELECT issue_id FROM annotate_agendaitem WHERE round_id = %s AND released_at IS NULL
    ) taken USING (issue_id)
    GROUP BY 1, 2, 3
"""


def _pairs_taken(round_: Round, member: Membership | None) -> Counter[tuple[bool, int | None, int | None]]:
    """As `AllSaid.between`, of what is decided or on an agenda: mostly few beside all that differ."""
    rows = seen_by(models.Disagreement.objects.filter(round=round_), round_, member)
    found_sql, parameters = rows.values("issue_id", "ways", "chosen").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(_TAKEN.format(found=found_sql), (*parameters, round_.pk, round_.pk))
        return Counter({(more, one, other): issues for more, one, other, issues in cursor.fetchall()})


def alike_groups(
    round_: Round,
    narrowing: Narrowing,
    member: Membership | None,
    between: Between,
    book: Codebook,
    state: State = "open",
) -> Groups:
    """The disagreements between two categories, in groups of alike ones that have an issue in this state.

    Groups are made of issues in all states, so that deciding some does not move the others, and what was
    decided of the same is at hand. One query and those of the filters; two more, over titles and summaries,
    where this process has not grouped exactly these issues lately.
    """
    rows, held = _rows(found(round_, replace(narrowing, state=""), member), round_, between, book)
    made = _grouped(round_.pk, rows)
    by_issue = {row.issue: row for row in rows}
    groups: list[Group] = []
    alone: list[int] = []
    for members, words in made.groups:
        issues = tuple(issue for issue in members if held[issue].state == state)
        if not issues:
            continue
        if len(members) == 1:
            alone += issues
            continue
        others = tuple(issue for issue in members if held[issue].state != state)
        before = Counter(decided for issue in others if (decided := held[issue].decided) is not None)
        centre = by_issue[members[0]]
        groups.append(
            Group(
                centre=centre.issue,
                issues=issues,
                others=others,
                words=words,
                split=() if words else centre.split,
                open_labels=0 if words else centre.open_labels,
                apart=() if words else centre.apart,
                decided=tuple(before.most_common()),
            )
        )
    groups.sort(key=lambda group: (-len(group.issues), held[group.centre].position))
    states = Counter(one.state for one in held.values())
    return Groups(
        groups=tuple(groups),
        alone=tuple(sorted(alone, key=lambda issue: held[issue].position)),
        positions={issue: one.position for issue, one in held.items()},
        states={one: states[one] for one in STATES},
        without_text=made.without_text,
    )


@dataclass(frozen=True)
class Foreseen:
    """What deciding some disagreements at one stroke would do, as a member may see it.

    `issues`: those that wait for a decision and are on no agenda. `left`: how many of the others were asked
    for. `votes`: so many of so many labels are for the category, to in how many of the issues; most labels
    first.
    """

    issues: tuple[int, ...]
    left: int
    votes: tuple[tuple[tuple[int, int], int], ...]


def foresee_alike(
    round_: Round, member: Membership | None, issues: Collection[int], category_id: int
) -> Foreseen:
    """What giving these issues a category would do now. `category_id` is one at the round's depth. One query,
    and that of what is withheld.
    """
    asked = models.Disagreement.objects.filter(round=round_, issue__in=issues)
    rows = in_state(seen_by(asked, round_, member), round_, "open").order_by("position")
    votes: Counter[tuple[int, int]] = Counter()
    free: list[int] = []
    for issue, chosen, given, open_labels in rows.values_list("issue_id", "chosen", "votes", "open_labels"):
        free.append(issue)
        votes[dict(zip(chosen, given, strict=True)).get(category_id, 0), sum(given) + open_labels] += 1
    ordered = sorted(votes.items(), key=lambda one: (-one[0][0], one[0][1]))
    return Foreseen(tuple(free), len(set(issues)) - len(free), tuple(ordered))


def alike_items(item: AgendaItem, member: Membership | None) -> list[int]:
    """Ids of the items on the same agenda that wait for a decision and are like this one, the most alike
    first.

    Between the same two categories, as this member may see them. Two queries at most, and two more, over
    titles and summaries, where this process has not compared exactly these lately.
    """
    round_ = item.round
    shown = models.Disagreement.objects.filter(round=round_, issue=item.issue_id).first()
    if shown is None:
        return []
    items = waiting(round_).filter(meeting=item.meeting_id)
    alike = models.Disagreement.objects.filter(round=round_).filter(
        Exists(items) & ~Exists(settling(round_)) | Q(issue=item.issue_id), _same_ways(shown)
    )
    found_items = seen_by(alike, round_, member).annotate(item=Subquery(items.values("pk")[:1]))
    ids: dict[int, int | None] = {}
    rows = []
    for *row, item_id in found_items.order_by("position").values_list(*_COLUMNS, "item"):
        rows.append(_row(*row))
        ids[rows[-1].issue] = item_id
    if item.issue_id not in ids:
        return []
    nearest = (ids[issue] for issue in _like(round_.pk, item.issue_id, tuple(rows)))
    return [id_ for id_ in nearest if id_ is not None]


def _same_ways(shown: models.Disagreement) -> Q:
    return _chosen(shown.chosen[:2]) & (Q(ways__gt=2) if shown.ways > 2 else Q(ways__lte=2))


def _lies(between: Between, book: Codebook) -> Q | None:
    """What lies there; None where the version lacks a code."""
    ids = {state.code: id_ for id_, state in book.states.items()}
    codes = [code for code in (between.first, between.second) if code != OPEN]
    if not all(code in ids for code in codes):
        return None
    return _chosen([ids[code] for code in codes]) & (Q(ways__gt=2) if between.more else Q(ways__lte=2))


def _chosen(first_two: Sequence[int]) -> Q:
    """Disagreements whose most chosen two categories are these; where one is missing, open labels stand."""
    if not first_two:
        return Q(chosen__len=0)
    if len(first_two) == 1:
        return Q(chosen=list(first_two))
    first, second = first_two
    return Q(chosen__0=first, chosen__1=second) | Q(chosen__0=second, chosen__1=first)


_COLUMNS = ("issue_id", "issue__current", "chosen", "votes", "open_labels", "apart")


def _row(
    issue: int,
    snapshot: int | None,
    chosen: Sequence[int],
    votes: Sequence[int],
    open_labels: int,
    apart: Sequence[int],
) -> Row:
    return Row(issue, snapshot, tuple(zip(chosen, votes, strict=True)), open_labels, tuple(apart))


class _Held(NamedTuple):
    """What of a disagreement changes. `decided`: the category of the decision that stands."""

    position: int
    state: State
    decided: int | None


def _rows(
    asked: QuerySet[models.Disagreement], round_: Round, between: Between, book: Codebook
) -> tuple[tuple[Row, ...], dict[int, _Held]]:
    """The disagreements that lie there, in the order of the round. One query."""
    lies = _lies(between, book)
    if lies is None:
        return (), {}
    annotated = asked.filter(lies).annotate(
        decided=Subquery(settling(round_).values("category")[:1]), waits=Exists(waiting(round_))
    )
    rows: list[Row] = []
    held: dict[int, _Held] = {}
    columns = (*_COLUMNS, "position", "decided", "waits")
    for issue, snapshot, chosen, votes, open_labels, apart, position, decided, waits in plain_rows(
        annotated.order_by("position").values_list(*columns)
    ):
        rows.append(Row(issue, snapshot, tuple(zip(chosen, votes, strict=True)), open_labels, tuple(apart)))
        state: State = "decided" if decided is not None else "agenda" if waits else "open"
        held[issue] = _Held(position, state, decided)
    return tuple(rows), held


@dataclass(frozen=True)
class _Made:
    """Groups of issues with the words they share; `without_text` issues have neither title nor summary."""

    groups: tuple[tuple[tuple[int, ...], tuple[str, ...]], ...]
    without_text: int


# Disagreements, revealed labels and snapshots stay as they are: from the same rows come the same groups.
@lru_cache(maxsize=16)
def _grouped(round_id: int, rows: tuple[Row, ...]) -> _Made:
    texts = _texts(round_id, rows)
    told = [row.issue for row in rows if texts[row.issue]]
    made = [
        (tuple(told[place] for place in group.members), group.words)
        for group in stars([texts[issue] for issue in told])
    ]
    same: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for row in rows:
        if not texts[row.issue]:
            same[_shape(row)].append(row.issue)
    made += [(tuple(issues), ()) for issues in same.values()]
    return _Made(groups=tuple(made), without_text=len(rows) - len(told))


@lru_cache(maxsize=256)
def _like(round_id: int, issue: int, rows: tuple[Row, ...]) -> tuple[int, ...]:
    """The issues among these that are like this one, which is one of them, the most alike first."""
    texts = _texts(round_id, rows)
    by_issue = {row.issue: row for row in rows}
    if not texts[issue]:
        shape = _shape(by_issue[issue])
        same = (row.issue for row in rows if not texts[row.issue] and _shape(row) == shape)
        return tuple(other for other in same if other != issue)
    told = [row.issue for row in rows if texts[row.issue]]
    return tuple(told[place] for place in like([texts[one] for one in told], told.index(issue)))


def _shape(row: Row) -> tuple[object, ...]:
    """What issues without text have in common: how many labels for what, and who stands apart."""
    return row.split, row.open_labels, frozenset(row.apart)


def _texts(round_id: int, rows: Sequence[Row]) -> dict[int, str]:
    """Issue id to its title and the summaries of its labels, "" without. Two queries."""
    titles = dict(
        Snapshot.objects.filter(pk__in=[row.snapshot for row in rows if row.snapshot])
        .exclude(title="")
        .values_list("issue", Left("title", LONGEST))
    )
    summaries = dict(
        Label.objects.filter(round=round_id, issue__in=[row.issue for row in rows], surplus=False)
        .exclude(summary="")
        .values("issue")
        .annotate(said=StringAgg("summary", "\n", order_by="volunteer"))
        .values_list("issue", "said")
    )
    return {row.issue: f"{titles.get(row.issue, '')}\n{summaries.get(row.issue, '')}".strip() for row in rows}
