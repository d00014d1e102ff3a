"""Screenings: the issues that they keep and exclude, and the reasons."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

from django.db import connection
from django.db.models import Count, Exists, Max, OuterRef, QuerySet
from django.utils.translation import get_language

from consensus.models import Decision
from consensus.queries.agendas import standing_decisions
from consensus.queries.disagreements import DisagreementRow, rows_of
from ingest.models import Issue
from rounds.models import Round, RoundVolunteer
from rounds.queries.blindness import NOTHING, WithheldIssues, seen_sql
from rounds.queries.categories import ShownCodebook, codebook
from rounds.queries.rounds import revealed, reveals_complete_issues, volunteers
from taxonomy.models import CategoryState, Level
from taxonomy.tree import text_in

ScreenedState = Literal["excluded", "included"]


@dataclass(frozen=True)
class ScreenedRepository:
    """The issues of one repository, or of all, in a screening: each is in exactly one of four numbers.
    `open_disagreements`: complete, without a decision. `incomplete`: labels are missing or unrevealed.
    """

    repository: str
    repository_id: int
    issues: int
    excluded: int
    included: int
    open_disagreements: int
    incomplete: int

    @property
    def kept(self) -> int:
        """The issues that would stay if the screening ended now: those that no decision excludes."""
        return self.issues - self.excluded

    @property
    def decided(self) -> int:
        return self.excluded + self.included

    @property
    def undecided(self) -> int:
        return self.open_disagreements + self.incomplete

    @property
    def rate(self) -> float | None:
        """The percentage of excluded issues among the decided ones; None without decisions."""
        return 100 * self.excluded / self.decided if self.decided else None


@dataclass(frozen=True)
class ExclusionReason:
    """A theme below the excluded type: the only reason for `issues`, one of several for `shared` issues."""

    code: str
    name: str
    issues: int
    shared: int
    name_zh: str = ""

    @property
    def title(self) -> str:
        """The name in the reader's language. The counts are cached for readers of all languages."""
        return text_in(self, "name", get_language())


@dataclass(frozen=True)
class ExclusionReasons:
    """Why issues were excluded: each of `base` issues has one reason, or counts in `differ` or `unsaid`.

    The code of the decision gives the reason if it is below the type, else the codes of the raters. `differ`:
    the raters' codes give several reasons; `unsaid`: no code gives one.
    """

    base: int
    reasons: tuple[ExclusionReason, ...]
    differ: int
    unsaid: int


@dataclass(frozen=True)
class ScreeningCounts:
    """A screening in numbers. `study_issues`: all issues of the study, in this screening or not. `withheld`
    issues are in no other number of the screening.
    """

    study_issues: int
    whole: ScreenedRepository
    repositories: tuple[ScreenedRepository, ...]
    reasons: ExclusionReasons
    withheld: int = 0

    @property
    def outside(self) -> int:
        """The number of issues of the study that are not in this screening."""
        return self.study_issues - self.whole.issues - self.withheld


@dataclass(frozen=True)
class ScreenedIssue:
    """One decided issue with its labels; `past`: superseded decisions with their codes, oldest first."""

    item: DisagreementRow
    past: tuple[tuple[Decision, str], ...]


@dataclass(frozen=True)
class ScreenedPage:
    """A page of decided issues; `next` is the `after` of the page that follows, None at the end."""

    volunteers: list[RoundVolunteer]
    rows: list[ScreenedIssue]
    next: int | None


def kept_issues(round_: Round) -> QuerySet[Issue]:
    """The issues of a screening that stay: those that no standing, revealed decision excludes."""
    out = standing_decisions(round_).filter(category__in=_excluding(round_), issue=OuterRef("pk"))
    return Issue.objects.filter(in_rounds__round=round_).exclude(Exists(out))


def excluded_count(round_: Round, blind: WithheldIssues = NOTHING) -> int:
    """The number of excluded issues that are revealed and not in `blind`. Two queries."""
    excluded = standing_decisions(round_).filter(category__in=_excluding(round_))
    return excluded.exclude(issue__in=blind.values("issue")).count()


def excluded_codes(book: ShownCodebook, round_: Round) -> frozenset[int]:
    """The category by which a screening excludes, and all categories below it; empty if it names none."""
    state = book.states.get(round_.excludes_id or 0)
    return frozenset(book.states.chosen_as(book.below(state.code))) if state else frozenset()


def _excluding(round_: Round) -> list[int]:
    return sorted(excluded_codes(codebook(round_.version_id), round_))


