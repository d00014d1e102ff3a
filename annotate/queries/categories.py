"""The categories of one version, as labels are compared: rolled up to a depth."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from taxonomy import queries as taxonomy_queries
from taxonomy.models import CategoryState, Level
from taxonomy.queries import States

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
or the category itself where it stops above that level."""


STANDS_AS = """nullif(coalesce((
    SELECT coalesce(g.became_id, 0) FROM taxonomy_gone g
    WHERE g.version_id = %(version)s AND g.category_id = {row}.category_id
      AND {row}.version_id < g.since_id AND {row}.version_id >= coalesce(g.after_id, 0)
), {row}.category_id), 0)"""
"""SQL: what the choice of this row counts as in version %(version)s, as `States.stands_as` says it; NULL for
nothing. Of labels that count, `Said` says it, with second looks."""


@dataclass(frozen=True, eq=False)
class Codebook:
    """The categories of one version in the order of the tree, by the id of the category."""

    states: States

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {state.code: id_ for id_, state in self.states.items()}

    @cached_property
    def _parents(self) -> frozenset[int]:
        return frozenset(state.parent_id for state in self.states.values() if state.parent_id is not None)

    def is_leaf(self, category_id: int) -> bool:
        return category_id not in self._parents

    def at_depth(self, category_id: int, depth: int) -> CategoryState:
        """The ancestor at this level, or the category itself where it is no deeper."""
        state = self.states[category_id]
        while state.level > depth and state.parent_id is not None:
            state = self.states[state.parent_id]
        return state

    def hue(self, category_id: int) -> int:
        """Which hue its chips have: its type's own, or the type's place among the types, from 0."""
        above = self.at_depth(category_id, Level.TYPE)
        types = [id_ for id_, state in self.states.items() if state.level == Level.TYPE]
        return types.index(above.category_id) if above.hue is None else above.hue

    def below(self, code: str) -> list[int]:
        """The ids of the category of this code and of all beneath it; none where nothing has the code."""
        top = self._ids.get(code)
        if top is None:
            return []
        level = self.states[top].level
        return [id_ for id_ in self.states if self.at_depth(id_, level).category_id == top]

    def choosable(self, depth: int) -> frozenset[int]:
        """Deep enough for a round of this depth: at its level or deeper, or above it without any below."""
        return frozenset(
            id_ for id_, state in self.states.items() if state.level >= depth or self.is_leaf(id_)
        )


@lru_cache(maxsize=32)
def codebook(version_id: int) -> Codebook:
    """All categories of a published version, without their long texts: it never changes, so it is kept in
    memory. One query at first.
    """
    states = (
        CategoryState.objects.filter(version=version_id)
        .defer("definition", "includes", "excludes", "examples")
        .order_by("position")
    )
    return Codebook(States(version_id, states))


@lru_cache(maxsize=32)
def categories_of(version_id: int) -> taxonomy_queries.Codebook:
    """The categories of a published version with all their texts: it never changes, so it is kept in
    memory.
    """
    return taxonomy_queries.codebook(version_id)


def deepest_level(version_id: int) -> int:
    """The deepest level that this version has, 0 for an empty one."""
    levels = (
        CategoryState.objects.filter(version=version_id).order_by("-level").values_list("level", flat=True)
    )
    return Level(levels[0]) if levels[:1] else 0


def types_of(version_id: int) -> list[CategoryState]:
    """The types of a version in the order of the tree, without their long texts. One query."""
    types = CategoryState.objects.filter(version=version_id, level=Level.TYPE)
    return list(types.defer("definition", "includes", "excludes", "examples").order_by("position"))
