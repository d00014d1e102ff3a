"""The rules for the rows of a taxonomy, and the sentences for broken rules."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from taxonomy.tree.nodes import LEVELS, SUB_THEME, THEME, TYPE, Node, look_alike

MAX_CODE = 32
MAX_NAME = 200
MAX_TEXT = 4_000

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def gettext_noop(text: str) -> str:
    """Mark a message for translation by the caller: this module does not know Django."""
    return text


@dataclass(frozen=True)
class Problem:
    """Why one line was refused.

    `line` counts from 1, as an editor does; for nodes without a file it is their place among the nodes.
    `code` is the category's code as written, "" without one. `template % values` is the sentence; the
    template must be translated first.
    """

    line: int
    code: str
    template: str
    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """The cause, in English."""
        return self.template % self.values

    def __str__(self) -> str:
        return f"line {self.line}: {self.code + ': ' if self.code else ''}{self.message}"


class TaxonomyFileError(ValueError):
    """A taxonomy was refused; `problems` are all causes in the order of the lines, never none."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line))
        super().__init__("\n".join(str(problem) for problem in self.problems))


class WrittenCategory(NamedTuple):
    """A category with the line on which it was written. `node.level` is 0 for an unknown level."""

    line: int
    node: Node
    level_as_written: str


def cleaned(node: Node) -> tuple[Node, int]:
    """The node with stripped texts, LF line ends and U+FFFD for unstorable characters; and their number."""
    replaced = 0
    texts = {}
    for column, text in node.texts.items():
        lines = text.replace("\r\n", "\n").replace("\r", "\n").strip()
        texts[column], count = _UNSTORABLE.subn("\ufffd", lines)
        replaced += count
    return replace(node, **texts), replaced  # type: ignore[arg-type]


def excerpt(text: str) -> str:
    """A piece of a refused file, fit to be stored and short enough to print."""
    text = _UNSTORABLE.sub("\ufffd", text)
    return text if len(text) <= 40 else f"{text[:40]}…"


def row_problems(rows: Iterable[WrittenCategory]) -> Iterator[Problem]:
    """The problems of each row by itself."""
    for row in rows:
        for template, values in _row_causes(row):
            yield Problem(row.line, excerpt(row.node.code), template, values)


def _row_causes(row: WrittenCategory) -> Iterator[tuple[str, dict[str, object]]]:
    node = row.node
    if not node.code:
        yield gettext_noop("the code is empty"), {}
    if len(node.code) > MAX_CODE:
        template = gettext_noop("the code has %(length)s characters, but at most %(limit)s are allowed")
        yield template, {"length": len(node.code), "limit": MAX_CODE}
    for place, letter in enumerate(node.code[:MAX_CODE], start=1):
        if unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"}:
            template = gettext_noop(
                "the code contains a space or an invisible character (%(point)s at position %(place)s)"
            )
            yield template, {"point": f"U+{ord(letter):04X}", "place": place}
            break
    if node.level not in LEVELS:
        template = gettext_noop("unknown level “%(level)s”: the levels are type, theme, sub-theme or 1, 2, 3")
        yield template, {"level": excerpt(row.level_as_written)}
    if not look_alike(node.name):
        yield gettext_noop("the name is empty"), {}
    if any(unicodedata.category(letter) in {"Cc", "Zl", "Zp"} for letter in node.name + node.name_zh):
        yield gettext_noop("the name contains a line break or another control character"), {}
    for column, text in node.texts.items():
        limit = MAX_NAME if column in {"name", "name_zh"} else MAX_TEXT
        if len(text) > limit:
            template = gettext_noop(
                "the %(column)s has %(length)s characters, but at most %(limit)s are allowed"
            )
            yield template, {"column": column, "length": f"{len(text):,}", "limit": f"{limit:,}"}


