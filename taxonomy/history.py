"""How a taxonomy became what it is: what each version changed, and the life of one category."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from django.db.models import OuterRef, QuerySet, Subquery

from studies.models import Membership
from taxonomy.models import CategoryState, Change, Remap, Taxonomy, Version
from taxonomy.queries import published_versions
from taxonomy.tree import TEXTS


@dataclass(frozen=True)
class Became:
    """What became of a category in a version: `kind` as in Remap, how it was and what it is. `texts`: the
    explaining texts that are others now.
    """

    kind: str
    old: CategoryState
    new: tuple[CategoryState, ...]
    texts: tuple[str, ...] = ()


@dataclass
class Step:
    """One version beside the one before: what it added and what it changed, in the order of the tree.
    `sizes` are the numbers of categories by level, `makers` who made how many of its
    changes, by pseudonym, "" for somebody who has none.
    """

    version: Version
    sizes: dict[int, int]
    makers: tuple[tuple[str, int], ...] = ()
    added: list[CategoryState] = field(default_factory=list)
    changed: list[Became] = field(default_factory=list)


@dataclass(frozen=True)
class Life:
    """One category through the versions: how it looked in each, what it took in and what it became at last.

    `states` are its looks where they changed, oldest first, each with the versions from and to that it had
    it. `took` are the categories that were merged into it, or that it is a part of, with the kind.
    """

    states: tuple[tuple[CategoryState, CategoryState | None, int, int], ...]
    took: tuple[tuple[str, CategoryState, int], ...]
    became: tuple[tuple[str, CategoryState | None, int], ...]


def steps(taxonomy: Taxonomy) -> list[Step]:
    """The published versions, newest first, each beside the one before. Four queries."""
    versions = list(published_versions(taxonomy))
    by_version: dict[int, dict[int, CategoryState]] = defaultdict(dict)
    for state in _states(taxonomy):
        by_version[state.version_id][state.category_id] = state
    remaps: dict[int, dict[int, list[Remap]]] = defaultdict(lambda: defaultdict(list))
    for remap in Remap.objects.filter(to_version__taxonomy=taxonomy).order_by("pk"):
        remaps[remap.to_version_id][remap.source_id].append(remap)
    makers: dict[int, Counter[str]] = defaultdict(Counter)
    seat = Membership.objects.filter(study=taxonomy.study_id, user=OuterRef("made_by"))
    made_by = Change.objects.filter(version__in=versions, undone_at=None).annotate(
        maker=Subquery(seat.values("pseudonym")[:1])
    )
    for version_id, maker in made_by.values_list("version", "maker"):
        makers[version_id][maker or ""] += 1
    found = []
    for version, before in zip(versions, [*versions[1:], None], strict=True):
        now = by_version[version.pk]
        then = by_version[before.pk] if before else {}
        sizes: dict[int, int] = defaultdict(int)
        for state in now.values():
            sizes[state.level] += 1
        made = Step(version, dict(sizes), tuple(makers[version.pk].most_common()))
        if before:
            made.added = [state for id_, state in now.items() if id_ not in then]
            made.changed = _changed(remaps[version.pk], then, now)
        found.append(made)
    return found


def life(taxonomy: Taxonomy, category_id: int) -> Life:
    """The life of one category. Three queries."""
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
    return Life(tuple(looks), took, became)


def _states(taxonomy: Taxonomy) -> QuerySet[CategoryState]:
    return (
        CategoryState.objects.filter(version__taxonomy=taxonomy)
        .select_related("category")
        .order_by("version", "position")
    )


def _look(state: CategoryState) -> tuple[str, str, int | None]:
    return state.code, state.name, state.parent_id


def _changed(
    remaps: dict[int, list[Remap]], then: dict[int, CategoryState], now: dict[int, CategoryState]
) -> list[Became]:
    changed = []
    for id_, old in then.items():
        found = remaps.get(id_, [])
        kind = found[0].kind if found else Remap.Kind.SAME
        new = tuple(now[remap.target_id] for remap in found if remap.target_id)
        texts = _other_texts(old, now[id_]) if id_ in now else ()
        if kind != Remap.Kind.SAME or texts:
            changed.append(Became(kind, old, new, texts))
    return changed


def _other_texts(old: CategoryState, new: CategoryState) -> tuple[str, ...]:
    return tuple(name for name in TEXTS if getattr(old, name) != getattr(new, name))
