"""What the dialects of the forges have in common: addresses without secrets, links, shapes and times."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, Protocol, TypeVar
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit, urlunsplit

from core.fetch.answers import Answer, Secrets
from ingest.addresses import Address
from ingest.forges.pages import Count, Kind, Record, RepositoryFacts, Resolved, Window
from ingest.forges.tokens import Token
from ingest.readers import Draft, Limits
from ingest.readers.fields import values_of
from ingest.readers.objects import draft

T = TypeVar("T")

MOST_ID = 2**63 - 1
MOST_NUMBER = 10**12 - 1
"""The greatest that are stored; a greater one is a fault, or meant to do harm."""


class Misread(Exception):
    """An answer that cannot be what was asked for; asking again may help. The text says what is wrong."""


class Limited(Exception):
    """An answer that says in its body, not by its status, that a rate limit is reached."""


@dataclass(frozen=True, slots=True)
class Request:
    """`kind` is what is counted, `resource` the limit of the forge that it falls under."""

    kind: str
    url: str
    resource: str = "core"
    etag: str = ""
    content: bytes = b""


class Asking(Protocol):
    """What a dialect needs of a client."""

    @property
    def has_tokens(self) -> bool: ...

    def ask(self, request: Request, read: Callable[[Answer], T]) -> T: ...


class Dialect(ABC):
    """How one forge spells its addresses and answers; see ingest.forges.pages.Forge."""

    name: ClassVar[str]
    default_base: ClassVar[str]
    default_host: ClassVar[str]
    pace: ClassVar[float]
    """Seconds from one request to the next, at least."""
    accept: ClassVar[Mapping[str, str]]
    secret_parameters: ClassVar[frozenset[str]] = frozenset({"access_token", "private_token"})
    fields: ClassVar[Mapping[str, str]]

    def __init__(self, base: str = "", host: str = "", limits: Limits | None = None) -> None:
        self.base = (base or self.default_base).rstrip("/")
        self.host = host or (self.default_host if not base else urlsplit(self.base).netloc)
        self._limits = limits or Limits()

    # Addresses

    def repository_url(self, path: str) -> str:
        return f"{self.base}/repos/{quote(path, safe='/')}"

    def _list(self, path: str, tail: str, **parameters: str) -> str:
        return f"{self.repository_url(path)}/{tail}?{urlencode(parameters, safe=':+')}"

    def path_of(self, url: str) -> str:
        """The repository's path in an address of the REST interface; "" if it has none."""
        found = re.match(r"/repos/([^/?#]+/[^/?#]+)", url.removeprefix(self.base))
        return found[1] if found and url.startswith(self.base) else ""

    def repository_in(self, url: str) -> str:
        """The address of the repository in one of its lists, where a number names it; "" if none does."""
        found = re.match(r"/repositories/[0-9]+", url.removeprefix(self.base))
        return f"{self.base}{found[0]}" if found and url.startswith(self.base) else ""

    def is_own(self, url: str) -> bool:
        """Does the address lead to this forge's REST interface?"""
        here, there = urlsplit(self.base), urlsplit(url)
        return (here.scheme, here.netloc) == (there.scheme, there.netloc)

    def bare(self, url: str) -> str:
        """The address without parameters that hold secrets, by the scheme of this forge."""
        parts = urlsplit(url)
        here = urlsplit(self.base)
        if parts.netloc == here.netloc and parts.scheme in {"http", "https"}:
            parts = parts._replace(scheme=here.scheme)
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        if any(name in self.secret_parameters for name, _ in pairs):
            kept = [(name, value) for name, value in pairs if name not in self.secret_parameters]
            parts = parts._replace(query=urlencode(kept, safe=":"))
        return urlunsplit(parts)

    @abstractmethod
    def secrets(self, token: Token) -> Secrets: ...

    # Lists

    @abstractmethod
    def issues_url(self, path: str, since: datetime | None = None, per_page: int = 100) -> str: ...

    @abstractmethod
    def pulls_url(self, path: str, since: datetime | None = None, per_page: int = 100) -> str: ...

    @abstractmethod
    def comments_url(self, path: str, since: datetime | None = None, per_page: int = 100) -> str: ...

    @abstractmethod
    def issue_url(self, address: Address) -> str: ...

    def comments_of_url(self, path: str, number: str, per_page: int = 100) -> str:
        return self._list(path, f"issues/{quote(number, safe='')}/comments", per_page=str(per_page), page="1")

    def records(self, kind: Kind, answer: Answer) -> Sequence[Record]:
        """The records of a page, each of the shape that the walk needs. Raises Misread."""
        found = parsed(answer)
        if not isinstance(found, list):
            raise Misread(f"a list was expected, not {type(found).__name__}")
        for record in found:
            if not isinstance(record, dict):
                raise Misread("a record is no object")
            self.check(kind, record)
        return found

    @abstractmethod
    def check(self, kind: Kind, record: Mapping[str, Any]) -> None:
        """Raises Misread for a record without the keys that are read here."""

    def total(self, answer: Answer) -> int | None:  # noqa: ARG002 - Gitee says it
        return None

    def following(self, url: str, answer: Answer, count: int) -> tuple[str, str]:
        """The address of the page after this one ("" after the last), and why that may be wrong ("" if not).

        Links are followed as given. Only when a full page has none at all, and is no page of a cursor, the
        number of the next page is built.
        """
        link = next_link(answer.header("link"))
        if link:
            to = self.bare(urljoin(url, link))
            if not self.is_own(to):
                raise Misread("its next page is on another host")
            if to == url:
                raise Misread("its next page is itself")
            return to, "" if count else "it is empty, but not the last"
        return self._unlinked(url, answer, count)

    def _unlinked(self, url: str, answer: Answer, count: int) -> tuple[str, str]:
        pairs = dict(parse_qsl(urlsplit(url).query))
        full = count >= int(pairs.get("per_page", "30"))
        if answer.header("link") or not full:
            return "", ""
        if {"after", "before", "cursor"} & set(pairs):
            raise Misread("it is full, and says nothing of a next page")
        return with_page(url, int(pairs.get("page", "1")) + 1), "it is full, and says nothing of a next page"

    # Records

    @abstractmethod
    def number(self, record: Record) -> str: ...

    @abstractmethod
    def is_pull_request(self, record: Record) -> bool: ...

    @abstractmethod
    def number_of_comment(self, record: Record) -> str: ...

    def id(self, record: Record) -> str:
        return str(record["id"])

    def created_at(self, record: Record) -> datetime:
        return moment(record["created_at"])

    def updated_at(self, record: Record) -> datetime:
        return moment(record["updated_at"])

    def comment_count(self, record: Record) -> int | None:
        count = record.get("comments")
        return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None

    def mapping(self) -> Mapping[str, str]:
        return self.fields

    def draft(self, record: Record, comments: Sequence[Record] | None = None) -> Draft:
        if comments is not None:
            ordered = sorted(comments, key=lambda comment: (self.created_at(comment), comment["id"]))
            record = {**record, "comments": list(ordered)}
        fields = self.fields_of(record)
        return draft(values_of(record, fields), fields, 0, limits=self._limits)

    def fields_of(self, record: Record) -> Mapping[str, str]:  # noqa: ARG002 - Gitee's records differ
        """The key of each field of a draft in this record."""
        return self.fields

    # Questions

    @abstractmethod
    def count(self, client: Asking, path: str, window: Window) -> Count: ...

    @abstractmethod
    def resolve(self, client: Asking, addresses: Sequence[Address]) -> Mapping[Address, Resolved]: ...

    def facts(self, answer: Answer) -> RepositoryFacts:
        found = parsed(answer)
        path = found.get("full_name") if isinstance(found, dict) else None
        if not isinstance(path, str) or not re.fullmatch(r"[^/\s]+(?:/[^/\s]+)+", path):
            raise Misread("it is no repository")
        opened = found.get("open_issues_count")
        return RepositoryFacts(
            path=path,
            is_private=bool(found.get("private")),
            has_issues=found.get("has_issues") is not False,
            open_issues=opened if isinstance(opened, int) else None,
            raw=found,
        )