_BY_REPOSITORY = """
    SELECT r.path, r.id, sum(issues),
           coalesce(sum(issues) FILTER (WHERE category_id = ANY(%(out)s::bigint[])), 0),
           coalesce(sum(issues) FILTER (WHERE category_id <> ALL(%(out)s::bigint[])), 0),
           coalesce(sum(issues) FILTER (WHERE shown AND category_id IS NULL), 0),
           coalesce(sum(issues) FILTER (WHERE NOT shown), 0)
    FROM (
        SELECT x.repository_id, d.category_id, shown.issue_id IS NOT NULL AS shown, count(*) AS issues
        FROM rounds_roundissue i
        JOIN ingest_issue x ON x.id = i.issue_id
        LEFT JOIN ({complete}) shown ON shown.issue_id = i.issue_id
        LEFT JOIN consensus_decision d
            ON d.round_id = i.round_id AND d.issue_id = shown.issue_id AND d.superseded_at IS NULL
        WHERE i.round_id = %(round)s AND {seen}
        GROUP BY 1, 2, 3
    ) counted
    JOIN ingest_repository r ON r.id = repository_id
    GROUP BY r.id, r.path ORDER BY r.path, r.id
"""

_COMPLETE = """
    SELECT i.issue_id FROM rounds_roundissue i
    WHERE i.round_id = %(round)s AND i.completed_at IS NOT NULL AND %(revealed)s AND {seen}
"""

# A bit per theme: the labels of an issue together give one theme, several, or none.
_REASONS = """
    WITH deep AS MATERIALIZED (
        SELECT category_id, mask::bit({themes}) AS bits
        FROM unnest(%(deep)s::bigint[], %(masks)s::text[]) deep (category_id, mask)
    ), gone AS MATERIALIZED (
        SELECT d.issue_id, deep.bits
        FROM ({complete}) i
        JOIN consensus_decision d
            ON d.round_id = %(round)s AND d.issue_id = i.issue_id AND d.superseded_at IS NULL
        JOIN deep ON deep.category_id = d.category_id
    )
    SELECT said, count(*)
    FROM (
        SELECT CASE WHEN bit_or(gone.bits) <> 0::bit({themes}) THEN bit_or(gone.bits)
               ELSE coalesce(bit_or(deep.bits), 0::bit({themes})) END AS said
        FROM gone
        LEFT JOIN rounds_said l ON l.round_id = %(round)s AND l.issue_id = gone.issue_id
        LEFT JOIN deep ON deep.category_id = l.category_id
        GROUP BY gone.issue_id
    ) issues
    GROUP BY said
"""


def screening_counts(round_: Round, blind: WithheldIssues = NOTHING) -> ScreeningCounts:
    """A screening in numbers, over revealed issues that are not withheld from the reader.

    Three queries, and three more, over all labels, if an issue was completed or decided since this process
    last counted. With withheld issues the numbers belong to one reader and are always counted again.
    """
    issues = Issue.objects.filter(repository__study=round_.study_id).count()
    withheld = blind.count()
    if withheld:
        return ScreeningCounts(issues, *_count(round_, blind), withheld=withheld)
    complete = revealed(round_).filter(completed_at__isnull=False)
    shown = tuple(complete.aggregate(count=Count("pk"), last=Max("completed_at")).values())
    made = Decision.objects.filter(round=round_)
    decided = tuple(made.aggregate(last=Max("pk"), superseded=Count("superseded_at")).values())
    return ScreeningCounts(
        issues, *_counted(round_.pk, round_.version_id, round_.opened_at, round_.closed_at, shown, decided)
    )


@lru_cache(maxsize=64)
def _counted(
    round_id: int,
    _version: int,
    _opened: datetime | None,
    _closed: datetime | None,
    _shown: object,
    _decided: object,
) -> tuple[ScreenedRepository, tuple[ScreenedRepository, ...], ExclusionReasons]:
    """The counts, cached: counted rows never change, and the arguments change when rows are added."""
    return _count(Round.objects.get(pk=round_id), NOTHING)


