"""Reads an upload: each of its files in turn, or all of them gathered into one draft for each issue."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from io import TextIOWrapper
from typing import BinaryIO

from ingest.readers import delimited, json_stream, objects, urls
from ingest.readers.drafts import Draft, Limits, Sniffed
from ingest.readers.fields import checked
from ingest.readers.gathering import Comment, Gathering
from ingest.readers.json_stream import Other, Unfolded
from ingest.readers.packed import Meter, Part, parts
from ingest.readers.refusals import Refusal, Refused, UnreadableFile, excerpt
from ingest.readers.shapes import GATHERED, Raw, comments
from ingest.readers.sniffing import NAME, sniff_file, sniff_part
from ingest.readers.text import Source, open_text
from ingest.readers.times import moment

DEFAULT_LIMITS = Limits()

Found = Draft | Refusal


@dataclass(frozen=True, slots=True)
class Look:
    """The beginning of a file: so many records, or so many unpacked bytes."""

    records: int
    size: int


class Reader:
    """The drafts and refusals of one upload, in its order; `bytes_read`, of the packed bytes, is the
    progress.

    `aside` counts what is neither: "others" (records that are no issues), "left_out" (issues of repositories
    that were not chosen), "comments" that were listed apart, "strays" (those under issues that the upload
    does not have). `is_cut`: only a look was taken, and the file goes on.
    """

    def __init__(
        self,
        stream: BinaryIO,
        sniffed: Sniffed,
        limits: Limits,
        look: Look | None,
        watch: Callable[[int], None],
    ) -> None:
        self._sniffed = sniffed
        self._limits = limits
        self._look = look
        self._watch = watch
        self._meter = Meter(stream, limits.max_bytes)
        self._only = frozenset(path.lower() for path in sniffed.only)
        self._gathers = any(part.shape in GATHERED for part in sniffed.files)
        self._records = 0
        self.aside = {"others": 0, "left_out": 0, "comments": 0, "strays": 0}
        self.is_cut = False
        self._found = self._read()

    @property
    def bytes_read(self) -> int:
        return self._meter.packed

    @property
    def gathers(self) -> bool:
        """Are the drafts made after the whole file was read?"""
        return self._gathers

    def __iter__(self) -> Iterator[Found]:
        return self._found

    def _read(self) -> Iterator[Found]:
        taken = 0
        seen = False
        for found in self._gathered() if self._gathers else self._streamed():
            seen = True
            taken += isinstance(found, Draft)
            if taken > self._limits.max_rows:
                yield Refusal(found.line, "too_many_rows", {"limit": self._limits.max_rows}, fatal=True)
                return
            yield found
        if not seen and not sum(self.aside.values()):
            yield Refusal(0, "no_rows")

    def _streamed(self) -> Iterator[Found]:
        for part, sniffed in self._files():
            for found in self._of_file(part, sniffed, self._records_of):
                if self._is_enough():
                    return
                if isinstance(found, Draft):
                    if self._is_left_out(found):
                        continue
                    yield replace(found, file=part.name) if part.name else found
                elif isinstance(found, Refusal):
                    yield found

    def _gathered(self) -> Iterator[Found]:
        with Gathering(self._limits.max_record) as gathering:
            gathering.are_listed = any(part.shape in {"comments", "mixed"} for part in self._sniffed.files)
            for part, sniffed in self._files():
                for found in self._of_file(part, sniffed, self._unfolded_of):
                    if self._is_enough():
                        break
                    refusal = self._gather(gathering, found, part, sniffed)
                    if refusal:
                        yield refusal
                    self._watch(self.bytes_read)
                if self.is_cut:
                    break
            self.aside["strays"] = 0 if self.is_cut else gathering.strays()
            yield from gathering.drafts()

    def _gather(self, gathering: Gathering, found: object, part: Part, sniffed: Sniffed) -> Refusal | None:
        """Add what was found; returns it if it is refused."""
        if isinstance(found, Refusal):
            return found
        if isinstance(found, Draft):
            found = replace(found, file=part.name)
            if not self._is_left_out(found):
                gathering.add(found, (comments.name_of(found.address),), are_all=True)
        elif isinstance(found, Unfolded):
            try:
                self._gather_item(gathering, found, part, sniffed)
            except Refused as refused:
                return replace(json_stream.refusal_of(found, refused), file=part.name)
        return None

    def _gather_item(self, gathering: Gathering, found: Unfolded, part: Part, sniffed: Sniffed) -> None:
        record = found.item.record
        if found.item.kind == "issue":
            draft = replace(json_stream.draft_of(found, sniffed, self._limits), file=part.name)
            if not self._is_left_out(draft):
                gathering.add(draft, comments.names_of(record, draft.address), are_all=found.item.are_all)
        elif comments.is_said_by_a_person(record):
            gathering.add_comment(_comment(record, self._limits, is_gone=found.item.kind == "gone"))
            self.aside["comments"] += 1
        else:
            self.aside["others"] += 1

    def _files(self) -> Iterator[tuple[Part, Sniffed]]:
        """The files that can be read; what cannot is told by `_of_file`."""
        by_name = {sniffed.name: sniffed for sniffed in self._sniffed.files}
        for part in parts(self._meter, self._sniffed.packing):
            part.name = excerpt(part.name, NAME)
            yield part, by_name.get(part.name, _UNKNOWN)

    def _of_file(
        self,
        part: Part,
        sniffed: Sniffed,
        records: Callable[[TextIOWrapper, Sniffed], Iterator[Found | Unfolded | Other]],
    ) -> Iterator[Found | Unfolded | Other]:
        """The records of one file, without the last one if the file is cut: that may be half of it."""
        held: Found | Unfolded | Other | None = None
        try:
            if sniffed is _UNKNOWN:
                sniff_part(part, part.name, encoding=None)
            with open_text(Source(part, max_bytes=self._limits.max_bytes), sniffed.encoding) as text:
                for found in records(text, sniffed):
                    if held is not None:
                        yield self._counted(held, part)
                    held = found
        except Refused as refused:
            if held is not None:
                yield self._counted(held, part)
            yield Refusal(0, refused.code, refused.params, fatal=True, file=part.name)
            return
        except UnreadableFile as unreadable:
            if held is not None:
                yield self._counted(held, part)
            yield replace(unreadable.refusal, file=part.name)
            return
        if held is not None and not (part.trouble and _may_be_cut(held, sniffed)):
            yield self._counted(held, part)
        if part.trouble:
            line = getattr(held, "line", 0)
            yield replace(part.trouble, line=line, file=part.name)

    def _counted(self, found: Found | Unfolded | Other, part: Part) -> Found | Unfolded | Other:
        self._records += 1
        if isinstance(found, Other):
            self.aside["others"] += 1
        if isinstance(found, Refusal) and part.name:
            return replace(found, file=part.name)
        return found

    def _is_left_out(self, draft: Draft) -> bool:
        if not self._only or draft.address.path.lower() in self._only:
            return False
        self.aside["left_out"] += 1
        return True

    def _is_enough(self) -> bool:
        """Is this record one too many for a look? It is not taken then."""
        look = self._look
        if look and self._records > 1:
            size = max(self._meter.packed, self._meter.unpacked)
            self.is_cut = self._records > look.records or size > look.size
        return self.is_cut

    def _records_of(self, text: TextIOWrapper, sniffed: Sniffed) -> Iterator[Found | Other]:
        if sniffed.format == "csv":
            return delimited.read(text, sniffed, limits=self._limits)
        if sniffed.format == "json":
            return json_stream.read(text, sniffed, limits=self._limits)
        return urls.read(text, encoding=sniffed.encoding, limits=self._limits)

    def _unfolded_of(self, text: TextIOWrapper, sniffed: Sniffed) -> Iterator[Found | Unfolded | Other]:
        if sniffed.format == "json":
            return json_stream.unfolded(text, sniffed, limits=self._limits)
        return self._records_of(text, sniffed)


_UNKNOWN = Sniffed("urls", "utf-8")
"""Stands for a file of an archive that could not be read when it was uploaded."""


def open_reader(
    stream: BinaryIO,
    name: str = "",
    *,
    sniffed: Sniffed | None = None,
    encoding: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    look: Look | None = None,
    watch: Callable[[int], None] = lambda _read: None,
) -> Reader:
    """The issues in `stream`, which is at its beginning, can seek, and is left open.

    `sniffed` is the result that the user saw; without it the beginning is sniffed here, in the chosen
    `encoding`. `look` ends the reading early; `watch` is called for each record that is gathered, with the
    bytes read so far, and may raise. Raises UnreadableFile at once if nothing can be taken; a later problem
    is a refusal, the last one `fatal` if the rest was not read. Raises ValueError for a mapping with an
    unknown field or column.
    """
    if sniffed is None:
        sniffed = sniff_file(stream, name, encoding=encoding, limits=limits)
        stream.seek(0)
    checked(sniffed)
    return Reader(stream, sniffed, limits, look, watch)


def _may_be_cut(found: object, sniffed: Sniffed) -> bool:
    """May this last record of a file that ends too early be half of it?"""
    return sniffed.format != "json" or (
        isinstance(found, Refusal) and found.code in {"json_cut", "json_syntax"}
    )


def _comment(record: Raw, limits: Limits, *, is_gone: bool) -> Comment:
    names = comments.issues_of(record)
    said, _repaired = objects.comment_draft(record, "comment", limits)
    forge_id = record.get("id")
    at = record.get("updated_at", record.get("created_at"))
    return Comment(
        key=f"{names[0] if names else ''} {forge_id}",
        names=names,
        forge_id=forge_id if isinstance(forge_id, int) else 0,
        updated_at=moment(at, "comment.updated_at") if at else None,
        draft=None if is_gone else said,
    )


def counted(aside: Mapping[str, int]) -> dict[str, int]:
    """What was set aside, without zeros."""
    return {name: count for name, count in aside.items() if count}
