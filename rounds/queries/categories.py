"""The categories of one version, and the category that a label counts as at a depth."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter

from django.utils.functional import cached_property

from taxonomy.models import CategoryState, Level
from taxonomy.queries import codebooks
from taxonomy.queries.codebooks import States
from taxonomy.tree import LONG_TEXTS
from taxonomy.tree.hues import NONE

ROLLED_UP = """
    SELECT s.category_id,
           CASE WHEN s.level <= %(depth)s THEN s.category_id
                WHEN s.level = %(depth)s + 1 THEN s.parent_id
                ELSE p.parent_id END AS at_depth
    FROM taxonomy_categorystate s
    LEFT JOIN taxonomy_categorystate p ON p.version_id = s.version_id AND p.category_id = s.parent_id
    WHERE s.version_id = %(version)s
"""
"""SQL: one row (category_id, at_depth) per category of version %(version)s: the ancestor at level %(depth)s,
or the category itself if it is above that level."""


STANDS_AS = """nullif(coalesce((
    SELECT coalesce(g.became_id, 0) FROM taxonomy_gone g
    WHERE g.version_id = %(version)s AND g.category_id = {row}.category_id
      AND {row}.version_id < g.since_id AND {row}.version_id >= coalesce(g.after_id, 0)
), {row}.category_id), 0)"""
"""SQL: the category that the choice in this row counts as in version %(version)s, as in `States.stands_as`;
NULL for none. For labels that count use `CurrentLabel`, which includes second looks."""


@dataclass(frozen=True, eq=False)
class ShownCodebook:
    """The categories of one version as lists and chips show them: in the order of the tree, with hues."""

    states: States

    @cached_property
    def by_code(self) -> dict[str, CategoryState]:
        return {state.code: state for state in self.states.values()}

    @cached_property
    def _parents(self) -> frozenset[int]:
        return frozenset(state.parent_id for state in self.states.values() if state.parent_id is not None)

    def is_leaf(self, category_id: int) -> bool:
        return category_id not in self._parents

    def code(self, category_id: int | None) -> str:
        """The code of a category of this version; "" for None."""
        return "" if category_id is None else self.states[category_id].code

    def codes_in_order(self, ids: Iterable[int]) -> tuple[str, ...]:
        """The codes of these categories in the order of the tree."""
        states = sorted((self.states[id_] for id_ in ids), key=attrgetter("position"))
        return tuple(state.code for state in states)

    def at_depth(self, category_id: int, depth: int) -> CategoryState:
        """The ancestor at this level, or the category itself if its level is not deeper."""
        state = self.states[category_id]
        while state.level > depth and state.parent_id is not None:
            state = self.states[state.parent_id]
        return state

    def hue(self, category_id: int) -> int:
        """The hue of the category's chips: that of its type, from taxonomy.tree.hues."""
        return self._hues.get(self.at_depth(category_id, Level.TYPE).code, NONE)

    @cached_property
    def _hues(self) -> dict[str, int]:
        return codebooks.hues_of([state for state in self.states.values() if state.level == Level.TYPE])

    def below(self, code: str) -> list[int]:
        """The ids of the category with this code and of all below it; empty for an unknown code."""
        top = self.by_code.get(code)
        if top is None:
            return []
        return [id_ for id_ in self.states if self.at_depth(id_, top.level) == top]

    def counted(self, depth: int) -> list[CategoryState]:
        """The categories that labels count as at this depth: those of its level, and leaves above it."""
        return [
            state
            for id_, state in self.states.items()
            if state.level == depth or (state.level < depth and self.is_leaf(id_))
        ]

    def choosable(self, depth: int) -> frozenset[int]:
        """The categories for labels of a round of this depth: at its level or deeper, and leaves above."""
        return frozenset(
            id_ for id_, state in self.states.items() if state.level >= depth or self.is_leaf(id_)
        )


@lru_cache(maxsize=32)
def codebook(version_id: int) -> ShownCodebook:
    """The categories of a published version without long texts, cached in memory. One query at first."""
    states = CategoryState.objects.filter(version=version_id).defer(*LONG_TEXTS).order_by("position")
    return ShownCodebook(States(version_id, states))


@lru_cache(maxsize=32)
def categories_of(version_id: int) -> codebooks.Codebook:
    """The categories of a published version with all texts, cached in memory."""
    return codebooks.codebook(version_id)


def deepest_level(version_id: int) -> int:
    """The deepest level of this version, 0 without categories. One query."""
    levels = (
        CategoryState.objects.filter(version=version_id).order_by("-level").values_list("level", flat=True)
    )
    deepest = levels.first()
    return 0 if deepest is None else Level(deepest)


def types_of(version_id: int) -> list[CategoryState]:
    """The types of a version in the order of the tree, without their long texts. One query."""
    types = CategoryState.objects.filter(version=version_id, level=Level.TYPE)
    return list(types.defer(*LONG_TEXTS).order_by("position"))
