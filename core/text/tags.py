"""HTML in forges' texts that is read as what it is: pictures and links. All other HTML is shown as text.

A tag becomes the token that Markdown has for the same thing, so that it is written by the same rule of the
renderer: a picture is not loaded, and only web and mail addresses become links.
"""

import re
from collections.abc import Mapping, Sequence
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

_ATTRIBUTE = r"""\s+([a-zA-Z_:][\w:.-]*)(?:\s*=\s*("[^"<]*"|'[^'<]*'|[^\s"'=<>`]+))?"""
_TAG = re.compile(rf"<(?:(img|a)((?:{_ATTRIBUTE})*)\s*/?|/a\s*)>", re.IGNORECASE)
_VALUES = re.compile(_ATTRIBUTE)
_PLACES = {"name", "id"}
"""Attributes of a tag that only names a place of its page, and shows nothing."""


def read_tag(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - as markdown-it calls it
    """Read `<img>`, `<a>` or `</a>` in running text; one without a good address is left as text."""
    found = _TAG.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "<" else None
    if not found:
        return False
    name, values = found[1], _values(found[2] or "")
    if name and name.lower() == "img":
        if not (address := _address(state.md, values.get("src", ""))):
            return False
        if not silent:
            _push_picture(state, address, values)
    else:
        address = _address(state.md, values.get("href", ""))
        if name and not address and not (values and values.keys() <= _PLACES):
            return False
        if not silent:
            token = state.push("tag", "a", 0)
            token.content = found[0]
            token.meta = {"opens": bool(name), "href": address, "title": values.get("title", "")}
    state.pos = found.end()
    return True


def _values(attributes: str) -> dict[str, str]:
    """The attributes of a tag by their names in lower case; the first of two counts, as in browsers."""
    values: dict[str, str] = {}
    for name, value in _VALUES.findall(attributes):
        bare = value[1:-1] if value[:1] in {'"', "'"} else value
        values.setdefault(name.lower(), unescape(bare))
    return values


def _address(md: MarkdownIt, written: str) -> str:
    """The address as Markdown would write it; "" for one that must not become a link."""
    address = md.normalizeLink(written.strip())
    return address if md.validateLink(address) else ""


def _push_picture(state: StateInline, address: str, values: dict[str, str]) -> None:
    token = state.push("image", "img", 0)
    token.attrs = {"src": address, "alt": ""}
    if title := values.get("title", "").strip():
        token.attrs["title"] = title
    words = " ".join(values.get("alt", "").split())
    token.content = words
    token.children = [Token("text", "", 0, content=words)] if words else []


def pair_tags(state: StateCore) -> None:
    """Make a link of each `<a>` and its `</a>`; a tag without its other one, or in a link, is text."""
    for block in state.tokens:
        if block.type == "inline" and any(child.type == "tag" for child in block.children or ()):
            block.children = _written(block.children or [], _pairs(block.children or []))


def _pairs(children: Sequence[Token]) -> dict[int, Token]:
    """For the place of each tag that has its other one: the opening tag of both."""
    pairs: dict[int, Token] = {}
    depth = links = 0
    opened: tuple[int, int] | None = None  # its place and its depth
    for place, token in enumerate(children):
        depth += token.nesting
        links += token.nesting if token.type in {"link_open", "link_close"} else 0
        # A link holds no other one, and what begins in bold ends there.
        if opened and (links or depth < opened[1]):
            opened = None
        if token.type != "tag" or links:
            continue
        if token.meta["opens"]:
            opened = place, depth
        elif opened and opened[1] == depth:
            pairs[opened[0]] = pairs[place] = children[opened[0]]
            opened = None
    return pairs


def _written(children: Sequence[Token], pairs: Mapping[int, Token]) -> list[Token]:
    """The tokens with links for pairs and text for all other tags; neighbouring texts are one, for marks."""
    written: list[Token] = []
    for place, child in enumerate(children):
        token = child
        if child.type == "tag" and place in pairs:
            href, title = pairs[place].meta["href"], pairs[place].meta["title"]
            if not href:
                continue  # it names a place, and shows nothing on its forge
            attributes = {"href": href} | ({"title": title} if title else {})
            opens = child.meta["opens"]
            token = Token("link_open", "a", 1, attrs=attributes) if opens else Token("link_close", "a", -1)
        elif child.type == "tag":
            token = Token("text", "", 0, content=child.content, level=child.level)
        last = written[-1] if written else None
        if token.type == "text" and last and last.type == "text":
            written[-1] = last.copy(content=last.content + token.content)
        else:
            written.append(token)
    return written
