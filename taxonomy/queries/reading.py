"""A taxonomy for reading: a nested tree, and texts in which codes link to their categories."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from taxonomy.models import CategoryState, Level
from taxonomy.queries.codebooks import Codebook
from taxonomy.tree import look_alike, phrases

_ARROW = re.compile(r"→\s*([^\s;,]+)")


@dataclass(frozen=True)
class Part:
    """A piece of a text: words, or with `state` a code that points to that category."""

    text: str
    state: CategoryState | None = None
    hue: int = 0


@dataclass
class Branch:
    """A category in its tree. `hue` is that of its type, `why` the field in which a filter matched."""

    state: CategoryState
    hue: int
    below: list["Branch"] = field(default_factory=list)
    is_open: bool = False
    is_match: bool = True
    why: str = ""


def branches(book: Codebook, *, chosen: CategoryState | None = None, words: str = "") -> list[Branch]:
    """The types with their subtrees; `words` keep only the categories that match, with their ancestors. The
    types and the path to the chosen category are open, and with `words` all branches are.
    """
    made = {state.category_id: Branch(state, book.hue(state.category_id)) for state in book.states}
    wanted = look_alike(words).split()
    kept = set(made)
    if wanted:
        for branch in made.values():
            branch.why = _why(branch.state, wanted)
            branch.is_match = bool(branch.why)
        matches = [branch.state for branch in made.values() if branch.is_match]
        kept = {above.category_id for state in matches for above in _path(book, state)}
    path = {state.category_id for state in _path(book, chosen)} if chosen else set()
    for branch in made.values():
        branch.is_open = branch.state.level == Level.TYPE or branch.state.category_id in path or bool(wanted)
    types: list[Branch] = []
    for state in book.states:
        if state.category_id in kept:
            above = made[state.parent_id].below if state.parent_id else types
            above.append(made[state.category_id])
    return types


def first_match(book: Codebook, words: str) -> CategoryState | None:
    """The first category that the words match, else the first of all; None without categories."""
    wanted = look_alike(words).split()
    found = (state for state in book.states if wanted and _why(state, wanted))
    return next(found, next(iter(book.states), None))


def _why(state: CategoryState, wanted: list[str]) -> str:
    """The field of the category that contains all the words; "" if none does."""
    code = look_alike(state.code)
    if all(code.startswith(word) or code.replace(".", "").startswith(word) for word in wanted):
        return "code"
    for name in ("name", "definition", "includes", "examples"):
        texts = {getattr(state, name), state.said(name)} if name != "name" else {state.name, state.name_zh}
        if any(all(word in look_alike(text) for word in wanted) for text in texts):
            return name
    return ""


def _path(book: Codebook, state: CategoryState) -> Iterator[CategoryState]:
    """The category and its ancestors, the type last."""
    yield state
    while state.parent_id is not None:
        state = book.by_id[state.parent_id]
        yield state


def about(book: Codebook, state: CategoryState) -> dict[str, Any]:
    """One category of a version with its texts and its place in the tree; each phrase is a list of parts."""
    listed = {
        name: [parts(phrase, book) for phrase in phrases(state.said(name))]
        for name in ("includes", "excludes", "examples")
    }
    return listed | {
        "state": state,
        "hue": book.hue(state.category_id),
        "ancestors": list(_path(book, state))[:0:-1],
        "definition": parts(state.said("definition"), book),
        "below": [other for other in book.states if other.parent_id == state.category_id],
    }


def parts(text: str, book: Codebook) -> list[Part]:
    """The text cut at its arrows: `a hang between ranks → C.3` is words and the category C.3. An arrow that
    points to no category of this version remains words.
    """
    made: list[Part] = []
    words = ""
    rest = 0
    for found in _ARROW.finditer(text):
        code = found[1].rstrip(".)")
        state = book.by_code.get(code)
        if state is None:
            continue
        words += text[rest : found.start()]
        if words:
            made.append(Part(words))
        made.append(Part(code, state, book.hue(state.category_id)))
        words, rest = "", found.start(1) + len(code)
    words += text[rest:]
    return [*made, Part(words)] if words else made


def level_counts(levels: Iterable[int]) -> list[tuple[str, int]]:
    """The name and the number of categories of each level in use, given the level of each category."""
    counted = Counter(levels)
    return [(level.name.lower(), counted[level]) for level in Level if counted[level]]
