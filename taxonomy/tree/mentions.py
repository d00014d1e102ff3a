"""Outdated codes in the texts of a draft: their categories were recoded or removed."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from taxonomy.tree.draft_trees import Entry
from taxonomy.tree.drafts import Draft
from taxonomy.tree.nodes import ALL_TEXTS, look_alike

_WORD = re.compile(r"(→\s*|\bsee\s+)?([^\s→;,/()\[\]“”\"]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mention:
    """A text (`field`, of ALL_TEXTS) of a category that names the outdated `code` of another category, and
    what that became: nothing if it was retired.
    """

    entry: Entry
    field: str
    code: str
    became: tuple[Entry, ...]


def stale_mentions(draft: Draft) -> list[Mention]:
    """The outdated published codes in the texts of a draft, from top to bottom.

    The code of a theme or sub-theme counts anywhere; the code of a type, which may be a word, only after an
    arrow or "see". If another category has the code now, a text that was changed in the draft means that one.
    """
    moved = {
        old.code: tuple(draft[key] for key in draft.fate(old.key).targets)
        for old in draft.published.values()
        if old.key not in draft or draft[old.key].code != old.code
    }
    in_use = {entry.code for entry in draft}
    by_key = {look_alike(code): code for code in moved}
    return [
        Mention(entry, field, code, moved[code])
        for entry in draft
        for field in ALL_TEXTS
        for code in _named(getattr(entry, field), by_key)
        if code not in in_use or _is_as_published(draft, entry, field)
    ]


def _named(text: str, by_key: Mapping[str, str]) -> Iterator[str]:
    """The outdated codes that the text names, each once."""
    found = {
        by_key.get(look_alike(word.rstrip(".:!?"))): None
        for pointer, word in (_WORD.findall(text) if by_key else ())
        if pointer or "." in word.rstrip(".")
    }
    return (code for code in found if code is not None)


def _is_as_published(draft: Draft, entry: Entry, field: str) -> bool:
    old = draft.published.get(entry.key)
    return old is not None and getattr(old, field) == getattr(entry, field)
