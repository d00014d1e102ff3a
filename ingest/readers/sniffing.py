"""Finds from the beginning of a file how it will be read."""

from itertools import islice

from ingest.addresses import BadAddress, parse
from ingest.readers import delimited, json_stream
from ingest.readers.drafts import HEAD_BYTES, Sniffed
from ingest.readers.refusals import Refusal, UnreadableFile, excerpt
from ingest.readers.text import encoding_of, head_text

_LINES = 20
_TABLE = 1024 * 1024


def sniff(head: bytes, name: str = "", *, encoding: str | None = None) -> Sniffed:
    """How the file that begins with `head` will be read, for the user to see before anything is stored.

    `head` are its first HEAD_BYTES, or all. `name` decides only if the content is ambiguous. `encoding` is
    the user's choice of ENCODINGS; a byte order mark overrides it. Raises UnreadableFile if nothing can be
    taken.
    """
    encoding = encoding_of(head, encoding)
    text = head_text(head[:_TABLE], encoding).removeprefix("\ufeff")
    start = text.lstrip("\ufeff \t\r\n\x1e")
    if start[:1] in {"[", "{"}:
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


def _list(lines: list[str], encoding: str) -> Sniffed:
    sample = tuple({"url": excerpt(line, 200)} for line in lines[:5])
    return Sniffed("urls", encoding, None, {"url": "url"}, ("url",), sample)


def _is_address(line: str) -> bool:
    try:
        parse(line, short=True)
    except BadAddress:
        return False
    return True
