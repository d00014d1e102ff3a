"""Reads the changes that the editor of a draft posts."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, QueryDict

from taxonomy.tree import ALL_TEXTS, drafts
from taxonomy.tree.drafts import Draft
from taxonomy.tree.hues import HUES

WRITTEN = ("name", "code", *ALL_TEXTS)


@dataclass(frozen=True)
class Posted:
    """One posted act: `kind`, `key` and `values` for taxonomy.actions.act; `seen` are the fields as the form
    showed them.
    """

    kind: str
    key: str | None
    values: Mapping[str, Any]
    seen: Mapping[str, Any] | None = None

    @property
    def typed(self) -> dict[str, str]:
        """The user's text: the texts that differ from the form's."""
        seen = self.seen or {}
        texts = {name: text for name, text in self.values.items() if isinstance(text, str)}
        return {name: text for name, text in texts.items() if name in WRITTEN and text != seen.get(name)}


def read(posted: QueryDict, draft: Draft) -> Posted:
    """The act in a posted form; Http404 for an act that none of our forms sends.

    `to`: `up` and `down` move a category among its siblings; `first`, `last` or the key of the sibling before
    it set its place. `parts`: a line for each new part of a split.
    """
    fields = {name: storable(str(text)) for name, text in posted.items()}
    kind = fields.get("kind", "")
    if kind not in drafts.KINDS:
        raise Http404
    key = _key(fields.get("key"))
    if key is None and kind != drafts.ADD:
        raise Http404
    return Posted(kind, key, _values(kind, fields, draft, key), _seen(fields, kind))


def storable(text: str) -> str:
    """The text with U+FFFD in place of NUL, which no database stores."""
    return text.replace("\0", "\ufffd")


def _key(text: str | None) -> str | None:
    if not text:
        return None
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise Http404 from None


def _seen(posted: Mapping[str, str], kind: str) -> Mapping[str, Any] | None:
    if kind == drafts.MOVE and "seen-parent" in posted:
        return {"parent": _key(posted["seen-parent"])}
    if kind == drafts.DESCRIBE:
        seen: dict[str, Any] = {name: posted[f"seen-{name}"] for name in WRITTEN if f"seen-{name}" in posted}
        return seen | ({"hue": _hue(posted["seen-hue"])} if "seen-hue" in posted else {})
    return None


def _values(kind: str, posted: Mapping[str, str], draft: Draft, key: str | None) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if kind == drafts.ADD:
        values = {"parent": _key(posted.get("parent")), "name": posted.get("name", "")}
        if "after" in posted:
            values["after"] = _key(posted["after"])
    elif kind == drafts.DESCRIBE:
        values = {name: posted[name] for name in WRITTEN if name in posted}
        if "hue" in posted:
            values["hue"] = _hue(posted["hue"])
    elif kind == drafts.MOVE:
        values = _moved(posted, draft, key)
    elif kind == drafts.MERGE:
        values = {"into": _key(posted.get("into")) or ""}
    elif kind == drafts.SPLIT:
        names = [line.strip() for line in posted.get("parts", "").splitlines() if line.strip()]
        values = {"parts": [{"name": name} for name in names], "stays": "stays" in posted}
    return values


def _hue(text: str) -> int | None:
    if text and text not in map(str, range(HUES)):
        raise Http404
    return int(text) if text else None


def _moved(posted: Mapping[str, str], draft: Draft, key: str | None) -> dict[str, Any]:
    to = posted.get("to", "last")
    if to in {"up", "down"} and key in draft:
        return _nudged(draft, key or "", to)
    parent = posted.get("parent", "")
    values: dict[str, Any] = {"parent": None if parent == "type" else _key(parent)}
    if to == "first":
        values["after"] = None
    elif to != "last":
        values["after"] = _key(to)
    return values


def _nudged(draft: Draft, key: str, to: str) -> dict[str, Any]:
    """The place one step up or down among the siblings; the first and the last cannot move further."""
    parent = draft[key].parent
    siblings = [entry.key for entry in draft.below(parent)]
    place = siblings.index(key)
    if to == "up":
        after = siblings[place - 2] if place > 1 else None
    else:
        after = siblings[min(place + 1, len(siblings) - 1)]
        after = siblings[place - 1] if after == key and place else after
    return {"parent": parent, "after": None if after == key else after}
