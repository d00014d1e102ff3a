"""A draft as a person reads it: its tree compared with the published tree, and each change in words."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from core.text.joining import listed, remarks
from studies.differences import difference, paragraphs
from taxonomy.change_titles import title_of
from taxonomy.models import Change, Level
from taxonomy.queries.drafts import Drafted, as_changes
from taxonomy.tree import ALL_TEXTS, TEXTS, TRANSLATED, drafts, look_alike, other_texts
from taxonomy.tree.draft_trees import Entry, Fate
from taxonomy.tree.drafts import Draft, Refused
from taxonomy.tree.hues import NONE, hues
from taxonomy.tree.mentions import Mention, stale_mentions


@dataclass
class DraftBranch:
    """A category in the tree of a draft. `old` is its published state, None for a new category. A removed
    category keeps its place, with its `fate` and the categories that it became. `has_new_place`: its place
    among its siblings is not the published one.
    """

    entry: Entry
    level: int
    hue: int
    old: Entry | None
    fate: Fate | None = None
    became: list[Entry] = field(default_factory=list)
    below: list["DraftBranch"] = field(default_factory=list)
    is_open: bool = False
    is_gone: bool = False
    has_new_place: bool = False

    @property
    def is_new(self) -> bool:
        return self.old is None

    @property
    def was_renamed(self) -> bool:
        return self.old is not None and self.old.name != self.entry.name

    @property
    def old_code(self) -> str:
        """The published code if it differs from the current one."""
        return self.old.code if self.old and self.old.code != self.entry.code else ""

    @property
    def is_changed(self) -> bool:
        """Does anything of it differ from the published category?"""
        is_moved = self.fate is not None and self.fate.kind != "same"
        is_told = self.was_renamed or bool(self.old_code) or self.is_told or self.has_new_hue
        return self.is_new or self.is_gone or is_moved or self.has_new_place or is_told

    @property
    def has_new_hue(self) -> bool:
        """Is it a type in another colour than the published type?"""
        if self.old is None or self.is_gone or self.entry.parent is not None:
            return False
        return self.old.hue not in {None, self.hue}

    @property
    def is_told(self) -> bool:
        """Do its texts differ from the published ones?"""
        return self.old is not None and bool(other_texts(self.old, self.entry))


COLOURS = (
    pgettext_lazy("colour", "blue"),
    pgettext_lazy("colour", "green"),
    pgettext_lazy("colour", "orange"),
    pgettext_lazy("colour", "none"),
)
LABELS = {
    "definition": gettext_lazy("Definition"),
    "includes": gettext_lazy("Includes"),
    "excludes": gettext_lazy("Excludes"),
    "examples": gettext_lazy("Examples"),
    "name_zh": gettext_lazy("Name in Chinese"),
    "definition_zh": gettext_lazy("Definition in Chinese"),
    "includes_zh": gettext_lazy("Includes in Chinese"),
    "excludes_zh": gettext_lazy("Excludes in Chinese"),
    "examples_zh": gettext_lazy("Examples in Chinese"),
}


def branches(
    found: Drafted, chosen: Entry | None = None, words: str = "", *, changes_only: bool = False
) -> list[DraftBranch]:
    """The types with their subtrees; a removed category is last below its nearest remaining ancestor.

    `words` keep only categories whose code or name contains them, and `changes_only` those that differ from
    the published ones, with their ancestors, all open. Otherwise types and the paths to the chosen category
    and to changed ones are open.
    """
    draft = found.draft
    published = draft.published
    colours = _hues(draft)
    made: dict[str | None, DraftBranch] = {}
    top: list[DraftBranch] = []
    for entry in draft:
        old = published.get(entry.key)
        branch = DraftBranch(entry, draft.level(entry.key), colours[entry.key], old)
        if old:
            branch.fate = draft.fate(entry.key)
        made[entry.key] = branch
        (made[entry.parent].below if entry.parent else top).append(branch)
    for key in _with_new_place(found):
        made[key].has_new_place = True
    for old in found.entries:
        if old.key in draft:
            continue
        fate = draft.fate(old.key)
        above = next((key for key in _above(published, old) if key in made), None)
        level = made[above].level + 1 if above else Level.TYPE
        gone = DraftBranch(
            old, min(level, Level.SUB_THEME), colours.get(above or "", NONE), old, fate, is_gone=True
        )
        gone.became = [draft[key] for key in fate.targets]
        made[old.key] = gone
        (made[above].below if above else top).append(gone)
    wanted = look_alike(words).split()
    if wanted:
        top = [branch for branch in top if _keep(branch, lambda one: _matches(one.entry, wanted))]
    if changes_only:
        top = [branch for branch in top if _keep(branch, attrgetter("is_changed"))]
    _open(top, chosen, is_filtered=bool(wanted) or changes_only)
    return top


def _with_new_place(found: Drafted) -> Iterator[str]:
    """The fewest published categories whose moves within their level explain the order of their siblings.

    Only changes in force count, so of two categories that changed places the moved one is named.
    """
    draft, published = found.draft, found.draft.published
    places = {key: place for place, key in enumerate(published)}
    moved = {str(change.key) for change in found.changes if change.kind == drafts.MOVE}
    for parent in {draft[key].parent for key in moved if key in draft}:
        now = (entry.key for entry in draft.below(parent))
        stayed = [key for key in now if key in published and published[key].parent == parent]
        in_order: list[tuple[int, list[str]]] = [(0, [])]
        for key in stayed:
            before = (one for one in in_order if not one[1] or places[one[1][-1]] < places[key])
            weight, keys = max(before, key=itemgetter(0))
            in_order.append((weight + (1 if key in moved else len(stayed)), [*keys, key]))
        yield from set(stayed).difference(max(in_order, key=itemgetter(0))[1])


def _above(entries: dict[str, Entry], entry: Entry) -> Iterator[str]:
    while entry.parent is not None:
        yield entry.parent
        entry = entries[entry.parent]


def _hues(draft: Draft) -> dict[str, int]:
    """The colour of each category: that of its type."""
    found: dict[str, int] = {}
    types = draft.below(None)
    for kind, hue in zip(types, hues([kind.hue for kind in types]), strict=True):
        found |= dict.fromkeys([kind.key, *(entry.key for entry in draft.all_below(kind.key))], hue)
    return found


def hues_by_code(draft: Draft) -> dict[str, int]:
    """The colour of each type, by the type's code."""
    colours = _hues(draft)
    return {kind.code: colours[kind.key] for kind in draft.below(None)}


