"""Text that an issue's template brought and its author left as it was, folded where it stands.

These are lists of boxes that the caller knows from the template, and headings that it knows and that nobody
wrote anything below. A heading with the forge's own "_No response_" is one of these too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

TemplateLine = Callable[[str], bool]
"""Is this line of Markdown, a heading or an item with a box, one of the template's?"""

_LOWEST = 7
"""The level of a line that is bold as a whole, below all headings."""


@dataclass
class _Block:
    """An outermost block. `level`: of a heading, else 0. `is_brought`: the template brought it."""

    tokens: list[Token]
    level: int = 0
    is_brought: bool = False
    is_folded: bool = False
    has_no_answer: bool = False


def fold_templates(state: StateCore) -> None:
    """Put what the template brought between `template_open` and `template_close`."""
    knows: TemplateLine | None = state.env.get("template")
    if knows is None:
        return
    lines = state.src.split("\n")
    blocks = [_block(tokens, lines, knows) for tokens in outermost(state.tokens)]
    _mark(blocks)
    if any(block.is_folded for block in blocks):
        state.tokens = list(_folded(blocks, lines))


def outermost(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of each outermost block."""
    block: list[Token] = []
    for token in tokens:
        if token.level == 0 and token.nesting >= 0 and block:
            yield block
            block = []
        block.append(token)
    if block:
        yield block


def _block(tokens: list[Token], lines: Sequence[str], knows: TemplateLine) -> _Block:
    first = tokens[0]
    start, end = first.map or (0, 0)
    written = [line for line in lines[start:end] if line.strip()]
    if first.type == "heading_open":
        return _Block(tokens, int(first.tag[1]), knows(f"# {tokens[1].content}"))
    if first.type == "paragraph_open" and len(written) == 1:
        line = written[0].strip()
        if line.startswith("**") and knows(line):
            return _Block(tokens, _LOWEST, is_brought=True)
        if line == "_No response_":
            return _Block(tokens, has_no_answer=True)
    if first.type == "comment":
        return _Block(tokens, is_brought=True)
    if first.type == "bullet_list_open":
        has_boxes = any(token.attrs.get("class") == "task" for token in tokens)
        return _Block(tokens, is_brought=has_boxes and all(map(knows, written)))
    return _Block(tokens)


def _mark(blocks: Sequence[_Block]) -> None:
    """Decide from the end which blocks are folded: a heading is if all of its section is."""
    for place in range(len(blocks) - 1, -1, -1):
        block = blocks[place]
        if not block.level:
            block.is_folded = block.is_brought
            continue
        after = blocks[place + 1 : place + 2]
        if after and after[0].has_no_answer:
            block.is_brought = after[0].is_folded = True
        block.is_folded = block.is_brought and all(one.is_folded for one in _section(blocks, place))


def _section(blocks: Sequence[_Block], place: int) -> Iterator[_Block]:
    level = blocks[place].level
    for number in range(place + 1, len(blocks)):
        if 0 < blocks[number].level <= level:
            return
        yield blocks[number]


def _folded(blocks: Sequence[_Block], lines: Sequence[str]) -> Iterator[Token]:
    place = 0
    while place < len(blocks):
        run = place
        while run < len(blocks) and blocks[run].is_folded:
            run += 1
        folded = blocks[place:run]
        if any(block.tokens[0].type != "comment" for block in folded):
            yield from _fold(folded, lines)
            place = run
            continue
        # Comments alone are no template.
        for block in blocks[place : max(run, place + 1)]:
            yield from block.tokens
        place = max(run, place + 1)


def _fold(blocks: Sequence[_Block], lines: Sequence[str]) -> Iterator[Token]:
    start = (blocks[0].tokens[0].map or (0, 0))[0]
    end = max((block.tokens[0].map or (0, 0))[1] for block in blocks)
    written = sum(bool(line.strip()) for line in lines[start:end])
    boxes = [
        child.meta["ticked"]
        for block in blocks
        for token in block.tokens
        for child in token.children or ()
        if child.type == "task"
    ]
    meta = {"lines": written, "boxes": len(boxes), "ticked": sum(boxes)}
    yield Token("template_open", "details", 1, meta=meta)
    for block in blocks:
        for token in block.tokens:
            token.level += 1
            yield token
    yield Token("template_close", "details", -1)
