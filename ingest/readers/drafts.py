"""The results of the readers: issues that are not stored yet, and how their file is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from ingest.addresses import Address

Format = Literal["urls", "csv", "json"]

HEAD_BYTES = 4 * 1024 * 1024
"""How much of a file `sniff` should see: no record is longer."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a reader takes at most. Cells and records are counted in characters."""

    max_bytes: int = 2 * 1024**3
    max_rows: int = 5_000_000
    max_cell: int = 1_000_000
    max_record: int = HEAD_BYTES


@dataclass(frozen=True, slots=True)
class CommentDraft:
    """One comment of a draft; texts may be empty, `created_at` is in UTC or unknown."""

    author: str
    author_association: str
    body: str
    created_at: datetime | None


@dataclass(frozen=True, slots=True)
class Draft:
    """One issue as a file describes it. What the file does not say is "", None or ().

    `url` is the spelling given; `labels` are the forge's own; times are in UTC; `is_pull_request` and
    `comment_count` are None while unknown; `repaired` counts the characters that became U+FFFD.
    """

    line: int
    address: Address
    url: str
    title: str = ""
    body: str = ""
    author: str = ""
    author_association: str = ""
    labels: tuple[str, ...] = ()
    state: str = ""
    state_reason: str = ""
    created_at: datetime | None = None
    closed_at: datetime | None = None
    updated_at: datetime | None = None
    is_pull_request: bool | None = None
    comments: tuple[CommentDraft, ...] = ()
    comment_count: int | None = None
    repaired: int = 0


@dataclass(frozen=True, slots=True)
class Sniffed:
    """How a file will be read: shown to the user, and kept, before anything is stored.

    `mapping` names the column or key (`user.login`: a key inside another) that each field is read from;
    `columns` are all the columns or keys seen, in order; `sample` holds up to five records, column or key to
    text, shortened.
    """

    format: Format
    encoding: str
    delimiter: str | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    sample: tuple[Mapping[str, str], ...] = ()

    @property
    def unused(self) -> tuple[str, ...]:
        """The columns or keys that nothing is read from."""
        used = {part for source in self.mapping.values() for part in (source, *source.split(" + "))}
        used |= {source.partition(".")[0] for source in used}
        return tuple(column for column in self.columns if column not in used)
