"""The disagreements of a round: complete, revealed issues whose labels are not all the same at its depth.

What their labels say is written down with the reveal, a row each (annotate.models.Disagreement), so that
nothing is counted again per request. Every list and every number here is as one member may see it: what they
have yet to label in another round is left out (annotate.queries.withheld).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement
from typing import Any, NamedTuple, Self

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import (
    BigIntegerField,
    BooleanField,
    Count,
    Exists,
    F,
    Func,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Value,
)

from annotate import models
from annotate.models import AgendaItem, Decision, Label, Meeting, Round, RoundVolunteer
from annotate.queries.categories import Codebook, codebook
from annotate.queries.rounds import (
    RoundProgress,
    revealed,
    revealed_labels,
    round_progress,
    standing_decisions,
    volunteers,
)
from annotate.queries.withheld import seen_by, still_to_label
from ingest.models import Issue
from ingest.queries import with_keyword
from studies.models import Membership, Study
from taxonomy.models import Level

STATES = ("open", "agenda", "decided")
LEVELS = {"type": Level.TYPE, "theme": Level.THEME, "sub-theme": Level.SUB_THEME}
"""The levels as an address names them."""

Pair = tuple[str, str]
Split = tuple[int, ...]


@dataclass(frozen=True)
class Narrowing:
    """What a list of disagreements is narrowed to; empty values narrow nothing.

    `pair`: codes of two categories: two labels that differ are in the one and in the other. `type`: code of a
    category that a label lies in. Both count at the round's depth; what the version lacks matches nothing.
    `repository`: its id. `volunteer`: id of a member who stands apart from the largest group. `split`: sizes
    of the groups of equal labels, largest first; an open label is a group of one. `parts_at`: the first level
    at which the labels differ. `keyword`: in title or text. `cause`: that of the decision that stands.
    `state`: open, agenda (on one, and not decided) or decided.
    """

    pair: Pair | None = None
    type: str = ""
    repository: int | None = None
    volunteer: int | None = None
    split: Split = ()
    parts_at: int | None = None
    keyword: str = ""
    cause: str = ""
    state: str = ""
    _searched: dict[tuple[int, str], str] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_query(cls, given: Mapping[str, Any]) -> Self:
        """The narrowing that an address or a saved filter holds. Raises ValueError for what none says."""
        pair = str(given.get("pair") or "").split()
        split = str(given.get("split") or "")
        sizes = tuple(number_in(size) or 0 for size in split.split(":")) if split else ()
        level = str(given.get("parts_at") or "")
        cause, state = str(given.get("cause") or ""), str(given.get("state") or "")
        if (
            len(pair) not in {0, 2}
            or (split and sizes != (1,) and (len(sizes) < 2 or not all(0 < size <= 1000 for size in sizes)))
            or (level and level not in LEVELS)
            or (cause and cause not in Decision.Cause.values)
            or (state and state not in STATES)
        ):
            raise ValueError
        return cls(
            pair=(pair[0], pair[1]) if pair else None,
            type=str(given.get("type") or "").replace("\0", ""),
            repository=number_in(given.get("repository")),
            volunteer=number_in(given.get("volunteer")),
            split=sizes,
            parts_at=int(LEVELS[level]) if level else None,
            keyword=str(given.get("keyword") or "").replace("\0", "").strip(),
            cause=cause,
            state=state,
        )

    def issues_with_keyword(self, study: Study) -> str:
        """The array of the issues in which the keyword stands, searched once for all lists of one request."""
        key = study.pk, self.keyword
        if key not in self._searched:
            self._searched[key] = with_keyword(study, self.keyword)
        return self._searched[key]

    @property
    def query(self) -> dict[str, str]:
        """What stands in an address for it: from_query(query) is this narrowing again."""
        held = {
            "pair": " ".join(self.pair or ()),
            "type": self.type,
            "repository": self.repository,
            "volunteer": self.volunteer,
            "split": ":".join(map(str, self.split)),
            "parts_at": next((name for name, level in LEVELS.items() if level == self.parts_at), ""),
            "keyword": self.keyword,
            "cause": self.cause,
            "state": self.state,
        }
        return {name: str(value) for name, value in held.items() if value not in (None, "")}

    def __bool__(self) -> bool:
        return self != Narrowing()


def number_in(given: Any) -> int | None:
    """A number as it stands in an address; ValueError for anything else that PostgreSQL would refuse."""
    text = str(given or "")
    if not text:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise ValueError
    return int(text)


@dataclass(frozen=True)
class Chip:
    """One label of a disagreement: the code chosen, and `depth_code`, what it counts as.

    An open label has neither: `name` is that of the category which its author proposed.
    """

    code: str
    name: str
    depth_code: str
    summary: str
    unsure: bool
    volunteer_id: int


@dataclass(frozen=True)
class Disagreement:
    """One issue whose labels differ.

    `labels` has one place per volunteer of the round, in the order of their columns, None where they gave
    none. `split` is what the labels count as, with how many, largest first, then in the order of the tree;
    `open_labels` are in none of its parts.
    `parts_at` is the first level at which they differ. `decision` is the one that stands; `meeting`, where
    lists and panels of disagreements ask for it, the one whose agenda the issue waits on.
    `issue` comes with its repository, and its snapshot with the title only.
    """

    issue: Issue
    position: int
    labels: list[Chip | None]
    split: list[tuple[str, int]]
    parts_at: Level | None
    decision: Decision | None
    decided_code: str | None
    open_labels: int = 0
    meeting: Meeting | None = None

    @property
    def state(self) -> str:
        if self.decision is not None:
            return "decided"
        return "agenda" if self.meeting is not None else "open"


@dataclass(frozen=True)
class Disagreements:
    """A page of them; `next` is the `after` of the page that follows, None at the end.

    `open`, `agenda` and `decided` say how many the filters leave on all pages, whatever state was asked for.
    """

    volunteers: list[RoundVolunteer]
    rows: list[Disagreement]
    next: str | None
    open: int
    agenda: int
    decided: int
    state: str = ""

    @property
    def count(self) -> int:
        return self.open + self.agenda + self.decided

    @property
    def shown(self) -> int:
        """How many are on all pages of the state that was asked for."""
        in_state = {"open": self.open, "agenda": self.agenda, "decided": self.decided}
        return in_state.get(self.state, self.count)


@dataclass(frozen=True)
class DisagreementCounts:
    """Of the complete, revealed issues that a member may see: how many there are, and of the disagreements
    how many are open, on an agenda and decided.

    `withheld`: complete issues that the member has yet to label elsewhere, whether their labels agree or not:
    how many of them differ would tell something of each. `progress` is that of the round, whoever asks.
    """

    complete: int
    open: int
    agenda: int
    decided: int
    withheld: int = 0
    progress: RoundProgress | None = field(default=None, compare=False)

    @property
    def not_unanimous(self) -> int:
        return self.open + self.agenda + self.decided


@dataclass(frozen=True)
class Confusion:
    """In how many issues two labels that differ were given, one in each category.

    `first` comes before `second` in the tree, or is the same: then they part below it.
    """

    first: str
    second: str
    issues: int


def found(
    round_: Round, narrowing: Narrowing, member: Membership | None, *, book: Codebook | None = None
) -> QuerySet[models.Disagreement]:
    """The disagreements that the filters leave, as this member may see them, in no order.

    Two small queries at most, and two for a keyword, which can be long (ingest.queries.with_keyword); `book`
    is that of the round's version, where the caller has it.
    """
    rows = seen_by(models.Disagreement.objects.filter(round=round_), round_, member).filter(_said(narrowing))
    if narrowing.pair or narrowing.type:
        book = book or codebook(round_.version_id)
        if narrowing.type:
            rows = rows.filter(chosen__overlap=book.below(narrowing.type))
        if narrowing.pair:
            rows = _of_pair(rows, *map(book.below, narrowing.pair))
    if narrowing.keyword:
        rows = rows.filter(_IsOneOf("issue_id", Value(narrowing.issues_with_keyword(round_.study))))
    if narrowing.cause:
        rows = rows.filter(Exists(_standing(round_).filter(cause=narrowing.cause)))
    return _in_state(rows, round_, narrowing.state)


def _in_state(
    rows: QuerySet[models.Disagreement], round_: Round, state: str
) -> QuerySet[models.Disagreement]:
    if not state:
        return rows
    if state == "decided":
        return rows.filter(Exists(_standing(round_)))
    waits = Exists(_waiting(round_))
    return rows.filter(~Exists(_standing(round_)), waits if state == "agenda" else ~waits)


def _said(narrowing: Narrowing) -> Q:
    """What the row of a disagreement says by itself."""
    asked = Q()
    if narrowing.repository is not None:
        asked &= Q(issue__repository=narrowing.repository)
    if narrowing.volunteer is not None:
        asked &= Q(apart__contains=[narrowing.volunteer])
    if narrowing.split:
        asked &= _of_split(narrowing.split)
    if narrowing.parts_at is not None:
        asked &= Q(parts_at=narrowing.parts_at)
    return asked


def _standing(round_: Round) -> QuerySet[Decision]:
    return Decision.objects.filter(round=round_, issue=OuterRef("issue"), superseded_at=None)


def _waiting(round_: Round) -> QuerySet[AgendaItem]:
    return AgendaItem.objects.filter(round=round_, issue=OuterRef("issue"), released_at=None)


def _of_pair(
    rows: QuerySet[models.Disagreement], first: list[int], second: list[int]
) -> QuerySet[models.Disagreement]:
    if first != second:
        rows = rows.filter(chosen__overlap=first).filter(chosen__overlap=second)
    if set(first) & set(second):
        # Where one lies in the other, one label could stand for both. Most issues have two: soon seen.
        either = sorted({*first, *second})
        rows = rows.alias(both=_Shared("chosen", Value(either, ArrayField(BigIntegerField())))).filter(
            Q(chosen__contained_by=either, chosen__len__gte=2) | Q(chosen__len__gt=2, both__gte=2)
        )
    return rows


class _Shared(Func):
    """How many elements of an array are in another one."""

    template = "(SELECT count(*) FROM unnest(%(expressions)s))"
    arg_joiner = ") one (id) WHERE one.id = ANY("
    output_field = IntegerField()


class _IsOneOf(Func):
    """Is a number in an array, given as text? Thousands of parameters would take many times as long."""

    template = "(%(expressions)s::bigint[]))"
    arg_joiner = " = ANY("
    output_field = BooleanField()


def _of_split(split: Split) -> Q:
    """Groups of these sizes; those of one may be open labels."""
    singles = sum(size == 1 for size in split)
    either = Q()
    for open_labels in range(singles + 1):
        either |= Q(votes=list(split[: len(split) - open_labels]), open_labels=open_labels)
    return either


def disagreements(
    round_: Round,
    narrowing: Narrowing,
    member: Membership | None,
    *,
    after: str | None = None,
    limit: int = 50,
    book: Codebook | None = None,
    counts: DisagreementCounts | None = None,
) -> Disagreements:
    """A page of the round's disagreements in the order of what one argument can settle: the fewest groups of
    equal labels first, of these the closest split, then in the order of the round. Nine queries at most.

    `after`: the `next` of the page before; ValueError for what is none. `counts` are those of the round,
    where the caller has them: without filters nothing is counted again.
    """
    book = book or codebook(round_.version_id)
    columns = list(volunteers(round_))
    in_all_states = replace(narrowing, state="")
    rows = found(round_, in_all_states, member, book=book)
    if counts is None or in_all_states:
        counted = _counted(rows, round_)
    else:
        counted = {state: getattr(counts, state) for state in STATES}
    ordered = _behind(_in_state(rows, round_, narrowing.state), after).order_by("ways", "margin", "position")
    places = list(ordered.values_list("issue_id", "position", "ways", "margin")[: limit + 1])
    last = places[limit - 1] if len(places) > limit else None
    return Disagreements(
        volunteers=columns,
        rows=_with_meetings(
            round_, rows_of(round_, {place[0]: place[1] for place in places[:limit]}, columns, book)
        ),
        next=f"{last[2]}-{last[3]}-{last[1]}" if last else None,
        **counted,
        state=narrowing.state,
    )


def splits(
    round_: Round, narrowing: Narrowing, member: Membership | None, *, book: Codebook | None = None
) -> list[tuple[Split, int]]:
    """The splits that the other filters leave, fewest groups first and of these the closest, with how many
    issues have them. Three queries at most.
    """
    others = replace(narrowing, split=())
    counted: Counter[Split] = Counter()
    if others:
        rows = found(round_, others, member, book=book).order_by()
        for votes, open_labels, n in rows.values_list("votes", "open_labels").annotate(n=Count("pk")):
            counted[*votes, *[1] * open_labels] += n
    else:
        counted = _all_said(round_, member).splits
    return sorted(counted.items(), key=lambda one: (len(one[0]), one[0][0] - sum(one[0][1:2]), one[0]))


def open_agendas(round_: Round) -> list[Meeting]:
    """The meetings that issues can be put on the agenda of, those that are open first, then by their date.
    One query.
    """
    meetings = Meeting.objects.filter(round=round_, closed_at=None).exclude(kind=Meeting.Kind.PAIR)
    return list(
        meetings.order_by(F("opened_at").asc(nulls_last=True), F("starts_at").asc(nulls_last=True), "pk")
    )


def chain_of(round_: Round, issue_id: int) -> list[Decision]:
    """All decisions of an issue, the first one first, with who made and superseded them, and the meeting."""
    made = Decision.objects.filter(round=round_, issue=issue_id)
    return list(made.select_related("decided_by", "superseded_by", "item__meeting").order_by("number"))


def rounds_to_label(round_: Round, member: Membership | None) -> list[Round]:
    """The other rounds in which this member still has to label complete issues of this one. Two queries."""
    complete = revealed(round_).filter(completed_at__isnull=False)
    waiting = still_to_label(round_, member).filter(issue__in=complete.values("issue"))
    return list(Round.objects.filter(pk__in=waiting.values("round")).order_by("pk"))


def key_of(round_: Round, issue_id: int) -> str | None:
    """The `after` of what follows this issue in the order of the lists; None where it is no disagreement."""
    row = models.Disagreement.objects.filter(round=round_, issue=issue_id)
    key = row.values_list("ways", "margin", "position").first()
    return None if key is None else "-".join(map(str, key))


def next_after(
    round_: Round, narrowing: Narrowing, member: Membership | None, after: str | None
) -> int | None:
    """The issue that follows this key in the list, None at its end."""
    ordered = _behind(found(round_, narrowing, member), after).order_by("ways", "margin", "position")
    return ordered.values_list("issue_id", flat=True).first()


def _behind(rows: QuerySet[models.Disagreement], after: str | None) -> QuerySet[models.Disagreement]:
    if after is None:
        return rows
    ways, margin, position = (number_in(part) or 0 for part in after.split("-"))
    return rows.filter(
        Q(ways__gt=ways)
        | Q(ways=ways, margin__gt=margin)
        | Q(ways=ways, margin=margin, position__gt=position),
        ways__gte=ways,
    )


def _counted(rows: QuerySet[models.Disagreement], round_: Round) -> dict[str, int]:
    """How many of these rows of one round are in each state. One query."""
    return counted_by_round(rows).get(round_.pk) or dict.fromkeys(STATES, 0)


def counted_by_round(rows: QuerySet[models.Disagreement]) -> dict[int, dict[str, int]]:
    """Round id to how many of these rows are in each state, for rounds with any. One query."""
    try:
        found, parameters = rows.order_by().values("round_id", "issue_id").query.sql_with_params()
    except EmptyResultSet:
        return {}
    # Joined as a whole: looked up issue by issue it takes ten times as long.
    query = f"""
    SELECT found.round_id,
           count(*) FILTER (WHERE d.issue_id IS NULL AND a.issue_id IS NULL),
           count(*) FILTER (WHERE d.issue_id IS NULL AND a.issue_id IS NOT NULL),
           count(d.issue_id)
    FROM ({found}) found
    LEFT JOIN annotate_decision d
        ON d.round_id = found.round_id AND d.issue_id = found.issue_id AND d.superseded_at IS NULL
    LEFT JOIN annotate_agendaitem a
        ON a.round_id = found.round_id AND a.issue_id = found.issue_id AND a.released_at IS NULL
    GROUP BY found.round_id
    """
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return {round_id: dict(zip(STATES, counts, strict=True)) for round_id, *counts in cursor.fetchall()}


def _with_meetings(round_: Round, rows: list[Disagreement]) -> list[Disagreement]:
    """The same rows with the meetings whose agenda they wait on. One query."""
    items = AgendaItem.objects.filter(
        round=round_, issue__in=[row.issue.pk for row in rows if row.decision is None], released_at=None
    )
    meetings = {item.issue_id: item.meeting for item in items.select_related("meeting")}
    return [replace(row, meeting=meetings.get(row.issue.pk)) for row in rows]


def disagreement_at(round_: Round, issue_id: int, member: Membership | None) -> Disagreement | None:
    """One disagreement; None if the issue is none, is not revealed, or is kept from this member. Nine queries
    at most.
    """
    place = seen_by(models.Disagreement.objects.filter(round=round_, issue=issue_id), round_, member)
    page = dict(place.values_list("issue_id", "position"))
    if not page:
        return None
    rows = rows_of(round_, page, list(volunteers(round_)), codebook(round_.version_id))
    return _with_meetings(round_, rows)[0]


def disagreement_counts(round_: Round, member: Membership | None) -> DisagreementCounts:
    """How many issues are complete, and of the disagreements how many are in each state. Five queries at
    most.
    """
    progress = round_progress(round_)
    withheld = withheld_count(round_, member)
    rows = seen_by(models.Disagreement.objects.filter(round=round_), round_, member)
    return DisagreementCounts(
        complete=(progress.complete or 0) - withheld,
        withheld=withheld,
        progress=progress,
        **_counted(rows, round_),
    )


def withheld_count(round_: Round, member: Membership | None) -> int:
    """How many complete issues the member has yet to label elsewhere. Two queries at most."""
    turns = still_to_label(round_, member)
    if turns.query.is_empty():
        return 0
    complete = revealed(round_).filter(completed_at__isnull=False)
    return complete.filter(Exists(turns.filter(issue=OuterRef("issue")))).count()


def is_unanimous(round_: Round, issue_id: int) -> bool:
    """Do all labels of this complete, revealed issue agree at the round's depth?"""
    differs = models.Disagreement.objects.filter(round=round_, issue=OuterRef("issue"))
    complete = revealed(round_).filter(issue=issue_id, completed_at__isnull=False)
    return complete.exclude(Exists(differs)).exists()


