"""Decodes bytes, repairs text for storing, and undoes inert cells."""

import codecs
import io
import re

from charset_normalizer import from_bytes

from ingest.readers.packed import Readable
from ingest.readers.refusals import Refusal, Refused, UnreadableFile, Word, gettext_noop

ENCODINGS = ("utf-8", "utf-16", "gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1251", "cp1252")
"""The encodings that a user may choose for a file that is not UTF-8."""

_ARCHIVES: tuple[tuple[bytes, str], ...] = (
    (b"BZh", gettext_noop("a bzip2 archive")),
    (b"\xfd7zXZ\x00", gettext_noop("an xz archive")),
    (b"\x28\xb5\x2f\xfd", gettext_noop("a zstd archive")),
    (b"7z\xbc\xaf\x27\x1c", gettext_noop("a 7z archive")),
    (b"Rar!\x1a\x07", gettext_noop("a RAR archive")),
)
_TAR = Word(gettext_noop("a tar archive"))
_BINARY: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", gettext_noop("a ZIP archive or a spreadsheet (.xlsx, .ods)")),
    (b"PK\x05\x06", gettext_noop("a ZIP archive or a spreadsheet (.xlsx, .ods)")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", gettext_noop("an old Excel or Word file (.xls, .doc)")),
    (b"%PDF-", gettext_noop("a PDF document")),
    (b"\x89PNG\r\n\x1a\n", gettext_noop("a PNG picture")),
    (b"\xff\xd8\xff", gettext_noop("a JPEG picture")),
    (b"GIF8", gettext_noop("a GIF picture")),
    (b"\x1f\x8b", gettext_noop("a gzip archive")),
    (b"SQLite format 3\x00", gettext_noop("an SQLite database")),
    (b"PAR1", gettext_noop("a Parquet file")),
    (b"\x7fELF", gettext_noop("a program")),
)
_UNKNOWN_BINARY = gettext_noop("a binary file")
_CONTROLS = bytes({*range(9), *range(0x0E, 0x20)} - {0x1B})

_JUDGED = 1024 * 1024
_ASCII = re.compile("[\0-\x7f]+")
_MARKED = re.compile("[\udc80-\udcff]")
# Half a character written as three bytes (WTF-8) is text to be repaired, not another encoding.
_HALF_AS_BYTES = re.compile("\udced[\udca0-\udcbf][\udc80-\udcbf]")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_HTML = re.compile(
    r"\s*(?:<!--|<!doctype\s+html|<(?:html|head|body|title|meta|script|div|table|p|h1)\b)", re.IGNORECASE
)
_XML = re.compile(r"\s*<\?xml\b")
_INERT = re.compile(r"'+[=+\-@\t\r]")


def undo_inert(cell: str) -> str:
    """The cell without the apostrophe of core.csv.make_inert; any other cell unchanged."""
    return cell[1:] if _INERT.match(cell) else cell


def clean(text: str) -> tuple[str, int]:
    """The text with U+FFFD for each NUL and lone surrogate, and the number of replacements."""
    if text.isascii() and "\0" not in text:
        return text, 0
    return _UNSTORABLE.subn("\ufffd", _HALF_AS_BYTES.sub("\ud800", text))


def wrong_byte(text: str) -> str | None:
    """The first byte, in hexadecimal, that `open_text` could not decode; None if there is none."""
    if text.isascii() or not _MARKED.search(text):
        return None
    found = _MARKED.search(_HALF_AS_BYTES.sub("\ud800", text))
    return f"{ord(found.group()) - 0xDC00:02X}" if found else None


class Source(io.RawIOBase):
    """The part already read of a stream of bytes (`head`), then its rest, counted and limited. Reading past
    `max_bytes` raises Refused. Closing it leaves `stream` open.
    """

    def __init__(self, stream: Readable, *, head: bytes = b"", max_bytes: int) -> None:
        super().__init__()
        self._stream = stream
        self._head = memoryview(head)
        self._max_bytes = max_bytes
        self.bytes_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        target = memoryview(buffer)  # type: ignore[arg-type]  # bytes of any kind
        if self._head:
            count = min(len(target), len(self._head))
            target[:count] = self._head[:count]
            self._head = self._head[count:]
        else:
            data = self._stream.read(len(target))
            count = len(data)
            target[:count] = data
        self.bytes_read += count
        if self.bytes_read > self._max_bytes:
            raise Refused("file_too_large", limit=self._max_bytes)
        return count


def open_text(source: Source, encoding: str) -> io.TextIOWrapper:
    """The decoded text with unchanged line ends; lines end at LF. Bytes outside the encoding are marked for
    `wrong_byte`. Lone surrogates of UTF-16 remain.
    """
    errors = "surrogateescape" if encoding.startswith("utf-8") else "crosscheck-mark"
    return io.TextIOWrapper(
        io.BufferedReader(source, 128 * 1024), encoding=encoding, errors=errors, newline="\n"
    )


