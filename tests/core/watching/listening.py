"""What the log of a server would have."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

from config.logs import Refusals, formatter


@contextmanager
def logged(form: str = "json") -> Iterator[StringIO]:
    """What is logged meanwhile, requests too, in this form."""
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter(form))
    handler.addFilter(Refusals())
    requests = logging.getLogger("crosscheck.requests")
    before = requests.level
    requests.setLevel(logging.INFO)
    logging.getLogger().addHandler(handler)
    try:
        yield stream
    finally:
        logging.getLogger().removeHandler(handler)
        requests.setLevel(before)
