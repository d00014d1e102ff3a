"""JSON files of issues: arrays, one object a line, arrays in a row, answers of forges, frames of pandas."""

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.readers import fields, objects, urls
from ingest.readers.drafts import HEAD_BYTES, Draft, Limits, Sniffed
from ingest.readers.layouts import layout_of
from ingest.readers.refusals import Params, Refusal, Refused, UnreadableFile, excerpt, kind_of, storable
from ingest.readers.scanner import records, said_by
from ingest.readers.shapes import Item, Raw, Shape, shape_named, shape_of
from ingest.readers.window import Record

_SAMPLE = 5
_KEYS_FROM = 50
_COLUMNS = 500


@dataclass(frozen=True, slots=True)
class Unfolded:
    """One issue or comment of a record, with the place of the record in the file."""

    item: Item
    line: int
    record: int
    raw: str


@dataclass(frozen=True, slots=True)
class Other:
    """A record that holds no issue and no comment, such as an event of another kind."""


def read(text: io.TextIOWrapper, sniffed: Sniffed, *, limits: Limits) -> Iterator[Draft | Refusal | Other]:
    """The issues of a JSON file, in its order. A text in place of an object is read as an address."""
    for found in unfolded(text, sniffed, limits=limits):
        if not isinstance(found, Unfolded):
            yield found
            continue
        if found.item.kind != "issue":
            yield refusal_of(found, Refused("comment_alone"))
            continue
        try:
            yield draft_of(found, sniffed, limits)
        except Refused as refused:
            yield refusal_of(found, refused)


def unfolded(
    text: io.TextIOWrapper, sniffed: Sniffed, *, limits: Limits
) -> Iterator[Unfolded | Draft | Refusal | Other]:
    """What the records of a file hold; a text in place of an object is a draft already."""
    unfold = shape_named(sniffed.shape).unfold
    for found in records(text, encoding=sniffed.encoding, max_record=limits.max_record):
        if isinstance(found, Refusal):
            yield found
            continue
        try:
            if isinstance(found.value, str):
                yield urls.draft_of(found.value, found.line, encoding=sniffed.encoding, limits=limits)
            else:
                yield from _items(found, unfold)
        except Refused as refused:
            raw = storable(found.raw)
            yield Refusal(found.line, refused.code, refused.params, raw, record=found.record)


def _items(found: Record, unfold: Callable[[Raw], Sequence[Item]]) -> Iterator[Unfolded | Other]:
    if not isinstance(found.value, Mapping):
        raise Refused("not_an_object", kind=kind_of(found.value))
    items = unfold(found.value)
    if not items:
        yield Other()
    for item in items:
        yield Unfolded(item, found.line, found.record, found.raw)


def draft_of(found: Unfolded, sniffed: Sniffed, limits: Limits) -> Draft:
    """The issue of a record. Raises Refused."""
    record = found.item.record
    if not fields.is_complete(sniffed):
        raise Refused("no_url_key", columns=_listed(record))
    values = fields.values_of(record, sniffed.mapping)
    return objects.draft(
        values, sniffed.mapping, found.line, limits=limits, base=sniffed.base, zone=sniffed.zone
    )


def refusal_of(found: Unfolded, refused: Refused) -> Refusal:
    return Refusal(found.line, refused.code, refused.params, storable(found.raw), record=found.record)


def sniff(head: str, encoding: str, *, whole: bool) -> Sniffed:
    """How the JSON that begins with `head`, or is `head` if `whole`, will be read. Raises UnreadableFile."""
    stream = io.StringIO(head, newline="\n")
    return sniffed_of(stream, encoding, layout=_layout(head), whole=whole)


def is_by_columns(head: str) -> bool:
    """Is it a frame that can be judged only as a whole?"""
    return _layout(head) == "columns"


def _layout(head: str) -> str:
    start = len(head) - len(head.lstrip("\ufeff \t\r\n\x1e"))
    found = layout_of(head, start)
    return "" if found == "wrapper" else found


