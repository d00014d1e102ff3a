"""What a forge answers, what can go wrong, and the contract between forges and the walk over their pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from ingest.addresses import Address
from ingest.readers import Draft

Kind = Literal["issues", "comments", "pulls"]
Record = Mapping[str, Any]
"""One issue, pull request or comment as its forge spells it; the keys that `Forge` reads are checked."""


@dataclass(frozen=True, slots=True)
class Page:
    """One answer of a forge.

    `url` is the request's, `next` the forge's own address of the page that follows ("" after the last one);
    both without secrets, so both can be stored and asked again. `etag` may be given back to `page`.
    `sha256` is that of `raw`, the decoded body. `total` is the forge's own number of records in the
    whole list, None if the answer does not say it. `records` may be empty although `next` is not.
    """

    kind: Kind
    url: str
    status: int
    etag: str
    sha256: str
    records: Sequence[Record]
    next: str
    total: int | None
    raw: bytes


EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
"""Before every forge: the start of a window that has none."""


@dataclass(frozen=True, slots=True)
class Window:
    """The moments from `start` up to, but without, `end`; both with a time zone, in whole seconds."""

    start: datetime
    end: datetime

    def __contains__(self, moment: datetime) -> bool:
        return self.start <= moment < self.end


@dataclass(frozen=True, slots=True)
class Count:
    """The forge's own numbers of what was created in a window. `pulls` is None if the forge does not say it.
    `complete`: the forge says that it counted all of them.
    """

    issues: int
    pulls: int | None
    complete: bool = True


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """A repository as its forge names it now. `path` is the current one, which differs after a move."""

    path: str
    is_private: bool
    has_issues: bool
    open_issues: int | None
    raw: Record


Outcome = Literal["issue", "pull_request", "transferred", "gone"]


@dataclass(frozen=True, slots=True)
class Resolved:
    """What one address is. `record` fits `Forge.draft` and is None if `outcome` is "gone". `url` is the page
    that the forge names: after a transfer it is in another repository.
    """

    address: Address
    outcome: Outcome
    url: str
    record: Record | None


class ForgeError(Exception):
    """Something that a forge answered, or did not answer. No text of it holds a token."""


class Paused(ForgeError):
    """Nothing more can be asked before `until`, in UTC. `why`: "rate_limit", "tokens" (all of them rest) or
    "budget" (the time of this run is used up).
    """

    def __init__(self, until: datetime, why: str) -> None:
        super().__init__(f"{why}: nothing is asked before {until.isoformat(timespec='seconds')}")
        self.until = until
        self.why = why


class PageMissing(ForgeError):
    """A page could not be had after the last retry. `cause` is a short English text, such as "status 502"."""

    def __init__(self, url: str, cause: str) -> None:
        super().__init__(f"{url}: {cause}")
        self.url = url
        self.cause = cause


class RepositoryGone(ForgeError):
    """The forge has no such list for this token: 404, 410 (deleted or switched off), 451 (blocked), or a 403
    that is no rate limit (no rights).
    """

    def __init__(self, status: int, url: str) -> None:
        super().__init__(f"{url}: status {status}")
        self.status = status
        self.url = url


class Moved(ForgeError):
    """The list has another address on the same host. `to_url` is it, without secrets; `to_path` is the
    repository's new path if the address says it, else "": GitHub redirects to `/repositories/123/issues`.
    `RepositoryFacts` of the old path then has the new one.
    """

    def __init__(self, to_path: str, to_url: str) -> None:
        super().__init__(f"moved to {to_path or to_url}")
        self.to_path = to_path
        self.to_url = to_url


class TokenRefused(ForgeError):
    """The forge refused all tokens (401). `names` are the names of the tokens, never their texts."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(f"refused by the forge: {', '.join(names) or 'a request without a token'}")
        self.names = tuple(names)


