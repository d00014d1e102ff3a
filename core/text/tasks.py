"""Task lists of forges: an item that begins with `[ ]` or `[x]` has a box, which nobody can tick here."""

import re

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_BOX = re.compile(r"\[([ xX])\](?:[ \t]+|$)")


def read_tasks(state: StateCore) -> None:
    """Put a token `task` in the place of the box that an item of a list begins with."""
    tokens = state.tokens
    for place in range(2, len(tokens)):
        item, inline = tokens[place - 2], tokens[place]
        if item.type != "list_item_open" or inline.type != "inline" or not inline.children:
            continue
        first = inline.children[0]
        if first.type != "text" or not (box := _BOX.match(first.content)):
            continue
        rest = first.copy(content=first.content[box.end() :])
        task = Token("task", "span", 0, meta={"ticked": box[1] != " "})
        inline.children = [task, rest, *inline.children[1:]]
        item.attrs["class"] = "task"
