"""Asks one forge: changes tokens, waits when the forge says so, and asks again what may come right."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar
from urllib.parse import urljoin

from core.fetch.answers import FINAL, Answer, FetchFailed, Fetching
from ingest.addresses import Address
from ingest.forges import limits
from ingest.forges.dialects import Dialect, Limited, Misread, Request
from ingest.forges.pages import (
    Count,
    Kind,
    Moved,
    Page,
    PageMissing,
    Paused,
    RepositoryFacts,
    RepositoryGone,
    Resolved,
    Window,
)
from ingest.forges.tokens import Ring, Token, Turn

T = TypeVar("T")

_FOLLOWED = frozenset({302, 307})
_MOVED = {301, 308}
_GONE = {404, 410, 451}
_AGAIN = {408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529}
_MOST_MOVES = 3


@dataclass(frozen=True, slots=True)
class Patience:
    """How often is asked again.

    `faults`: after so many a page is missing; waits double from one second to `longest`. `limits`: after so
    many rate limits in a row the run pauses. `doubts`: how often a page is asked for again that may be right,
    such as an empty one before the last. `empties`: empty pages in a row that are followed.
    """

    faults: int = 6
    longest: float = 60.0
    limits: int = 10
    doubts: int = 2
    empties: int = 20


DEFAULT_PATIENCE = Patience()


@dataclass(slots=True)
class _Trying:
    """What happened to one request so far. `limits`: rate limits of each token, and of all of them (None);
    `denied`: names of tokens that may not see this.
    """

    request: Request
    faults: int = 0
    limits: Counter[Turn | None] = field(default_factory=Counter)
    denied: set[str] = field(default_factory=set)


class ForgeClient:
    """See ingest.forges.pages.Client. For one thread at a time; one client per run.

    `clock` tells the present moment in UTC, `sleep` waits for seconds; it may raise, which ends a wait for
    good. `budget` are the seconds that this run may take: a wait beyond them raises Paused instead. Others
    may ask the same forge: `told` is called with the moment until which it wants to be left alone, and
    `quiet` says until when it asked one of them for that.
    """

    def __init__(
        self,
        forge: Dialect,
        fetcher: Fetching,
        tokens: Sequence[Token] = (),
        *,
        clock: Callable[[], datetime],
        sleep: Callable[[float], None],
        budget: float | None = None,
        pace: float | None = None,
        patience: Patience = DEFAULT_PATIENCE,
        quiet: Callable[[], datetime | None] | None = None,
        told: Callable[[datetime], None] | None = None,
    ) -> None:
        self.forge = forge
        self.ring = Ring(tokens)
        self.asked: Counter[str] = Counter()
        self.waited = 0.0
        self._fetcher = fetcher
        self._clock = clock
        self._sleep = sleep
        self._end = None if budget is None else clock() + timedelta(seconds=budget)
        self._pace = forge.pace if pace is None else pace
        self._patience = patience
        self._quiet = quiet or (lambda: None)
        self._told = told or (lambda _until: None)
        self._last: datetime | None = None
        self._empties = 0

    @property
    def has_tokens(self) -> bool:
        return self.ring.turns[0].token is not None

    def page(self, kind: Kind, url: str, etag: str | None = None) -> Page | None:
        url = self.forge.bare(url)
        doubts = 0

        def read(answer: Answer) -> Page | None:
            nonlocal doubts
            if answer.status == 304:
                return None
            records = self.forge.records(kind, answer)
            following, doubt = self.forge.following(url, answer, len(records))
            if doubt and doubts < self._patience.doubts:
                doubts += 1
                raise Misread(doubt)
            return Page(
                kind=kind,
                url=url,
                status=answer.status,
                etag=answer.header("etag"),
                sha256=hashlib.sha256(answer.body).hexdigest(),
                records=records,
                next=following,
                total=self.forge.total(answer),
                raw=answer.body,
            )

        try:
            page = self.ask(Request(kind, url, etag=etag or ""), read)
        except Moved as moved:
            raise self._named(moved) from None
        if page:
            self._empties = 0 if page.records or not page.next else self._empties + 1
            if self._empties > self._patience.empties:
                raise PageMissing(url, f"{self._empties} empty pages in a row")
        return page

    def count(self, path: str, window: Window) -> Count:
        return self.forge.count(self, path, window)

    def resolve(self, addresses: Sequence[Address]) -> Mapping[Address, Resolved]:
        return self.forge.resolve(self, list(dict.fromkeys(addresses)))

    def repository(self, path: str) -> RepositoryFacts:
        return self._repository(self.forge.repository_url(path))

    def _repository(self, url: str) -> RepositoryFacts:
        for _ in range(_MOST_MOVES):
            try:
                return self.ask(Request("repository", url), self.forge.facts)
            except Moved as moved:
                url = moved.to_url
        raise PageMissing(url, "moved again and again")

    def _named(self, moved: Moved) -> Moved:
        """The same with the new path, which is asked for if the address names the repository by a number."""
        if moved.to_path:
            return moved
        repository = self.forge.repository_in(moved.to_url)
        try:
            return Moved(self._repository(repository).path if repository else "", moved.to_url)
        except (PageMissing, RepositoryGone):
            return moved

    def ask(self, request: Request, read: Callable[[Answer], T]) -> T:
        """What `read` makes of the answer; it raises Misread for one that cannot be right, which is asked for
        again. Raises what pages.Client says; Moved has the path only if the address says it.
        """
        if not self.forge.is_own(request.url):
            raise PageMissing(request.url, "an address on another host")
        trying = _Trying(request)
        while True:
            turn = self._turn(request, trying.denied)
            try:
                answer = self._fetch(request, turn)
                if self._is_taken(answer, turn, trying):
                    return read(self._judged(answer, request))
            except FetchFailed as failed:
                if failed.cause in FINAL:
                    raise PageMissing(request.url, failed.detail) from None
                self._again(trying, failed.detail)
            except Misread as misread:
                self._again(trying, str(misread))
            except Limited:
                # GraphQL says by an error in a good answer what REST says by its status.
                self._is_taken(replace(answer, status=429), turn, trying)

    def _again(self, trying: _Trying, cause: str) -> None:
        """Wait for the next try. Raises PageMissing after the last one, Paused at the end of the budget."""
        trying.faults += 1
        if trying.faults >= self._patience.faults:
            raise PageMissing(trying.request.url, cause) from None
        self._wait(min(2.0 ** (trying.faults - 1), self._patience.longest), "budget")

    def _is_taken(self, answer: Answer, turn: Turn, trying: _Trying) -> bool:
        """False for an answer that is none to the question, but one to this token or to the rate of requests:
        the question is asked again.
        """
        now = self._clock()
        wait = limits.wait_of(answer, now, trying.limits[None] + trying.limits[turn])
        if wait is None:
            self._learn(answer, turn, trying.request)
            return not self._is_denied(answer, turn, trying)
        until = now + timedelta(seconds=wait.seconds)
        if wait.is_of_token:
            turn.rests[trying.request.resource] = until
        else:
            self.ring.rest_all(until)
        whose = turn if wait.is_of_token else None
        trying.limits[whose] += 1
        if trying.limits[whose] >= self._patience.limits:
            self._told(until)
            raise Paused(until, "rate_limit") from None
        return False

    def _turn(self, request: Request, denied: set[str]) -> Turn:
        """The token whose turn it is, after the wait for it. Raises Paused or TokenRefused."""
        until = self._quiet()
        if until:
            self.ring.rest_all(until)
        turn, ready = self.ring.next(request.resource, denied)
        now = self._clock()
        if ready > now:
            self._wait((ready - now).total_seconds(), "rate_limit")
        elif self._last is not None and self._pace:
            self._wait(self._pace - (now - self._last).total_seconds(), "budget")
        if self._end is not None and self._clock() >= self._end:
            raise Paused(self._clock(), "budget")
        return turn

    def _fetch(self, request: Request, turn: Turn) -> Answer:
        self.asked[request.kind] += 1
        self._last = self._clock()
        headers = dict(self.forge.accept)
        secrets = self.forge.secrets(turn.token) if turn.token else None
        if request.content:
            headers["Content-Type"] = "application/json"
            return self._fetcher.post(request.url, request.content, headers=headers, secrets=secrets)
        if request.etag:
            headers["If-None-Match"] = request.etag
        return self._fetcher.get(request.url, headers=headers, secrets=secrets, follow=_FOLLOWED)

    def _learn(self, answer: Answer, turn: Turn, request: Request) -> None:
        """A token that says with a good answer that nothing is left rests before it is refused."""
        left = limits.remaining(answer)
        if left is not None:
            turn.remaining[request.resource] = left
        until = limits.used_up(answer, self._clock())
        if until:
            turn.rests[request.resource] = until

    def _is_denied(self, answer: Answer, turn: Turn, trying: _Trying) -> bool:
        """Is the answer a refusal of this token, and another one can be tried? Raises TokenRefused if all are
        refused, RepositoryGone if none has the right.
        """
        if answer.status == 401:
            turn.is_refused = True
            self.ring.next(trying.request.resource)
        elif answer.status == 403 and limits.is_own(answer):
            trying.denied.add(turn.name)
        else:
            return False
        if not self.ring.is_useful(trying.denied):
            raise RepositoryGone(403, trying.request.url)
        return True

    def _judged(self, answer: Answer, request: Request) -> Answer:
        """The answer if there is something to read in it. Raises Misread and what a status means."""
        status = answer.status
        if status == 200 or (status == 304 and request.etag):
            return answer
        if status in _MOVED:
            to = self.forge.bare(urljoin(request.url, answer.header("location")))
            if not answer.header("location") or not self.forge.is_own(to) or to == request.url:
                raise PageMissing(request.url, "redirected to another host")
            raise Moved(self.forge.path_of(to), to)
        if status in _GONE:
            raise RepositoryGone(status, request.url)
        if status in _AGAIN or status < 400 or status == 403:
            raise Misread(f"status {status}")
        said = limits.message_of(answer)
        raise PageMissing(request.url, f"status {status}" + (f": {said}" if said else ""))

    def _wait(self, seconds: float, why: str) -> None:
        if seconds <= 0:
            return
        until = self._clock() + timedelta(seconds=seconds)
        if why == "rate_limit":
            self._told(until)
        if self._end is not None and until > self._end:
            raise Paused(until, why)
        self._sleep(seconds)
        self.waited += seconds