def tree_problems(rows: Iterable[WrittenCategory], refused: Collection[str] = ()) -> Iterator[Problem]:
    """The problems between rows: repeated codes and names, missing parents, circles, levels. `refused` are
    codes of rows that could not be taken: their children do not count as orphans.
    """
    rows = [row for row in rows if row.node.code]
    by_code: dict[str, WrittenCategory] = {}
    by_key: dict[str, WrittenCategory] = {}
    by_name: dict[tuple[str, str], WrittenCategory] = {}
    for row in rows:
        by_code.setdefault(row.node.code, row)
        by_key.setdefault(look_alike(row.node.code), row)
    circles = _circles(by_code)
    for row in rows:
        node, code = row.node, excerpt(row.node.code)
        first = by_key[look_alike(node.code)]
        if first is not row:
            template = gettext_noop("line %(line)s already has this code, written “%(code)s”")
            yield Problem(row.line, code, template, {"line": first.line, "code": excerpt(first.node.code)})
            continue
        namesake = by_name.setdefault((node.parent or "", look_alike(node.name)), row)
        if node.name and namesake is not row:
            template = gettext_noop("%(code)s on line %(line)s has the same parent and the same name")
            values: dict[str, object] = {"code": excerpt(namesake.node.code), "line": namesake.line}
            yield Problem(row.line, code, template, values)
        if circles.get(node.code):
            template = gettext_noop("the parents form a circle: %(path)s")
            yield Problem(row.line, code, template, {"path": circles[node.code]})
        if node.code not in circles and node.parent not in refused:
            for template, values in _parent_causes(node, by_code, by_key, circles):
                yield Problem(row.line, code, template, values)


def _parent_causes(
    node: Node,
    by_code: Mapping[str, WrittenCategory],
    by_key: Mapping[str, WrittenCategory],
    circles: Mapping[str, str],
) -> Iterator[tuple[str, dict[str, object]]]:
    above: dict[str, object] = {"level": LEVELS.get(node.level), "above": LEVELS.get(node.level - 1)}
    if node.parent is None:
        if node.level in {THEME, SUB_THEME}:
            yield (
                gettext_noop("a %(level)s needs a %(above)s as its parent, but this row has no parent"),
                above,
            )
    elif node.level == TYPE:
        template = gettext_noop("a type has no parent, but this row has the parent “%(parent)s”")
        yield template, {"parent": excerpt(node.parent)}
    elif node.parent in by_code:
        path = _path(node, by_code)
        parent = by_code[node.parent].node
        if len(path) > SUB_THEME and circles.keys().isdisjoint(path):
            template = gettext_noop("more than three levels: %(path)s")
            yield template, {"path": " > ".join(map(excerpt, path))}
        elif node.level in LEVELS and parent.level in LEVELS and parent.level != node.level - 1:
            template = gettext_noop(
                "a %(level)s needs a %(above)s as its parent, but the parent “%(parent)s” is a %(actual)s"
            )
            yield template, above | {"parent": excerpt(parent.code), "actual": LEVELS[parent.level]}
    elif look_alike(node.parent) in by_key:
        template = gettext_noop("the parent “%(parent)s” is missing; “%(other)s” looks similar")
        other = by_key[look_alike(node.parent)].node.code
        yield template, {"parent": excerpt(node.parent), "other": excerpt(other)}
    else:
        yield gettext_noop("the parent “%(parent)s” is missing"), {"parent": excerpt(node.parent)}


def _path(node: Node, by_code: Mapping[str, WrittenCategory]) -> list[str]:
    """The codes from the top down to the node, at most one more than a sound tree can have."""
    path = [node.code]
    while len(path) <= SUB_THEME and (parent := by_code.get(node.parent or "")):
        node = parent.node
        path.insert(0, node.code)
    return path


def _circles(by_code: Mapping[str, WrittenCategory]) -> dict[str, str]:
    """The codes whose parents lead back to them. In each circle the code on the earliest line maps to the
    circle as text, the others to "".
    """
    circles: dict[str, str] = {}
    seen: set[str] = set()
    for start in by_code:
        path: list[str] = []
        code: str | None = start
        while code is not None and code in by_code and code not in seen:
            seen.add(code)
            path.append(code)
            code = by_code[code].node.parent
        if code is not None and code in path:
            circle = path[path.index(code) :]
            first = circle.index(min(circle, key=lambda each: by_code[each].line))
            circle = [*circle[first:], *circle[:first]]
            told = [*circle, circle[0]] if len(circle) <= 6 else [*circle[:6], "…", circle[0]]
            circles |= dict.fromkeys(circle, "") | {circle[0]: " > ".join(map(excerpt, told))}
    return circles