def _count(
    round_: Round, blind: WithheldIssues
) -> tuple[ScreenedRepository, tuple[ScreenedRepository, ...], ExclusionReasons]:
    book = codebook(round_.version_id)
    out = sorted(excluded_codes(book, round_))
    seen, kept = seen_sql(blind, "i.issue_id")
    complete = _COMPLETE.format(seen=seen)
    shown = reveals_complete_issues(round_)
    given: dict[str, Any] = {"round": round_.pk, "revealed": shown, "out": out, **kept}
    with connection.cursor() as cursor:
        cursor.execute(_BY_REPOSITORY.format(complete=complete, seen=seen), given)
        rows = [ScreenedRepository(path, id_, *map(int, sums)) for path, id_, *sums in cursor.fetchall()]
    numbers = ("issues", "excluded", "included", "open_disagreements", "incomplete")
    whole = ScreenedRepository("", 0, *(sum(getattr(row, name) for row in rows) for name in numbers))
    return whole, tuple(rows), _reasons(book, whole.excluded, complete, given)


def _reasons(book: ShownCodebook, base: int, complete: str, given: Mapping[str, Any]) -> ExclusionReasons:
    out: list[int] = given["out"]
    themes: list[CategoryState] = [
        state for id_, state in book.states.items() if id_ in out and state.level == Level.THEME
    ]
    themes.sort(key=lambda state: state.position)
    bits = {state.category_id: 1 << place for place, state in enumerate(themes)}
    width = max(len(themes), 1)
    deep = {id_: f"{bits.get(book.at_depth(id_, Level.THEME).category_id, 0):0{width}b}" for id_ in out}
    masks = {"deep": list(deep), "masks": list(deep.values())}
    with connection.cursor() as cursor:
        cursor.execute(_REASONS.format(complete=complete, themes=width), dict(given) | masks)
        said = {int(mask, 2): issues for mask, issues in cursor.fetchall()}
    return ExclusionReasons(
        base=base,
        reasons=tuple(
            ExclusionReason(
                state.code,
                state.name,
                name_zh=state.name_zh,
                issues=said.get(bits[state.category_id], 0),
                shared=sum(n for mask, n in said.items() if mask != bit and mask & bit),
            )
            for state in themes
            for bit in (bits[state.category_id],)
        ),
        differ=sum(n for mask, n in said.items() if mask.bit_count() > 1),
        unsaid=said.get(0, 0),
    )


def votes(
    round_: Round,
    which: ScreenedState,
    *,
    repository: int | None = None,
    after: int | None = None,
    limit: int = 25,
    blind: WithheldIssues = NOTHING,
) -> ScreenedPage:
    """A page of the issues that a decision excludes, or includes, in the order of the round, without issues
    in `blind`. Seven queries. `repository`: its id. `after`: the `next` of the page before.
    """
    book = codebook(round_.version_id)
    out = excluded_codes(book, round_)
    chosen = book.states.chosen_as(id_ for id_ in book.states if (id_ in out) == (which == "excluded"))
    decided = standing_decisions(round_).filter(category__in=chosen, issue=OuterRef("issue"))
    places = revealed(round_).filter(Exists(decided)).exclude(pk__in=blind.values("pk"))
    if repository is not None:
        places = places.filter(issue__repository=repository)
    if after is not None:
        places = places.filter(position__gt=after)
    page = list(places.order_by("position").values_list("issue_id", "position")[: limit + 1])
    columns = list(volunteers(round_))
    return ScreenedPage(
        volunteers=columns,
        rows=_voted(round_, dict(page[:limit]), columns, book),
        next=page[limit - 1][1] if len(page) > limit else None,
    )


def vote_at(round_: Round, issue_id: int, blind: WithheldIssues = NOTHING) -> ScreenedPage | None:
    """One complete, revealed issue not in `blind`, with its labels and decisions, or None. Seven queries."""
    place = revealed(round_).filter(issue=issue_id, completed_at__isnull=False)
    place = place.exclude(pk__in=blind.values("pk"))
    page = list(place.values_list("issue_id", "position"))
    if not page:
        return None
    columns = list(volunteers(round_))
    return ScreenedPage(columns, _voted(round_, dict(page), columns, codebook(round_.version_id)), None)


def _voted(
    round_: Round, page: dict[int, int], columns: list[RoundVolunteer], book: ShownCodebook
) -> list[ScreenedIssue]:
    rows = rows_of(round_, page, columns, book)
    past: dict[int, list[tuple[Decision, str]]] = {id_: [] for id_ in page}
    chain = Decision.objects.filter(round=round_, issue__in=page).select_related("decided_by")
    for decision in chain.order_by("number"):
        if decision.superseded_at is not None:
            past[decision.issue_id].append((decision, book.states[decision.category_id].code))
    return [ScreenedIssue(row, tuple(past[row.issue.pk])) for row in rows]
