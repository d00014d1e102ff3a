"""Long text behind "Show all": a reader sees the first part of a body, and the rest after one click."""

from collections.abc import Sequence

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from core.text.templates import outermost

SHOWN_FIRST = 8_000
"""Characters shown open; a block that begins before this limit stays whole unless it is much longer."""
WORTH_FOLDING = 4_000
FOLDED_BLOCK = 200
"""Characters that a block counts for if it is folded by itself."""
FOLDED_COMMENT = 3
"""Number of lines from which a comment, which its forge hides, is folded."""
FOLDED_FROM = 26
"""Number of lines from which a block of code is folded by itself."""


def fold_long(state: StateCore) -> None:
    """If `folds` is set, put everything after the first part between `rest_open` and `rest_close`."""
    if not state.env.get("folds") or len(state.src) < SHOWN_FIRST + WORTH_FOLDING:
        return
    blocks = list(outermost(state.tokens))
    weights = [_weight_of(block) for block in blocks]
    total = sum(weights)
    before = 0
    for place, (block, weight) in enumerate(zip(blocks, weights, strict=True)):
        if total - before - weight < WORTH_FOLDING and weight < SHOWN_FIRST:
            return
        if before + weight > SHOWN_FIRST:
            first, rest = _parted(block, weight, max(SHOWN_FIRST - before, 1_000))
            head = [token for kept in blocks[:place] for token in kept] + first
            tail = rest + [token for folded in blocks[place + 1 :] for token in folded]
            behind = total - before - (weight if not rest else sum(map(_weight, first)) if first else 0)
            if behind < WORTH_FOLDING:
                before += weight
                continue
            opens = Token("rest_open", "details", 1, meta={"characters": behind})
            state.tokens = [*head, opens, *tail, Token("rest_close", "details", -1)]
            return
        before += weight


def _weight_of(block: Sequence[Token]) -> int:
    is_closed = block[0].type == "details_open" and not block[0].meta["open"]
    if is_closed or block[0].type == "template_open":
        return FOLDED_BLOCK
    return sum(map(_weight, block))


def _weight(token: Token) -> int:
    if not token.content:
        return 0
    if token.type in {"fence", "code_block"}:
        long = token.content.count("\n") >= FOLDED_FROM - 1
        return FOLDED_BLOCK if long else len(token.content)
    if token.type == "inline" and token.children is not None and token.meta.get("part"):
        return sum(len(child.content) + 1 for child in token.children)
    return len(token.content)


def _parted(block: list[Token], weight: int, room: int) -> tuple[list[Token], list[Token]]:
    """A paragraph in two, cut at a line or a word near `room`. Any other block is not cut: it goes behind the
    fold if it is long, else it stays before it.
    """
    if block[0].type != "paragraph_open" or len(block) != 3 or not block[1].children:
        return ([], block) if weight > SHOWN_FIRST else (block, [])
    opens, inline, closes = block
    children = inline.children or []
    depth = length = 0
    for place, child in enumerate(children):
        depth += child.nesting
        length += len(child.content) + 1
        if depth or length < room:
            continue
        if child.type == "softbreak":
            return _paragraphs(opens, inline, closes, children[:place], children[place + 1 :])
        if child.type == "text" and len(child.content) > room // 2:
            cut = child.content.rfind(" ", 0, max(1, len(child.content) - (length - room))) + 1
            cut = cut or max(1, len(child.content) - (length - room))
            one, two = child.copy(content=child.content[:cut]), child.copy(content=child.content[cut:])
            return _paragraphs(opens, inline, closes, [*children[:place], one], [two, *children[place + 1 :]])
    return block, []


def _paragraphs(
    opens: Token, inline: Token, closes: Token, first: list[Token], rest: list[Token]
) -> tuple[list[Token], list[Token]]:
    one = inline.copy(children=first, meta={"part": True})
    two = inline.copy(children=rest, meta={"part": True})
    return [opens, one, closes], [opens.copy(), two, closes.copy()]
