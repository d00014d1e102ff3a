"""The server itself: listens, remembers what was asked and when, and answers as told."""

import contextlib
import sys
import threading
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from tests.forges import gitee_side, github_side
from tests.forges.clock import Clock
from tests.forges.faults import BREAKS, Faults, replied
from tests.forges.gitee_side import GiteeSide
from tests.forges.github_side import GitHubSide
from tests.forges.replies import Reply, Seen, in_json, resource_of
from tests.forges.world import START, Repository, filled


class ForgeServer:
    """Serves within a `with` block. `seen` are all requests; `violations` those that came when they had been told to wait.

    `tokens`: those that are known, None for any; `hourly`: requests that each token has an hour, 0 for no limit.
    """

    def __init__(self, clock: Clock | None = None, *, patience: float = 0.6) -> None:
        self.clock = clock or Clock()
        self.faults = Faults()
        self.seen: list[Seen] = []
        self.violations: list[Seen] = []
        self.errors: list[BaseException] = []
        self.repositories: dict[str, Repository] = {}
        self.tokens: set[str] | None = None
        self.hourly = 0
        self._patience = patience
        self._lock = threading.RLock()
        self._quiet: dict[str | None, datetime] = {}
        self._used: dict[tuple[str, datetime], int] = Counter()
        self._before: list[tuple[Callable[[Seen], bool], Callable[[], Any]]] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.forge = self
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.url = f"http://{self.host}"
        self.github_base = f"{self.url}{github_side.BASE}"
        self.gitee_base = f"{self.url}{gitee_side.BASE}"
        self.github_side = GitHubSide(self.url, self.repositories)
        self.gitee_side = GiteeSide(self.url, self.repositories)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.004,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join(5)
        self._server.close_connections()
        self._server.server_close()
        if self.errors:
            raise self.errors[0]

    # What is there

    def github(self, path: str, **how: Any) -> Repository:
        """A repository on GitHub; see `add`."""
        return self.add("github", path, **how)

    def gitee(self, path: str, **how: Any) -> Repository:
        return self.add("gitee", path, **how)

    def add(
        self,
        forge: str,
        path: str,
        *,
        issues: int = 0,
        comments: int = 2,
        pulls_every: int = 4,
        start: datetime = START,
        step: timedelta = timedelta(hours=7),
    ) -> Repository:
        number = 1000 + len(self.repositories)
        repository = filled(
            forge,
            path,
            number,
            self.clock,
            issues=issues,
            comments=comments,
            pulls_every=pulls_every,
            start=start,
            step=step,
        )
        self.repositories[f"{forge}:{path}".lower()] = repository
        self._sides()
        return repository

    def _sides(self) -> None:
        for name, side in (("github", self.github_side), ("gitee", self.gitee_side)):
            side._repositories = {key: one for key, one in self.repositories.items() if one.forge == name}

    def rename(self, repository: Repository, path: str) -> None:
        """The old path redirects from now on, as on the forges."""
        repository.was.add(repository.path.lower())
        repository.path = path

    def before(self, which: int | Callable[[Seen], bool], act: Callable[[], Any]) -> None:
        """Do something when a request comes in, once: the one of a number, or the first that fits."""
        number = which
        fits = (lambda seen: seen.nr == number) if isinstance(number, int) else number
        self._before.append((fits, act))

    # What was asked

    @property
    def asked(self) -> Counter[str]:
        """Requests by kind."""
        return Counter(seen.kind for seen in self.seen)

    def forget(self) -> None:
        """Begin to count anew."""
        self.seen.clear()
        self.violations.clear()

    # How it answers

    def _answer(self, seen: Seen) -> tuple[Reply, str]:
        """The answer, and the way in which the connection breaks, "" if it does not."""
        for entry in [entry for entry in self._before if entry[0](seen)]:
            self._before.remove(entry)
            entry[1]()
        silent = (None, seen.token, seen.token + resource_of(seen))
        if any(seen.at < self._quiet.get(whose, seen.at) for whose in silent):
            self.violations.append(seen)
        true = self._true(seen)
        rule = self.faults.of(seen)
        if rule is None:
            return true, ""
        return (true, rule.fault) if rule.fault in BREAKS else (replied(rule, seen, true, self._be_quiet), "")

    def _true(self, seen: Seen) -> Reply:
        if self.tokens is not None and seen.token not in self.tokens:
            return in_json({"message": "Bad credentials"}, 401)
        limits = self._limit(seen)
        if limits.get("X-RateLimit-Remaining") == "-1":
            return in_json(
                {"message": "API rate limit exceeded"}, 403, **limits | {"X-RateLimit-Remaining": "0"}
            )
        reply = (self.github_side if seen.forge == "github" else self.gitee_side).reply(seen)
        reply.headers |= limits
        return reply

    def _limit(self, seen: Seen) -> dict[str, str]:
        """The headers of GitHub's primary limit: full hours of this server's time, per token and resource."""
        if not self.hourly or seen.forge != "github":
            return {}
        resource = resource_of(seen)
        hour = seen.at.replace(minute=0, second=0, microsecond=0)
        reset = hour + timedelta(hours=1)
        self._used[seen.token + resource, hour] += 1
        left = self.hourly - self._used[seen.token + resource, hour]
        if left <= 0:
            self._be_quiet(reset, seen.token + resource)
        return {
            "X-RateLimit-Limit": str(self.hourly),
            "X-RateLimit-Remaining": str(max(left, -1)),
            "X-RateLimit-Reset": str(int(reset.timestamp())),
            "X-RateLimit-Resource": resource,
        }

    def _be_quiet(self, until: datetime, whose: str | None) -> None:
        self._quiet[whose] = max(until, self._quiet.get(whose, until))

    def handle(self, handler: "_Handler", method: str) -> None:
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length)
        parts = urlsplit(handler.path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        is_gitee = parts.path.startswith(gitee_side.BASE)
        token = (
            query.pop("access_token", "")
            if is_gitee
            else headers.get("authorization", "").removeprefix("Bearer ")
        )
        kind = (gitee_side if is_gitee else github_side).kind_of(parts.path)
        with self._lock:
            seen = Seen(
                len(self.seen) + 1, self.clock.now(), method, parts.path, query, "gitee" if is_gitee else "github",
                kind, token, headers, body,
            )  # fmt: skip
            self.seen.append(seen)
            reply, breaks = self._answer(seen)
        if breaks:
            handler.close_connection = True
            with contextlib.suppress(OSError):
                BREAKS[breaks](handler, reply, self._patience)
            return
        handler.send_response_only(reply.status)
        sent = {"Date": format_datetime(seen.at, usegmt=True), "Server": "github.com", **reply.headers}
        if reply.status != 304:
            sent["Content-Length"] = str(len(reply.body))
        for name, value in sent.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(reply.body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    forge: ForgeServer

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._open: set[Any] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def close_connections(self) -> None:
        """End the threads that wait on kept connections."""
        for request in list(self._open):
            with contextlib.suppress(OSError):
                request.shutdown(2)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of the server; any other is raised when the block ends."""
        error = sys.exception()
        if error and not isinstance(error, ConnectionError | TimeoutError):
            self.forge.errors.append(error)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def do_GET(self) -> None:
        self.server.forge.handle(self, "GET")

    def do_POST(self) -> None:
        self.server.forge.handle(self, "POST")

    def log_message(self, *_: Any) -> None:
        pass