def confusion(round_: Round, level: int, member: Membership | None) -> Sequence[Confusion]:
    """For each two categories of a level, how many disagreements lie between them; most first.

    Labels count by their ancestor at the level, or as what they are where they stop above it. Four queries at
    most, two while nothing was revealed since somebody asked: the labels of an issue are at hand as one
    array, and there are few different ones.
    """
    return _met(_all_said(round_, member), level, round_.version_id)


class _Said(NamedTuple):
    """What the labels of some disagreements say, and of how many: as in annotate.models.Disagreement."""

    chosen: Sequence[int]
    votes: Sequence[int]
    open_labels: int
    issues: int


@dataclass(frozen=True, eq=False)
class _AllSaid:
    """What the labels of a round's disagreements say; itself the key of what was counted from it."""

    lines: tuple[_Said, ...]

    @cached_property
    def splits(self) -> Counter[Split]:
        counted: Counter[Split] = Counter()
        for said in self.lines:
            counted[*said.votes, *[1] * said.open_labels] += said.issues
        return counted


def _all_said(round_: Round, member: Membership | None) -> _AllSaid:
    """What the labels of all disagreements say that this member may see. Three queries at most.

    Rows of disagreements are added, never changed and never taken away: while there are as many with the same
    last one, they say the same.
    """
    rows = models.Disagreement.objects.filter(round=round_)
    if not still_to_label(round_, member).query.is_empty():
        return _said_by(seen_by(rows, round_, member))
    edition = rows.aggregate(number=Count("pk"), last=Max("pk"))
    return _said_in(round_.pk, edition["number"], edition["last"])


