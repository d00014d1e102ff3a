"""CSV for spreadsheets: a text that a spreadsheet would run as a formula is made inert."""

import csv
import io
import re
from collections.abc import Iterable, Iterator

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

_RUNS = re.compile(r"'*[=+\-@\t\r]")
_PIECE = 100_000


def make_inert(cell: str) -> str:
    """The cell, after an apostrophe if a spreadsheet would run it as a formula."""
    return f"'{cell}" if _RUNS.match(cell) else cell


def csv_lines(header: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[bytes]:
    """A file in UTF-8 with LF, in pieces of about 100 kB; every text of a row is made inert."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([make_inert(cell) if isinstance(cell, str) else cell for cell in row])
        if buffer.tell() > _PIECE:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()


def csv_file(name: str, header: Iterable[str], rows: Iterable[Iterable[object]]) -> StreamingHttpResponse:
    """The response that sends these rows as a file of this name, piece by piece."""
    return StreamingHttpResponse(
        csv_lines(header, rows),
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": content_disposition_header(as_attachment=True, filename=name)
            or "attachment"
        },
    )
