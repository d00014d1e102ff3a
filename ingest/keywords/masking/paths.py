"""Paths of files and folders in a run of characters without blanks."""

import re
from collections.abc import Iterator

from ingest.keywords.letters import UNSPACED, UNSPACED_RANGES

_PIECE = re.compile(
    rf"(?:[^\s\"'`<>|()\[\]{{}},;=*?“”‘’「」（），。、；：{UNSPACED_RANGES}]"
    rf"|(?<=[/\\_.-])(?>[{UNSPACED_RANGES}]+)(?![A-Za-z0-9]))+"
)
"""Chinese is a part between the marks of a path (`/模型/llama`), and ends it elsewhere."""
_SLASH = re.compile(r"[/\\]")
_ROOT = re.compile(
    # At a root that something follows, a home, a variable, or relative to the present folder.
    r"(?<![A-Za-z0-9_.~:)\]}/\\-])(?:/(?=[^/\\]+[/\\])[^/\\]|(?:~|\.{1,2}|\$\w{1,40}|%\w{1,40}%)[/\\])"
    # The same behind the colon of a list or of a host; a drive, a share.
    r"|(?<=:)(?:/(?=[^/\\]+[/\\])[^/\\]|~/)"
    r"|(?<![A-Za-z0-9])[A-Za-z]:[\\/](?=[^/\\])"
    r"|^\\\\[^\\]"
)
_FILE = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,5}(?=[:#@]|[.:!]*$)")
_FOLDERS = frozenset(
    "site-packages dist-packages node_modules .cache .venv envs home usr opt tmp mnt workspace src lib bin"
    " build test tests examples docs scripts".split()
)


def paths(run: str) -> Iterator[tuple[int, int]]:
    """Start and end of each path: `/home/x/y`, `~/x`, `../x`, `C:\\x`, `a/b/c.py`, `site-packages/x`.

    Words with a slash between them are none: `LLM/GPT`, `训练/推理`, and the name of a model,
    `meta-llama/Llama-2-7b`.
    """
    for found in _PIECE.finditer(run):
        piece = found.group()
        parts = _SLASH.split(piece)
        if len(parts) == 1:
            continue
        if _FILE.search(parts[-1]) or not _FOLDERS.isdisjoint(parts[:-1]):
            yield found.span()
        elif (root := _ROOT.search(piece)) and not (root.start() == 0 and _is_between(run, found.start())):
            yield found.start() + root.start(), found.end()


def _is_between(run: str, place: int) -> bool:
    """Is this slash between words in Chinese: 训练/推理?"""
    return UNSPACED.match(run, place - 1 if place else 0) is not None and bool(UNSPACED.match(run, place + 1))
