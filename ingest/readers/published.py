"""Published studies: a folder for each repository, with a table of labels and lists of URLs by year.

<Repo>/<Repo>.csv         Issue_URL,Label1,…,LabelN,Final_Label: for each issue the codes of N volunteers
<Repo>/<Repo>_<year>.txt  the URLs kept after screening, by year of the report; may be empty
taxonomy.csv              optional
"""

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from io import TextIOWrapper
from pathlib import Path
from sys import intern
from typing import TypeVar

from ingest.addresses import Address, BadAddress, keepable, parse
from ingest.readers import delimited, urls
from ingest.readers.delimited import CsvRow
from ingest.readers.drafts import HEAD_BYTES, Draft, Limits
from ingest.readers.refusals import (
    RAW_LENGTH,
    Params,
    Refusal,
    Refused,
    UnreadableFile,
    Word,
    excerpt,
    gettext_noop,
    refused_address,
    storable,
)
from ingest.readers.text import Source, encoding_of, open_text

DEFAULT_LIMITS = Limits(max_cell=2000, max_record=100_000)
CODE_LENGTH = 64
Found = TypeVar("Found")

_CODE = re.compile(r"[^\s\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
_HIDDEN = Word(gettext_noop("a hidden file"))
OTHER = Word(gettext_noop("not part of the published layout"))
_NO_FILES = Word(gettext_noop("a folder without the files of a repository"))


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder, with its path from the top, that is not read; `reason` is English."""

    name: str
    reason: Word


@dataclass(frozen=True, slots=True)
class PublishedRepository:
    """The files of one repository; `lists` are (year, file), oldest first."""

    name: str
    labels: Path | None
    lists: tuple[tuple[int, Path], ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """The contents of a folder. With `refusals`, by file, it cannot be read as one study. `volunteers` is N,
    the same in all tables; 0 if there is no table.
    """

    repositories: tuple[PublishedRepository, ...]
    taxonomy: Path | None
    skipped: tuple[Skipped, ...]
    volunteers: int
    refusals: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One row of a table: `url` as given, the codes and the final code, None if missing."""

    line: int
    address: Address
    url: str
    labels: tuple[str | None, ...]
    final: str | None


def survey(folder: Path) -> Survey:
    """The contents of `folder`, in the order of names; reads the first line of each table. Raises
    UnreadableFile if it is no folder, or has no file of the layout.
    """
    if not folder.is_dir():
        raise UnreadableFile(Refusal(0, "no_folder", file=folder.name))
    repositories: list[PublishedRepository] = []
    skipped: list[Skipped] = []
    taxonomy = None
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.name.startswith("."):
            repository, others = _repository(entry)
            skipped += others
            if repository:
                repositories.append(repository)
        elif entry.name == "taxonomy.csv":
            taxonomy = entry
        else:
            skipped.append(_skipped(entry.name))
    if not repositories:
        raise UnreadableFile(Refusal(0, "no_study", file=folder.name))
    volunteers, refusals = _volunteers(repositories)
    return Survey(
        tuple(repositories), taxonomy, tuple(skipped), volunteers, (*_twice(repositories), *refusals)
    )


def _repository(folder: Path) -> tuple[PublishedRepository | None, list[Skipped]]:
    labels = None
    lists = []
    skipped = []
    year_of = re.compile(re.escape(folder.name) + r"_([12][0-9]{3})\.txt")
    for entry in sorted(folder.iterdir()):
        year = year_of.fullmatch(entry.name)
        if not entry.is_file():
            skipped.append(_skipped(f"{folder.name}/{entry.name}"))
        elif entry.name == f"{folder.name}.csv":
            labels = entry
        elif year:
            lists.append((int(year.group(1)), entry))
        else:
            skipped.append(_skipped(f"{folder.name}/{entry.name}"))
    if labels is None and not lists:
        return None, [*skipped, Skipped(storable(folder.name), _NO_FILES)]
    return PublishedRepository(folder.name, labels, tuple(lists)), skipped


def _skipped(name: str) -> Skipped:
    return Skipped(storable(name), _HIDDEN if name.rpartition("/")[2].startswith(".") else OTHER)


def _twice(repositories: list[PublishedRepository]) -> Iterator[Refusal]:
    names: dict[str, str] = {}
    for repository in repositories:
        other = names.setdefault(repository.name.lower(), repository.name)
        if other != repository.name:
            yield Refusal(0, "two_letter_cases", {"other": other}, file=repository.name)


def _volunteers(repositories: list[PublishedRepository]) -> tuple[int, list[Refusal]]:
    """The number of volunteers in the tables, and the refusals of tables that do not fit one study."""
    first: tuple[int, str] | None = None
    refusals = []
    for path in [repository.labels for repository in repositories if repository.labels]:
        try:
            count = label_columns(path)
        except UnreadableFile as unreadable:
            refusals.append(unreadable.refusal)
            continue
        first = first or (count, named(path))
        if count != first[0]:
            params: Params = {"count": count, "other": first[1], "others": first[0]}
            refusals.append(Refusal(1, "labels_differ", params, fatal=True, file=named(path)))
    return (first[0] if first else 0), refusals


def label_columns(path: Path) -> int:
    """The number of volunteers in a table, from its first line. Raises UnreadableFile."""
    with closing(_rows(path, DEFAULT_LIMITS)) as found:
        first = next(found, Refusal(0, "no_rows", file=named(path)))
    if isinstance(first, Refusal):
        raise UnreadableFile(first)
    return _count(first, path)


def label_rows(path: Path, *, limits: Limits = DEFAULT_LIMITS) -> Iterator[LabelRow | Refusal]:
    """The rows of a table, in its order; none for a table with only a header."""
    columns: list[str] = []
    known: dict[str, str | None] = {"": None}
    with closing(_rows(path, limits)) as found:
        for row in found:
            if isinstance(row, Refusal):
                yield row
            elif not columns:
                try:
                    _count(row, path)
                except UnreadableFile as unreadable:
                    yield unreadable.refusal
                    return
                columns = row.cells
            else:
                try:
                    yield _label_row(row, columns, known)
                except Refused as refused:
                    raw = storable(row.raw[:RAW_LENGTH])
                    yield Refusal(row.line, refused.code, refused.params, raw, file=named(path))


def _label_row(row: CsvRow, columns: list[str], known: dict[str, str | None]) -> LabelRow:
    cells = row.cells
    if len(cells) != len(columns):
        raise Refused("ragged", cells=len(cells), columns=len(columns))
    url = cells[0]
    try:
        address = parse(url)
    except BadAddress as error:
        raise refused_address(error, url) from None
    codes = []
    for column, cell in zip(columns[1:], cells[1:], strict=True):
        if cell not in known:
            if len(cell) > CODE_LENGTH:
                raise Refused("cell_too_long", key=column, length=len(cell), limit=CODE_LENGTH)
            if not _CODE.fullmatch(cell):
                raise Refused("bad_label", key=column, text=excerpt(cell))
            # Some tens of codes fill hundreds of thousands of cells; a hostile file gains nothing.
            if len(known) > 10_000:
                known.clear()
                known[""] = None
            known[cell] = intern(cell)
        codes.append(known[cell])
    return LabelRow(row.line, address, keepable(url), tuple(codes[:-1]), codes[-1])


def list_rows(path: Path, *, limits: Limits = DEFAULT_LIMITS) -> Iterator[Draft | Refusal]:
    """The lines of a list, in its order; none for an empty list."""
    for found in _read(
        path, limits, lambda text, encoding: urls.read(text, encoding=encoding, limits=limits)
    ):
        if isinstance(found, Draft) or found.line or found.code not in {"empty", "no_rows"}:
            yield found


def named(path: Path) -> str:
    """The name of the file in messages: vllm/vllm.csv."""
    return storable(f"{path.parent.name}/{path.name}")


def _rows(path: Path, limits: Limits) -> Generator[CsvRow | Refusal, None, None]:
    """The rows of a table, its header first."""
    return _read(
        path,
        limits,
        lambda text, encoding: delimited.rows(
            text, delimiter=",", encoding=encoding, max_record=limits.max_record
        ),
    )


def _read(
    path: Path, limits: Limits, records: Callable[[TextIOWrapper, str], Iterator[Found | Refusal]]
) -> Generator[Found | Refusal, None, None]:
    """The results of `records`, called with the text and encoding of a file; each refusal names the file."""
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
        try:
            encoding = encoding_of(head)
            with open_text(Source(stream, head=head, max_bytes=limits.max_bytes), encoding) as text:
                for found in records(text, encoding):
                    yield replace(found, file=named(path)) if isinstance(found, Refusal) else found
        except UnreadableFile as unreadable:
            yield replace(unreadable.refusal, file=named(path))
        except Refused as refused:
            yield Refusal(0, refused.code, refused.params, fatal=True, file=named(path))


def _count(header: CsvRow, path: Path) -> int:
    """N, from the header of a table. Raises UnreadableFile."""
    cells = header.cells
    count = max(len(cells) - 2, 1)
    expected = ["Issue_URL", *(f"Label{i}" for i in range(1, count + 1)), "Final_Label"]
    for column, name in enumerate(expected, start=1):
        found = cells[column - 1] if column <= len(cells) else None
        if found != name:
            shown = Word(gettext_noop("missing")) if found is None else f'"{excerpt(found)}"'
            params: Params = {"column": column, "name": shown}
            raw = storable(header.raw[:RAW_LENGTH])
            raise UnreadableFile(
                Refusal(header.line, "not_published", params, raw, fatal=True, file=named(path))
            )
    return count
