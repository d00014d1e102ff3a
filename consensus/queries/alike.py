"""Alike disagreements: one argument can settle a group of issues between the same categories.

Issues are alike if the titles, and the summaries of the labels, share their words. Issues without any text,
such as published labels with an address only, are alike if they have the same split and the same minority.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from django.contrib.postgres.aggregates import StringAgg
from django.db import connection
from django.db.models import Case, Count, Exists, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Left

from consensus import models
from consensus.likeness import LONGEST, like, stars
from consensus.models import AgendaItem
from consensus.queries.confusion import all_said
from consensus.queries.disagreement_filters import Narrowing, found, in_state, settling, waiting
from core.sql.models import plain_rows
from ingest.models import Snapshot
from rounds.models import Label, Round
from rounds.queries.blindness import seen_by
from rounds.queries.categories import ShownCodebook
from studies.models import Membership

OPEN = "?"
"""Stands for a code in a pair: the labels that propose a category."""

State = Literal["open", "agenda", "decided"]
STATES: tuple[State, ...] = ("open", "agenda", "decided")


@dataclass(frozen=True)
class CategoryPair:
    """Two categories between which disagreements lie, by code or OPEN, in the order of the tree. `more`: the
    labels split in three ways or more, and these are the two most chosen categories.
    """

    first: str
    second: str
    more: bool = False


class _AlikeRow(NamedTuple):
    """What the grouping reads of an issue: the snapshot with its title, and the split of its labels. `split`:
    category id and number of labels, most first. These values never change.
    """

    issue: int
    snapshot: int | None
    split: tuple[tuple[int, int], ...]
    open_labels: int
    apart: tuple[int, ...]

    @classmethod
    def read(cls, columns: Sequence[Any]) -> "_AlikeRow":
        """Make a row from the values of _COLUMNS."""
        issue, snapshot, chosen, votes, open_labels, apart = columns
        return cls(issue, snapshot, tuple(zip(chosen, votes, strict=True)), open_labels, tuple(apart))


@dataclass(frozen=True)
class AlikeGroup:
    """Disagreements that are alike, as ids of issues: the centre first, then the nearest to it.

    `issues` are in the requested state, `others` in the other two. `words` are what the texts share; without
    texts, `split` (category id, labels), `open_labels` and `apart` are what the issues share. `decided`: the
    categories that were given to `others`, each with its number of issues, most first.
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
class AlikeGroups:
    """The groups of the disagreements between two categories, the largest first.

    `alone`: issues that are like no other, in the order of the round. `positions`: the position of each issue
    in the round. `states`: the number of issues in each state. `without_text`: the number of issues with
    neither title nor summary.
    """

    groups: tuple[AlikeGroup, ...]
    alone: tuple[int, ...]
    positions: dict[int, int]
    states: dict[State, int]
    without_text: int


def pairs(
    round_: Round, narrowing: Narrowing, member: Membership | None, book: ShownCodebook
) -> dict[CategoryPair, int]:
    """The pairs of categories between which the filtered disagreements lie, each with its number of issues.

    Two-way splits come first, then splits in three ways or more by their two most chosen categories; in each
    part the most issues first, then the order of the tree. One query besides those of the filters. Without
    filters the open issues, which are the most, are counted as all disagreements less those that are decided
    or on an agenda.
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
    ordered = sorted(placed.items(), key=lambda one: (one[0][0], -one[1], one[0][1:]))
    return {
        CategoryPair(codes[first], codes[second], is_more): issues
        for (is_more, first, second), issues in ordered
    }


def _pairs_of(rows: QuerySet[models.Disagreement]) -> Counter[tuple[bool, int | None, int | None]]:
    """The counts of `LabelPatterns.between` for these rows."""
    more = Case(When(ways__gt=2, then=Value(True)), default=Value(False))
    lines = rows.order_by().annotate(more=more).values_list("more", "chosen__0", "chosen__1")
    return Counter({tuple(between): issues for *between, issues in lines.annotate(issues=Count("pk"))})


_TAKEN = """
    SELECT found.ways > 2, found.chosen[1], found.chosen[2], count(*)
    FROM ({found}) found
    JOIN (
        SELECT issue_id FROM consensus_decision
        WHERE round_id = %s AND superseded_at IS NULL AND NOT method = 'unanimous'
        UNION SELECT issue_id FROM consensus_agendaitem WHERE round_id = %s AND released_at IS NULL
    ) taken USING (issue_id)
    GROUP BY 1, 2, 3
