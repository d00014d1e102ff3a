"""Files that Office programs pack: their parts are unpacked piece by piece, counted, and checked for what no
document has. Nothing is written to disk.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from xml.parsers import expat

from ingest.readers.packed import MOST_TIMES, Meter, directory
from ingest.readers.refusals import UnreadableFile
from interviews.readers.refusals import Unreadable

MOST_PARTS = 1_000
MOST_UNPACKED = 64 << 20
FREE = 1 << 20
"""The bytes of a part that may be unpacked whatever their ratio."""

DEEPEST = 200
MOST_ELEMENTS = 2_000_000
_DIRECTORY = 1 << 20
_PIECE = 64 << 10
_BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError, OverflowError,
    IndexError,
)  # fmt: skip
"""What unpacking a broken archive raises."""

_NO_XML = (expat.ExpatError, ValueError, LookupError)
"""What parsing something else raises; the last two for encodings that expat does not know."""

_OWN = ("wordprocessingml", "spreadsheetml", "package/2006/relationships")

Start = Callable[[str, dict[str, str]], None]
Text = Callable[[str], None]


class Package:
    """The parts of a file. Raises Unreadable for one that is no archive, locked or too large."""

    def __init__(
        self,
        data: bytes,
        *,
        kind: str,
        most_bytes: int,
        most_unpacked: int = MOST_UNPACKED,
        most_elements: int = MOST_ELEMENTS,
    ) -> None:
        if not data:
            raise Unreadable("empty")
        if len(data) > most_bytes:
            raise Unreadable("too_large", limit=most_bytes)
        if not data.startswith(b"PK\x03\x04"):
            raise Unreadable("not_packed", kind=kind)
        self._left = self._most = most_unpacked
        self._size = len(data)
        self._most_elements = most_elements
        self._archive = _archive(data)
        infos = self._archive.infolist()
        self.names = frozenset(info.filename for info in infos)
        if len(self.names) != len(infos):  # two programs would read two documents
            raise Unreadable("zip_damaged")
        if any(info.flag_bits & 0x1 for info in infos):
            raise Unreadable("locked")

    def pieces(self, name: str) -> Iterator[bytes]:
        """The unpacked bytes of a part. Raises Unreadable."""
        if name not in self.names:
            raise Unreadable("no_part", part=shown(name))
        info = self._archive.getinfo(name)
        packed, out = min(info.compress_size, self._size), 0
        try:
            with self._archive.open(info) as file:
                while piece := file.read(_PIECE):
                    out += len(piece)
                    self._took(len(piece), name, is_bomb=out > FREE and out > MOST_TIMES * packed)
                    yield piece
        except Unreadable:
            raise
        except _BROKEN:
            raise Unreadable("damaged", part=shown(name)) from None

    def _took(self, count: int, name: str, *, is_bomb: bool) -> None:
        self._left -= count
        if is_bomb:
            raise Unreadable("bomb", part=shown(name), times=MOST_TIMES)
        if self._left < 0:
            raise Unreadable("unpacked_too_large", limit=self._most)

    def parse(self, name: str, *, start: Start, end: Text | None = None, said: Text | None = None) -> None:
        """Read a part as XML. Names come without namespaces, those of other vocabularies after "x:". Raises
        Unreadable, also for a document type or entities, before anything of them is expanded.
        """
        parser = _parser(name, start, end, said, self._most_elements)
        try:
            for piece in self.pieces(name):
                parser.Parse(piece, False)
            parser.Parse(b"", True)
        except Unreadable:
            raise
        except _NO_XML:
            raise Unreadable("damaged", part=shown(name)) from None

    def require_harmless(self) -> None:
        """Unpack every part within the limits, and refuse document types in whatever part is XML: for a
        library that opens the file itself. Raises Unreadable.
        """
        for name in sorted(self.names):
            parser: expat.XMLParserType | None = _parser(
                name, lambda _tag, _values: None, None, None, self._most_elements
            )
            for piece in self.pieces(name):
                try:
                    if parser:
                        parser.Parse(piece, False)
                except Unreadable:
                    raise
                except _NO_XML:
                    parser = None  # a picture


def value_of(values: dict[str, str], name: str) -> str | None:
    """The value of an attribute, whatever its namespace."""
    return next((value for key, value in values.items() if key.rpartition(" ")[2] == name), None)


def shown(name: str) -> str:
    """The name of a part, fit to be shown."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in name[:80])


def _parser(
    name: str, start: Start, end: Text | None, said: Text | None, most_elements: int
) -> expat.XMLParserType:
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    depth = count = 0

    def begins(tag: str, values: dict[str, str]) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        if count > most_elements:
            raise Unreadable("many_elements", part=shown(name), limit=most_elements)
        if depth > DEEPEST:
            raise Unreadable("deep", part=shown(name))
        start(_name(tag), values)

    def ends(tag: str) -> None:
        nonlocal depth
        depth -= 1
        if end:
            end(_name(tag))

    def refuse(*_of_doctype: object) -> None:
        raise Unreadable("doctype", part=shown(name))

    parser.StartElementHandler = begins
    parser.EndElementHandler = ends
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    if said:
        parser.CharacterDataHandler = said
    return parser


def _name(tag: str) -> str:
    space, _, local = tag.rpartition(" ")
    return local if not space or any(own in space for own in _OWN) else f"x:{local}"


def _archive(data: bytes) -> zipfile.ZipFile:
    stream = io.BytesIO(data)
    try:
        entries, size = directory(Meter(stream, len(data)))
        archive = zipfile.ZipFile(stream) if entries <= MOST_PARTS and size <= _DIRECTORY else None
    except (UnreadableFile, *_BROKEN):
        raise Unreadable("zip_damaged") from None
    if archive is None or len(archive.infolist()) > MOST_PARTS:
        raise Unreadable("many_parts", limit=MOST_PARTS)
    return archive
