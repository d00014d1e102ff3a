"""Files in gzip and ZIP, unpacked as they are read: nothing is written to disk, a bomb ends at a limit."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, BinaryIO, Literal, Protocol

from ingest.readers.refusals import Refusal, Refused, UnreadableFile, Word, excerpt, gettext_noop

Packing = Literal["", "gzip", "zip"]

MOST_FILES = 1000
"""The most files that an archive may have."""

MOST_TIMES = 200
"""How often as large as its packed bytes a file may become; no real list of issues comes near."""

_FREE = 1024 * 1024
_PIECE = 16 * 1024
_DIRECTORY = 4 * 1024 * 1024
_GZIP = b"\x1f\x8b"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OFFICE = Word(gettext_noop("a spreadsheet or another Office file (.xlsx, .ods, .docx)"))


def packing_of(head: bytes) -> Packing:
    """The packing of a file that begins with `head`."""
    if head.startswith(_GZIP):
        return "gzip"
    return "zip" if head.startswith(_ZIP) else ""


class Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class Meter:
    """Counts what is read of an upload (`packed`), and what comes out of it (`unpacked`)."""

    def __init__(self, stream: BinaryIO, max_bytes: int) -> None:
        self._stream = stream
        self._max_bytes = max_bytes
        self.packed = 0
        self.unpacked = 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.packed += len(data)
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def seekable(self) -> bool:
        return True

    def took(self, data: bytes) -> bytes:
        """The same data, counted. Raises Refused for a bomb."""
        self.unpacked += len(data)
        if self.unpacked > self._max_bytes:
            raise Refused("unpacked_too_large", limit=self._max_bytes)
        if self.unpacked > _FREE and self.unpacked > MOST_TIMES * self.packed:
            raise Refused("bomb", times=MOST_TIMES)
        return data


class Part:
    """One file of an upload: its name in an archive, or "", and its unpacked bytes.

    After the last byte `trouble` says why the file is not whole; its last line may then be cut.
    """

    def __init__(self, name: str = "", trouble: Refusal | None = None) -> None:
        self.name = name
        self.trouble = trouble

    def read(self, size: int = -1, /) -> bytes:  # noqa: ARG002 - the files below read
        return b""


class Plain(Part):
    def __init__(self, meter: Meter) -> None:
        super().__init__()
        self._meter = meter

    def read(self, size: int = -1, /) -> bytes:
        return self._meter.read(size)


class Gunzipped(Part):
    """A file in gzip, which may consist of several, one after another."""

    def __init__(self, meter: Meter, name: str = "") -> None:
        super().__init__(name)
        self._meter = meter
        self._inflater = zlib.decompressobj(wbits=31)
        self._rest = b""
        self._out = 0
        self._ended = False

    def read(self, size: int = -1, /) -> bytes:
        while not self._ended:
            try:
                data = self._some(size if size > 0 else _PIECE)
            except zlib.error:
                self._end("packed_damaged")
                return b""
            if data:
                self._out += len(data)
                return self._meter.took(data)
        return b""

    def _some(self, size: int) -> bytes:
        """Unpacked bytes, maybe none yet."""
        if self._inflater.eof:
            following = self._inflater.unused_data.lstrip(b"\0") or self._meter.read(_PIECE)
            if not following.strip(b"\0"):
                self._ended = True
                return b""
            self._inflater, self._rest = zlib.decompressobj(wbits=31), following.lstrip(b"\0")
        packed = self._rest or self._meter.read(_PIECE)
        if not packed:
            self._end("packed_cut")
            return b""
        data = self._inflater.decompress(packed, size)
        self._rest = self._inflater.unconsumed_tail
        return data

    def _end(self, code: str) -> None:
        self._ended = True
        self.trouble = Refusal(0, code, {"bytes": self._out}, fatal=True)


class Unzipped(Part):
    def __init__(self, meter: Meter, name: str, file: IO[bytes]) -> None:
        super().__init__(name)
        self._meter = meter
        self._file = file
        self._out = 0

    def read(self, size: int = -1, /) -> bytes:
        if self.trouble:
            return b""
        try:
            data = self._file.read(min(size, _PIECE) if size > 0 else _PIECE)
        except (zlib.error, EOFError, zipfile.BadZipFile):
            self.trouble = Refusal(0, "packed_damaged", {"bytes": self._out}, fatal=True)
            return b""
        self._out += len(data)
        return self._meter.took(data)


def parts(meter: Meter, packing: Packing, name: str = "") -> Iterator[Part]:
    """The files of an upload in their order; each is read before the next one is asked for. Raises
    UnreadableFile for an archive that cannot be taken as a whole.
    """
    if packing == "":
        yield Plain(meter)
    elif packing == "gzip":
        yield Gunzipped(meter, name)
    else:
        with ExitStack() as stack:
            archive = _archive(meter)
            stack.callback(archive.close)
            for info in _files(archive):
                yield from _unzipped(meter, archive, info)


def _unzipped(meter: Meter, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[Part]:
    name = info.filename
    if info.flag_bits & 0x1:
        yield Part(name, Refusal(0, "encrypted"))
    elif info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        yield Part(name, Refusal(0, "packed_otherwise"))
    else:
        try:
            file = archive.open(info)
        except (zipfile.BadZipFile, NotImplementedError, OSError):
            yield Part(name, Refusal(0, "packed_damaged", {"bytes": 0}, fatal=True))
            return
        with file:
            yield Unzipped(meter, name, file)


def _archive(meter: Meter) -> zipfile.ZipFile:
    entries, size = directory(meter)
    if entries > MOST_FILES or size > _DIRECTORY:
        raise UnreadableFile(Refusal(0, "many_files", {"limit": MOST_FILES}))
    try:
        archive = zipfile.ZipFile(meter)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        raise UnreadableFile(Refusal(0, "zip_damaged")) from None
    names = archive.namelist()
    if len(names) > MOST_FILES:
        raise UnreadableFile(Refusal(0, "many_files", {"limit": MOST_FILES}))
    if "[Content_Types].xml" in names or any(name.startswith("xl/") for name in names) or _is_open(archive):
        raise UnreadableFile(Refusal(0, "binary", {"kind": _OFFICE}))
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UnreadableFile(Refusal(0, "file_twice", {"name": excerpt(twice)}))
    return archive


def _is_open(archive: zipfile.ZipFile) -> bool:
    """Is it a document of OpenOffice? Its first file is named mimetype."""
    first = archive.infolist()[:1]
    return bool(first) and first[0].filename == "mimetype"


def _files(archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    """The files, without folders and without what systems add."""
    for info in archive.infolist():
        name = info.filename.rpartition("/")[2]
        if not info.is_dir() and not name.startswith(".") and not info.filename.startswith("__MACOSX/"):
            yield info


def directory(meter: Meter) -> tuple[int, int]:
    """Number of entries and size of the directory at the end of an archive, as the archive states them.
    zipfile reads that directory whole into memory.
    """
    end = meter.seek(0, 2)
    meter.seek(max(0, end - 65_557))
    tail = meter.read(65_557)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < 22:
        raise UnreadableFile(Refusal(0, "zip_damaged"))
    entries, size = struct.unpack("<HI", tail[at + 10 : at + 16])
    large = tail.rfind(b"PK\x06\x06", 0, at)
    if large >= 0 and len(tail) - large >= 56:
        entries, size = struct.unpack("<QQ", tail[large + 32 : large + 48])
    meter.seek(0)
    meter.packed = 0
    return entries, size
