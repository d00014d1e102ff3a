"""Reading bytes as a file would be."""

import io
from typing import Any

from ingest.readers import Draft, Refusal, UnreadableFile, open_reader


def read(data: bytes | str, name: str = "issues", **options: Any) -> list[Draft | Refusal]:
    """All drafts and refusals; of a file that cannot be read at all, its one refusal."""
    stream = io.BytesIO(data.encode() if isinstance(data, str) else data)
    try:
        return list(open_reader(stream, name, **options))
    except UnreadableFile as unreadable:
        return [unreadable.refusal]


def messages(data: bytes | str, name: str = "issues", **options: Any) -> list[str]:
    """What is said of the records that were not taken; '' stands for one that was."""
    return [found.message if isinstance(found, Refusal) else "" for found in read(data, name, **options)]


def drafts(data: bytes | str, name: str = "issues", **options: Any) -> list[Draft]:
    """The drafts of a file in which nothing is refused."""
    found = read(data, name, **options)
    refused = [refusal.message for refusal in found if isinstance(refusal, Refusal)]
    if refused:
        raise AssertionError(refused)
    return [draft for draft in found if isinstance(draft, Draft)]


def identities(found: list[Draft | Refusal]) -> list[str]:
    """owner/repository#number of each draft, the code of each refusal."""
    return [
        f"{one.address.path}#{one.address.number}" if isinstance(one, Draft) else one.code for one in found
    ]
