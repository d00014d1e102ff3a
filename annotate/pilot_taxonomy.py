"""A first draft of a taxonomy from the labels of a pilot: plain data, no database."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from taxonomy.tree import MAX_NAME, MAX_TEXT, THEME, TYPE, Node, Tree, look_alike
from taxonomy.tree.codes import free_code

EXAMPLES = 5


@dataclass(frozen=True)
class Missing:
    """A missing category of open labels: its name, the reasons, the code of the nearest category."""

    name: str
    reasons: Sequence[str] = ()
    nearest: str | None = None
    examples: Sequence[str] = ()


def draft_taxonomy(
    tree: Tree,
    used: Mapping[str, Sequence[str]],
    missing: Iterable[Missing] = (),
    *,
    keep_unused: bool = False,
) -> Tree:
    """The used categories with their ancestors, and the missing categories beside their nearest categories.

    `used` maps codes of `tree` to examples, added to those of the category, EXAMPLES at most. A missing
    category becomes a sibling of its nearest theme or sub-theme, a theme of its nearest type, or a type; its
    code is new in `tree`. A sibling that has its name already only gets its examples. With `keep_unused` the
    rest of `tree` stays.
    """
    kept = {above.code for code in used for above in tree.ancestors(code)}
    missing = list(missing)
    for one in missing:
        if one.nearest is not None:
            place = tree[one.nearest]
            kept |= {above.code for above in tree.ancestors(place.parent or place.code)}
    nodes = {
        node.code: _with_examples(node, used.get(node.code, ()))
        for node in tree
        if keep_unused or node.code in kept
    }
    taken = {look_alike(node.code) for node in tree}
    for one in missing:
        near = tree[one.nearest] if one.nearest is not None else None
        parent = None if near is None else near.parent or near.code
        level = TYPE if near is None else max(THEME, near.level)
        name = _line(one.name)[:MAX_NAME]
        siblings = [node for node in nodes.values() if node.parent == parent]
        namesake = next((node for node in siblings if look_alike(node.name) == look_alike(name)), None)
        if namesake is not None:
            nodes[namesake.code] = _with_examples(namesake, one.examples)
            continue
        known = [node.code for node in (*tree.children(parent), *siblings)]
        code = free_code(parent, known, level, taken)
        taken.add(look_alike(code))
        made = Node(code, level, parent, name, definition=_text(map(_line, one.reasons), " "))
        nodes[code] = _with_examples(made, one.examples)
    return Tree(replace(node, position=place) for place, node in enumerate(nodes.values()))


def _with_examples(node: Node, examples: Iterable[str]) -> Node:
    lines = [_line(example).replace("; ", ", ") for example in examples]
    fresh = list(dict.fromkeys(line for line in lines if line))[:EXAMPLES]
    return replace(node, examples=_text([node.examples, *fresh], "; "))


def _line(text: str) -> str:
    """The text on one line, without characters that files or names cannot contain."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _text(parts: Iterable[str], between: str) -> str:
    """The parts joined, as many as fit into a text of a category."""
    whole = ""
    for part in filter(None, parts):
        longer = f"{whole}{between}{part}" if whole else part
        if len(longer) > MAX_TEXT:
            return whole or part[:MAX_TEXT]
        whole = longer
    return whole
