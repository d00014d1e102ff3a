"""What goes wrong, and when."""

import json
import socket
import struct
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.forges.replies import Reply, Seen, in_json, resource_of, told

HTML = b"<!DOCTYPE html>\n<html><head><title>Unicorn! &middot; GitHub</title></head><body><p>This page is taking too long to load.</p></body></html>"
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
PRIMARY = "API rate limit exceeded for user ID 1."


@dataclass
class Rule:
    """`fault` meets the requests that all given conditions fit, `times` of them (None: all). `at` are numbers of requests
    as they came, `nth` numbers among the requests that fit the other conditions; both count from 1.
    """

    fault: str
    at: Collection[int] | None = None
    nth: Collection[int] | None = None
    every: int = 0
    kind: str = ""
    token: str | None = None
    when: Callable[[Seen], bool] | None = None
    times: int | None = 1
    seconds: int = 30
    met: int = 0
    fitting: int = 0

    def meets(self, seen: Seen) -> bool:
        if (
            self.times == 0
            or (self.kind and seen.kind != self.kind)
            or (self.token is not None and seen.token != self.token)
            or (self.at is not None and seen.nr not in self.at)
            or (self.when and not self.when(seen))
        ):
            return False
        self.fitting += 1
        if (self.nth is not None and self.fitting not in self.nth) or (
            self.every and self.fitting % self.every
        ):
            return False
        self.met += 1
        if self.times is not None:
            self.times -= 1
        return True


