"""The pairs of categories between which the disagreements of a round lie, and the splits of their labels."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations_with_replacement

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet
from django.utils.functional import cached_property

from consensus import models
from consensus.queries.disagreement_filters import Narrowing, Split, found
from consensus.queries.disagreement_states import tallies_by_split, tally
from rounds.models import Round
from rounds.queries.blindness import seen_by, still_to_label
from rounds.queries.categories import ShownCodebook, codebook
from studies.models import Membership


@dataclass(frozen=True)
class Confusion:
    """The number of issues with two different labels, one in each of two categories. `first` comes before
    `second` in the tree. If both are the same, the labels differ below that category.
    """

    first: str
    second: str
    issues: int


def confusion(
    round_: Round, level: int, member: Membership | None, narrowing: Narrowing | None = None
) -> Sequence[Confusion]:
    """For each pair of categories of a level, the number of disagreements between them; most first. With
    every filter of `narrowing` but `pair` applied: as many issues are in the list of this pair.

    A label counts by its ancestor at the level, or by its own category above the level. At most four queries,
    three while no new issue is revealed. A page that counts states anyway needs two, or none. With a filter
    one query besides those of `found`.
    """
    book = codebook(round_.version_id)
    rest = replace(narrowing, pair=None) if narrowing else None
    said = _said_by(found(round_, rest, member, book=book)) if rest else all_said(round_, member)
    return said.met(level, book)


@dataclass(frozen=True, eq=False)
class LabelPatterns:
    """All combinations of labels of a round, and the counts that were computed from them so far. A line has
    the chosen categories, their votes, the open labels, and the number of such disagreements.
    """

    lines: Sequence[tuple[Sequence[int], Sequence[int], int, int]]
    _met: dict[tuple[int, ShownCodebook], tuple[Confusion, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def splits(self) -> Counter[Split]:
        counted: Counter[Split] = Counter()
        for _chosen, votes, open_labels, issues in self.lines:
            counted[*votes, *[1] * open_labels] += issues
        return counted

    @cached_property
    def between(self) -> Counter[tuple[bool, int | None, int | None]]:
        """Issues by: in three ways or more?, ids of the first two categories, None for open labels."""
        counted: Counter[tuple[bool, int | None, int | None]] = Counter()
        for chosen, _votes, open_labels, issues in self.lines:
            first, second = (*chosen[:2], None, None)[:2]
            counted[len(chosen) + open_labels > 2, first, second] += issues
        return counted

    def met(self, level: int, book: ShownCodebook) -> tuple[Confusion, ...]:
        """The result of `confusion`, computed once per level."""
        if (level, book) not in self._met:
            self._met[level, book] = self._counted(level, book)
        return self._met[level, book]

    def _counted(self, level: int, book: ShownCodebook) -> tuple[Confusion, ...]:
        places = {id_: place for place, id_ in enumerate(book.states)}
        at_level = {id_: places[book.at_depth(id_, level).category_id] for id_ in book.states}
        both: Counter[tuple[int, int]] = Counter()
        for chosen, _votes, _open, issues in self.lines:
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


def all_said(round_: Round, member: Membership | None) -> LabelPatterns:
    """The combinations of labels of all disagreements that this member may see. At most three queries. They
    are kept in memory: while a round has one version its disagreements are only added, and none changes.
    """
    rows = models.Disagreement.objects.filter(round=round_)
    if not still_to_label(round_, member).query.is_empty():
        return _said_by(seen_by(rows, round_, member))
    return _said_in(round_.pk, round_.version_id, tally(round_, member).total())


@lru_cache(maxsize=16)
def _said_in(round_id: int, _version_id: int, _number: int) -> LabelPatterns:
    return _said_by(models.Disagreement.objects.filter(round=round_id))


def _said_by(rows: QuerySet[models.Disagreement]) -> LabelPatterns:
    try:
        given, parameters = rows.order_by().values("chosen", "votes", "open_labels").query.sql_with_params()
    except EmptyResultSet:
        return LabelPatterns(())
    # Without the ORM, whose array converters take as long as the rest of the function.
    query = f"SELECT chosen, votes, open_labels, count(*) FROM ({given}) found GROUP BY 1, 2, 3"
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return LabelPatterns(cursor.fetchall())


def splits(
    round_: Round, narrowing: Narrowing, member: Membership | None, *, book: ShownCodebook | None = None
) -> list[tuple[Split, int]]:
    """The splits in the list with every other filter applied, each with its number of issues: fewest groups
    first, then the closest split. At most four queries.
    """
    if replace(narrowing, split=()):
        tallied = tallies_by_split(round_, replace(narrowing, split=(), state=""), member, book=book)
        counted = {
            split: tally[narrowing.state] if narrowing.state else tally.total()
            for split, tally in tallied.items()
            if not narrowing.state or tally[narrowing.state]
        }
    else:
        counted = all_said(round_, member).splits
    return sorted(counted.items(), key=lambda one: (len(one[0]), one[0][0] - sum(one[0][1:2]), one[0]))