class Forge(Protocol):
    """How one forge spells its addresses and answers. Asks nothing itself; holds no secret."""

    @property
    def name(self) -> str:
        """github or gitee."""
        ...

    @property
    def base(self) -> str:
        """The address of the REST interface, such as https://api.github.com, without a slash at its end."""
        ...

    @property
    def host(self) -> str:
        """The host of the pages of issues, such as github.com: that of `Address.host`."""
        ...

    def issues_url(self, path: str, since: datetime | None = None, per_page: int = 100) -> str:
        """The first page of all issues of all states, oldest first; `since`: changed at or after that moment.

        GitHub's list has the pull requests in it, Gitee's has not.
        """
        ...

    def pulls_url(self, path: str, since: datetime | None = None, per_page: int = 100) -> str:
        """The first page of all pull requests, if the forge lists them apart; "" if `issues_url` has them."""
        ...

    def comments_url(self, path: str, since: datetime | None = None, per_page: int = 100) -> str:
        """The first page of the comments of all issues of the repository, oldest first."""
        ...

    def comments_of_url(self, path: str, number: str, per_page: int = 100) -> str:
        """The first page of the comments of one issue, oldest first."""
        ...

    def issue_url(self, address: Address) -> str:
        """One issue or pull request, by itself."""
        ...

    def id(self, record: Record) -> str:
        """The forge's own id of an issue, pull request or comment, the same as long as it exists."""
        ...

    def number(self, record: Record) -> str:
        """The number of an issue or pull request as `Address.number` spells it: 129, I6UHT3, !5."""
        ...

    def created_at(self, record: Record) -> datetime:
        """In UTC, of an issue, pull request or comment."""
        ...

    def updated_at(self, record: Record) -> datetime:
        """In UTC, of an issue, pull request or comment; the moment by which `since` filters."""
        ...

    def comment_count(self, record: Record) -> int | None:
        """The number of comments that an issue's record names; None if it names none."""
        ...

    def is_pull_request(self, record: Record) -> bool:
        """By the truth of the record's key, not by its presence."""
        ...

    def number_of_comment(self, record: Record) -> str:
        """The number, as of `number`, of the issue under which a comment is; "" if it is elsewhere.

        Gitee may name the issue by its id only: then it is `id:` and what `id` gives for the issue.
        """
        ...

    def draft(self, record: Record, comments: Sequence[Record] | None = None) -> Draft:
        """The record as an import reads it from a file, with its comments in order of time.

        `comments` None: not asked for, so the number of them is all that is known. Raises
        ingest.readers.refusals.Refused for a record that cannot be stored.
        """
        ...

    def mapping(self) -> Mapping[str, str]:
        """The fields that `draft` reads, each with its key, as `Sniffed.mapping` of a file has them."""
        ...


class Client(Protocol):
    """Asks one forge, waits when it says so, and tries again what can be tried again.

    Each method raises Paused, PageMissing, RepositoryGone, Moved or TokenRefused.
    """

    @property
    def forge(self) -> Forge: ...

    @property
    def has_tokens(self) -> bool:
        """Without a token, `resolve` asks for each address by itself."""
        ...

    @property
    def waited(self) -> float:
        """Seconds so far in which nothing was asked because of a limit, a fault or the pace."""
        ...

    @property
    def asked(self) -> Mapping[str, int]:
        """Requests so far, each try counted, by kind: one of Kind, count, repository, issue or graphql."""
        ...

    def page(self, kind: Kind, url: str, etag: str | None = None) -> Page | None:
        """The page at `url`, which is from `Forge` or a `next`; None if it has not changed since `etag`."""
        ...

    def count(self, path: str, window: Window) -> Count:
        """The forge's own numbers of issues and pull requests created in the window."""
        ...

    def repository(self, path: str) -> RepositoryFacts:
        """What the forge says about the repository; follows a move."""
        ...

    def resolve(self, addresses: Sequence[Address]) -> Mapping[Address, Resolved]:
        """What each address is, asked in as few requests as the forge allows."""
        ...