@lru_cache(maxsize=16)
def _said_in(round_id: int, _number: int, _last: int | None) -> _AllSaid:
    return _said_by(models.Disagreement.objects.filter(round=round_id))


def _said_by(rows: QuerySet[models.Disagreement]) -> _AllSaid:
    try:
        found, parameters = rows.order_by().values("chosen", "votes", "open_labels").query.sql_with_params()
    except EmptyResultSet:
        return _AllSaid(())
    # Without the ORM's converters of arrays, which take as long as all the rest.
    query = f"SELECT chosen, votes, open_labels, count(*) FROM ({found}) found GROUP BY 1, 2, 3"
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return _AllSaid(tuple(_Said(*row) for row in cursor.fetchall()))


@lru_cache(maxsize=32)
def _met(said: _AllSaid, level: int, version_id: int) -> tuple[Confusion, ...]:
    book = codebook(version_id)
    places = {id_: place for place, id_ in enumerate(book.states)}
    at_level = {id_: places[book.at_depth(id_, level).category_id] for id_ in book.states}
    both: Counter[tuple[int, int]] = Counter()
    for chosen, _votes, _open, issues in said.lines:
        if len(chosen) == 2:
            first, second = at_level[chosen[0]], at_level[chosen[1]]
            both[(first, second) if first <= second else (second, first)] += issues
            continue
        counted = Counter(map(at_level.__getitem__, chosen))
        for first, second in combinations_with_replacement(sorted(counted), 2):
            if first != second or counted[first] > 1:
                both[first, second] += issues
    codes = [state.code for state in book.states.values()]
    return tuple(
        Confusion(codes[first], codes[second], issues)
        for (first, second), issues in sorted(both.items(), key=lambda one: (-one[1], one[0]))
    )


