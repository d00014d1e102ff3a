"""Requests as they came, and answers before they are sent."""

import base64
import bisect
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode


@dataclass(frozen=True)
class Seen:
    """One request. `nr` counts from 1; `at` is the server's time; `kind` is issues, comments, pulls, issue, comments_of (one
    issue), repository, count or graphql.
    """

    nr: int
    at: datetime
    method: str
    path: str
    query: Mapping[str, str]
    forge: str
    kind: str
    token: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass
class Reply:
    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


def in_json(found: Any, status: int = 200, **headers: str) -> Reply:
    body = json.dumps(found, ensure_ascii=False).encode("utf-8", "surrogatepass")
    kind = {"Content-Type": "application/json; charset=utf-8"}
    return Reply(status, body, kind | {name.replace("_", "-"): value for name, value in headers.items()})


def told(status: int, message: str, **headers: str) -> Reply:
    return in_json(
        {"message": message, "documentation_url": "https://docs.github.com/rest"}, status, **headers
    )


def with_etag(reply: Reply, seen: Seen) -> Reply:
    """The reply, or 304 if the client has it."""
    tag = f'W/"{hashlib.sha256(reply.body).hexdigest()}"'
    if seen.headers.get("if-none-match") == tag:
        return Reply(304, b"", {"ETag": tag})
    reply.headers["ETag"] = tag
    return reply


@dataclass(frozen=True)
class Slice:
    """One page of a list. `after` is the cursor of the next page, "" after the last one."""

    items: Sequence[Any]
    number: int
    pages: int
    total: int
    after: str


def sliced(items: Sequence[Any], query: Mapping[str, str]) -> Slice:
    """The page that `query` asks for, by cursor or by number, of rows in order of creation or the other way round."""
    size = min(int(query.get("per_page", "30")), 100)
    number = int(query.get("page", "1"))
    if "after" in query:
        begin = bisect.bisect_right(
            items, tuple(json.loads(base64.urlsafe_b64decode(query["after"]))), key=_place
        )
    else:
        begin = (number - 1) * size
    page = items[begin : begin + size]
    after = (
        base64.urlsafe_b64encode(json.dumps(_place(page[-1])).encode()).decode()
        if page and begin + size < len(items)
        else ""
    )
    return Slice(page, number, -(-len(items) // size), len(items), after)


def _place(row: Any) -> tuple[str, int]:
    return (row.created_at.isoformat(), row.id)


def address(seen: Seen, base: str, **changed: str) -> str:
    """The address of the request with other parameters; "" takes one out."""
    query = {**seen.query, **changed}
    return f"{base}{seen.path}?{urlencode({name: value for name, value in query.items() if value})}"


def links(**relations: str) -> str:
    return ", ".join(f'<{to}>; rel="{name}"' for name, to in relations.items() if to)


def resource_of(seen: Seen) -> str:
    """The limit of GitHub under which a request falls."""
    return {"count": "search", "graphql": "graphql"}.get(seen.kind, "core")