def _keep(branch: DraftBranch, is_wanted: Callable[[DraftBranch], bool]) -> bool:
    """Is the branch, or a branch below it, wanted? Removes the branches below that are not."""
    branch.below = [each for each in branch.below if _keep(each, is_wanted)]
    return is_wanted(branch) or bool(branch.below)


def _matches(entry: Entry, wanted: list[str]) -> bool:
    """Do code or name of the category have all words?"""
    code = look_alike(entry.code)
    names = look_alike(entry.name), look_alike(entry.name_zh)
    return all(
        any(word in name for name in names) or code.startswith(word) or code.replace(".", "").startswith(word)
        for word in wanted
    )


def _open(found: list[DraftBranch], chosen: Entry | None, *, is_filtered: bool) -> bool:
    """Open the branches with content to show below them; True if any of these has or is such content."""
    is_seen = False
    for branch in found:
        inside = _open(branch.below, chosen, is_filtered=is_filtered)
        branch.is_open = inside or is_filtered or branch.level == Level.TYPE
        is_moved = branch.fate is not None and branch.fate.kind != "same"
        is_changed = branch.is_new or branch.is_gone or is_moved
        is_seen = is_seen or inside or is_changed or (chosen is not None and branch.entry.key == chosen.key)
    return is_seen


def about(found: Drafted, entry: Entry, typed: Mapping[str, str]) -> dict[str, Any]:
    """One category of the draft with its texts, its place in the tree and the places it could move to.

    `typed` are fields that could not be saved and are shown again. For each text, `seen` is the stored text
    and `difference` its changes from the published text.
    """
    draft = found.draft
    old = draft.published.get(entry.key)
    level = draft.level(entry.key)
    return {
        "entry": entry,
        "level": level,
        "level_name": Level(level).label,
        "hue": _hues(draft)[entry.key],
        "old": old,
        "ancestors": [draft[key] for key in draft.path(entry.key)[:0:-1]],
        "texts": [_text(name, entry, old, typed) for name in TEXTS],
        "translated": [_text(name, entry, old, typed) for name in TRANSLATED],
        "shows_translation": not typed.keys().isdisjoint(TRANSLATED),
        "parents": list(_places(draft, entry)),
        "twins": [other for other in draft if other.key != entry.key and draft.level(other.key) == level],
        "has_below": bool(draft.below(entry.key)),
        "is_first": draft.previous(entry.key) is None,
        "is_last": draft.below(entry.parent)[-1].key == entry.key,
    }


def _text(name: str, entry: Entry, old: Entry | None, typed: Mapping[str, str]) -> dict[str, Any]:
    text = getattr(entry, name)
    return {
        "name": name,
        "label": LABELS[name],
        "text": typed.get(name, text),
        "seen": text,
        "difference": paragraphs(difference(getattr(old, name), text), around=None) if old else [],
    }


