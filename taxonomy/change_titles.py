"""One-line titles of proposals, in the language of who reads them."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.text.joining import listed
from taxonomy.tree import drafts
from taxonomy.tree.drafts import Change, Draft

LENGTH = 250
WORDS: Mapping[str, str | Promise] = {
    "below": _("New below %(above)s: %(name)s"),
    "type": _("New type: %(name)s"),
    "rename": _("Rename %(old)s: %(name)s"),
    "texts": _("Change texts of %(old)s"),
    "move": _("Move %(old)s below %(above)s"),
    "raise": _("Make %(old)s a type"),
    "merge": _("Merge %(old)s into %(into)s"),
    "split": _("Split %(old)s: %(parts)s"),
    "retire": _("Retire %(old)s"),
}
"""The kinds of titles. Stored motions name them."""


def title_of(draft: Draft, change: Change) -> str:
    """The change in words, with today's codes. Called before the change is made, possible or not."""
    return in_words(names_of(draft, change))


def names_of(draft: Draft, change: Change) -> dict[str, Any]:
    """What the title of this change names, as it is called today, as JSON; `title` is one of `WORDS`."""
    entry = draft.entries.get(change.key)
    values = change.values
    return {
        "title": _title(change, draft),
        "name": str(values.get("name") or (entry.name if entry else "")),
        "old": f"{entry.code} {entry.name}" if entry else "",
        "into": _named(draft, values.get("into")),
        "above": _named(draft, values.get("parent")),
        "parts": [str(part.get("name", "")) for part in values.get("parts", ())],
    }


def in_words(names: Mapping[str, Any]) -> str:
    """The title that `names_of` gave, in the language that is active now."""
    title = str(WORDS[names["title"]]) % (dict(names) | {"parts": listed(names["parts"])})
    return title[:LENGTH]


def _title(change: Change, draft: Draft) -> str:
    above = change.values.get("parent") in draft
    return {
        drafts.ADD: "below" if above else "type",
        drafts.DESCRIBE: "rename" if "name" in change.values else "texts",
        drafts.MOVE: "move" if above else "raise",
        drafts.MERGE: "merge",
        drafts.SPLIT: "split",
        drafts.RETIRE: "retire",
    }[change.kind]


def _named(draft: Draft, key: object) -> str:
    entry = draft.entries.get(str(key))
    return f"{entry.code} {entry.name}" if entry else ""