def head_text(head: bytes, encoding: str) -> str:
    """The beginning of a file as `open_text` decodes it, without a character that its end cuts."""
    errors = "surrogateescape" if encoding.startswith("utf-8") else "crosscheck-mark"
    return codecs.getincrementaldecoder(encoding)(errors).decode(head)


def _mark(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    if error.encoding.startswith("utf-16"):
        # Half a unit at the end is a wrong byte; a lone surrogate is text.
        return chr(0xDC80 if "truncated" in error.reason else 0xD800), error.end
    return chr(0xDC00 + (error.object[error.start] | 0x80)), error.start + 1


codecs.register_error("crosscheck-mark", _mark)


def encoding_of(head: bytes, chosen: str | None = None) -> str:
    """The encoding of a file that begins with `head`: by its byte order mark, else `chosen`, else UTF-8.

    Raises UnreadableFile for an empty file, for anything but text, for HTML and XML, and for another encoding
    that the user has not chosen: this never guesses. Raises ValueError if `chosen` is not in ENCODINGS.
    """
    if chosen is not None and chosen not in ENCODINGS:
        raise ValueError(f"{chosen!r} is not one of {ENCODINGS}")
    if not head.strip():
        raise UnreadableFile(Refusal(0, "empty" if not head else "no_rows"))
    _refuse_binary(head)
    encoding = _encoding(head, chosen)
    text = head_text(head[:65536], encoding).lstrip("\ufeff")
    if _HTML.match(text):
        raise UnreadableFile(Refusal(0, "html"))
    if _XML.match(text):
        raise UnreadableFile(Refusal(0, "html" if "<html" in text[:2000].lower() else "xml"))
    if not text.strip():
        raise UnreadableFile(Refusal(0, "no_rows"))
    if "\r" in text.strip() and "\n" not in text:
        raise UnreadableFile(Refusal(0, "line_ends"))
    return encoding


def _refuse_binary(head: bytes) -> None:
    """Raises UnreadableFile for a file that its first bytes name."""
    if head[257:262] == b"ustar":
        raise UnreadableFile(Refusal(0, "archive", {"kind": _TAR}))
    for code, known in (("archive", _ARCHIVES), ("binary", _BINARY)):
        for magic, kind in known:
            if head.startswith(magic):
                raise UnreadableFile(Refusal(0, code, {"kind": Word(kind)}))


def _encoding(head: bytes, chosen: str | None) -> str:
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise UnreadableFile(Refusal(0, "encoding_other", {"encoding": "UTF-32"}))
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    start = head[:8192]
    if max(start[::2].count(0), start[1::2].count(0)) > 0.2 * len(start):
        raise UnreadableFile(Refusal(0, "encoding_other", {"encoding": "UTF-16 without a byte order mark"}))
    if sum(start.count(control) for control in _CONTROLS) > 0.1 * len(start):
        raise UnreadableFile(Refusal(0, "binary", {"kind": Word(_UNKNOWN_BINARY)}))
    if chosen and chosen != "utf-8":
        return chosen
    marked = _HALF_AS_BYTES.sub("\ud800", head_text(head[:_JUDGED], "utf-8"))
    foreign = _ASCII.sub("", marked)
    wrong = len(foreign) - len(_MARKED.sub("", foreign))
    # A bad line in a text of mostly valid UTF-8 is refused as a line; a mostly invalid text as a file.
    if wrong * 10 > len(foreign) - wrong:
        raise UnreadableFile(_another_encoding(head, marked))
    return "utf-8"


def _another_encoding(head: bytes, marked: str) -> Refusal:
    found = _MARKED.search(marked)
    at = found.start() if found else 0
    line = marked.count("\n", 0, at) + 1
    params = {"byte": f"{ord(marked[at]) - 0xDC00:02X}"}
    likely = _likely(head)
    if likely:
        return Refusal(line, "encoding_likely", {**params, "likely": likely}, fatal=True)
    return Refusal(line, "encoding", params, fatal=True)


def _likely(head: bytes) -> str | None:
    """The only likely encoding of a text that is not UTF-8, or None if several are equally likely."""
    foreign = sum(byte > 0x7F for byte in head[:65536])
    matches = list(from_bytes(head[:65536], cp_isolation=[name for name in ENCODINGS if "utf" not in name]))
    if not matches or (
        len(matches) > 1 and (foreign < 200 or matches[1].percent_chaos - matches[0].percent_chaos < 5)
    ):
        return None
    return matches[0].encoding.upper()