def parsed(answer: Answer) -> Any:
    """The JSON of an answer. Raises Misread."""
    if not answer.body.strip():
        raise Misread("the answer is empty")
    try:
        return json.loads(answer.body, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        html = answer.body.lstrip()[:1] == b"<"
        raise Misread("a web page came instead of JSON" if html else "the JSON cannot be read") from None


def _no_constant(name: str) -> None:
    raise ValueError(name)


def next_link(header: str) -> str:
    """The address with rel="next" in a header Link; "" if there is none."""
    for address, rest in re.findall(
        r"<([^<>]*)>((?:\s*;\s*[\w!#$&+.^`|~-]+\s*=\s*(?:\"[^\"]*\"|[^\s;,\"]+))*)", header
    ):
        relations = re.findall(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\s;,\"]+))", rest, re.IGNORECASE)
        if any("next" in (quoted or plain).lower().split() for quoted, plain in relations):
            return str(address).strip()
    return ""


def with_page(url: str, number: int) -> str:
    parts = urlsplit(url)
    pairs = [(name, value) for name, value in parse_qsl(parts.query) if name != "page"]
    return urlunsplit(parts._replace(query=urlencode([*pairs, ("page", str(number))], safe=":+")))


def moment(value: object) -> datetime:
    """A moment in UTC. Raises Misread."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
        if found is not None and found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise Misread("a time cannot be read")


def is_whole(value: object, least: int, most: int) -> bool:
    """Is it a whole number in this range, as forges number what they have?"""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def needs(record: Mapping[str, Any], texts: Sequence[str]) -> None:
    """Raises Misread unless the record has an id, its times, and each of `texts`."""
    # What GraphQL answers has no id, and gets 0.
    if not is_whole(record.get("id"), 0, MOST_ID):
        raise Misread("a record has no id")
    moment(record.get("created_at"))
    moment(record.get("updated_at"))
    for key in texts:
        if not isinstance(record.get(key), str) or not record[key]:
            raise Misread(f"a record has no {key}")


def said(at: datetime) -> str:
    """A moment as both forges take it."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