def complete_issues(round_: Round) -> tuple[str, list[Any]]:
    """SQL of the complete, revealed issues, (issue_id, position), and its parameters."""
    complete = revealed(round_).filter(completed_at__isnull=False).values("issue_id", "position")
    try:
        query, parameters = complete.query.sql_with_params()
    except EmptyResultSet:
        return "SELECT NULL::bigint AS issue_id, NULL::integer AS position WHERE false", []
    return query, list(parameters)


def rows_of(
    round_: Round, page: Mapping[int, int], columns: Sequence[RoundVolunteer], book: Codebook
) -> list[Disagreement]:
    """The rows of these revealed issues (id: position), in this order, whether their labels differ or not.

    Three queries.
    """
    issues = (
        Issue.objects.select_related("repository", "current")
        .defer("current__body", "current__comments", "current__labels")
        .in_bulk(page)
    )
    labels: dict[int, list[Label]] = {id_: [] for id_ in page}
    shown = (
        revealed_labels(round_)
        .select_related("proposal")
        .only("issue", "volunteer", "category", "summary", "unsure", "proposal__name")
    )
    for label in shown.filter(issue__in=page, surplus=False):
        labels[label.issue_id].append(label)
    standing = standing_decisions(round_).filter(issue__in=page).select_related("decided_by")
    decisions = {decision.issue_id: decision for decision in standing}
    return [
        _row(issues[id_], position, labels[id_], decisions.get(id_), columns, round_.depth, book)
        for id_, position in page.items()
    ]


