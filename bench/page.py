"""The labelling page from a cold cache: its requests, its compressed bytes, and its time until ready."""

import gzip
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

from bench.ground import ROOT, Ground, Measurement
from bench.rounds import open_round_in
from bench.submit import Tags, signed_in
from core.management.commands.up import web

REQUESTS = 8
BYTES = 80_000
READY = 0.3
TIMES = 7
LOADED = {"stylesheet", "icon", "preload", "modulepreload"}
LATE = 120.0
TOKEN = "b" * 32  # of the double-submitted cookie: any text, if header and cookie are equal
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
READY_AT = """() => {
    const page = performance.getEntriesByType("navigation")[0];
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    if (!page.loadEventEnd || !paint) return null;
    return Math.max(page.domContentLoadedEventEnd, paint.startTime) / 1000;
}"""


def rows(ground: Ground) -> Iterator[Measurement]:
    round_, member = open_round_in(ground.study(ground.issues))
    cookie = signed_in(member).cookies["sessionid"].value
    ground.say("the labelling page …")
    with web_server() as address:
        path = f"/rounds/{round_.pk}/label/"
        bodies = fetched(Client(address, cookie), path)
        size = sum(
            len(gzip.compress(body, 6)) if is_text(kind) else len(body) for kind, body in bodies.values()
        )
        browser = chromium()
        if browser:
            ready, asked = in_browser(browser, address, path, cookie)
            least, _asked = in_browser(browser, address, "/healthz", cookie)
            ahead = [url for url in asked if url.endswith("/ahead/")]
            count = len(asked) - len(ahead)
            how = f"requests of {Path(browser).name}, and then {len(ahead)} for the next turns"
        else:
            count, how = len(bodies), "counted in the page: no Chromium here"
        yield Measurement(
            work="labelling page, cold cache: requests",
            ours=str(count),
            bar=f"≤ {REQUESTS}",
            met=count <= REQUESTS,
            note=f"{how}; {', '.join(sorted(Path(urlsplit(url).path).name for url in bodies))}",
        )
        yield Measurement(
            work="labelling page, cold cache: compressed bytes",
            ours=f"{size / 1000:.1f} kB",
            bar=f"≤ {BYTES / 1000:.0f} kB",
            met=size <= BYTES,
            note="each file by gzip -6, without headers",
        )
        if browser:
            yield Measurement.timed(
                "labelling page, cold cache: ready to label",
                ready,
                least,
                "the same browser, a page of one word",
                most=READY,
                note=f"from navigation to scripts done and first paint; median of {TIMES}, warm server",
            )


@contextmanager
def web_server(application: str = "config.wsgi:application") -> Iterator[str]:
    """Runs the web server as `manage.py up` does, on a free port; yields its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [application if part == "config.wsgi:application" else part for part in web("127.0.0.1", port)]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + LATE
        while True:
            try:
                Client(f"http://127.0.0.1:{port}").get("/healthz")
                break
            except OSError:
                if time.monotonic() > deadline or process.poll() is not None:
                    raise
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


class Client:
    """One browser's connection, kept open. Responses are not compressed."""

    def __init__(self, address: str, session: str = "") -> None:
        self._connection = HTTPConnection(urlsplit(address).netloc, timeout=30)
        self._headers = {"Cookie": f"sessionid={session}; csrftoken={TOKEN}", "X-CSRFToken": TOKEN}

    def get(self, path: str) -> tuple[str, bytes]:
        """The media type and the body of a response."""
        return self._ask("GET", path, None, {"Accept": "text/html"})

    def post(self, path: str, given: dict[str, Any]) -> dict[str, Any]:
        """The JSON response to a posted form."""
        headers = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}
        answer: dict[str, Any] = json.loads(self._ask("POST", path, urlencode(given, doseq=True), headers)[1])
        return answer

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> tuple[str, bytes]:
        self._connection.request(method, path, body, self._headers | headers)
        answer = self._connection.getresponse()
        found = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path} was answered with {answer.status}: {found[:500]!r}")
        return answer.getheader("Content-Type", ""), found


def fetched(client: Client, path: str) -> dict[str, tuple[str, bytes]]:
    """The page and all files that it and its style sheets load, each with its media type."""
    found = {path: client.get(path)}
    waiting = [urljoin(path, name) for name in loaded_by(found[path][1].decode())]
    while waiting:
        url = waiting.pop()
        if url not in found:
            found[url] = client.get(url)
            kind, body = found[url]
            if "css" in kind:
                named = re.findall(r"""(?:url\(|@import\s+)["']?([^"')]+)""", body.decode())
                waiting += [urljoin(url, name) for name in named if not name.startswith(("data:", "#"))]
    return found


def loaded_by(page: str) -> Iterator[str]:
    """The addresses that a page loads: style sheets, scripts, pictures, its icon."""
    for tag, given in Tags(page).found:
        loads = {"link": "href", "script": "src", "img": "src"}.get(tag, "")
        if given.get(loads) and (tag != "link" or set(given.get("rel", "").split()) & LOADED):
            yield given[loads]


def is_text(kind: str) -> bool:
    return kind.startswith("text/") or any(word in kind for word in ("javascript", "json", "svg"))


def chromium() -> str | None:
    """A browser that Playwright can drive; None if either is missing."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        return None
    named = os.environ.get("CHROMIUM", "")
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return None if named == "none" else named or next(filter(None, map(shutil.which, names)), None)


def in_browser(
    executable: str, address: str, path: str, cookie: str, *, ready_at: str = READY_AT, height: int = 900
) -> tuple[float, list[str]]:
    """The median of the seconds until a page is ready, each time in a fresh profile; and its last requests.

    `ready_at` is a function for the page that returns the seconds since navigation, null until it is ready;
    `height` is that of the window in pixels.
    """
    from playwright.sync_api import sync_playwright

    times: list[float] = []
    asked: list[str] = []
    with sync_playwright() as run:
        browser = run.chromium.launch(executable_path=executable, args=FLAGS)
        for _time in range(1 + TIMES):
            context: Any = browser.new_context(viewport={"width": 1440, "height": height})
            context.add_cookies([{"name": "sessionid", "value": cookie, "url": address}])
            page = context.new_page()
            page.set_default_timeout(LATE * 1000)
            asked = []
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.goto(address + path, wait_until="load")
            late = time.monotonic() + LATE
            while (ready := page.evaluate(ready_at)) is None:  # wait_for_function would need eval in the page
                if time.monotonic() > late:
                    raise RuntimeError(f"{path} is not ready after {LATE:.0f} s")
                page.wait_for_timeout(5)
            times.append(ready)
            page.wait_for_load_state("networkidle")
            context.close()
        browser.close()
    return statistics.median(times[1:]), asked
