"""Vega-Lite specifications as files, drawn without a browser and without a network."""

import json
import logging
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from subprocess import PIPE, Popen
from tempfile import TemporaryFile
from threading import Timer
from typing import Any

from django.conf import settings

from core.places import place
from drawing.errors import DrawingBusy, PictureFailed

FORMS = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
INLINE = "inline"
"""One more form, for use in a page: SVG that leaves texts as texts, in the fonts that the page has."""

SECONDS = 60
AT_ONCE, WAIT = 2, 10
"""So many pictures or PDF files are made at once on a host, each in 110 MB; who comes then waits so many
seconds."""

log = logging.getLogger(__name__)


def render(spec: dict[str, Any], form: str) -> bytes:
    """The picture as a file of one of FORMS; a PNG has 300 dots per inch. A second or two."""
    (made,) = render_all([spec], form)
    return made


def render_all(
    specs: Sequence[dict[str, Any]],
    form: str,
    *,
    told: Callable[[int], None] = lambda _drawn: None,
    wait: float | None = None,
) -> list[bytes]:
    """Each picture as a file of one of FORMS, or INLINE, in one process: a dozen take little longer than one.

    `told` hears how many are drawn; what it raises ends the drawing. `wait`: so many seconds for a place,
    WAIT if not said.

    Raises PictureFailed where the engine refuses a specification or takes longer than a minute, and
    DrawingBusy where others are drawn all the time that it waits.
    """
    if not specs:
        return []
    with engine(wait):
        return _drawn(specs, form, told)


@contextmanager
def engine(wait: float | None = None) -> Iterator[None]:
    """Hold one of the places of a host for the block; raises DrawingBusy where none falls free."""
    with place("drawing", of=AT_ONCE, wait=WAIT if wait is None else wait) as is_free:
        if not is_free:
            raise DrawingBusy
        yield


def _drawn(specs: Sequence[dict[str, Any]], form: str, told: Callable[[int], None]) -> list[bytes]:
    command = [sys.executable, "-m", "drawing.vega_worker", form]
    made: list[bytes] = []
    with TemporaryFile() as given, TemporaryFile() as wrong:
        given.write(json.dumps(specs).encode())
        given.seek(0)
        with Popen(command, stdin=given, stdout=PIPE, stderr=wrong, cwd=settings.BASE_DIR) as process:
            late = Timer(SECONDS, process.kill)
            late.start()
            try:
                for line in process.stdout or ():
                    made.append(b64decode(line))
                    told(len(made))
            finally:
                is_late = not late.is_alive()
                late.cancel()
                process.kill()
        if len(made) < len(specs):
            wrong.seek(0)
            said = wrong.read().decode(errors="replace")[-2000:]
            log.warning("a picture failed: %s", f"over {SECONDS} seconds" if is_late else said)
            raise PictureFailed
    return made
