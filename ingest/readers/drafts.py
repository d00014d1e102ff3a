"""The results of the readers: issues that are not stored yet, and the way in which a file is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from ingest.addresses import Address
from ingest.readers.packed import Packing

Format = Literal["urls", "csv", "json", "zip"]

HEAD_BYTES = 4 * 1024 * 1024
"""The bytes of a file that `sniff` should get: no record is longer."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a reader takes. Cells and records are counted in characters."""

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
    """One issue as a file describes it. A value that the file lacks is "", None or ().

    `url` is the given spelling; `labels` are the forge's own; times are in UTC; `is_pull_request` and
    `comment_count` are None while unknown; `repaired` is the number of characters that became U+FFFD.
    `has_some_comments`: the file may lack comments that are known from elsewhere. `file` is its file in an
    archive.
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
    has_some_comments: bool = False
    file: str = ""


@dataclass(frozen=True, slots=True)
class Sniffed:
    """The way in which a file will be read, shown to the user and stored before the import.

    `mapping` gives for each field its column or key (`user.login`: a key inside another); `columns` are all
    columns or keys found, in order, and `inner` the keys inside them; `sample` are up to five records, column
    or key to shortened text. `shape` is the program that wrote the records, `layout` their arrangement by
    pandas; both "" if they are the usual ones.

    `base` is a repository, or a site, for records that name none: github.com/owner/name, jira.example.org.
    `zone` is the time zone of times that name none. `only` are the repositories to take; () takes all.

    An archive has its readable files as `parts`, each with its `name`.
    """

    format: Format
    encoding: str
    delimiter: str | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    sample: tuple[Mapping[str, str], ...] = ()
    shape: str = ""
    layout: str = ""
    inner: tuple[str, ...] = ()
    base: str = ""
    zone: str = ""
    only: tuple[str, ...] = ()
    packing: Packing = ""
    name: str = ""
    parts: tuple["Sniffed", ...] = ()

    @property
    def unused(self) -> tuple[str, ...]:
        """The columns or keys from which no field is read."""
        used = {part for source in self.mapping.values() for part in (source, *source.split(" + "))}
        used |= {source.partition(".")[0] for source in used}
        return tuple(column for column in self.columns if column not in used)

    @property
    def choices(self) -> tuple[str, ...]:
        """All columns or keys that a field can be read from."""
        return tuple(dict.fromkeys((*self.columns, *self.inner, *self.mapping.values())))

    @property
    def files(self) -> tuple["Sniffed", ...]:
        """The files inside an archive; else only this file."""
        return self.parts or (self,)

    @property
    def fields(self) -> frozenset[str]:
        """The fields that some file brings."""
        return frozenset(field for part in self.files for field in part.mapping)
