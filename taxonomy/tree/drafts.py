"""A draft as plain data: the published tree, with the changes applied one after the other."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from taxonomy.tree.checks import WrittenCategory, cleaned, excerpt, gettext_noop, row_problems
from taxonomy.tree.draft_trees import DraftTree, Entry, RemovedEntry
from taxonomy.tree.hues import HUES
from taxonomy.tree.nodes import ALL_TEXTS, LEVELS, SUB_THEME, TYPE, Node, look_alike

ADD, DESCRIBE, MOVE, MERGE, SPLIT, RETIRE = "add", "describe", "move", "merge", "split", "retire"
KINDS: Final = (ADD, DESCRIBE, MOVE, MERGE, SPLIT, RETIRE)
FIELDS: Final = ("name", "code", *ALL_TEXTS, "hue")


class Refused(ValueError):
    """A change that is impossible. `template % values` is the reason; translate the template first."""

    def __init__(self, template: str, **values: object) -> None:
        self.template, self.values = template, values
        super().__init__(template % values)


@dataclass(frozen=True, slots=True)
class Change:
    """One act: `kind`, one of KINDS, on the category `key`, with these `values`:

    add: `parent`, `after`, `code` and the texts. describe: the fields that change, of FIELDS. move: `parent`,
    `after`, `code`. merge: `into`, and `codes` of the children by key. split: `parts`, each with `key`,
    `code`, `name`, and `stays` if the category itself is one of the parts. retire: nothing. `after` is the
    sibling before it, None for the first place, missing for the last.
    """

    kind: str
    key: str
    values: Mapping[str, Any] = field(default_factory=dict)


class Draft(DraftTree):
    """A draft that changes: `apply` makes one change."""

    def apply(self, change: Change) -> None:
        """Make the change. Raises Refused, and then the draft is as before."""
        before = self._copy()
        self._made += 1
        try:
            self._acts[change.kind](change.key, **change.values)
        except Refused:
            self._restore(before)
            raise

    @property
    def _acts(self) -> Mapping[str, Callable[..., None]]:
        return {
            ADD: self._add,
            DESCRIBE: self._describe,
            MOVE: self._move,
            MERGE: self._merge,
            SPLIT: self._split,
            RETIRE: self._retire,
        }

    def _add(self, key: str, *, parent: str | None = None, **given: Any) -> None:
        if parent is not None:
            self._present(parent)
        if self.level(parent) >= SUB_THEME:
            raise Refused(
                gettext_noop("%(code)s is a sub-theme, and a taxonomy has at most three levels"),
                code=self.entries[parent or ""].code,
            )
        if key in self.entries or key in self._gone:
            raise Refused(gettext_noop("the category was already added"))
        places = {"after": given.pop("after")} if "after" in given else {}
        given["code"] = given.get("code") or self.suggested_code(parent)
        place = self._place(parent, places)
        entry = self._sound(Entry(key=key, parent=parent, **({"name": ""} | given)), self.entries)
        self.entries[key] = entry
        self._below[parent].insert(place, key)

    def _describe(self, key: str, **fields: Any) -> None:
        old = self._present(key)
        new = replace(old, **fields)
        below = self._recoded(key, old.code, new.code.strip()) if new.code != old.code else {}
        self.entries |= self._settled({key: new} | below)

    def _move(self, key: str, *, parent: str | None = None, code: str = "", **places: Any) -> None:
        old = self._present(key)
        if parent is not None:
            self._present(parent)
        if parent == key or (parent is not None and key in self.path(parent)):
            raise Refused(gettext_noop("%(code)s cannot be below itself"), code=old.code)
        deepest = self.level(parent) + self._height(key)
        if deepest > SUB_THEME:
            raise Refused(
                gettext_noop("%(code)s would be on level %(level)s, and a taxonomy has at most three levels"),
                code=old.code if self._height(key) == 1 else self._deepest(key).code,
                level=deepest,
            )
        siblings = [each for each in self._below[parent] if each != key]
        place = self._place(parent, places, but=key)
        new_code = code or self._code_after(key, parent)
        hue = old.hue if parent is None else None
        new = replace(old, parent=parent, code=new_code, hue=hue)
        recoded = self._settled({key: new} | self._recoded(key, old.code, new_code))
        self._below[old.parent].remove(key)
        siblings.insert(place, key)
        self._below[parent] = siblings
        self.entries |= recoded

    def _merge(self, key: str, *, into: str, codes: Mapping[str, str] | None = None) -> None:
        source, target = self._present(key), self._present(into)
        if key == into:
            raise Refused(gettext_noop("%(code)s cannot be merged into itself"), code=source.code)
        if self.level(key) != self.level(into):
            raise Refused(
                gettext_noop(
                    "%(code)s is a %(level)s and %(other)s is a %(other_level)s: only"
                    " categories of the same level can be merged"
                ),
                code=source.code,
                level=LEVELS[self.level(key)],
                other=target.code,
                other_level=LEVELS[self.level(into)],
            )
        names = {look_alike(entry.name): entry for entry in self.below(into)}
        for child in self.below(key):
            if twin := names.get(look_alike(child.name)):
                raise Refused(
                    gettext_noop(
                        "%(one)s and %(other)s would have the same parent and the same name:"
                        " merge these two first"
                    ),
                    one=child.code,
                    other=twin.code,
                )
        for child in self.below(key):
            self._move(child.key, parent=into, code=(codes or {}).get(child.key, ""))
        self._remove(key, into)

    def _split(self, key: str, *, parts: Sequence[Mapping[str, Any]], stays: bool = True) -> None:
        source = self._present(key)
        if len(parts) + stays < 2:
            raise Refused(gettext_noop("a split needs at least two parts"))
        if not stays and self._below.get(key):
            raise Refused(
                gettext_noop(
                    "%(code)s has categories below: keep %(code)s as one part, or move these categories first"
                ),
                code=source.code,
            )
        after = key
        for part in parts:
            self._add(**part, parent=source.parent, after=after)
            after = part["key"]
        made = [part["key"] for part in parts]
        if stays:
            self._parts[key] += [(self._made, part) for part in made]
        else:
            self._remove(key, *made)

    def _retire(self, key: str) -> None:
        self._present(key)
        for child in self.below(key):
            self._retire(child.key)
        self._remove(key)

    # What the changes share

    def _present(self, key: str) -> Entry:
        if key in self.entries:
            return self.entries[key]
        if key in self._gone and key in self.published:
            fate = self.fate(key)
            if fate.targets:
                raise Refused(
                    gettext_noop("%(code)s no longer exists and became %(others)s"),
                    code=self.published[key].code,
                    others=", ".join(self.entries[each].code for each in fate.targets),
                )
            raise Refused(
                gettext_noop("%(code)s no longer exists because the category was retired"),
                code=self.published[key].code,
            )
        raise Refused(gettext_noop("the category does not exist"))

    def _remove(self, key: str, *targets: str) -> None:
        entry = self.entries.pop(key)
        self._below[entry.parent].remove(key)
        self._below.pop(key, None)
        self._gone[key] = RemovedEntry(self._made, targets)

    def _place(self, parent: str | None, places: Mapping[str, Any], *, but: str | None = None) -> int:
        """The place among the siblings: behind `after` if that is one of them, else the last."""
        siblings = [key for key in self._below[parent] if key != but]
        if "after" not in places:
            return len(siblings)
        after = places["after"]
        if after is None:
            return 0
        return siblings.index(after) + 1 if after in siblings else len(siblings)

    def _code_after(self, key: str, parent: str | None) -> str:
        """The code after a move: the next free one there if the code followed its parent's, else the same."""
        old = self.entries[key]
        if parent == old.parent:
            return old.code
        above = None if old.parent is None else self.entries[old.parent].code
        went_by_it = above is None or old.code.startswith(f"{above}.")
        return self.suggested_code(parent) if went_by_it else old.code

    def _recoded(self, key: str, old: str, new: str) -> dict[str, Entry]:
        """The categories below, with codes that follow the new one if they followed the old one."""
        found: dict[str, Entry] = {}
        for child in self.below(key):
            goes_by_it = child.code.startswith(f"{old}.")
            code = f"{new}.{child.code.removeprefix(f'{old}.')}" if goes_by_it else child.code
            if code != child.code:
                found[child.key] = replace(child, code=code)
            found |= self._recoded(child.key, child.code, code)
        return found

    def _settled(self, changed: Mapping[str, Entry]) -> dict[str, Entry]:
        """The changed entries, each checked against the others as they will be."""
        there = {key: entry for key, entry in self.entries.items() if key not in changed}
        for key, entry in changed.items():
            there[key] = self._sound(entry, there)
        return {key: there[key] for key in changed}

    @staticmethod
    def _sound(entry: Entry, others: Mapping[str, Entry]) -> Entry:
        """The entry with cleaned texts. Raises Refused for a problem of the entry itself, and if the code of
        another category, or the name of a sibling, looks the same.
        """
        texts = {name: getattr(entry, name) for name in ALL_TEXTS}
        node, _ = cleaned(Node(entry.code, TYPE, None, entry.name, **texts))
        for problem in row_problems([WrittenCategory(1, node, "1")]):
            raise Refused(problem.template, **problem.values)
        if entry.hue is not None and entry.parent is not None:
            raise Refused(gettext_noop("only types have their own colour"))
        if entry.hue is not None and not 0 <= entry.hue < HUES:
            raise Refused(gettext_noop("this colour does not exist"))
        code, name = look_alike(node.code), look_alike(node.name)
        for other in others.values():
            if other.key == entry.key:
                continue
            if look_alike(other.code) == code:
                raise Refused(
                    gettext_noop("the category “%(name)s” already has the code %(code)s"),
                    code=excerpt(other.code),
                    name=excerpt(other.name),
                )
            if other.parent == entry.parent and look_alike(other.name) == name:
                raise Refused(
                    gettext_noop("%(code)s has the same parent and the same name “%(name)s”"),
                    code=excerpt(other.code),
                    name=excerpt(other.name),
                )
        return replace(entry, code=node.code, **node.texts)  # type: ignore[arg-type]

    def _copy(self) -> tuple[Any, ...]:
        below = defaultdict(list, {key: list(keys) for key, keys in self._below.items()})
        parts = defaultdict(list, {key: list(made) for key, made in self._parts.items()})
        return dict(self.entries), below, dict(self._gone), parts, self._made

    def _restore(self, before: tuple[Any, ...]) -> None:
        self.entries, self._below, self._gone, self._parts, self._made = before


@dataclass(frozen=True, slots=True)
class Broken:
    """The place of an impossible change in a list of changes, and the reason."""

    place: int
    cause: Refused


def fold(published: Iterable[Entry], changes: Sequence[Change]) -> tuple[Draft, Broken | None]:
    """The draft after all changes, or up to the first impossible one, and which that is."""
    draft = Draft(published)
    for place, change in enumerate(changes):
        try:
            draft.apply(change)
        except Refused as cause:
            return draft, Broken(place, cause)
    return draft, None