def _row(
    issue: Issue,
    position: int,
    labels: Iterable[Label],
    decision: Decision | None,
    columns: Sequence[RoundVolunteer],
    depth: int,
    book: Codebook,
) -> Disagreement:
    chosen = {label.volunteer_id: label for label in labels}
    counted = Counter(
        book.at_depth(label.category_id, depth).category_id
        for label in chosen.values()
        if label.category_id is not None
    )
    split = sorted(counted.items(), key=lambda one: (-one[1], book.states[one[0]].position))
    return Disagreement(
        issue=issue,
        position=position,
        labels=[
            _chip(chosen[column.member_id], depth, book) if column.member_id in chosen else None
            for column in columns
        ],
        split=[(book.states[id_].code, count) for id_, count in split],
        parts_at=_parts_at(list(counted), depth, book),
        decision=decision,
        decided_code=book.states[decision.category_id].code if decision else None,
        open_labels=len(chosen) - counted.total(),
    )


def _chip(label: Label, depth: int, book: Codebook) -> Chip:
    state = None if label.category_id is None else book.states[label.category_id]
    return Chip(
        code=state.code if state else "",
        name=state.name if state else str(label.proposal),
        depth_code=book.at_depth(state.category_id, depth).code if state else "",
        summary=label.summary,
        unsure=label.unsure,
        volunteer_id=label.volunteer_id,
    )


def _parts_at(categories: Sequence[int], depth: int, book: Codebook) -> Level | None:
    """The first level, down to the depth, at which these categories are not all the same."""
    for level in Level:
        if level <= depth and len({book.at_depth(id_, level).category_id for id_ in categories}) > 1:
            return level
    return None
