"""Reads of a draft: the published version, and the changes made since."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Max
from django.utils.functional import cached_property

from taxonomy.models import CategoryState, Change, Level, Taxonomy, Version
from taxonomy.queries.codebooks import hues_of
from taxonomy.queries.taxonomies import published_version
from taxonomy.tree import ALL_TEXTS, drafts
from taxonomy.tree.draft_trees import Entry
from taxonomy.tree.drafts import Draft


@dataclass(frozen=True)
class Drafted:
    """A draft with its history.

    `published` is the version that it changes, None before the first. `version` is the draft's own row, None
    before the first change. `changes` are in force, in their order; `undone` are not.
    """

    taxonomy: Taxonomy
    published: Version | None
    version: Version | None
    entries: tuple[Entry, ...]
    changes: tuple[Change, ...]
    undone: tuple[Change, ...]

    @cached_property
    def draft(self) -> Draft:
        """The tree with all changes applied. Each change was checked when it was stored."""
        draft, broken = drafts.fold(self.entries, as_changes(self.changes))
        if broken:
            raise broken.cause
        return draft

    @property
    def made(self) -> tuple[Change, ...]:
        """The changes in force that people made; the others came with what the draft began from."""
        return tuple(change for change in self.changes if not change.loaded)

    @property
    def number(self) -> int:
        """The number that the version will have."""
        return (self.published.number if self.published else 0) + 1

    @property
    def edition(self) -> str:
        """A key of the draft's state, which differs after each change, undo and redo."""
        return _edition(self.number, [change.number for change in self.changes])


def edition_of(taxonomy: Taxonomy) -> str:
    """The edition of the taxonomy's draft, without reading the draft. Two queries."""
    last = taxonomy.versions.filter(published_at__isnull=False).aggregate(last=Max("number"))["last"]
    counting = Change.objects.filter(version__taxonomy=taxonomy, version__published_at=None, undone_at=None)
    return _edition((last or 0) + 1, list(counting.order_by("number").values_list("number", flat=True)))


def _edition(version: int, changes: Sequence[int]) -> str:
    return f"{version}-{len(changes)}-{zlib.crc32(' '.join(map(str, changes)).encode()):08x}"


def drafted(taxonomy: Taxonomy) -> Drafted:
    """The draft of a taxonomy. Four queries."""
    published = published_version(taxonomy)
    version = taxonomy.versions.filter(published_at=None).first()
    made = version.changes.select_related("made_by", "motion").order_by("number") if version else ()
    changes = tuple(made)
    return Drafted(
        taxonomy,
        published,
        version,
        entries_of(published) if published else (),
        tuple(change for change in changes if change.undone_at is None),
        tuple(change for change in changes if change.undone_at is not None),
    )


def entries_of(version: Version) -> tuple[Entry, ...]:
    """The categories of a version, in the order of the tree. Types have the colour with which they are shown,
    which they keep wherever they move. One query.
    """
    states = list(
        CategoryState.objects.filter(version=version).select_related("category").order_by("position")
    )
    colours = hues_of([state for state in states if state.level == Level.TYPE])
    keys = {state.category_id: str(state.category.key) for state in states}
    return tuple(
        Entry(
            key=keys[state.category_id],
            code=state.code,
            name=state.name,
            parent=keys[state.parent_id] if state.parent_id else None,
            hue=colours.get(state.code),
            **{name: getattr(state, name) for name in ALL_TEXTS},
        )
        for state in states
    )


def as_changes(changes: Sequence[Change]) -> list[drafts.Change]:
    """Stored changes as plain data."""
    return [drafts.Change(change.kind, str(change.key), change.values) for change in changes]
