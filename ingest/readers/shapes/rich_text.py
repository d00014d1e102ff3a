"""Atlassian's document format, in which version 3 of Jira's REST interface has its texts, as Markdown.

https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
"""

from collections.abc import Callable, Mapping, Sequence

from ingest.readers.refusals import Refused

Node = Mapping[str, object]

_DEEPEST = 50
_MARKS = {"strong": "**{}**", "em": "*{}*", "code": "`{}`", "strike": "~~{}~~"}


def markdown_of(value: object, *, key: str) -> object:
    """The text of a document; anything else as it is. Raises Refused, which names the `key`."""
    if not isinstance(value, Mapping):
        return value
    if value.get("type") != "doc" or not isinstance(value.get("content"), list):
        raise Refused("rich_text", key=key)
    try:
        return "\n\n".join(_blocks(value, 0))
    except _TooDeep:
        raise Refused("rich_text", key=key) from None


class _TooDeep(Exception):
    pass


def _inside(node: Node) -> list[Node]:
    content = node.get("content")
    return [one for one in content if isinstance(one, Mapping)] if isinstance(content, list) else []


def _told(node: Node, *names: str) -> str:
    """The first of these attributes that the node has as text or number."""
    attributes = node.get("attrs")
    if isinstance(attributes, Mapping):
        for name in names:
            if isinstance(attributes.get(name), str | int) and attributes[name] != "":
                return str(attributes[name])
    return ""


def _blocks(node: Node, depth: int) -> list[str]:
    """The blocks inside a node, each as lines of Markdown, without empty ones."""
    if depth > _DEEPEST:
        raise _TooDeep
    return [text for one in _inside(node) if (text := _block(one, depth + 1))]


def _block(node: Node, depth: int) -> str:
    kind = str(node.get("type"))
    writer = _WRITERS.get(kind)
    if writer:
        return writer(node, depth)
    if kind in _INLINE or "text" in node:
        return _inline(node)
    return "\n\n".join(_blocks(node, depth))  # a panel, a table, a layout: what stands in it


def _line(node: Node, _depth: int) -> str:
    return "".join(_inline(one) for one in _inside(node)).strip("\n")


def _heading(node: Node, depth: int) -> str:
    level = _told(node, "level")
    return f"{'#' * int(level) if level in set('123456') else '#'} {_line(node, depth)}"


def _code(node: Node, _depth: int) -> str:
    text = "".join(str(one.get("text", "")) for one in _inside(node))
    fence = "```" if "```" not in text else "~~~~"
    return f"{fence}{_told(node, 'language')}\n{text}\n{fence}"


def _list(node: Node, depth: int, marks: Callable[[int], str]) -> str:
    items = []
    for number, item in enumerate(_inside(node), 1):
        mark, text = marks(number), "\n".join(_blocks(item, depth))
        items.append(mark + text.replace("\n", "\n" + " " * len(mark)))
    return "\n".join(items)


def _bullets(node: Node, depth: int) -> str:
    return _list(node, depth, lambda _number: "* ")


def _numbers(node: Node, depth: int) -> str:
    return _list(node, depth, lambda number: f"{number}. ")


def _tasks(node: Node, depth: int) -> str:
    return "\n".join(
        f"- [{'x' if _told(item, 'state') == 'DONE' else ' '}] {_line(item, depth)}" for item in _inside(node)
    )


def _quote(node: Node, depth: int) -> str:
    lines = "\n\n".join(_blocks(node, depth)).split("\n")
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _row(node: Node, depth: int) -> str:
    cells = (" ".join(_blocks(cell, depth)).replace("\n", " ") for cell in _inside(node))
    return "| " + " | ".join(cells) + " |"


def _table(node: Node, depth: int) -> str:
    rows = [(_row(one, depth + 1), len(_inside(one))) for one in _inside(node)]
    lines = [text for text, _cells in rows]
    return "\n".join([*lines[:1], "|" + " --- |" * rows[0][1], *lines[1:]]) if rows else ""


def _rule(_node: Node, _depth: int) -> str:
    return "---"


_WRITERS: Mapping[str, Callable[[Node, int], str]] = {
    "paragraph": _line,
    "heading": _heading,
    "codeBlock": _code,
    "bulletList": _bullets,
    "orderedList": _numbers,
    "taskList": _tasks,
    "blockquote": _quote,
    "table": _table,
    "rule": _rule,
}


def _inline(node: Node) -> str:
    kind = str(node.get("type"))
    if kind == "text":
        return _marked(str(node.get("text", "")), node.get("marks"))
    return _INLINE[kind](node) if kind in _INLINE else "".join(_inline(one) for one in _inside(node))


def _marked(text: str, marks: object) -> str:
    for mark in marks if isinstance(marks, Sequence) else ():
        if isinstance(mark, Mapping) and text.strip():
            kind, link = str(mark.get("type")), _told(mark, "href")
            text = (
                f"[{text}]({link})" if kind == "link" and link else _MARKS.get(kind, "{}").replace("{}", text)
            )
    return text


_INLINE: Mapping[str, Callable[[Node], str]] = {
    "hardBreak": lambda _node: "\n",
    "mention": lambda node: _told(node, "text", "id"),
    "emoji": lambda node: _told(node, "text", "shortName"),
    "inlineCard": lambda node: _told(node, "url"),
    "blockCard": lambda node: _told(node, "url"),
    "date": lambda node: _told(node, "timestamp"),
    "status": lambda node: _told(node, "text"),
    "media": lambda node: _told(node, "alt", "url"),
}
