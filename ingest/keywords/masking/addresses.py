"""Addresses of the web in a run of characters without blanks, with or without their scheme."""

import re
from collections.abc import Iterator

from ingest.keywords.letters import UNSPACED, UNSPACED_RANGES

_INSIDE = (
    rf"(?:[^\s\"'<>`“”‘’「」（），。、；：{UNSPACED_RANGES}]"
    rf"|(?<=[/=_.#?&%-])(?>[{UNSPACED_RANGES}]+)(?![A-Za-z0-9]))"
)
"""A character of an address. Chinese is part of it between its marks (`/文档/llama`), and ends it elsewhere.
Who writes Chinese puts no space behind an address.
"""
_SCHEME = re.compile(
    rf"(?<![a-z0-9])(?:[a-z][a-z0-9+.-]{{1,15}}://|mailto:|data:[a-z]{{3,12}}/){_INSIDE}+", re.IGNORECASE
)
_WWW = re.compile(rf"(?<![a-z0-9.])www\.{_INSIDE}+", re.IGNORECASE)
_DOMAIN = re.compile(rf"\.(?:com|org|net|io|ai|cn|co|dev|edu|gov)(?::\d{{1,5}})?/{_INSIDE}*", re.IGNORECASE)
_DESTINATION = re.compile(r"(?<=\]\()[^\s()]+|(?<=href=')[^']+|(?<=src=')[^']+", re.IGNORECASE)
_OF_GIT = re.compile(r"(?<![\w.-])[\w.-]{1,64}@[\w.-]{1,64}:[\w-][\w.-]*(?:/[\w.~-]+)+")
_BRACKET = re.compile(r"[()]")
_LONGEST_DOMAIN = 253


def addresses(run: str) -> Iterator[tuple[int, int]]:
    """Start and end of each address; a sentence's brackets around it, and what follows them, are outside."""
    if ":" in run:
        yield from map(_balanced, _SCHEME.finditer(run))
        if "@" in run:
            yield from (found.span() for found in _OF_GIT.finditer(run))
    if "." in run and "/" in run:
        for found in _DOMAIN.finditer(run):
            start, end = _balanced(found)
            yield _start_of_domain(run, start), end
    if "w." in run or "W." in run:
        yield from map(_balanced, _WWW.finditer(run))
    if "](" in run or "='" in run:
        yield from (found.span() for found in _DESTINATION.finditer(run))


def _balanced(found: re.Match[str]) -> tuple[int, int]:
    start, end = found.span()
    depth = 0
    for bracket in _BRACKET.finditer(found.group()):
        depth += 1 if bracket.group() == "(" else -1
        if depth < 0:
            return start, start + bracket.start()
    return start, end


def _start_of_domain(run: str, end: int) -> int:
    start = end
    while start and end - start < _LONGEST_DOMAIN and _is_of_domain(run[start - 1]):
        start -= 1
    return start


def _is_of_domain(letter: str) -> bool:
    return letter in ".-" or (letter.isalnum() and not UNSPACED.match(letter))