class Faults:
    """The rules in order; the first one that meets a request decides."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []

    def add(self, fault: str, *, at: int | Collection[int] | None = None, **more: object) -> Rule:
        assert fault in REPLIES or fault in BREAKS, fault
        where = {at} if isinstance(at, int) else at
        rule = Rule(fault, at=where, **more)  # type: ignore[arg-type]
        if at is not None and "times" not in more:
            rule.times = None
        self.rules.append(rule)
        return rule

    def of(self, seen: Seen) -> Rule | None:
        return next((rule for rule in self.rules if rule.meets(seen)), None)


Quiet = Callable[[datetime, str | None], None]
"""Nothing may be asked before the moment, by the token or (None) by anybody."""


def replied(rule: Rule, seen: Seen, true: Reply, quiet: Quiet) -> Reply:
    return REPLIES[rule.fault](rule, seen, true, quiet)


def _secondary(rule: Rule, seen: Seen, _true: Reply, quiet: Quiet) -> Reply:
    quiet(seen.at + timedelta(seconds=rule.seconds), None)
    return told(403, SECONDARY, retry_after=str(rule.seconds))


def _secondary_dated(rule: Rule, seen: Seen, _true: Reply, quiet: Quiet) -> Reply:
    until = seen.at.replace(microsecond=0) + timedelta(seconds=rule.seconds)
    quiet(until, None)
    return told(429, SECONDARY, retry_after=format_datetime(until, usegmt=True))


def _secondary_bare(_rule: Rule, seen: Seen, _true: Reply, quiet: Quiet) -> Reply:
    quiet(seen.at + timedelta(minutes=1), None)
    return told(403, SECONDARY, x_ratelimit_remaining="4000")


def _bare_429(_rule: Rule, seen: Seen, _true: Reply, quiet: Quiet) -> Reply:
    quiet(seen.at + timedelta(minutes=1), None)
    return Reply(429, b"", {})


def _primary(rule: Rule, seen: Seen, _true: Reply, quiet: Quiet) -> Reply:
    until = seen.at.replace(microsecond=0) + timedelta(seconds=rule.seconds)
    quiet(until, seen.token + resource_of(seen))
    reset = str(int(until.timestamp()))
    return told(403, PRIMARY, x_ratelimit_limit="5000", x_ratelimit_remaining="0", x_ratelimit_reset=reset)


def _graphql_limit(_rule: Rule, seen: Seen, _true: Reply, quiet: Quiet) -> Reply:
    quiet(seen.at + timedelta(minutes=1), None)
    return in_json({"data": None, "errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]})


def _busy(rule: Rule, seen: Seen, _true: Reply, quiet: Quiet) -> Reply:
    quiet(seen.at + timedelta(seconds=rule.seconds), None)
    return Reply(503, HTML, {"Content-Type": "text/html", "Retry-After": str(rule.seconds)})


def _empty_page(_rule: Rule, seen: Seen, true: Reply, _quiet: Quiet) -> Reply:
    """No record, and a link to the page that follows. Where there is none, to a page behind the last one."""
    link = true.headers.get("Link", "")
    if 'rel="next"' not in link:
        base = f"http://{seen.headers['host']}{seen.path}"
        query = {**seen.query, "page": str(int(seen.query.get("page", "1")) + 1)}
        link = f'<{base}?{urlencode(query)}>; rel="next"'
    return Reply(200, b"[]", true.headers | {"Link": link})


def _unlinked(_rule: Rule, _seen: Seen, true: Reply, _quiet: Quiet) -> Reply:
    return replace(true, headers={name: value for name, value in true.headers.items() if name != "Link"})


def _elsewhere(_rule: Rule, seen: Seen, true: Reply, _quiet: Quiet) -> Reply:
    parts = urlsplit(f"https://evil.example.org{seen.path}")
    query = urlencode(parse_qsl(parts.query))
    return replace(true, headers=true.headers | {"Link": f'<{parts.geturl()}?{query}>; rel="next"'})


def _circle(_rule: Rule, seen: Seen, true: Reply, _quiet: Quiet) -> Reply:
    """The second page names the first one as its next, and so on for ever."""
    base = f"http://{seen.headers['host']}{seen.path}"
    other = "1" if seen.query.get("page", "1") == "2" else "2"
    query = urlencode({**seen.query, "page": other})
    return replace(true, headers=true.headers | {"Link": f'<{base}?{query}>; rel="next"'})


def _huge(key: str) -> Callable[[Rule, Seen, Reply, Quiet], Reply]:
    """Each record has a number of fifty digits under this key."""

    def reply(_rule: Rule, _seen: Seen, true: Reply, _quiet: Quiet) -> Reply:
        return in_json([{**record, key: int("9" * 50)} for record in json.loads(true.body)])

    return reply


def _without_times(found: Any) -> Any:
    """A list, or the record itself, whose times are null."""
    if isinstance(found, list):
        return [_without_times(record) for record in found]
    return {**found, "created_at": None, "full_name": None, "total_count": None}


def _of(status: int) -> Callable[..., Reply]:
    return lambda *_: Reply(status, HTML, {"Content-Type": "text/html"})


REPLIES: dict[str, Callable[[Rule, Seen, Reply, Quiet], Reply]] = {
    "secondary": _secondary,
    "secondary_dated": _secondary_dated,
    "secondary_bare": _secondary_bare,
    "429_bare": _bare_429,
    "primary": _primary,
    "busy": _busy,
    **{str(status): _of(status) for status in (500, 502, 503, 504)},
    "cut_json": lambda _rule, _seen, true, _quiet: replace(true, body=true.body[: len(true.body) * 2 // 3]),
    "html": lambda *_: Reply(200, HTML, {"Content-Type": "text/html"}),
    "html_403": lambda *_: Reply(403, HTML, {"Content-Type": "text/html"}),
    "empty": lambda *_: Reply(200, b"", {"Content-Type": "application/json"}),
    "null": lambda *_: in_json(None),
    "object": lambda *_: in_json({"message": "Server Error"}),
    "texts": lambda *_: in_json(["a", "b"]),
    "unnumbered": lambda _rule, _seen, true, _quiet: in_json(_without_times(json.loads(true.body))),
    "deep": lambda *_: Reply(200, b"[" * 100_000, {}),
    "empty_page": _empty_page,
    "unlinked": _unlinked,
    "link_elsewhere": _elsewhere,
    "circle": _circle,
    "huge_id": _huge("id"),
    "huge_number": _huge("number"),
    "401": lambda *_: told(401, "Bad credentials"),
    "no_rights": lambda *_: told(403, "Resource not accessible by personal access token", x_ratelimit_remaining="4990"),
    "404": lambda *_: told(404, "Not Found"),
    "410": lambda *_: told(410, "Issues are disabled for this repo"),
    "451": lambda *_: told(451, "Repository access blocked"),
    "422": lambda *_: told(422, "Validation Failed"),
    "redirect_elsewhere": lambda *_: told(302, "", Location="https://evil.example.org/"),
    "moved_elsewhere": lambda *_: told(301, "", Location="https://evil.example.org/"),
    "graphql_error": lambda *_: in_json({"data": None, "errors": [{"message": "Something went wrong while executing your query."}]}),
    "graphql_limit": _graphql_limit,
    "incomplete": lambda _rule, _seen, true, _quiet: in_json(json.loads(true.body) | {"incomplete_results": True, "total_count": 1}),
}  # fmt: skip


def _reset(handler: BaseHTTPRequestHandler, _true: Reply, _patience: float) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _truncated(handler: BaseHTTPRequestHandler, true: Reply, _patience: float) -> None:
    """Says how long the body is, and sends half of it."""
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(true.body)}\r\n\r\n".encode()
    handler.wfile.write(head + true.body[: len(true.body) // 2])


def _hang(_handler: BaseHTTPRequestHandler, _true: Reply, patience: float) -> None:
    time.sleep(patience)


def _drip(handler: BaseHTTPRequestHandler, true: Reply, patience: float) -> None:
    handler.wfile.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(true.body)}\r\n\r\n".encode())
    end = time.monotonic() + patience
    for at in range(len(true.body)):
        if time.monotonic() > end:
            return
        handler.wfile.write(true.body[at : at + 1])
        handler.wfile.flush()
        time.sleep(0.02)


BREAKS: dict[str, Callable[[BaseHTTPRequestHandler, Reply, float], None]] = {
    "reset": _reset,
    "truncated": _truncated,
    "hang": _hang,
    "drip": _drip,
}
"""These break the connection. `patience` is the time, in real seconds, for which a hang or a drip goes on."""
