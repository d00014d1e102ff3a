"""Lists of addresses: one on each line, blank lines between them skipped."""

import io
from collections.abc import Iterator

from ingest.addresses import BadAddress, keepable, parse
from ingest.readers.drafts import Draft, Limits
from ingest.readers.refusals import RAW_LENGTH, Refusal, Refused, refused_address, storable
from ingest.readers.text import wrong_byte

LINE_LENGTH = 10_000
"""The most characters that a line of a list may have."""


def read(text: io.TextIOWrapper, *, encoding: str, limits: Limits) -> Iterator[Draft | Refusal]:
    """The issues of a list, in its order. `owner/repository#129` is an issue on GitHub."""
    for line, content in lines(text):
        try:
            yield draft_of(content, line, encoding=encoding, limits=limits)
        except Refused as refused:
            yield Refusal(line, refused.code, refused.params, storable(content[:RAW_LENGTH]))


def draft_of(content: str, line: int, *, encoding: str, limits: Limits) -> Draft:
    """The issue named by one line. Raises Refused."""
    byte = wrong_byte(content)
    if byte:
        raise Refused("wrong_bytes", byte=byte, encoding=shown(encoding))
    if len(content) > min(LINE_LENGTH, limits.max_cell):
        raise Refused("line_too_long", limit=min(LINE_LENGTH, limits.max_cell))
    url = content.strip()
    try:
        address = parse(url, short=True)
    except BadAddress as error:
        raise refused_address(error, url) from None
    pull_request = True if address.kind == "pull_request" else None
    return Draft(line, address, keepable(url), is_pull_request=pull_request)


def lines(text: io.TextIOWrapper) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers; only the beginning of a line over LINE_LENGTH."""
    number = 0
    while line := text.readline(LINE_LENGTH + 1):
        number += 1
        rest = line
        while len(rest) > LINE_LENGTH and not rest.endswith("\n"):
            rest = text.readline(LINE_LENGTH + 1)
        if line.strip(" \t\r\n\v\f\ufeff"):
            yield number, line.rstrip("\r\n")


def shown(encoding: str) -> str:
    """The usual spelling of an encoding's name."""
    return encoding.removesuffix("-sig").upper()