"""


def _pairs_taken(round_: Round, member: Membership | None) -> Counter[tuple[bool, int | None, int | None]]:
    """The counts of `LabelPatterns.between` for issues that are decided or on an agenda, usually few."""
    rows = seen_by(models.Disagreement.objects.filter(round=round_), round_, member)
    found_sql, parameters = rows.values("issue_id", "ways", "chosen").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(_TAKEN.format(found=found_sql), (*parameters, round_.pk, round_.pk))
        return Counter({(more, one, other): issues for more, one, other, issues in cursor.fetchall()})


def alike_groups(
    round_: Round,
    narrowing: Narrowing,
    member: Membership | None,
    between: CategoryPair,
    book: ShownCodebook,
    state: State = "open",
) -> AlikeGroups:
    """The disagreements between two categories, in groups of alike issues, each with an issue in this state.

    A group contains issues in all states, so that a decision does not regroup the others, and the group shows
    earlier decisions. One query and those of the filters; two more, over titles and summaries, if this
    process has not grouped exactly these issues lately.
    """
    rows, known = _rows(found(round_, replace(narrowing, state=""), member), round_, between, book)
    made, without_text = _grouped(round_.pk, rows)
    by_issue = {row.issue: row for row in rows}
    groups: list[AlikeGroup] = []
    alone: list[int] = []
    for members, words in made:
        issues = tuple(issue for issue in members if known[issue].state == state)
        if not issues:
            continue
        if len(members) == 1:
            alone += issues
            continue
        others = tuple(issue for issue in members if known[issue].state != state)
        before = Counter(decided for issue in others if (decided := known[issue].decided) is not None)
        centre = by_issue[members[0]]
        groups.append(
            AlikeGroup(
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
    groups.sort(key=lambda group: (-len(group.issues), known[group.centre].position))
    states = Counter(one.state for one in known.values())
    return AlikeGroups(
        groups=tuple(groups),
        alone=tuple(sorted(alone, key=lambda issue: known[issue].position)),
        positions={issue: one.position for issue, one in known.items()},
        states={one: states[one] for one in STATES},
        without_text=without_text,
    )


@dataclass(frozen=True)
class AlikeForecast:
    """The effect of deciding some disagreements at once, as a member may see it.

    `issues` wait for a decision and are on no agenda; `left` counts the other requested issues. `votes`: how
    many of how many labels chose the category, and in how many issues; most labels first.
    """

    issues: tuple[int, ...]
    left: int
    votes: tuple[tuple[tuple[int, int], int], ...]


def foresee_alike(
    round_: Round, member: Membership | None, issues: Collection[int], category_id: int
) -> AlikeForecast:
    """The effect of giving these issues this category (at the round's depth). At most two queries."""
    asked = models.Disagreement.objects.filter(round=round_, issue__in=issues)
    rows = in_state(seen_by(asked, round_, member), round_, "open").order_by("position")
    votes: Counter[tuple[int, int]] = Counter()
    free: list[int] = []
    for issue, chosen, given, open_labels in rows.values_list("issue_id", "chosen", "votes", "open_labels"):
        free.append(issue)
        votes[dict(zip(chosen, given, strict=True)).get(category_id, 0), sum(given) + open_labels] += 1
    ordered = sorted(votes.items(), key=lambda one: (-one[0][0], one[0][1]))
    return AlikeForecast(tuple(free), len(set(issues)) - len(free), tuple(ordered))


def alike_items(item: AgendaItem, member: Membership | None) -> list[int]:
    """The ids of undecided items on the same agenda that are like this item, the most alike first.

    They lie between the same two categories, and the member may see them. At most two queries, and two more,
    over titles and summaries, if this process has not compared exactly these items lately.
    """
    round_ = item.round
    shown = models.Disagreement.objects.filter(round=round_, issue=item.issue_id).first()
    if shown is None:
        return []
    items = waiting(round_).filter(meeting=item.meeting_id)
    alike = models.Disagreement.objects.filter(round=round_).filter(
        Exists(items) & ~Exists(settling(round_)) | Q(issue=item.issue_id),
        _between(shown.chosen[:2], more=shown.ways > 2),
    )
    found_items = seen_by(alike, round_, member).annotate(item=Subquery(items.values("pk")[:1]))
    ids: dict[int, int | None] = {}
    rows = []
    for *row, item_id in found_items.order_by("position").values_list(*_COLUMNS, "item"):
        rows.append(_AlikeRow.read(row))
        ids[rows[-1].issue] = item_id
    if item.issue_id not in ids:
        return []
    nearest = (ids[issue] for issue in _like(round_.pk, item.issue_id, tuple(rows)))
    return [id_ for id_ in nearest if id_ is not None]


def _lies(between: CategoryPair, book: ShownCodebook) -> Q | None:
    """A condition: the disagreements between these categories; None if the version lacks a code."""
    codes = [code for code in (between.first, between.second) if code != OPEN]
    if not all(code in book.by_code for code in codes):
        return None
    return _between([book.by_code[code].category_id for code in codes], more=between.more)


def _between(first_two: Sequence[int], *, more: bool) -> Q:
    """A condition: disagreements whose two most chosen categories are these; a missing category means open
    labels. `more`: splits in three ways or more, otherwise in two.
    """
    ways = Q(ways__gt=2) if more else Q(ways__lte=2)
    if not first_two:
        return ways & Q(chosen__len=0)
    if len(first_two) == 1:
        return ways & Q(chosen=list(first_two))
    first, second = first_two
    return ways & (Q(chosen__0=first, chosen__1=second) | Q(chosen__0=second, chosen__1=first))


_COLUMNS = ("issue_id", "issue__current", "chosen", "votes", "open_labels", "apart")


class _AlikeState(NamedTuple):
    """The changing values of a disagreement. `decided`: the category of the standing decision."""

    position: int
    state: State
    decided: int | None


def _rows(
    asked: QuerySet[models.Disagreement], round_: Round, between: CategoryPair, book: ShownCodebook
) -> tuple[tuple[_AlikeRow, ...], dict[int, _AlikeState]]:
    """The rows between these categories, in the order of the round, and their states. One query."""
    lies = _lies(between, book)
    if lies is None:
        return (), {}
    annotated = asked.filter(lies).annotate(
        decided=Subquery(settling(round_).values("category")[:1]), waits=Exists(waiting(round_))
    )
    rows: list[_AlikeRow] = []
    known: dict[int, _AlikeState] = {}
    columns = (*_COLUMNS, "position", "decided", "waits")
    for *row, position, decided, waits in plain_rows(annotated.order_by("position").values_list(*columns)):
        rows.append(_AlikeRow.read(row))
        state: State = "decided" if decided is not None else "agenda" if waits else "open"
        known[rows[-1].issue] = _AlikeState(position, state, decided)
    return tuple(rows), known


# Disagreements, revealed labels and snapshots never change: equal rows give equal groups.
@lru_cache(maxsize=16)
def _grouped(
    round_id: int, rows: tuple[_AlikeRow, ...]
) -> tuple[list[tuple[tuple[int, ...], tuple[str, ...]]], int]:
    """Groups of issues with the words they share, and how many issues have neither title nor summary."""
    texts = _texts(round_id, rows)
    told = [row.issue for row in rows if texts[row.issue]]
    made = [
        (tuple(told[place] for place in members), words)
        for members, words in stars([texts[issue] for issue in told])
    ]
    same: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for row in rows:
        if not texts[row.issue]:
            same[_shape(row)].append(row.issue)
    made += [(tuple(issues), ()) for issues in same.values()]
    return made, len(rows) - len(told)


@lru_cache(maxsize=256)
def _like(round_id: int, issue: int, rows: tuple[_AlikeRow, ...]) -> tuple[int, ...]:
    """The other issues among `rows` that are like this issue, the most alike first."""
    texts = _texts(round_id, rows)
    by_issue = {row.issue: row for row in rows}
    if not texts[issue]:
        shape = _shape(by_issue[issue])
        same = (row.issue for row in rows if not texts[row.issue] and _shape(row) == shape)
        return tuple(other for other in same if other != issue)
    told = [row.issue for row in rows if texts[row.issue]]
    return tuple(told[place] for place in like([texts[one] for one in told], told.index(issue)))


def _shape(row: _AlikeRow) -> tuple[object, ...]:
    """The key that groups issues without text: their split, and the volunteers in the minority."""
    return row.split, row.open_labels, frozenset(row.apart)


def _texts(round_id: int, rows: Sequence[_AlikeRow]) -> dict[int, str]:
    """By issue id: its title and the summaries of its labels, "" without text. Two queries."""
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
