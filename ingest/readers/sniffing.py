"""Finds from the beginning of a file how it will be read."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import BinaryIO

from ingest.addresses import BadAddress, parse
from ingest.readers import delimited, json_stream
from ingest.readers.drafts import HEAD_BYTES, Limits, Sniffed
from ingest.readers.frames import MOST_CHARACTERS
from ingest.readers.packed import Meter, Part, Readable, packing_of, parts
from ingest.readers.refusals import Refusal, Refused, UnreadableFile, excerpt
from ingest.readers.text import Source, encoding_of, head_text, open_text

NAME = 300
"""The most characters that are kept of the name of a file in an archive."""

_LINES = 20
_TABLE = 1024 * 1024


def sniff(
    head: bytes, name: str = "", *, encoding: str | None = None, rest: Readable | None = None
) -> Sniffed:
    """How the file that begins with `head` will be read, for the user to see before anything is stored.

    `head` are its first HEAD_BYTES, or all; `rest` is read only of a frame that is written column by column.
    `name` decides only if the content is ambiguous. `encoding` is the user's choice of ENCODINGS; a byte
    order mark overrides it. Raises UnreadableFile if nothing can be taken.
    """
    encoding = encoding_of(head, encoding)
    text = head_text(head[:_TABLE], encoding).removeprefix("\ufeff")
    start = text.lstrip("\ufeff \t\r\n\x1e")
    if start[:1] in {"[", "{"}:
        if rest is not None and len(head) >= HEAD_BYTES and json_stream.is_by_columns(start):
            source = Source(rest, head=head, max_bytes=4 * MOST_CHARACTERS)
            with open_text(source, encoding) as whole:
                return json_stream.sniffed_of(whole, encoding, layout="columns", whole=True)
        return json_stream.sniff(head_text(head, encoding), encoding, whole=len(head) < HEAD_BYTES)
    if not start:
        raise UnreadableFile(Refusal(0, "no_rows"))
    lines = [line.strip() for line in islice((part for part in start.splitlines() if part.strip()), _LINES)]
    if _is_address(lines[0]):
        return _list(lines, encoding)
    try:
        return delimited.sniff(text, encoding)
    except UnreadableFile:
        # A list with a wrong first line loses only that line.
        if not name.lower().endswith((".csv", ".tsv")) and any(map(_is_address, lines)):
            return _list(lines, encoding)
        raise


def sniff_file(
    stream: BinaryIO, name: str = "", *, encoding: str | None = None, limits: Limits | None = None
) -> Sniffed:
    """The same of a whole file, packed or not, which must be able to seek. Raises UnreadableFile."""
    meter = Meter(stream, (limits or Limits()).max_bytes)
    packing = packing_of(stream.read(4))
    stream.seek(0)
    if packing != "zip":
        part = next(parts(meter, packing))
        found = _told(lambda: sniff_part(part, name.removesuffix(".gz"), encoding=encoding))
        if found.shape == "comments":
            raise UnreadableFile(Refusal(0, "comment_alone"))
        return replace(found, packing=packing)
    files: list[Sniffed] = []
    first: Refusal | None = None
    empty = 0
    for part in parts(meter, packing):
        try:
            files.append(_told(partial(sniff_part, part, part.name, encoding=encoding)))
        except UnreadableFile as unreadable:
            first = first or replace(unreadable.refusal, file=excerpt(part.name, NAME))
            if unreadable.refusal.code in {"bomb", "unpacked_too_large"}:
                raise UnreadableFile(first) from None
            if is_empty_list(part.name, unreadable.refusal):
                files.append(replace(_list([], "utf-8"), name=excerpt(part.name, NAME)))
                empty += 1
    if len(files) == empty:
        raise UnreadableFile(first or Refusal(0, "no_files"))
    if all(file.shape == "comments" for file in files):
        raise UnreadableFile(Refusal(0, "comment_alone"))
    return Sniffed("zip", files[0].encoding, packing="zip", parts=tuple(files))


def is_empty_list(name: str, refusal: Refusal) -> bool:
    """Was a file of this name refused only because it is a list of addresses with no line? Beside other files
    that is a list of no issues, as published studies have them.
    """
    return name.lower().endswith(".txt") and refusal.code in {"empty", "no_rows"} and not refusal.line


def sniff_part(part: Part, name: str, *, encoding: str | None) -> Sniffed:
    """How one file of an upload will be read. Raises UnreadableFile, and Refused for a bomb."""
    head = head_of(part)
    if not head and part.trouble:
        raise UnreadableFile(part.trouble)
    if packing_of(head) and (part.name or packing_of(head)):
        raise UnreadableFile(Refusal(0, "nested"))
    try:
        return replace(sniff(head, name, encoding=encoding, rest=part), name=excerpt(part.name, NAME))
    except UnreadableFile:
        if part.trouble:
            raise UnreadableFile(part.trouble) from None
        raise


def head_of(stream: Readable) -> bytes:
    """The first HEAD_BYTES, of a stream that may give fewer at a time than it is asked for."""
    pieces = []
    size = 0
    while size < HEAD_BYTES and (piece := stream.read(HEAD_BYTES - size)):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _told(look: Callable[[], Sniffed]) -> Sniffed:
    try:
        return look()
    except Refused as refused:
        raise UnreadableFile(Refusal(0, refused.code, refused.params)) from None


def _list(lines: list[str], encoding: str) -> Sniffed:
    sample = tuple({"url": excerpt(line, 200)} for line in lines[:5])
    return Sniffed("urls", encoding, None, {"url": "url"}, ("url",), sample)


def _is_address(line: str) -> bool:
    try:
        parse(line, short=True)
    except BadAddress:
        return False
    return True
