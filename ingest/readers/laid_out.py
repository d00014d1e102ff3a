"""Published studies as browsers send them: files, folders and archives, laid out as the one folder that
`ingest.readers.published` reads. Names from outside choose no path but `<Repo>/<file>` below that folder.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from ingest.readers.drafts import Limits
from ingest.readers.packed import MOST_FILES, Meter, Part, packing_of, parts
from ingest.readers.published import OTHER, Skipped
from ingest.readers.refusals import Refusal, Refused, UnreadableFile, Word, excerpt, gettext_noop, storable

NAME = 300
"""The most characters that are kept of a file's name."""

TAXONOMY = "taxonomy.csv"

_PIECE = 1 << 20
_LONGEST = 200
_LIST = re.compile(r"(.+)_[12][0-9]{3}\.txt", re.DOTALL)
_NESTED = Word(gettext_noop("an archive inside an archive"))
_SUMMARIES = Word(gettext_noop("summaries of sub-themes: open a board to import this file"))


@dataclass(frozen=True, slots=True)
class _File:
    """One file that may be taken: the folders above it and its name, and where its bytes are."""

    folders: tuple[str, ...]
    name: str
    kept: Path

    @property
    def given(self) -> str:
        return _shown("/".join((*self.folders, self.name)))

    @property
    def repository(self) -> str:
        """The repository of which its name says that it is a file; "" for none."""
        listed = _LIST.fullmatch(self.name)
        return listed.group(1) if listed else self.name.removesuffix(".csv") if self._is_table else ""

    @property
    def _is_table(self) -> bool:
        return self.name.endswith(".csv") and self.name != TAXONOMY

    @property
    def first_line(self) -> bytes:
        with self.kept.open("rb") as stream:
            return stream.read(200).removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]


def may_be_taken(name: str) -> bool:
    """Can a file of this name, with or without folders, be a part of a published study, or hold one?"""
    last = name.replace("\\", "/").rpartition("/")[2]
    return last.endswith((".csv", ".txt")) or last.lower().endswith(".zip")


def lay_out(
    stream: BinaryIO, base: Path, *, limits: Limits | None = None
) -> tuple[Path, tuple[Skipped, ...]]:
    """Unpack a ZIP archive of uploaded files below the empty folder `base`: the folder of the published
    layout, and the files that are no part of it. Archives among the files are unpacked as well.

    Folders around the layout are left away. Files without a folder are put into the folder that their names
    say. Raises UnreadableFile for an archive that cannot be read or is too large, for files that are twice
    there, and for two folders of the layout.
    """
    raw, study = base / "files", base / "study"
    raw.mkdir()
    study.mkdir()
    skipped: list[Skipped] = []
    found: list[_File] = []
    try:
        for one in _unpacked(stream, raw, limits or Limits()):
            if isinstance(one, _File):
                found.append(one)
            else:
                skipped.append(one)
    except Refused as refused:
        raise UnreadableFile(Refusal(0, refused.code, refused.params)) from None
    taken, others = _taken(found)
    names: set[str] = set()
    for target, file in taken:
        if target in names:
            raise UnreadableFile(Refusal(0, "files_twice", {"name": excerpt(target)}))
        names.add(target)
        place = study / target
        place.parent.mkdir(exist_ok=True)
        file.kept.replace(place)
    return study, (*skipped, *(Skipped(file.given, _reason(file)) for file in others))


def _unpacked(stream: BinaryIO, raw: Path, limits: Limits) -> Iterator[_File | Skipped]:
    meter = Meter(stream, limits.max_bytes)
    written = count = 0
    for part in parts(meter, "zip"):
        path = _path(part.name)
        if path is None or not may_be_taken(part.name):
            yield Skipped(_shown(part.name), OTHER)
            continue
        kept = raw / str(count)
        count += 1
        written += _write(part, kept)
        with kept.open("rb") as inner:
            if packing_of(inner.read(4)) != "zip":
                yield _File(path[:-1], path[-1], kept)
                continue
            inner.seek(0)
            within = Meter(inner, limits.max_bytes - written)
            try:
                for deeper in parts(within, "zip"):
                    given = "/".join((*path[:-1], deeper.name))
                    below = _path(given)
                    if deeper.name.lower().endswith(".zip"):
                        yield Skipped(_shown(given), _NESTED)
                    elif below is None or not may_be_taken(given):
                        yield Skipped(_shown(given), OTHER)
                    else:
                        written += _write(deeper, raw / str(count))
                        yield _File(below[:-1], below[-1], raw / str(count))
                        count += 1
                    if count > MOST_FILES:
                        raise Refused("many_files", limit=MOST_FILES)
            except UnreadableFile as unreadable:
                refusal = unreadable.refusal
                raise UnreadableFile(replace(refusal, file=refusal.file or _shown(part.name))) from None
        kept.unlink()


def _write(part: Part, target: Path) -> int:
    """Write a file of an archive, and return its size. Raises UnreadableFile if it is not whole."""
    size = 0
    with target.open("xb") as out:
        while piece := part.read(_PIECE):
            size += out.write(piece)
    if part.trouble:
        raise UnreadableFile(replace(part.trouble, file=_shown(part.name)))
    return size


def _path(name: str) -> tuple[str, ...] | None:
    """The folders and the name of a file; None if they lead elsewhere or cannot be names of files."""
    steps = tuple(step for step in name.replace("\\", "/").split("/") if step not in {"", "."})
    try:
        long = any(len(step.encode()) > _LONGEST for step in steps)
    except UnicodeEncodeError:
        return None
    if not steps or long or "\0" in name or any(step.startswith(".") for step in steps):
        return None
    return steps


def _taken(files: list[_File]) -> tuple[list[tuple[str, _File]], list[_File]]:
    """The files of the layout with their places in it, and the others."""
    laid = [file for file in files if file.repository and file.folders[-1:] == (file.repository,)]
    if laid:
        top = _only({file.folders[:-1] for file in laid})
    else:
        # Chosen one by one: their names say their folders.
        listed = {(file.folders, file.repository) for file in files if _LIST.fullmatch(file.name)}
        laid = [
            file
            for file in files
            if file.repository
            and ((file.folders, file.repository) in listed or file.first_line.startswith(b"Issue_URL"))
        ]
        top = _only({file.folders for file in laid})
    places = [(f"{file.repository}/{file.name}", file) for file in laid]
    taxonomies = [file for file in files if file.name == TAXONOMY]
    beside = [file for file in taxonomies if file.folders == top]
    places += [(TAXONOMY, file) for file in beside or taxonomies if file.folders in {top, ()}]
    known = {id(file) for _place, file in places}
    return places, [file for file in files if id(file) not in known]


def _only(folders: set[tuple[str, ...]]) -> tuple[str, ...]:
    """The one folder in which all lie. Raises UnreadableFile."""
    if len(folders) > 1:
        first, second = ("/".join(folder) or "/" for folder in sorted(folders)[:2])
        told = {"first": excerpt(first), "second": excerpt(second)}
        raise UnreadableFile(Refusal(0, "two_studies", told))
    return next(iter(folders), ())


def _reason(file: _File) -> Word:
    return _SUMMARIES if file.first_line.strip() == b"rootcause,subcategory,symptoms" else OTHER


def _shown(name: str) -> str:
    return storable(excerpt(name, NAME))
