"""Vega-Lite specifications as files, drawn without a browser and without a network."""

import json
import logging
import os
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
from core.upkeep.leftovers import work_folder
from drawing.errors import DrawingBusy, PictureFailed
from drawing.workers import where_it_failed

FORMS = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
INLINE = "inline"
"""Another form, for a page: SVG that keeps texts as texts, in the fonts of the page."""

SECONDS = 60
AT_ONCE, WAIT = 2, 10
"""Pictures or PDF files that a host makes at once, each in 110 MB, and the seconds to wait for a place."""

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

    `told` is called with the number of pictures drawn so far; an error in `told` ends the drawing. `wait`:
    seconds to wait for a place, WAIT by default. Raises PictureFailed if the engine refuses a specification
    or takes longer than a minute, and DrawingBusy if no place becomes free in time.
    """
    if not specs:
        return []
    with engine(wait):
        return _drawn(specs, form, told)


@contextmanager
def engine(wait: float | None = None) -> Iterator[None]:
    """Occupy one of the host's places for drawing during the block; DrawingBusy if none becomes free."""
    with place("drawing", of=AT_ONCE, wait=WAIT if wait is None else wait) as is_free:
        if not is_free:
            raise DrawingBusy
        yield


def _drawn(specs: Sequence[dict[str, Any]], form: str, told: Callable[[int], None]) -> list[bytes]:
    command = [sys.executable, "-m", "drawing.vega_worker", form]
    made: list[bytes] = []
    with work_folder("drawing") as folder, TemporaryFile() as given, TemporaryFile() as wrong:
        own = {**os.environ, "TMPDIR": str(folder)}
        given.write(json.dumps(specs).encode())
        given.seek(0)
        with Popen(
            command, stdin=given, stdout=PIPE, stderr=wrong, cwd=settings.BASE_DIR, env=own
        ) as process:
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
            failed = where_it_failed(wrong.read().decode(errors="replace"))
            log.warning("a picture failed: %s", f"over {SECONDS} seconds" if is_late else failed)
            raise PictureFailed
    return made
