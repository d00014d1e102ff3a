"""Documents as PDF, set by Typst from a template of this project without network and other files."""

import json
import logging
import subprocess
from collections.abc import Mapping
from pathlib import Path

from django.utils.translation import get_language

from drawing.errors import PdfFailed
from drawing.vega import engine
from drawing.workers import answer_of, where_it_failed

SECONDS = 60

log = logging.getLogger(__name__)


def set_as_pdf(template: Path, found: Mapping[str, object], *, wait: float | None = None) -> bytes:
    """The document in this template as PDF. Its texts are passed as data, so Typst reads none as markup.

    Setting takes a place for drawing and waits for it as `engine` does. Raises DrawingBusy, and PdfFailed
    for errors of Typst and after a minute.
    """
    data = json.dumps({**found, "lang": (get_language() or "en").partition("-")[0]})
    try:
        with engine(wait):
            return answer_of("typst_pdf_worker", str(template), given=data, seconds=SECONDS)
    except subprocess.TimeoutExpired as error:
        log.warning("a PDF took over %s seconds to set", SECONDS)
        raise PdfFailed from error
    except subprocess.CalledProcessError as error:
        log.warning("a PDF failed: %s", where_it_failed(error.stderr.decode(errors="replace")))
        raise PdfFailed from error
