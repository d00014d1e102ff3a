"""The first labels: what each volunteer had given when the labels of an issue were revealed.

Only these labels are independent. A second look gives other labels later, which count for decisions. A first
label keeps its category even if that was split or retired since: it then counts as a former category, with a
negative id and a code such as `C.1@v1`.
"""

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from django.db import connection
from django.utils.functional import cached_property

from rounds.models import Round
from rounds.queries.categories import categories_of
from taxonomy.models import CategoryState, Gone, Version
from taxonomy.queries.codebooks import Codebook

_FIRST = """
    SELECT c.id, c.issue_id, array_agg(f.volunteer_id ORDER BY f.volunteer_id),
           array_agg(coalesce(f.category_id, -f.gone_id, 0) ORDER BY f.volunteer_id),
           count(*) FILTER (WHERE EXISTS (
               SELECT FROM rounds_round looks
               JOIN rounds_label k ON k.round_id = looks.id AND k.issue_id = f.issue_id
                AND k.volunteer_id + 0 = f.volunteer_id
               WHERE looks.of_id = c.round_id AND NOT k.surplus AND k.submitted_at > c.first_revealed_at
           ))
    FROM rounds_roundissue c
    JOIN rounds_first f ON f.round_id = c.round_id AND f.issue_id = c.issue_id
    WHERE c.round_id = %(round)s AND c.first_revealed_at IS NOT NULL AND c.completed_at IS NOT NULL
      AND c.labels <> '' AND {seen}
    GROUP BY c.id
    ORDER BY c.id
"""

_OWN = """
    SELECT c.round_id, l.version_id
    FROM rounds_roundissue c
    JOIN rounds_label l ON l.round_id = c.round_id AND l.issue_id = c.issue_id
    WHERE c.round_id = ANY(%(rounds)s) AND NOT l.surplus AND l.category_id IS NOT NULL
      AND c.completed_at IS NOT NULL AND {seen} {own}
"""
_LOOKS = """
    SELECT FROM rounds_round looks
    JOIN rounds_roundissue x ON x.round_id = looks.id AND x.issue_id = c.issue_id
    WHERE looks.of_id = c.round_id
"""
# As in rounds_first, and for issues that were in a second look only before their reveal.
_OF_LOOKS = """
    SELECT c.round_id, f.version_id
    FROM rounds_roundissue c
    JOIN rounds_label l ON l.round_id = c.round_id AND l.issue_id = c.issue_id AND NOT l.surplus
    CROSS JOIN LATERAL (
        SELECT k.category_id, k.version_id
        FROM rounds_round looks
        JOIN rounds_label k ON k.round_id = looks.id AND k.issue_id = l.issue_id
         AND k.volunteer_id + 0 = l.volunteer_id
        WHERE (looks.id = c.round_id OR looks.of_id = c.round_id
               AND (c.first_revealed_at IS NULL OR k.submitted_at <= c.first_revealed_at))
          AND NOT k.surplus
        ORDER BY looks.id DESC LIMIT 1
    ) f
    WHERE c.round_id = ANY(%(rounds)s) AND f.category_id IS NOT NULL
      AND c.completed_at IS NOT NULL AND {seen} AND EXISTS ({looks})
"""

FOLLOWED = """(
    SELECT v.published_at > o.opened_at FROM rounds_round o JOIN taxonomy_version v ON v.id = o.version_id
    WHERE o.id = {round}
)"""
"""SQL: has the round gone on with a version that was published after it was opened? Only then can its labels
be of several versions."""

OVERRIDDEN = (
    "LEFT JOIN unnest(%(first_ids)s::bigint[], %(first_labels)s::text[]) f (id, labels) ON f.id = c.id"
)
"""SQL: joins the first labels of RoundIssue `c`, where they are not its labels, as `f.labels`. Parameters:
`FirstLabels.parameters`."""


class FormerCategories:
    """The categories that were split or retired before a version of a taxonomy, as far as they are asked for.

    `states` has them by their negative ids.
    """

    def __init__(self, version_id: int) -> None:
        self.version_id = version_id
        self.states: dict[int, CategoryState] = {}

    @cached_property
    def _versions(self) -> dict[int, int]:
        """The numbers of the published versions up to this one, by id, in their order. One query."""
        same = Version.objects.filter(
            taxonomy__versions=self.version_id, published_at__isnull=False, pk__lte=self.version_id
        )
        return dict(same.order_by("pk").values_list("pk", "number"))

    def counts_as(self, category: int, chosen_in: int) -> int:
        """The id that a choice in a version counts as: of a category of this version, or, negative, of the
        former category that it was when it was split or retired.
        """
        here = categories_of(self.version_id).by_id.stands_as(category, chosen_in)
        return self._former(category, chosen_in) if here is None else here

    def of_gone(self, ids: Iterable[int]) -> dict[int, int]:
        """Id of a row of Gone without a successor to the negative id of the former category. One query."""
        rows = Gone.objects.filter(pk__in=ids).values_list("pk", "category", "last__version")
        return {pk: self._former(category, version) for pk, category, version in rows}

    def _former(self, category: int, chosen_in: int) -> int:
        last: CategoryState | None = None
        for version in self._versions:
            if version < chosen_in:
                continue
            states = categories_of(version).by_id
            stands = states.stands_as(category, chosen_in)
            if stands is None:
                break
            last = states[stands]
        if last is None:
            raise ValueError(f"category {category} is not of version {chosen_in}")
        if -last.pk not in self.states:
            self.states[-last.pk] = self._as_former(last)
        return -last.pk

    def _as_former(self, state: CategoryState) -> CategoryState:
        made = copy(state)
        made.pk = made.category_id = -state.pk
        made.code = f"{state.code}@v{self._versions[state.version_id]}"
        if state.parent_id is not None:
            made.parent_id = self.counts_as(state.parent_id, state.version_id)
        return made

    def only(self, ids: Iterable[int]) -> "FormerCategories":
        """These former categories, and those above them; ids of present categories are left out."""
        found = FormerCategories(self.version_id)
        for id_ in ids:
            above: int | None = id_
            while above is not None and above < 0:
                found.states[above] = self.states[above]
                above = self.states[above].parent_id
        return found

    def beside(self, book: Codebook) -> Codebook:
        """The codebook with these former categories after its own; the same one without any."""
        more = sorted(
            (state for id_, state in self.states.items() if id_ not in book.places), key=attrgetter("code")
        )
        return Codebook(book.version_id, (*book.states, *more)) if more else book

    def at_depth(self, category: int, depth: int) -> int:
        """The id of the ancestor at this level, or the id itself if its level is not deeper."""
        book = categories_of(self.version_id).by_id
        while category:
            state = self.states[category] if category < 0 else book[category]
            if state.level <= depth or state.parent_id is None:
                break
            category = state.parent_id
        return category


