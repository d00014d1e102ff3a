"""Vega-Lite specifications as files, drawn without a browser and without a network."""

import json
import logging
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.conf import settings

from annotate.errors import DrawingBusy, PictureFailed
from core.places import place

FORMS = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
SECONDS = 60
AT_ONCE, WAIT = 2, 10
"""So many pictures or PDF files are made at once on a host, each in 110 MB; who comes then waits so many
seconds."""

log = logging.getLogger(__name__)


def render(spec: dict[str, Any], form: str) -> bytes:
    """The picture as a file of one of FORMS; a PNG has 300 dots per inch. A second or two."""
    (made,) = render_all([spec], form)
    return made


def render_all(specs: Sequence[dict[str, Any]], form: str) -> list[bytes]:
    """Each picture as a file of one of FORMS, in one process: a dozen take little longer than one.

    Raises PictureFailed where the engine refuses a specification or takes longer than a minute, and
    DrawingBusy where others are drawn all the time that it waits.
    """
    if not specs:
        return []
    with engine():
        return _drawn(specs, form)


@contextmanager
def engine() -> Iterator[None]:
    """Hold one of the places of a host for the block; raises DrawingBusy where none falls free."""
    with place("drawing", of=AT_ONCE, wait=WAIT) as is_free:
        if not is_free:
            raise DrawingBusy
        yield


def _drawn(specs: Sequence[dict[str, Any]], form: str) -> list[bytes]:
    command = [sys.executable, "-m", "annotate.drawing", form]
    try:
        made = subprocess.run(
            command,
            input=json.dumps(specs).encode(),
            capture_output=True,
            cwd=settings.BASE_DIR,
            check=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        log.warning("a picture took over %s seconds", SECONDS)
        raise PictureFailed from error
    except subprocess.CalledProcessError as error:
        log.warning("a picture failed: %s", error.stderr.decode(errors="replace")[-2000:])
        raise PictureFailed from error
    return [b64decode(file) for file in json.loads(made.stdout)]
