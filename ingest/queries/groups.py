"""Groups of similar reports, for leads: what pairs connect from a likeness on."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple, Self

from django.db import connection

from core.numbers import whole_number
from ingest.models import SimilarMark
from ingest.similarity import LEVELS, groups_of

LEVEL = 0.7
"""The likeness from which groups are shown if nobody chose another."""

MARKS = ("open", *SimilarMark.Kind.values)
GROUPS_ON_A_PAGE = 20


class MarkedPair(NamedTuple):
    """Two similar issues, and the kind of the mark that stands on them, "" for none."""

    first: int
    second: int
    likeness: float
    is_across: bool
    kind: str


@dataclass(frozen=True)
class GroupsAsked:
    """Which groups: connected by pairs from `level` on; `across`: with issues of several repositories.

    `marked` are the pairs that connect: duplicate, related, distinct (marked so), all others but those marked
    as not similar (""), or the same where a pair without a mark is among them (open).
    """

    level: float = LEVEL
    across: bool = False
    marked: str = ""

    @classmethod
    def from_query(cls, given: Mapping[str, Any]) -> Self:
        """What an address or a form asks for; invalid values are ignored."""
        level = (whole_number(given.get("level")) or 0) / 100
        marked = str(given.get("marked") or "")
        return cls(
            level=level if level in LEVELS else LEVEL,
            across=given.get("across") == "1",
            marked=marked if marked in MARKS else "",
        )

    @property
    def query(self) -> dict[str, str]:
        """The parameters of an address; from_query(query) asks for the same."""
        held = {
            "level": "" if self.level == LEVEL else str(self.percent),
            "across": "1" if self.across else "",
            "marked": self.marked,
        }
        return {name: value for name, value in held.items() if value}

    @property
    def percent(self) -> int:
        return round(100 * self.level)


@dataclass(frozen=True)
class Group:
    """Issues that pairs connect, in ascending order, and these pairs."""

    issues: Sequence[int]
    pairs: Sequence[MarkedPair]

    @property
    def key(self) -> tuple[int, int]:
        """Its place among groups: the largest first."""
        return -len(self.issues), self.issues[0]

    @property
    def kinds(self) -> dict[str, int]:
        """The number of its pairs by the kind of their marks."""
        return dict(Counter(pair.kind for pair in self.pairs if pair.kind))

    @property
    def fingerprint(self) -> str:
        """A short hash of its pairs, by which a form notices that the group has changed."""
        said = repr([(pair.first, pair.second, pair.kind) for pair in self.pairs])
        return sha256(said.encode()).hexdigest()[:16]

    @property
    def nearest(self) -> dict[int, float]:
        """For each issue the highest likeness to another one of the group."""
        found = dict.fromkeys(self.issues, 0.0)
        for pair in self.pairs:
            for issue in (pair.first, pair.second):
                found[issue] = max(found[issue], pair.likeness)
        return found


def groups_in(study_id: int, asked: GroupsAsked) -> list[Group]:
    """The groups of the study, the largest first, equally large ones by their first issue. One query."""
    pairs = [pair for pair in _pairs(study_id, asked.level) if _connects(pair, asked.marked)]
    members = groups_of((pair.first, pair.second) for pair in pairs)
    place_of = {issue: place for place, issues in enumerate(members) for issue in issues}
    inside: list[list[MarkedPair]] = [[] for _issues in members]
    for pair in pairs:
        inside[place_of[pair.first]].append(pair)
    return [
        Group(issues, own)
        for issues, own in zip(members, inside, strict=True)
        if (not asked.across or any(pair.is_across for pair in own))
        and (asked.marked != "open" or not all(pair.kind for pair in own))
    ]


def group_of(study_id: int, asked: GroupsAsked, issue_id: int) -> Group | None:
    """The group that an issue is in."""
    return next((group for group in groups_in(study_id, asked) if issue_id in group.issues), None)


@dataclass(frozen=True)
class GroupsPage:
    """One page of groups. `previous` and `next` are the parameters of the pages beside it, empty if none."""

    groups: Sequence[Group]
    total: int
    previous: dict[str, str]
    next: dict[str, str]


def page_of_groups(groups: Sequence[Group], query: Mapping[str, str]) -> GroupsPage:
    """The groups after the key `after`, before the key `before`, or the first ones. A key is the size and the
    first issue of a group, such as 12-345; any other counts as missing.
    """
    before, after = (_key(query.get(name, "")) for name in ("before", "after"))
    if before:
        end = sum(group.key < before for group in groups)
        start = max(0, end - GROUPS_ON_A_PAGE)
    else:
        start = sum(group.key <= after for group in groups) if after else 0
    shown = groups[start : start + GROUPS_ON_A_PAGE]
    more = start + len(shown) < len(groups)
    return GroupsPage(
        groups=shown,
        total=len(groups),
        previous={"before": _written(shown[0])} if shown and start else {},
        next={"after": _written(shown[-1])} if shown and more else {},
    )


def _key(text: str) -> tuple[int, int] | None:
    size, _dash, first = text.partition("-")
    numbers = whole_number(size), whole_number(first)
    return None if None in numbers else (-(numbers[0] or 0), numbers[1] or 0)


def _written(group: Group) -> str:
    return f"{len(group.issues)}-{group.issues[0]}"


def _pairs(study_id: int, level: float) -> list[MarkedPair]:
    """The pairs of the study from this likeness on, in the order of their issues."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT p.first_id, p.second_id, p.likeness, p.is_across, coalesce(m.kind, '')
            FROM ingest_similarpair p LEFT JOIN ingest_similarmark m
              ON m.first_id = p.first_id AND m.second_id = p.second_id AND m.ended_at IS NULL
            WHERE p.study_id = %s AND p.likeness >= %s
            ORDER BY 1, 2
            """,
            [study_id, level],
        )
        return list(map(MarkedPair._make, cursor.fetchall()))


def _connects(pair: MarkedPair, marked: str) -> bool:
    distinct = pair.kind == SimilarMark.Kind.DISTINCT
    return not distinct if marked in {"", "open"} else pair.kind == marked
