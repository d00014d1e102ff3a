"""The categories of a version as plain data, by identity and by code."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.functional import cached_property

from taxonomy.models import CategoryState, Gone, Level, Proposal, Version
from taxonomy.tree import ALL_TEXTS, Node, Tree
from taxonomy.tree.hues import NONE, hues


class States(dict[int, CategoryState]):
    """The categories of one version by their ids, in the order of the tree.

    The id of a former category gives the category that it became, or, after a split or retirement, its last
    state. Such ids do not count in `len`, iteration or `in`.
    """

    def __init__(self, version_id: int, states: Iterable[CategoryState]) -> None:
        super().__init__((state.category_id, state) for state in states)
        self.version_id = version_id

    @cached_property
    def _gone(self) -> dict[int, list[Gone]]:
        """The rows of Gone by category, the latest first."""
        found: dict[int, list[Gone]] = {}
        for gone in Gone.objects.filter(version=self.version_id).select_related("last").order_by("-since"):
            found.setdefault(gone.category_id, []).append(gone)
        return found

    def __missing__(self, category_id: int) -> CategoryState:
        gone = self._gone[category_id][0]
        return self[gone.became_id] if gone.became_id else gone.last

    def knows(self, category_id: int) -> bool:
        """Does this category belong to this version or to an earlier one?"""
        return category_id in self or category_id in self._gone

    def stands_as(self, category_id: int, chosen_in: int | None = None) -> int | None:
        """The category of this version as which a choice counts: itself, or the one that took it over as a
        whole; None if it was split or retired since. `chosen_in` is the id of the version of the choice;
        without it an existing category counts as itself, even if it was split before.
        """
        if chosen_in in {None, self.version_id} and category_id in self:
            return category_id
        for gone in self._gone.get(category_id, ()):
            if chosen_in is None or (gone.after_id or 0) <= chosen_in < gone.since_id:
                return gone.became_id
        return category_id if category_id in self else None

    def chosen_as(self, categories: Iterable[int]) -> list[int]:
        """These categories of the version, and all former categories whose choices count as one of them."""
        here = set(categories)
        former = (id_ for id_ in self._gone if id_ not in self)
        return [*here, *(id_ for id_ in former if self._gone[id_][0].became_id in here)]


@dataclass(frozen=True)
class Codebook:
    """The categories of one version for reports, exports and the labelling page, in the order of the tree,
    made by one query.
    """

    version_id: int
    states: tuple[CategoryState, ...]

    @cached_property
    def by_id(self) -> States:
        """States by the id of their category."""
        return States(self.version_id, self.states)

    @cached_property
    def by_code(self) -> dict[str, CategoryState]:
        return {state.code: state for state in self.states}

    @cached_property
    def places(self) -> dict[int, int]:
        """Category id to the index in `states`, as which reports count a label."""
        return {state.category_id: index for index, state in enumerate(self.states)}

    def at_level(self, level: int) -> tuple[CategoryState, ...]:
        """The categories of one level, over which a coefficient at this level is computed."""
        return tuple(state for state in self.states if state.level == level)

    def ancestor(self, category_id: int, level: int) -> CategoryState | None:
        """The category's ancestor at `level`, or itself; None for a category above that level."""
        state = self.by_id.get(category_id)
        while state is not None and state.level > level:
            state = self.by_id.get(state.parent_id) if state.parent_id else None
        return state if state is not None and state.level == level else None

    def rolled_up(self, level: int) -> dict[int, int]:
        """Category id to the id of the ancestor at `level`, for every category at that level or below."""
        pairs = ((state.category_id, self.ancestor(state.category_id, level)) for state in self.states)
        return {category: ancestor.category_id for category, ancestor in pairs if ancestor}

    def below(self, category_id: int) -> list[int]:
        """The ids of this category and of all below it; empty if the version lacks the category."""
        state = self.by_id.get(category_id)
        if state is None:
            return []
        return [id_ for id_, ancestor in self.rolled_up(state.level).items() if ancestor == category_id]

    def choosable(self, depth: int) -> frozenset[int]:
        """The ids of the categories at this level or deeper, and of the ones above it without any below."""
        parents = {state.parent_id for state in self.states}
        return frozenset(
            id_ for id_, state in self.by_id.items() if state.level >= depth or id_ not in parents
        )

    def tree(self) -> Tree:
        """The version as plain data, for files."""
        return Tree(
            Node(
                code=state.code,
                level=state.level,
                parent=self.by_id[state.parent_id].code if state.parent_id else None,
                name=state.name,
                position=state.position,
                **{name: getattr(state, name) for name in ALL_TEXTS},
            )
            for state in self.states
        )

    def hue(self, category_id: int) -> int:
        """The hue of a category's chip: that of its type, from taxonomy.tree.hues."""
        ancestor = self.ancestor(category_id, Level.TYPE)
        return NONE if ancestor is None else self._hues[ancestor.code]

    @cached_property
    def _hues(self) -> dict[str, int]:
        return hues_of(self.at_level(Level.TYPE))


def hues_of(types: Sequence[CategoryState]) -> dict[str, int]:
    """The hues of the types by their codes; `types` are in the order of the tree."""
    found = hues([state.hue for state in types])
    return {state.code: hue for state, hue in zip(types, found, strict=True)}


def answered(version: Version) -> dict[int, int]:
    """Proposal id to the id of the category of this published version that answers it: the category that a
    vote or a lead named, or its successor. Proposals without such a category are left out. Two queries, three
    if one of these categories is gone.
    """
    named = Proposal.objects.filter(taxonomy=version.taxonomy_id, answered_by__isnull=False)
    states = codebook(version).by_id
    now = {pk: states.stands_as(category) for pk, category in named.values_list("pk", "answered_by")}
    return {pk: category for pk, category in now.items() if category is not None}


def codebook(version: Version | int) -> Codebook:
    """The codebook of a version, in one query."""
    pk = version if isinstance(version, int) else version.pk
    return codebooks([pk])[pk]


def codebooks(versions: Iterable[int]) -> dict[int, Codebook]:
    """The codebooks of these versions by their ids, in one query."""
    found: dict[int, list[CategoryState]] = {pk: [] for pk in versions}
    for state in CategoryState.objects.filter(version__in=found).order_by("version", "position"):
        found[state.version_id].append(state)
    return {pk: Codebook(pk, tuple(states)) for pk, states in found.items()}
