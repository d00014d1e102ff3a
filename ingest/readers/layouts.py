"""How records are arranged in a JSON file: alone, inside a forge's answer, or as pandas writes a frame."""

import re
from typing import Literal

Layout = Literal["", "wrapper", "table", "columns", "index", "split"]

WINDOW = 4096
"""The characters by which a layout is recognised."""

LISTS = frozenset({"items", "issues", "data", "results", "nodes", "records", "edges"})
"""The keys of the lists of records inside an answer."""

CONTAINERS = frozenset(
    {
        "data", "repository", "organization", "user", "viewer", "search", "issues", "pullRequests", "node",
        "project", "group", "mergeRequests",
    }
)  # fmt: skip
SINGLES = frozenset({"issue", "pullRequest"})
"""The keys of one record inside an answer."""

_KEYS = r'"(?!(?:html_url|web_url|issue_url|url|link|number|title|iid|key|backend_name)")[A-Za-z_]{1,40}"'
_SCALAR = r'(?:"(?:[^"\\]|\\.)*+"|-?[0-9][0-9.eE+-]*+|true|false|null)'
_FLAT = r'(?:"(?:pageInfo|rateLimit|extensions)"\s*+:\s*+\{[^{}]*+\})'
# {"total_count": 3, "items": [ … : an answer around a list. The keys before the list tell it from an issue.
_WRAPPER = re.compile(
    rf"\{{\s*+(?:(?:{_KEYS}\s*+:\s*+{_SCALAR}|{_FLAT})\s*+,\s*+)*+"
    rf'"(?P<key>{"|".join(sorted(LISTS | CONTAINERS | SINGLES))})"\s*+:\s*+(?P<sign>[\[{{])',
    re.DOTALL,
)
_INSIDE = re.compile(
    rf'\{{\s*+(?:(?:"[A-Za-z_]{{1,40}}"\s*+:\s*+{_SCALAR}|{_FLAT})\s*+,\s*+)*+'
    rf'"(?P<key>{"|".join(sorted(LISTS | CONTAINERS | SINGLES))})"\s*+:\s*+(?P<sign>[\[{{])',
    re.DOTALL,
)
_TABLE = re.compile(r'\{\s*+"schema"\s*+:\s*+\{\s*+"fields"\s*+:')
_SPLIT = re.compile(r'\{\s*+"columns"\s*+:\s*+\[\s*+"')
_INDEX = re.compile(r'\{\s*+"-?[0-9]+"\s*+:\s*+\{')
_COLUMNS = re.compile(r'\{\s*+"(?:[^"\\]|\\.)*+"\s*+:\s*+\{\s*+"-?[0-9]+"\s*+:')


def layout_of(text: str, pos: int, *, inside_a_list: bool = False) -> Layout:
    """The layout of the object that begins at `pos`; "" if it is a record."""
    if _is_wrapper(text, pos):
        return "wrapper"
    if inside_a_list:
        return ""
    for layout, pattern in _FRAMES:
        if pattern.match(text, pos):
            return layout
    return ""


_FRAMES: tuple[tuple[Layout, re.Pattern[str]], ...] = (
    ("table", _TABLE), ("split", _SPLIT), ("index", _INDEX), ("columns", _COLUMNS),
)  # fmt: skip


def _is_wrapper(text: str, pos: int) -> bool:
    found = _WRAPPER.match(text, pos)
    for _ in range(8):
        if found is None:
            return False
        key, sign = found["key"], found["sign"]
        if sign == "[":
            return key in LISTS
        if key in SINGLES:
            return True
        if key not in CONTAINERS:
            return False
        found = _INSIDE.match(text, found.end() - 1)
    return False
