"""The published categories beside those that a draft adds: whose labels could now belong to a new one."""

from dataclasses import dataclass

from taxonomy.queries.drafts import Drafted
from taxonomy.tree.draft_trees import Entry
from taxonomy.tree.drafts import Draft


@dataclass(frozen=True)
class Neighbour:
    """A published category beside new ones, whose labels could now belong to one of these: it has the same
    parent, or it was the lowest of its branch and is their parent.
    """

    entry: Entry
    new: tuple[Entry, ...]


def neighbours(found: Drafted) -> list[Neighbour]:
    """The published categories beside those that the draft adds below a type or theme, in the order of the
    tree. What it splits or retires is asked for again anyway.
    """
    draft = found.draft
    parts = {str(part["key"]) for change in found.changes for part in change.values.get("parts", ())}
    new = [one for one in draft if one.key not in draft.published and one.key not in parts and one.parent]
    beside: dict[str, list[Entry]] = {}
    for one in new:
        siblings = [each for each in draft.below(one.parent) if each.key in draft.published]
        for each in siblings or [draft[one.parent]] if one.parent else ():
            if each.key in draft.published and draft.fate(each.key).kind in {"same", "renamed", "moved"}:
                beside.setdefault(each.key, []).append(one)
    return [Neighbour(one, tuple(beside[one.key])) for one in draft if one.key in beside]


def subtree(draft: Draft, key: str) -> list[str]:
    """The keys of a category and of all below it."""
    return [key, *(each for below in draft.below(key) for each in subtree(draft, below.key))]
