"""The current categories of a draft, and the fates of the published ones."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from taxonomy.tree.codes import free_code
from taxonomy.tree.nodes import look_alike


@dataclass(frozen=True, slots=True)
class Entry:
    """One category of a draft. `key` is its identity, `parent` that of its parent; codes may change, keys do
    not. `hue` is a type's own colour, None for the colour of its place.
    """

    key: str
    code: str
    name: str
    parent: str | None
    definition: str = ""
    includes: str = ""
    excludes: str = ""
    examples: str = ""
    name_zh: str = ""
    definition_zh: str = ""
    includes_zh: str = ""
    excludes_zh: str = ""
    examples_zh: str = ""
    hue: int | None = None


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a published category: `kind` as in Remap, and the keys of its successors. `is_whole`: no
    part of the category was retired.
    """

    kind: str
    targets: tuple[str, ...]
    is_whole: bool = field(default=True, compare=False)


class RemovedEntry(NamedTuple):
    """A category that the change with the number `at` removed, and its successors."""

    at: int
    targets: tuple[str, ...]


class DraftTree:
    """The categories of a draft, at first the published ones in order, and the fates of those."""

    def __init__(self, published: Iterable[Entry] = ()) -> None:
        self.entries: dict[str, Entry] = {}
        self._below: dict[str | None, list[str]] = defaultdict(list)
        self._gone: dict[str, RemovedEntry] = {}
        self._parts: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self._made = 0
        for entry in published:
            self.entries[entry.key] = entry
            self._below[entry.parent].append(entry.key)
        self.published = dict(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, key: object) -> bool:
        return key in self.entries

    def __getitem__(self, key: str) -> Entry:
        return self.entries[key]

    def __iter__(self) -> Iterator[Entry]:
        """The categories from top to bottom, each before its descendants."""
        return self.all_below(None)

    def all_below(self, parent: str | None) -> Iterator[Entry]:
        """The categories below this one at every level, from top to bottom."""
        for key in self._below.get(parent, ()):
            yield self.entries[key]
            yield from self.all_below(key)

    def below(self, key: str | None) -> tuple[Entry, ...]:
        """The categories directly below, in order; the types for None."""
        return tuple(self.entries[each] for each in self._below.get(key, ()))

    def level(self, key: str | None) -> int:
        """1 for a type to 3 for a sub-theme; 0 for None, which is above the types."""
        level = 0
        while key is not None:
            level, key = level + 1, self.entries[key].parent
        return level

    def previous(self, key: str) -> str | None:
        """The sibling before this category; None for the first."""
        siblings = self._below[self.entries[key].parent]
        place = siblings.index(key)
        return siblings[place - 1] if place else None

    def suggested_code(self, parent: str | None) -> str:
        """The code that the next category below `parent` would get."""
        above = None if parent is None else self.entries[parent].code
        codes = [entry.code for entry in self.below(parent)]
        taken = {look_alike(entry.code) for entry in self.entries.values()}
        return free_code(above, codes, self.level(parent) + 1, taken)

    def fate(self, key: str) -> Fate:
        """What became of a published category: same, renamed, moved, merged, split or retired.

        A category shares the later fate of the category into which it was merged. It counts as split if its
        labels cannot all follow automatically.
        """
        targets, is_whole = self._became(key)
        if not targets:
            return Fate("retired", (), is_whole=False)
        if len(targets) > 1 or not is_whole:
            return Fate("split", targets, is_whole)
        if targets != (key,):
            return Fate("merged", targets)
        old, new = self.published[key], self.entries[key]
        if old.parent != new.parent:
            return Fate("moved", targets)
        return Fate("same" if (old.name, old.code) == (new.name, new.code) else "renamed", targets)

    def whole(self, key: str) -> str | None:
        """The key of the single category that this category is now, published or not; None after a split or
        retirement.
        """
        targets, is_whole = self._became(key)
        return targets[0] if len(targets) == 1 and is_whole else None

    def _became(self, key: str) -> tuple[tuple[str, ...], bool]:
        """The keys of the category's successors, and whether no part of it was retired."""
        found: dict[str, None] = {}
        is_whole = True
        queue, seen = [(key, 0)], set()
        while queue:
            each, since = queue.pop(0)
            if each in seen:
                continue
            seen.add(each)
            gone = self._gone.get(each)
            if gone is None:
                found[each] = None
            else:
                is_whole = is_whole and bool(gone.targets)
                queue += [(target, gone.at) for target in gone.targets]
            queue += [(part, at) for at, part in self._parts.get(each, ()) if at >= since]
        return tuple(found), is_whole

    def path(self, key: str) -> list[str]:
        """The keys of the category and of its ancestors, up to its type."""
        path = [key]
        while (above := self.entries[path[-1]].parent) is not None:
            path.append(above)
        return path

    def _height(self, key: str) -> int:
        """The number of levels of the category and everything below it."""
        return 1 + max((self._height(each) for each in self._below.get(key, ())), default=0)

    def _deepest(self, key: str) -> Entry:
        below = self._below.get(key, ())
        return self._deepest(max(below, key=self._height)) if below else self.entries[key]
