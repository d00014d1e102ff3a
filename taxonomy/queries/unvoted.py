"""New categories and splits that no accepted proposal made, in a draft and in published versions.

Before volunteers label by a taxonomy, in a pilot or main round, owners and leads write it alone. From then on
a new category needs the votes of all, or the reason of who publishes it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from taxonomy.models import CategoryState, Taxonomy, Unvoted, Version
from taxonomy.queries.drafts import Drafted
from taxonomy.rules import NEED_ALL
from taxonomy.signals import labelled
from taxonomy.tree import drafts
from taxonomy.tree.draft_trees import Entry


def needs_votes(taxonomy: Taxonomy) -> bool:
    """Have volunteers labelled by this taxonomy? One query for each room that answers."""
    return any(said for _room, said in labelled.send(Taxonomy, taxonomy=taxonomy))


def unvoted(found: Drafted) -> dict[str, str | None]:
    """The categories of a draft that nobody voted on though everybody should have: their keys, each with the
    key of the category that it was split off from, None if it was added. Empty for a first version.
    """
    if found.published is None:
        return {}
    made: dict[str, str | None] = {}
    for change in found.changes:
        if change.kind in NEED_ALL and getattr(change, "motion", None) is None:
            parts = [part["key"] for part in change.values.get("parts", ())]
            key = str(change.key)
            made |= dict.fromkeys(parts, key) if change.kind == drafts.SPLIT else {key: None}
    made = {key: source for key, source in made.items() if key in found.draft}
    return made if made and needs_votes(found.taxonomy) else {}


def unvoted_entries(found: Drafted) -> list[tuple[Entry, Entry | None]]:
    """The same as categories, in the order of the tree, each with the category that it was split off from."""
    sources, draft = unvoted(found), found.draft
    known = draft.published | draft.entries
    return [(entry, known.get(sources[entry.key] or "")) for entry in draft if entry.key in sources]


@dataclass(frozen=True)
class WithoutVote:
    """A category that a published version added or split off from `source` without a vote, as it is there."""

    version: Version
    state: CategoryState
    source: CategoryState | None


def without_vote(versions: Iterable[Version]) -> list[WithoutVote]:
    """What these published versions, all of one taxonomy, added or split without a vote, oldest version
    first, in the order of the tree. Two queries; one if there is none.
    """
    published = {version.pk: version for version in versions}
    rows = list(Unvoted.objects.filter(version__in=published))
    if not rows:
        return []
    about = {each for row in rows for each in (row.category_id, row.source_id)}
    taxonomy = published[rows[0].version_id].taxonomy_id
    states = CategoryState.objects.filter(version__taxonomy=taxonomy, category__in=about - {None})
    states = states.select_related("category", "version").order_by("version__number")
    at: dict[tuple[int | None, int], CategoryState] = {
        (state.category_id, state.version.number): state for state in states
    }
    found = []
    for row in rows:
        version = published[row.version_id]
        state = at[row.category_id, version.number]
        numbers = (version.number - 1, version.number)
        source = next((at[row.source_id, n] for n in numbers if (row.source_id, n) in at), None)
        found.append(WithoutVote(version, state, source))
    return sorted(found, key=lambda one: (one.version.number, one.state.position))


def codes_without_vote(version: Version) -> tuple[str, ...]:
    """The codes, in this version, of the categories that it or an earlier version added or split without a
    vote. One query; none for a first version.
    """
    if version.number == 1:
        return ()
    earlier = Unvoted.objects.filter(
        version__taxonomy=version.taxonomy_id, version__number__lte=version.number
    )
    states = CategoryState.objects.filter(version=version, category__in=earlier.values("category"))
    return tuple(states.order_by("position").values_list("code", flat=True))