def sniffed_of(text: io.TextIOBase, encoding: str, *, layout: str, whole: bool) -> Sniffed:
    lines: list[int] = []
    found: list[Raw] = []
    addresses: list[str] = []
    refusals: list[Refusal] = []
    for record in records(text, encoding=encoding, max_record=HEAD_BYTES):
        if isinstance(record, Refusal):
            refusals.append(record)
        elif isinstance(record.value, Mapping):
            lines.append(record.line)
            found.append(record.value)
        elif isinstance(record.value, str):
            addresses.append(record.value)
        else:
            params: Params = {"kind": kind_of(record.value)}
            raw = storable(record.raw)
            refusals.append(Refusal(record.line, "not_an_object", params, raw, record.record))
        if len(found) + len(addresses) + len(refusals) == _KEYS_FROM:
            break
    if not found and not addresses:
        raise UnreadableFile(_nothing(refusals, whole=whole))
    if not found:
        sample = tuple({"url": excerpt(url, 200)} for url in addresses[:_SAMPLE])
        return Sniffed("json", encoding, None, {"url": "url"}, ("url",), sample)
    return replace(_of_records(found, encoding, lines[0]), layout=layout)


def _of_records(found: Sequence[Raw], encoding: str, line: int) -> Sniffed:
    shape = shape_of(found)
    records = _issues(shape, found, line) or ([] if shape.mapping else list(found))
    mapping = dict(shape.mapping or fields.mapping_of_objects(records, line))
    keys = tuple(dict.fromkeys(excerpt(key) for record in records for key in record))[:_COLUMNS]
    if "url" not in mapping and shape.name != "comments" and (_said(found[0]) or len(keys) < 2):
        raise UnreadableFile(_no_url(found[0], line))
    return Sniffed(
        "json",
        encoding,
        None,
        mapping,
        keys,
        tuple({key: _shown(record.get(key)) for key in keys} for record in records[:_SAMPLE]),
        shape=shape.name,
        inner=_inner(records)[:_COLUMNS],
        base="github.com" if mapping.get("repository", "").endswith("nameWithOwner") else "",
    )


def _issues(shape: Shape, found: Sequence[Raw], line: int) -> list[Raw]:
    """The issues in the first records. Raises UnreadableFile if all of them are refused."""
    issues: list[Raw] = []
    first: Refused | None = None
    for record in found:
        try:
            issues += [item.record for item in shape.unfold(record) if item.kind == "issue"]
        except Refused as refused:
            first = first or refused
    if first and not issues:
        raise UnreadableFile(Refusal(line, first.code, first.params, fatal=True))
    return issues


def _inner(records: Sequence[Raw]) -> tuple[str, ...]:
    """The keys of texts and numbers inside the objects of the records."""
    return tuple(
        dict.fromkeys(
            f"{excerpt(key)}.{excerpt(inner)}"
            for record in records
            for key, value in record.items()
            if isinstance(value, Mapping)
            for inner, said in value.items()
            if not isinstance(said, Mapping | list)
        )
    )


def _nothing(refusals: list[Refusal], *, whole: bool) -> Refusal:
    if not refusals:
        return Refusal(0, "no_rows")
    if refusals[0].code == "json_cut" and not whole:
        return replace(refusals[0], code="record_too_long", params={"limit": HEAD_BYTES}, fatal=True)
    return replace(refusals[0], fatal=True)


def _said(record: Raw) -> str:
    """The message of a forge in place of issues."""
    if record.get("errors"):
        return said_by(record["errors"])
    said = record.get("message", record.get("errorMessages"))
    if isinstance(said, list):
        said = said[0] if said else None
    return said if isinstance(said, str) else ""


def _no_url(record: Raw, line: int) -> Refusal:
    said = _said(record)
    if said:
        return Refusal(0, "forge_error", {"text": excerpt(said, 200)})
    return Refusal(line, "no_url_key", {"columns": _listed(record)}, fatal=True)


def _listed(record: Raw) -> str:
    return excerpt(", ".join(record), 300)


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return excerpt(value, 200)
    try:
        return excerpt(json.dumps(value, ensure_ascii=False), 200)
    except RecursionError:
        return "…"