def _places(draft: Draft, entry: Entry) -> Iterator[tuple[Entry | None, int]]:
    """The possible parents of a category, None for the top, each with the resulting level."""
    below = {each.key for each in draft.all_below(entry.key)} | {entry.key}
    height = 1 + max((draft.level(key) for key in below), default=0) - draft.level(entry.key)
    if entry.parent is not None:
        yield None, Level.TYPE
    for other in draft:
        level = draft.level(other.key)
        if other.key not in below and other.key != entry.parent and level + height <= Level.SUB_THEME:
            yield other, level + 1


@dataclass(frozen=True)
class ChangeInWords:
    """A change in words: what was done, and the code and name of the category after it."""

    change: Change
    code: str
    name: str
    what: str
    hue: int | None


def told(found: Drafted) -> list[ChangeInWords]:
    """The changes in force that people made, in words, newest first."""
    draft, colours = Draft(found.entries), _hues(found.draft)
    lines = []
    for stored, change in zip(found.changes, as_changes(found.changes), strict=True):
        before = draft.entries.get(change.key)
        what = _what(draft, change)
        draft.apply(change)
        after = draft.entries.get(change.key) or before
        if after is not None and not stored.loaded:
            lines.append(ChangeInWords(stored, after.code, after.name, what, colours.get(after.key)))
    return lines[::-1]


def _what(draft: Draft, change: drafts.Change) -> str:
    """The act of a change in words. Called before the change is applied."""
    values = change.values
    entry = draft.entries.get(change.key)
    if entry is None:
        return _("new")
    if change.kind == drafts.DESCRIBE:
        return _described(entry, values)
    if change.kind == drafts.MOVE:
        if values.get("parent") == entry.parent:
            return _("moved within its level")
        return _("moved from %(code)s") % {"code": entry.code}
    return {
        drafts.MERGE: lambda: _("merged into %(code)s") % {"code": draft[values["into"]].code},
        drafts.SPLIT: lambda: _split_into(len(values["parts"]) + bool(values.get("stays", True))),
        drafts.RETIRE: lambda: _("retired"),
    }[change.kind]()


def _split_into(n: int) -> str:
    return ngettext("split into %(n)d part", "split into %(n)d parts", n) % {"n": n}


def _described(entry: Entry, values: Mapping[str, Any]) -> str:
    said = []
    if "name" in values:
        said.append(_("renamed from “%(name)s”") % {"name": entry.name})
    if "code" in values:
        said.append(_("code changed from %(code)s") % {"code": entry.code})
    names = [
        str(LABELS[name]).lower() if name in TEXTS else str(LABELS[name])
        for name in ALL_TEXTS
        if name in values
    ]
    if names:
        said.append(_("text changed: %(fields)s") % {"fields": listed(names)})
    if "hue" in values:
        said.append(_("colour changed"))
    return remarks(said)


def undefined(found: Drafted) -> list[str]:
    """The codes of the new categories of a draft that have no definition in any language."""
    draft = found.draft
    new = (entry for entry in draft if entry.key not in draft.published)
    return [entry.code for entry in new if not entry.definition.strip() and not entry.definition_zh.strip()]


def not_again(found: Drafted, refused: Sequence[tuple[Change, Refused]]) -> list[str]:
    """The undone changes that cannot be redone, in words, with the reasons."""
    titles = [title_of(found.draft, change) for change in as_changes([change for change, _why in refused])]
    causes = [_(cause.template) % cause.values for _change, cause in refused]
    return [f"{title} ({cause})" for title, cause in zip(titles, causes, strict=True)]


@dataclass(frozen=True)
class StaleCodes:
    """A category whose texts name outdated codes of other categories: the names of these texts, and the codes
    with their present ones.
    """

    entry: Entry
    hue: int
    texts: str
    codes: str


def mentioned(draft: Draft) -> list[StaleCodes]:
    """The categories whose texts name a code that has changed, from top to bottom."""
    about: dict[str, list[Mention]] = defaultdict(list)
    for mention in stale_mentions(draft):
        about[mention.entry.key].append(mention)
    colours = _hues(draft)
    return [
        StaleCodes(
            found[0].entry,
            colours[key],
            listed(dict.fromkeys(str(LABELS[each.field]) for each in found)),
            remarks(dict.fromkeys(_now(each) for each in found)),
        )
        for key, found in about.items()
    ]


def _now(mention: Mention) -> str:
    codes = listed(entry.code for entry in mention.became)
    if not codes:
        return _("%(code)s is retired") % {"code": mention.code}
    return _("%(code)s is now %(codes)s") % {"code": mention.code, "codes": codes}
