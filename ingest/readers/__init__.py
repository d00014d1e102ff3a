"""Reads files of issues one record at a time into drafts and refusals. `sniff` finds how a file will be read,
to be shown before anything is stored; `open_reader` reads it.
"""

from collections.abc import Iterator
from io import TextIOWrapper
from typing import BinaryIO

from ingest.readers import delimited, json_stream, urls
from ingest.readers.drafts import HEAD_BYTES, CommentDraft, Draft, Limits, Sniffed
from ingest.readers.objects import FIELDS
from ingest.readers.refusals import Refusal, Refused, UnreadableFile
from ingest.readers.sniffing import sniff
from ingest.readers.text import ENCODINGS, Source, open_text

__all__ = [
    "ENCODINGS",
    "FIELDS",
    "HEAD_BYTES",
    "CommentDraft",
    "Draft",
    "Limits",
    "Reader",
    "Refusal",
    "Sniffed",
    "UnreadableFile",
    "open_reader",
    "sniff",
]

DEFAULT_LIMITS = Limits()


class Reader:
    """The drafts and refusals of one file, in its order; `bytes_read` is the progress."""

    def __init__(self, source: Source, found: Iterator[Draft | Refusal]) -> None:
        self._source = source
        self._found = found

    @property
    def bytes_read(self) -> int:
        return self._source.bytes_read

    def __iter__(self) -> Iterator[Draft | Refusal]:
        return self._found


def open_reader(
    stream: BinaryIO,
    name: str = "",
    *,
    sniffed: Sniffed | None = None,
    encoding: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Reader:
    """The issues in `stream`, which is read once, forwards, and left open.

    `sniffed` is the result that the user saw; without it the beginning is sniffed here, in the chosen
    `encoding`. Raises UnreadableFile at once if nothing can be taken; a later problem is a refusal, the last
    one `fatal` if the rest was not read. Raises ValueError for a mapping with an unknown field or column.
    """
    head = b""
    if sniffed is None:
        head = stream.read(HEAD_BYTES)
        sniffed = sniff(head, name, encoding=encoding)
    _check(sniffed)
    source = Source(stream, head=head, max_bytes=limits.max_bytes)
    return Reader(source, _read(source, sniffed, limits))


def _check(sniffed: Sniffed) -> None:
    unknown = set(sniffed.mapping) - set(FIELDS)
    if unknown:
        raise ValueError(f"no such field: {sorted(unknown)}")
    if sniffed.format == "csv" and not set(sniffed.mapping.values()) <= set(sniffed.columns):
        raise ValueError("the mapping names a column that the file does not have")


def _read(source: Source, sniffed: Sniffed, limits: Limits) -> Iterator[Draft | Refusal]:
    taken = 0
    seen = False
    with open_text(source, sniffed.encoding) as text:
        try:
            for found in _records(text, sniffed, limits):
                seen = True
                taken += isinstance(found, Draft)
                if taken > limits.max_rows:
                    yield Refusal(found.line, "too_many_rows", {"limit": limits.max_rows}, fatal=True)
                    return
                yield found
        except Refused as refused:
            yield Refusal(0, refused.code, refused.params, fatal=True)
            return
        except UnreadableFile as unreadable:
            yield unreadable.refusal
            return
    if not seen:
        yield Refusal(0, "no_rows")


def _records(text: TextIOWrapper, sniffed: Sniffed, limits: Limits) -> Iterator[Draft | Refusal]:
    if sniffed.format == "csv":
        return delimited.read(text, sniffed, limits=limits)
    if sniffed.format == "json":
        return json_stream.read(text, sniffed, limits=limits)
    return urls.read(text, encoding=sniffed.encoding, limits=limits)
