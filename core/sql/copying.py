"""Streams rows into a table by COPY; memory does not grow with their number."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from django.db.backends.utils import CursorWrapper

_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})


def _element(value: object) -> str:
    """One element of an array literal."""
    if value is None:
        return "NULL"
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _cell(value: object) -> str:
    """One cell of COPY's text format."""
    if value is None:
        return r"\N"
    if value is True or value is False:
        return "t" if value else "f"
    if isinstance(value, list | tuple):
        return ("{" + ",".join(map(_element, value)) + "}").translate(_ESCAPES)
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value).translate(_ESCAPES)


class _Stream:
    """The file that COPY reads; its lines are made on demand."""

    def __init__(self, rows: Iterable[Iterable[object]]) -> None:
        self._chunks = self._encode(rows)
        self._rest = b""

    @staticmethod
    def _encode(rows: Iterable[Iterable[object]]) -> Iterator[bytes]:
        lines = []
        for row in rows:
            lines.append("\t".join(map(_cell, row)))
            if len(lines) == 500:
                yield ("\n".join(lines) + "\n").encode()
                lines.clear()
        if lines:
            yield ("\n".join(lines) + "\n").encode()

    def read(self, size: int = -1) -> bytes:
        while size < 0 or len(self._rest) < size:
            chunk = next(self._chunks, None)
            if chunk is None:
                break
            self._rest += chunk
        taken, self._rest = (self._rest, b"") if size < 0 else (self._rest[:size], self._rest[size:])
        return taken


def copy_rows(cursor: CursorWrapper, target: str, rows: Iterable[Iterable[object]]) -> int:
    """Copy rows into `target`, a table with an optional list of columns; return their number. Values: None,
    bool, numbers, text without NUL, aware datetimes, lists of text for arrays.
    """
    cursor.cursor.copy_expert(f"COPY {target} FROM STDIN", _Stream(rows))
    return int(cursor.cursor.rowcount)
