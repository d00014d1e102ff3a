"""Gitee (base https://gitee.com/api/v5), also a private one.

Source: gitee.com/api/v5/swagger, as read in 2026. Issues have numbers like I6UHT3 and four states; pull
requests are listed and counted apart; pages have numbers and a header total_page; limits are not documented.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from core.fetch.answers import Answer, Secrets
from ingest.addresses import Address
from ingest.forges import singly
from ingest.forges.dialects import Asking, Dialect, Misread, Request, needs, said, with_page
from ingest.forges.pages import Count, Kind, Record, Resolved, Window
from ingest.forges.tokens import Token

_ZONE = timezone(timedelta(hours=8))


class Gitee(Dialect):
    name = "gitee"
    default_base = "https://gitee.com/api/v5"
    default_host = "gitee.com"
    pace = 0.75
    accept: ClassVar = {"Accept": "application/json"}
    fields: ClassVar = {
        "url": "html_url", "number": "number", "title": "title", "body": "body", "author": "user.login",
        "labels": "labels", "state": "state", "state_reason": "issue_state", "created_at": "created_at",
        "closed_at": "finished_at", "updated_at": "updated_at", "comments": "comments",
        "is_pull_request": "pull_request",
    }  # fmt: skip

    def secrets(self, token: Token) -> Secrets:
        return Secrets(query={"access_token": token.secret})

    def issues_url(self, path: str, since: datetime | None = None, per_page: int = 100) -> str:
        return self._ordered(path, "issues", since, state="all", per_page=str(per_page))

    def pulls_url(self, path: str, since: datetime | None = None, per_page: int = 100) -> str:
        return self._ordered(path, "pulls", since, state="all", per_page=str(per_page))

    def comments_url(self, path: str, since: datetime | None = None, per_page: int = 100) -> str:
        return self._ordered(path, "issues/comments", since, per_page=str(per_page))

    def _ordered(self, path: str, tail: str, since: datetime | None, **more: str) -> str:
        order = {"sort": "created", "direction": "asc", **more, "page": "1"}
        return self._list(path, tail, **order, **({"since": said(since)} if since else {}))

    def issue_url(self, address: Address) -> str:
        word = "pulls" if address.kind == "pull_request" else "issues"
        return f"{self.repository_url(address.path)}/{word}/{address.number.removeprefix('!')}"

    def check(self, kind: Kind, record: Mapping[str, Any]) -> None:
        if kind == "comments":
            needs(record, [])
            if not isinstance(record.get("target"), dict):
                raise Misread("a comment names no issue")
            return
        needs(record, ["html_url"])
        if not _NUMBER.fullmatch(str(record.get("number", ""))):
            raise Misread("a record has no number")

    def total(self, answer: Answer) -> int | None:
        return _whole(answer.header("total_count"))

    def _unlinked(self, url: str, answer: Answer, count: int) -> tuple[str, str]:
        pages = _whole(answer.header("total_page"))
        if pages is None:
            return super()._unlinked(url, answer, count)
        page = int(dict(parse_qsl(urlsplit(url).query)).get("page", "1"))
        if page >= pages:
            return "", ""
        return with_page(url, page + 1), f"it is page {page} of {pages}, and says nothing of a next one"

    def number(self, record: Record) -> str:
        number = str(record["number"]).upper()
        return f"!{number}" if self.is_pull_request(record) else number

    def is_pull_request(self, record: Record) -> bool:
        return bool(record.get("pull_request")) or bool(_PULL_PAGE.search(record["html_url"]))

    def fields_of(self, record: Record) -> Mapping[str, str]:
        """Issues are finished, pull requests closed."""
        return {**self.fields, "closed_at": "closed_at"} if self.is_pull_request(record) else self.fields

    def number_of_comment(self, record: Record) -> str:
        """Older answers name the issue by its id alone: then `id:` and that id, as of `id`."""
        issue = record["target"].get("issue")
        if not isinstance(issue, dict):
            return ""
        number = str(issue.get("number") or "").upper()
        if _NUMBER.fullmatch(number):
            return number
        return f"id:{issue['id']}" if isinstance(issue.get("id"), int) else ""

    def count(self, client: Asking, path: str, window: Window) -> Count:
        """By the header total_count of a list of one; pull requests cannot be counted by their date."""
        first, last = (at.astimezone(_ZONE) for at in (window.start, window.end - timedelta(seconds=1)))
        span = f"{first:%Y%m%dT%H%M%S}+0800-{last:%Y%m%dT%H%M%S}+0800"
        order = urlencode({"state": "all", "created_at": span, "per_page": "1", "page": "1"})
        url = f"{self.repository_url(path)}/issues?{order}"

        def read(answer: Answer) -> int:
            self.records("issues", answer)
            total = self.total(answer)
            if total is None:
                raise Misread("the answer has no total_count")
            return total

        return Count(client.ask(Request("count", url), read), None)

    def resolve(self, client: Asking, addresses: Sequence[Address]) -> Mapping[Address, Resolved]:
        return singly.resolved(client, self, addresses)


_NUMBER = re.compile(r"[A-Za-z][A-Za-z0-9]{1,15}|[1-9][0-9]{0,11}")
_PULL_PAGE = re.compile(r"/pulls/[1-9][0-9]*$")


def _whole(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text.strip()) else None
