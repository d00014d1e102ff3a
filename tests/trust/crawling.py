"""A browser without a screen that follows every link it is shown, and keeps what it received."""

import io
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html import unescape
from itertools import count
from urllib.parse import unquote, urljoin, urlsplit
from zipfile import ZipFile

from django.db import transaction
from django.test import Client
from django.utils import timezone
from pypdf import PdfReader

from core import clock
from tests.long import sampled

LINK = re.compile(r"""(?:href|src|hx-get|data-[a-z-]+)="([^"]*)\"""")
PART = re.compile(r'hx-target="#([\w-]+)"')
DRAWN = re.compile(r"/agreement/pictures/[\w-]+\.(?:svg|pdf|png)$")
"""Files drawn, seconds each, by a process that knows no database, of what others say that are crawled: specifications,
the page and its tables. tests/reports/test_files.py looks for what is held back in the report as a file, which
a job makes."""
PER_PAGE = sampled(2, 0)
"""How many query strings of one page are tried: filters multiply, and each kind of answer is seen soon. A run that is
not long follows no link."""

# What differs between two answers to the same request, whoever labelled what.
PASSING = (
    (re.compile(r"[\d,]+ an hour|(?:just )?now(?=</time>)|\d+\s(?:second|minute)s? ago"), "PACE"),
    (re.compile(r'(name="seed" value=)"\d+"'), r"\1"),
    (re.compile(r'(name=\\?"csrfmiddlewaretoken\\?" value=)\\?"[^"\\]*\\?"'), r"\1"),
    (re.compile(r'("seconds": ?)[\d.]+'), r"\1"),
    (re.compile(r"(X-CSRFToken[^:]*:[^A-Za-z0-9]*(?:&quot;)?)[A-Za-z0-9]{64}"), r"\1"),
    (re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "UUID"),
    (re.compile(r"[0-9a-f]{64}"), "HASH OF A FILE THAT NAMES ITS TIME"),
    (re.compile(r"(X-Request-ID: )[0-9a-f]{12}"), r"\1"),
    (re.compile(r"(Content-Length: )\d+"), r"\1"),
    (
        re.compile(
            r"\d{4}-\d\d-\d\d[T ]\d\d(?::|%3A)\d\d(?:(?::|%3A)\d\d(?:\.\d+)?)?(?:(?:\+|%2B)00(?::|%3A)00|Z)?"
        ),
        "TIME",
    ),
    # How long a meeting has gone on and labels take, and what the clock said.
    (re.compile(r"\b\d+[ \u00a0](?:h|min|s)\b(?:[ \u00a0]\d+[ \u00a0](?:min|s)\b)?"), "DURATION"),
    (re.compile(r"\b\d\d?:\d\d(?::\d\d)?\b"), "CLOCK"),
)


@dataclass
class Received:
    """Everything that one person was sent: by address and kind of request, the status and the bytes, headers in front."""

    answers: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)

    def add(self, address: str, kind: str, response) -> str:
        body = b"".join(response.streaming_content) if response.streaming else response.content
        if body.startswith(b"PK"):
            body = unpacked(body)
        if body.startswith(b"%PDF"):
            body = _read(body)
        headers = "".join(f"{name}: {value}\n" for name, value in sorted(response.headers.items()))
        text = headers + body.decode("utf-8", "replace")
        self.answers[address, kind] = (response.status_code, text)
        return text

    def steady(self) -> dict[tuple[str, str], tuple[int, str]]:
        """The same without what passes: keys of forms, times."""
        return {
            (without_passing(unquote(address)), kind): (status, without_passing(text))
            for (address, kind), (status, text) in self.answers.items()
        }


TICK = timedelta(microseconds=10)


def both(session: Callable[[str], dict]) -> tuple[dict, dict]:
    """What a session receives with A.1, and with C.9, from the same snapshot and from the same moment on: nothing of it
    stays. However long the requests take, the second session does not see an older world than the first: each look at
    the clock is a tick later than the one before, and there are seconds at most between the first and the last.

    Once more if midnight has passed, for the clock of the database: pages say what was labelled today, and that is no leak.
    """
    while True:
        begun, day = timezone.now(), timezone.localdate()
        first, second = (_rolled_back(session, code, begun) for code in ("A.1", "C.9"))
        if timezone.localdate() == day:
            return first, second


def _rolled_back(session: Callable[[str], dict], code: str, begun: datetime) -> dict:
    ticks = count(1)
    with clock.told_by(lambda: begun + next(ticks) * TICK), transaction.atomic():
        received = session(code)
        transaction.set_rollback(True)
    return received


def unpacked(archive: bytes) -> bytes:
    with ZipFile(io.BytesIO(archive)) as package:
        return b"\n".join(name.encode() + b"\n" + package.read(name) for name in package.namelist())


def _read(document: bytes) -> bytes:
    """The text of a PDF, as a reader would copy it: fonts and file dates say nothing."""
    pages = PdfReader(io.BytesIO(document)).pages
    return "\n".join(page.extract_text() for page in pages).encode()


def without_passing(text: str) -> str:
    for pattern, instead in PASSING:
        text = pattern.sub(instead, text)
    return text


def links(text: str, base: str) -> set[str]:
    """The addresses of this site that a page names, wherever it names them."""
    found = {
        urlsplit(urljoin(base, unescape(link))) for link in LINK.findall(text) if link and link[0] in "/?"
    }
    return {
        parts.path + (f"?{parts.query}" if parts.query else "")
        for parts in found
        if not parts.netloc
        and not parts.path.startswith(("/static/", "/accounts/log"))
        and not DRAWN.search(parts.path)
    }


def crawl(client: Client, start: set[str]) -> Received:
    """GET everything that can be reached from `start`: each page with a few of its query strings, and the parts that
    a page has htmx ask for, once for each route.
    """
    received = Received()
    waiting, seen = sorted(start), set(start)
    visits, parts = Counter(), set()
    while waiting:
        address = waiting.pop(0)
        path = address.partition("?")[0]
        if address not in start and visits[path] >= PER_PAGE:
            continue
        visits[path] += 1
        response = client.get(address)
        text = received.add(address, "page", response)
        is_page = response.status_code == 200 and response.headers["Content-Type"].startswith("text/html")
        for part in dict.fromkeys(PART.findall(text) if is_page else ()):
            if (response.resolver_match.route, part) not in parts:
                parts.add((response.resolver_match.route, part))
                asked = {"HX-Request": "true", "HX-Target": part}
                text += received.add(address, part, client.get(address, headers=asked))
        fresh = links(text, address) - seen
        seen |= fresh
        waiting += sorted(fresh)
    return received
