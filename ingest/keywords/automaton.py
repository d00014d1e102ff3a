"""Searches many keys at once in a text (decision 0045)."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ahocorasick_rs import AhoCorasick, Implementation

_AT_ONCE = 1 << 16
"""Characters whose finds are held at once."""
_SMALL = 20_000
"""Bytes of keys up to which the fastest automaton, with a state for each, takes a few megabytes."""
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Automaton:
    def __init__(self, keys: Sequence[str]) -> None:
        whole = [_encodable(key) for key in keys]
        small = sum(len(key.encode()) for key in whole) <= _SMALL
        self._longest = max(map(len, keys), default=1)
        self._searched = AhoCorasick(
            whole,
            implementation=Implementation.DFA if small else Implementation.ContiguousNFA,
        )

    def finds(self, text: str) -> Iterable[tuple[int, int, int]]:
        """The place of the key in the list, its start and its end, for each occurrence, by their ends."""
        if len(text) <= _AT_ONCE:
            return self._finds(text)
        return self._finds_in_pieces(text)

    def _finds(self, text: str) -> list[tuple[int, int, int]]:
        try:
            return self._searched.find_matches_as_indexes(text, overlapping=True)
        except UnicodeEncodeError:
            return self._searched.find_matches_as_indexes(_encodable(text), overlapping=True)

    def _finds_in_pieces(self, text: str) -> Iterator[tuple[int, int, int]]:
        for begin in range(0, len(text), _AT_ONCE):
            left = max(0, begin - self._longest + 1)
            piece = text[left : begin + _AT_ONCE]
            for key, start, end in self._finds(piece):
                if left + end > begin:
                    yield key, left + start, left + end


def _encodable(text: str) -> str:
    """The library reads UTF-8, which has no half of a pair."""
    return _LONE_SURROGATE.sub("\ufffd", text)
