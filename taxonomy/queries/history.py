"""The history of a taxonomy: the changes of each version, and the history of one category."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from studies.models import Membership
from taxonomy.models import CategoryState, Change, Motion, Remap, Taxonomy, Version
from taxonomy.queries.taxonomies import published_versions
from taxonomy.queries.unvoted import WithoutVote, without_vote
from taxonomy.tree import other_texts


@dataclass(frozen=True)
class Makers:
    """The makers of one category's changes in a version: pseudonyms, "" for a person without one, and the
    proposals by which the members changed it together.
    """

    makers: tuple[str, ...] = ()
    motions: tuple[Motion, ...] = ()


@dataclass(frozen=True)
class CategoryChange:
    """The change of a category in a version: `kind` as in Remap, its old and new states. `texts` are the
    names of the changed texts.
    """

    kind: str
    old: CategoryState
    new: tuple[CategoryState, ...]
    made: Makers
    texts: tuple[str, ...] = ()

    @property
    def is_renamed(self) -> bool:
        return any(
            state.category_id == self.old.category_id and state.name != self.old.name for state in self.new
        )


@dataclass
class VersionStep:
    """One version compared with the one before: added and changed categories, in the order of the tree.

    Added categories come with their makers. `sizes` are the numbers of categories by level; `makers` the
    number of changes by pseudonym, "" for people without one; `motions` the accepted proposals among the
    changes. `alone` are the added and split categories that nobody voted on.
    """

    version: Version
    sizes: dict[int, int]
    makers: tuple[tuple[str, int], ...] = ()
    motions: tuple[Motion, ...] = ()
    alone: list[WithoutVote] = field(default_factory=list)
    added: list[tuple[CategoryState, Makers]] = field(default_factory=list)
    changed: list[CategoryChange] = field(default_factory=list)


@dataclass(frozen=True)
class CategoryLife:
    """One category through the versions: its states, the categories that it took in, and what it became.

    `states` are its different states, oldest first, each with its parent and its first and last version.
    `took` are the categories that were merged into it or split into it, with the kind.
    """

    states: tuple[tuple[CategoryState, CategoryState | None, int, int], ...]
    took: tuple[tuple[str, CategoryState, int], ...]
    became: tuple[tuple[str, CategoryState | None, int], ...]


def steps(taxonomy: Taxonomy) -> list[VersionStep]:
    """The published versions, newest first, each compared with the version before it. Five queries, six if
    some category was added or split without a vote.
    """
    versions = list(published_versions(taxonomy))
    by_version: dict[int, dict[int, CategoryState]] = defaultdict(dict)
    for state in _states(taxonomy):
        by_version[state.version_id][state.category_id] = state
    remaps: dict[int, dict[int, list[Remap]]] = defaultdict(lambda: defaultdict(list))
    for remap in Remap.objects.filter(to_version__taxonomy=taxonomy).order_by("pk"):
        remaps[remap.to_version_id][remap.source_id].append(remap)
    changes: dict[int, list[Change]] = defaultdict(list)
    for change in _changes(taxonomy):
        changes[change.version_id].append(change)
    alone: dict[int, list[WithoutVote]] = defaultdict(list)
    for one in without_vote(versions):
        alone[one.version.pk].append(one)
    found = []
    for version, before in zip(versions, [*versions[1:], None], strict=True):
        now = by_version[version.pk]
        then = by_version[before.pk] if before else {}
        sizes: dict[int, int] = defaultdict(int)
        for state in now.values():
            sizes[state.level] += 1
        own = changes[version.pk]
        step = VersionStep(version, dict(sizes), _makers(own), _motions(own), alone[version.pk])
        if before:
            made = _made(own)
            step.added = [
                (state, made.get(state.category.key, Makers()))
                for id_, state in now.items()
                if id_ not in then
            ]
            step.changed = _changed(remaps[version.pk], then, now, made)
        found.append(step)
    return found


def life(taxonomy: Taxonomy, category_id: int) -> CategoryLife:
    """The history of one category. Three queries."""
    numbers = {version.pk: version.number for version in published_versions(taxonomy)}
    states = [state for state in _states(taxonomy) if state.version_id in numbers]
    at = {(state.version_id, state.category_id): state for state in states}
    looks: list[tuple[CategoryState, CategoryState | None, int, int]] = []
    for state in sorted(
        (state for state in states if state.category_id == category_id),
        key=lambda state: numbers[state.version_id],
    ):
        parent = at.get((state.version_id, state.parent_id)) if state.parent_id else None
        number = numbers[state.version_id]
        if looks and _look(looks[-1][0]) == _look(state):
            looks[-1] = (*looks[-1][:3], number)
        else:
            looks.append((state, parent, number, number))
    remaps = list(Remap.objects.filter(to_version__taxonomy=taxonomy).order_by("to_version__number", "pk"))
    took = tuple(
        (remap.kind, at[remap.from_version_id, remap.source_id], numbers[remap.to_version_id])
        for remap in remaps
        if remap.target_id == category_id and remap.source_id != category_id
    )
    became = tuple(
        (
            remap.kind,
            at[remap.to_version_id, remap.target_id] if remap.target_id else None,
            numbers[remap.to_version_id],
        )
        for remap in remaps
        if remap.source_id == category_id and remap.kind in {"merged", "split", "retired"}
    )
    return CategoryLife(tuple(looks), took, became)


def _states(taxonomy: Taxonomy) -> QuerySet[CategoryState]:
    return (
        CategoryState.objects.filter(version__taxonomy=taxonomy)
        .select_related("category")
        .order_by("version", "position")
    )


def _changes(taxonomy: Taxonomy) -> QuerySet[Change]:
    """The changes in force, with their makers as `maker`, and their proposals."""
    seat = Membership.objects.filter(study=taxonomy.study_id, user=OuterRef("made_by"))
    counting = Change.objects.filter(version__taxonomy=taxonomy, undone_at=None).select_related("motion")
    return counting.annotate(maker=Subquery(seat.values("pseudonym")[:1])).order_by("version", "number")


def _motion(change: Change) -> Motion | None:
    return getattr(change, "motion", None)


def _makers(changes: list[Change]) -> tuple[tuple[str, int], ...]:
    """The number of changes by person; a change by vote has no single maker."""
    makers = (getattr(change, "maker", None) or "" for change in changes if not _motion(change))
    return tuple(Counter(makers).most_common())


def _motions(changes: list[Change]) -> tuple[Motion, ...]:
    return tuple(motion for change in changes if (motion := _motion(change)))


def _made(changes: list[Change]) -> dict[UUID, Makers]:
    """The makers of each category's changes, by its key; a split also concerns the new parts."""
    about: dict[UUID, list[Change]] = defaultdict(list)
    for change in changes:
        about[change.key].append(change)
        for part in change.values.get("parts", ()):
            about[UUID(part["key"])].append(change)
    return {key: Makers(tuple(dict(_makers(own))), _motions(own)) for key, own in about.items()}


def _look(state: CategoryState) -> tuple[str, str, int | None]:
    return state.code, state.name, state.parent_id


def _changed(
    remaps: dict[int, list[Remap]],
    then: dict[int, CategoryState],
    now: dict[int, CategoryState],
    made: Mapping[UUID, Makers],
) -> list[CategoryChange]:
    changed = []
    for id_, old in then.items():
        found = remaps.get(id_, [])
        kind = found[0].kind if found else Remap.Kind.SAME
        new = tuple(now[remap.target_id] for remap in found if remap.target_id)
        texts = other_texts(old, now[id_]) if id_ in now else ()
        if kind != Remap.Kind.SAME or texts:
            changed.append(CategoryChange(kind, old, new, made.get(old.category.key, Makers()), texts))
    return changed
