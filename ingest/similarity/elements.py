"""The elements by which a report is compared, as numbers of 64 bits that are the same on any machine.

Elements are: each two words in a row of the title or of a paragraph; each word of the title; each line of
code, and of any block so long that it is a log or a listing. Numbers in lines count as 0. Comments of HTML,
which templates bring, are not read.
"""

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ingest.similarity.words import folded, words

Elements = NDArray[np.uint64]
"""Elements in ascending order, each once; those of lines come last, because LINE is set in them."""

LINE = np.uint64(1 << 63)
LONGEST = 40_000
"""The number of characters of a body that are read: a longer one is compared by its beginning."""

LONG_BLOCK = 8
"""A paragraph of more lines is a log or a listing."""

_WORDS = ~LINE
_FIRST, _SECOND, _LAST = map(np.uint64, (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9))
_SHIFT = np.uint64(32)
_MOST_KEPT = 200_000

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"[ >]{0,12}(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}\s|\s*\*\*[^*]+\*\*:?\s*$")
_NUMBER = re.compile(r"0x[0-9a-f]+|\d+")


def _number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


class _Numbers(dict[str, int]):
    """The number of each word; keeps those of the latest words."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_KEPT:
            self.clear()
        number = self[word] = _number(word)
        return number


_numbers = _Numbers()


def elements(title: str, body: str) -> Elements:
    """The elements of a report's title and body."""
    said = words(folded(title))
    paragraphs, lines = _parted(folded(_COMMENT.sub(" ", body[:LONGEST])))
    of_title = _mixed(_numbers_of(said)) & _WORDS
    of_lines = np.fromiter(map(_number, set(lines)), dtype=np.uint64) | LINE
    return np.unique(np.concatenate([of_title, _pairs([said, *map(words, paragraphs)]), of_lines]))


def _parted(body: str) -> tuple[list[str], list[str]]:
    """The paragraphs of a folded body, and its lines of code and listings."""
    paragraphs: list[str] = []
    lines: list[str] = []
    for block, is_code in _blocks(body.splitlines()):
        if is_code or len(block) > LONG_BLOCK:
            lines += (_NUMBER.sub("0", " ".join(line.split())) for line in block if line.strip())
        else:
            paragraphs.append(" ".join(block))
    return paragraphs, lines


def _blocks(lines: Sequence[str]) -> Iterator[tuple[list[str], bool]]:
    """Lines up to an empty one, a heading or a fence; True for those inside of a fence."""
    block: list[str] = []
    fence = ""
    for line in lines:
        mark = line.strip(" >\t")
        if fence:
            if mark.startswith(fence) and not mark.strip(fence[0]):
                yield block, True
                block, fence = [], ""
            else:
                block.append(line)
            continue
        opens = _FENCE.match(line)
        if not opens and mark and not _HEADING.match(line):
            block.append(line)
            continue
        yield block, False
        block, fence = [], opens[1] if opens else ""
        if mark and not opens:
            yield [line], False
    yield block, bool(fence)


def _pairs(runs: Sequence[list[str]]) -> Elements:
    """Each two words in a row of the runs; a word alone counts as a pair with nothing."""
    padded = [run if len(run) > 1 else [*run, ""] for run in runs if run]
    numbers = _numbers_of([word for run in padded for word in run])
    run_of = np.repeat(np.arange(len(padded)), [len(run) for run in padded])
    pairs = numbers[:-1] * _FIRST + numbers[1:] * _SECOND
    return _mixed(pairs[run_of[:-1] == run_of[1:]]) & _WORDS


def _mixed(numbers: Elements) -> Elements:
    """The numbers with their low bits spread over the high ones."""
    return (numbers ^ (numbers >> _SHIFT)) * _LAST


def _numbers_of(texts: Sequence[str]) -> Elements:
    return np.fromiter(map(_numbers.__getitem__, texts), dtype=np.uint64, count=len(texts))
