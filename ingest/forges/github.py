"""GitHub, and GitHub Enterprise Server (base https://host/api/v3).

Source: docs.github.com/en/rest, as read in 2026: issues/issues, issues/comments, search, using-pagination,
rate-limits. The list of issues holds the pull requests.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar
from urllib.parse import quote, urlsplit, urlunsplit

from core.fetch.answers import Answer, Secrets
from ingest.addresses import Address
from ingest.forges import graphql, singly
from ingest.forges.dialects import (
    MOST_NUMBER,
    Asking,
    Dialect,
    Misread,
    Request,
    is_whole,
    needs,
    parsed,
    said,
)
from ingest.forges.pages import Count, Kind, Record, Resolved, Window
from ingest.forges.tokens import Token

_SEARCHES = 3
"""How often a count is asked for that says it is not complete."""


class GitHub(Dialect):
    name = "github"
    default_base = "https://api.github.com"
    default_host = "github.com"
    pace = 0.0
    accept: ClassVar = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
    fields: ClassVar = {
        "url": "html_url", "number": "number", "title": "title", "body": "body", "author": "user.login",
        "author_association": "author_association", "labels": "labels", "state": "state",
        "state_reason": "state_reason", "created_at": "created_at", "closed_at": "closed_at",
        "updated_at": "updated_at", "comments": "comments", "is_pull_request": "pull_request",
    }  # fmt: skip

    @property
    def graphql_url(self) -> str:
        """Beside the REST interface: https://api.github.com/graphql, https://host/api/graphql."""
        parts = urlsplit(self.base)
        return urlunsplit(parts._replace(path=parts.path.removesuffix("/v3") + "/graphql"))

    def secrets(self, token: Token) -> Secrets:
        return Secrets(bearer=token.secret)

    def issues_url(self, path: str, since: datetime | None = None, per_page: int = 100) -> str:
        order = {"state": "all", "sort": "created", "direction": "asc", "per_page": str(per_page)}
        return self._list(path, "issues", **order, **({"since": said(since)} if since else {}))

    def pulls_url(self, path: str, since: datetime | None = None, per_page: int = 100) -> str:  # noqa: ARG002 - Gitee
        return ""

    def comments_url(self, path: str, since: datetime | None = None, per_page: int = 100) -> str:
        order = {"sort": "created", "direction": "asc", "per_page": str(per_page)}
        return self._list(path, "issues/comments", **order, **({"since": said(since)} if since else {}))

    def issue_url(self, address: Address) -> str:
        return f"{self.repository_url(address.path)}/issues/{address.number}"

    def check(self, kind: Kind, record: Mapping[str, Any]) -> None:
        if kind == "comments":
            needs(record, ["issue_url"])
            if not _NUMBER_IN_URL.search(record["issue_url"]):
                raise Misread("a comment names no issue")
            return
        needs(record, ["html_url"])
        if not is_whole(record.get("number"), 1, MOST_NUMBER):
            raise Misread("a record has no number")

    def number(self, record: Record) -> str:
        return str(record["number"])

    def is_pull_request(self, record: Record) -> bool:
        return bool(record.get("pull_request"))

    def number_of_comment(self, record: Record) -> str:
        found = _NUMBER_IN_URL.search(record["issue_url"])
        return found[1] if found else ""

    def count(self, client: Asking, path: str, window: Window) -> Count:
        """By the search, which counts issues and pull requests apart, each in one request."""
        issues, all_issues = self._counted(client, path, "issue", window)
        pulls, all_pulls = self._counted(client, path, "pull-request", window)
        return Count(issues, pulls, complete=all_issues and all_pulls)

    def _counted(self, client: Asking, path: str, kind: str, window: Window) -> tuple[int, bool]:
        # Both ends of a range belong to it.
        span = f"{said(window.start)}..{said(window.end - timedelta(seconds=1))}"
        query = quote(f"repo:{path} is:{kind} created:{span}", safe=":/")
        url = f"{self.base}/search/issues?q={query}&per_page=1"
        tries = 0

        def read(answer: Answer) -> tuple[int, bool]:
            nonlocal tries
            tries += 1
            found = parsed(answer)
            total = found.get("total_count") if isinstance(found, dict) else None
            if isinstance(total, bool) or not isinstance(total, int):
                raise Misread("the answer has no total_count")
            complete = found.get("incomplete_results") is False
            if not complete and tries < _SEARCHES:
                raise Misread("the count is not complete")
            return total, complete

        return client.ask(Request("count", url, "search"), read)

    def resolve(self, client: Asking, addresses: Sequence[Address]) -> Mapping[Address, Resolved]:
        """By GraphQL, fifty addresses a request. What that does not find (transferred, deleted) and, without
        a token, everything, is asked for singly.
        """
        found = graphql.resolved(client, self, addresses) if client.has_tokens else {}
        singles = [address for address in addresses if address not in found]
        return {**found, **singly.resolved(client, self, singles)}


_NUMBER_IN_URL = re.compile(r"/(?:issues|pulls?)/([1-9][0-9]*)$")
