"""The filters of a list of disagreements, and the rows that pass them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from django.contrib.postgres.fields import ArrayField
from django.db.models import (
    BigIntegerField,
    BooleanField,
    Exists,
    Func,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Value,
)

from consensus import models
from consensus.models import AgendaItem, Decision
from consensus.queries.probable import MODELS, issues_apart
from core.numbers import SHORT, whole_number
from ingest.queries.keywords import with_keyword
from rounds.models import Round
from rounds.queries.blindness import seen_by, withheld_issues
from rounds.queries.categories import ShownCodebook, codebook
from studies.models import Membership
from taxonomy.models import Level

STATES = ("open", "agenda", "decided")
LEVELS = {"type": Level.TYPE, "theme": Level.THEME, "sub-theme": Level.SUB_THEME}
"""The levels by their names in an address."""
PLACE = re.compile(r"\d{1,9}-\d{1,9}-\d{1,9}")
"""The place in a list after which the next page begins, as an address contains it."""

Pair = tuple[str, str]
Split = tuple[int, ...]


@dataclass(frozen=True)
class Narrowing:
    """The filters of a list of disagreements; an empty value filters nothing.

    `pair`: codes of two categories, each with one of two different labels. `type`: code of a category that
    contains a label. Both count at the round's depth; a code that the version lacks matches nothing.
    `repository`: its id. `volunteer`: id of a member whose label is not in the largest group. `split`: sizes
    of the groups of equal labels, largest first; an open label is a group of one. `parts_at`: the first level
    at which the labels differ. `keyword`: a term of a keyword list, in title or text. `cause`: of the
    standing decision. `posterior`: name of a model of erring raters for which another category is more
    probable than the decision. `state`: open, agenda (on an agenda, not decided) or decided.
    """

    pair: Pair | None = None
    type: str = ""
    repository: int | None = None
    volunteer: int | None = None
    split: Split = ()
    parts_at: int | None = None
    keyword: str = ""
    cause: str = ""
    posterior: str = ""
    state: str = ""
    _searched: dict[tuple[int, str], str] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_query(cls, given: Mapping[str, Any]) -> Self:
        """The filters in an address or a saved filter. ValueError for values that neither produces."""
        pair = str(given.get("pair") or "").replace("\0", "").split()
        split = str(given.get("split") or "")
        sizes = tuple(number_in(size) or 0 for size in split.split(":")) if split else ()
        level = str(given.get("parts_at") or "")
        cause, state = str(given.get("cause") or ""), str(given.get("state") or "")
        posterior = str(given.get("posterior") or "")
        if (
            len(pair) not in {0, 2}
            or (
                split
                and sizes != (1,)
                and (not 2 <= len(sizes) <= 100 or not all(0 < size <= 1000 for size in sizes))
            )
            or (level and level not in LEVELS)
            or (cause and cause not in Decision.Cause.values)
            or (posterior and posterior not in MODELS)
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
            posterior=posterior,
            state=state,
        )

    def issues_with_keyword(self, round_: Round) -> str:
        """The array of the disagreements that contain the keyword, searched once per request."""
        key = round_.pk, self.keyword
        if key not in self._searched:
            rows = models.Disagreement.objects.filter(round=round_)
            self._searched[key] = with_keyword(round_.study, self.keyword, among=rows.values("issue"))
        return self._searched[key]

    def arrays(self, round_: Round, member: Membership | None) -> Iterator[str]:
        """The arrays of issues, computed outside of the statement, that all filtered issues are in."""
        if self.keyword:
            yield self.issues_with_keyword(round_)
        if self.posterior:
            yield self.issues_apart(round_, member)

    def issues_apart(self, round_: Round, member: Membership | None) -> str:
        """The array of the issues that pass `posterior`, computed once per request."""
        key = round_.pk, f"{self.posterior} for {member and member.pk}"
        if key not in self._searched:
            self._searched[key] = issues_apart(round_, self.posterior, withheld_issues(round_, member))
        return self._searched[key]

    @property
    def query(self) -> dict[str, str]:
        """The parameters of an address: `from_query(query)` is an equal Narrowing."""
        query = {
            "pair": " ".join(self.pair or ()),
            "type": self.type,
            "repository": self.repository,
            "volunteer": self.volunteer,
            "split": ":".join(map(str, self.split)),
            "parts_at": next((name for name, level in LEVELS.items() if level == self.parts_at), ""),
            "keyword": self.keyword,
            "cause": self.cause,
            "posterior": self.posterior,
            "state": self.state,
        }
        return {name: str(value) for name, value in query.items() if value not in (None, "")}

    def __bool__(self) -> bool:
        return self != Narrowing()


def number_in(given: Any) -> int | None:
    """A number from an address; ValueError for a text that PostgreSQL would refuse as a number."""
    number = whole_number(given, digits=SHORT)
    if given and number is None:
        raise ValueError
    return number


def found(
    round_: Round, narrowing: Narrowing, member: Membership | None, *, book: ShownCodebook | None = None
) -> QuerySet[models.Disagreement]:
    """The disagreements that pass the filters and that this member may see, in no order.

    At most two small queries, and those of ingest's with_keyword for a keyword and of `issues_apart` for a
    posterior. `book`: that of the round's version, if the caller has it.
    """
    rows = seen_by(models.Disagreement.objects.filter(round=round_), round_, member)
    if narrowing.repository is not None:
        rows = rows.filter(issue__repository=narrowing.repository)
    if narrowing.volunteer is not None:
        rows = rows.filter(apart__contains=[narrowing.volunteer])
    if narrowing.split:
        rows = rows.filter(_of_split(narrowing.split))
    if narrowing.parts_at is not None:
        rows = rows.filter(parts_at=narrowing.parts_at)
    if narrowing.pair or narrowing.type:
        book = book or codebook(round_.version_id)
        if narrowing.type:
            rows = rows.filter(chosen__overlap=book.below(narrowing.type))
        if narrowing.pair:
            rows = _of_pair(rows, *map(book.below, narrowing.pair))
    for issues in narrowing.arrays(round_, member):
        rows = rows.filter(_InArray("issue_id", Value(issues)))
    if narrowing.cause:
        rows = rows.filter(Exists(settling(round_).filter(cause=narrowing.cause)))
    return in_state(rows, round_, narrowing.state)


def in_state(rows: QuerySet[models.Disagreement], round_: Round, state: str) -> QuerySet[models.Disagreement]:
    if not state:
        return rows
    if state == "decided":
        return rows.filter(Exists(settling(round_)))
    waits = Exists(waiting(round_))
    return rows.filter(~Exists(settling(round_)), waits if state == "agenda" else ~waits)


def settling(round_: Round) -> QuerySet[Decision]:
    """The decision that stands on the disagreement of the outer query. A unanimous decision follows from
    equal labels and never stands on a disagreement. Excluding this method lets PostgreSQL use a short index.
    """
    standing = Decision.objects.filter(round=round_, issue=OuterRef("issue"), superseded_at=None)
    return standing.exclude(method=Decision.Method.UNANIMOUS)


def waiting(round_: Round) -> QuerySet[AgendaItem]:
    """The agenda item of the disagreement in the outer query."""
    return AgendaItem.objects.filter(round=round_, issue=OuterRef("issue"), released_at=None)


def _of_pair(
    rows: QuerySet[models.Disagreement], first: list[int], second: list[int]
) -> QuerySet[models.Disagreement]:
    if first != second:
        rows = rows.filter(chosen__overlap=first).filter(chosen__overlap=second)
    if set(first) & set(second):
        # If one category contains the other, one label could match both. Most issues have two: a fast check.
        either = sorted({*first, *second})
        rows = rows.alias(both=_SharedCount("chosen", Value(either, ArrayField(BigIntegerField())))).filter(
            Q(chosen__contained_by=either, chosen__len__gte=2) | Q(chosen__len__gt=2, both__gte=2)
        )
    return rows


class _SharedCount(Func):
    """How many elements of an array are in another array."""

    template = "(SELECT count(*) FROM unnest(%(expressions)s))"
    arg_joiner = ") one (id) WHERE one.id = ANY("
    output_field = IntegerField()


class _InArray(Func):
    """Is a number in an array, given as text? Thousands of parameters would take many times longer."""

    template = "(%(expressions)s::bigint[]))"
    arg_joiner = " = ANY("
    output_field = BooleanField()


def _of_split(split: Split) -> Q:
    """A condition: groups of these sizes; a group of one may be an open label."""
    singles = sum(size == 1 for size in split)
    either = Q()
    for open_labels in range(singles + 1):
        either |= Q(votes=list(split[: len(split) - open_labels]), open_labels=open_labels)
    return either