@dataclass(frozen=True)
class FirstLabels:
    """The first labels of complete issues that were in a second look after their reveal.

    `rows` has, by the id of the RoundIssue, its issue and (member, category) in the order of the members:
    negative ids of `former` categories, 0 for an open label. `again` has the number of labels that were given
    again since.
    """

    rows: Mapping[int, tuple[int, tuple[tuple[int, int], ...]]]
    again: Mapping[int, int]
    former: FormerCategories

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of `OVERRIDDEN`."""
        texts = [
            " ".join(str(category) for _who, category in labels) for _issue, labels in self.rows.values()
        ]
        return {"first_ids": list(self.rows), "first_labels": texts}


def has_second_looks(round_: Round | int) -> bool:
    """One query."""
    return Round.objects.filter(of=round_).exists()


def former_codes(version_id: int) -> dict[int, str]:
    """The codes of all categories that were split or retired before a version, by the ids of the rows of Gone
    without a successor: for files of rounds with second looks.
    """
    former = FormerCategories(version_id)
    return {pk: former.states[id_].code for pk, id_ in former.of_gone(_gone_for_good(version_id)).items()}


def all_former(version_id: int) -> FormerCategories:
    """All categories that were split or retired before a version. Two queries, and some for earlier versions
    at first."""
    former = FormerCategories(version_id)
    former.of_gone(_gone_for_good(version_id))
    return former


def _gone_for_good(version_id: int) -> list[int]:
    return list(Gone.objects.filter(version=version_id, became=None).values_list("pk", flat=True))


def first_labels(
    round_id: int, version_id: int, seen: str = "true", kept: Mapping[str, Any] = MappingProxyType({})
) -> FirstLabels:
    """The first labels of a round. `seen` and `kept`: a condition on RoundIssue `c`, and its parameters.

    Two queries, and some for earlier versions at first, if there are any such labels, else one.
    """
    with connection.cursor() as cursor:
        cursor.execute(_FIRST.format(seen=seen), {"round": round_id, **kept})
        found = cursor.fetchall()
    former = FormerCategories(version_id)
    gone = {-one for *_ids, categories, _again in found for one in categories if one < 0}
    was = former.of_gone(gone) if gone else {}
    return FirstLabels(
        rows={
            id_: (issue, tuple(zip(members, [was.get(-one, one) for one in categories], strict=True)))
            for id_, issue, members, categories, _again in found
        },
        again={id_: again for id_, *_rest, again in found},
        former=former,
    )


def choosable(
    rounds: Mapping[int, tuple[int, int]],
    seen: str = "true",
    kept: Mapping[str, Any] = MappingProxyType({}),
    *,
    had_looks: bool,
) -> dict[int, Mapping[int, CategoryState]]:
    """By round, the categories that could be chosen when the first labels of its complete issues were given,
    by id: those of all versions that these labels were given in, and those above them. A category is what its
    choice counts as, so that it can be a former one, with a negative id. A round whose labels are all of its
    own version is left out. `rounds` has the version and the depth of each round; `seen` and `kept` as in
    `first_labels`.

    One query, and some for earlier versions at first.
    """
    own = _OWN.format(seen=seen, own=f"AND NOT EXISTS ({_LOOKS})" if had_looks else "")
    looks = " UNION " + _OF_LOOKS.format(seen=seen, looks=_LOOKS) if had_looks else ""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT DISTINCT * FROM ({own}{looks}) given", {"rounds": list(rounds), **kept})
        versions: dict[int, set[int]] = {}
        for round_, version in cursor.fetchall():
            versions.setdefault(round_, set()).add(version)
    return {
        round_: _choosable_in(given, *rounds[round_])
        for round_, given in versions.items()
        if given != {rounds[round_][0]}
    }


def _choosable_in(versions: Iterable[int], version_id: int, depth: int) -> dict[int, CategoryState]:
    former, book = FormerCategories(version_id), categories_of(version_id).by_id
    found: dict[int, CategoryState] = {}
    for version in versions:
        # Nobody can choose a category above the depth but through those below it. These can have moved: what
        # is above them in the round's version is chosen with them.
        for category in categories_of(version).choosable(depth):
            above: int | None = former.counts_as(category, version)
            while above is not None and above not in found:
                found[above] = former.states[above] if above < 0 else book[above]
                above = found[above].parent_id
    return found
