"""Plays the REST interface of Gitee, under /api/v5."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from tests.forges.replies import Reply, Seen, address, in_json, links, sliced, told
from tests.forges.world import Comment, Issue, Repository

BASE = "/api/v5"
_ZONE = timezone(timedelta(hours=8))
_STATES = {"open": "待办的", "progressing": "进行中", "closed": "已完成", "rejected": "已拒绝"}


def kind_of(path: str) -> str:
    tail = re.sub(r"^/api/v5/repos/[^/]+/[^/]+/?", "", path)
    names = {"": "repository", "issues": "issues", "issues/comments": "comments", "pulls": "pulls"}
    if re.fullmatch(r"issues/[^/]+/comments", tail):
        return "comments_of"
    return names.get(tail, "issue")


class GiteeSide:
    """`names_issue_by_id`: comments name their issue by its id only, as older answers do; `is_linked`: lists have a header
    Link beside total_count and total_page.
    """

    def __init__(self, base: str, repositories: Mapping[str, Repository]) -> None:
        self._base = base
        self._repositories = repositories
        self.names_issue_by_id = False
        self.is_linked = True

    def reply(self, seen: Seen) -> Reply:
        found = re.match(r"/api/v5/repos/([^/]+/[^/]+)(/.*)?$", seen.path)
        repository = self._find(found[1]) if found else None
        if found is None or repository is None:
            return told(404, "Not Found Project")
        if found[1].lower() in repository.was:
            query = address(seen, "").partition("?")[2]
            # With the token of the request in it, as a careless redirect has.
            token = f"&access_token={seen.token}" if seen.token else ""
            return told(
                301,
                "moved",
                Location=f"{self._base}{BASE}/repos/{repository.path}{found[2] or ''}?{query}{token}",
            )
        if repository.status != 200:
            return told(repository.status, "Forbidden")
        if seen.kind == "repository":
            return in_json(self._repository(repository))
        if seen.kind == "issue":
            number = (found[2] or "").rpartition("/")[2]
            number = f"!{number}" if "/pulls/" in seen.path else number
            issue = repository.issues.get(number)
            return (
                in_json(self._record(issue, repository))
                if issue and not issue.gone
                else told(404, "Not Found")
            )
        return self._inside(seen, repository)

    def _inside(self, seen: Seen, repository: Repository) -> Reply:
        if seen.kind != "comments_of":
            return self._list(seen, repository)
        number = seen.path.rpartition("/comments")[0].rpartition("/")[2]
        issue = repository.issues.get(number)
        if not issue or issue.gone:
            return told(404, "Not Found")
        return self._list(seen, repository, repository.comments_of(number))

    def _find(self, path: str) -> Repository | None:
        lower = path.lower()
        return next(
            (one for one in self._repositories.values() if lower in {one.path.lower(), *one.was}), None
        )

    def _list(self, seen: Seen, repository: Repository, rows: list[Comment] | None = None) -> Reply:
        since = datetime.fromisoformat(seen.query["since"]) if "since" in seen.query else None
        start, end = _range(seen.query.get("created_at", ""))
        state = seen.query.get("state", "open")
        found = [
            row
            for row in (repository.listed(seen.kind) if rows is None else rows)
            if (not since or row.updated_at >= since)
            and (not start or not end or start <= row.created_at < end)
            and (isinstance(row, Comment) or state in {"all", row.state})
        ]
        if rows is None and seen.query.get("direction") != "asc":
            found.reverse()
        page = sliced(found, seen.query)
        headers = {"total_count": str(page.total), "total_page": str(max(page.pages, 1))}
        reply = in_json(
            [
                self._comment(row, repository) if isinstance(row, Comment) else self._record(row, repository)
                for row in page.items
            ]
        )
        reply.headers |= headers
        if self.is_linked and page.pages > 1:
            token = {"access_token": seen.token} if seen.token else {}
            relations = {"first": 1, "last": page.pages, "prev": page.number - 1, "next": page.number + 1}
            there = {
                name: address(seen, self._base, page=str(number), **token)
                for name, number in relations.items()
                if 1 <= number <= page.pages
            }
            reply.headers["Link"] = links(**there)
        return reply

    def _repository(self, repository: Repository) -> dict[str, Any]:
        owner, _, name = repository.path.partition("/")
        return {
            "id": repository.id, "full_name": repository.path, "human_name": repository.path, "path": name, "name": name,
            "url": f"{self._base}{BASE}/repos/{repository.path}", "html_url": f"https://gitee.com/{repository.path}.git",
            "owner": _person(owner), "private": False, "public": True, "has_issues": True,
            "open_issues_count": sum(issue.state == "open" for issue in repository.truth(pulls=False).values()),
        }  # fmt: skip

    def _record(self, issue: Issue, repository: Repository) -> dict[str, Any]:
        word = "pulls" if issue.is_pull_request else "issues"
        number = issue.number.removeprefix("!")
        api = f"{self._base}{BASE}/repos/{repository.path}"
        record: dict[str, Any] = {
            "id": issue.id, "url": f"{api}/{word}/{number}", "html_url": f"https://gitee.com/{repository.path}/{word}/{number}",
            "number": int(number) if issue.is_pull_request else number, "state": issue.state, "title": issue.title,
            "body": issue.body, "user": _person(issue.author), "labels": [{"id": 1, "name": name} for name in issue.labels],
            "created_at": _stamp(issue.created_at), "updated_at": _stamp(issue.updated_at),
            "comments": len(repository.comments_of(issue.number)), "assignee": None, "milestone": None,
        }  # fmt: skip
        if issue.is_pull_request:
            return record | {
                "merged_at": None,
                "closed_at": _stamp(issue.closed_at),
                "diff_url": f"{record['html_url']}.diff",
            }
        return record | {
            "repository_url": api, "comments_url": f"{api}/issues/{number}/comments", "parent_url": None,
            "finished_at": _stamp(issue.closed_at), "scheduled_time": 0.0, "priority": 0, "issue_type": "任务",
            "issue_state": _STATES[issue.state], "security_hole": False, "deadline": None, "depth": 0,
            "issue_state_detail": {"id": 1, "title": _STATES[issue.state], "serial": 0},
        }  # fmt: skip

    def _comment(self, comment: Comment, repository: Repository) -> dict[str, Any]:
        issue = repository.issues[comment.number]
        target: dict[str, Any] = {"id": issue.id}
        if not self.names_issue_by_id:
            target |= {"title": issue.title, "number": issue.number.removeprefix("!")}
        is_pull = issue.is_pull_request
        return {
            "id": comment.id, "body": comment.body, "user": _person(comment.author), "source": None,
            "created_at": _stamp(comment.created_at), "updated_at": _stamp(comment.updated_at), "in_reply_to_id": None,
            "target": {"issue": None if is_pull else target, "pull_request": target if is_pull else None},
        }  # fmt: skip


def _range(text: str) -> tuple[datetime | None, datetime | None]:
    """Both ends belong to it."""
    if not text:
        return None, None
    first, last = (datetime.strptime(part, "%Y%m%dT%H%M%S%z") for part in text.split("-"))
    return first, last + timedelta(seconds=1)


def _person(login: str) -> dict[str, Any]:
    return {
        "id": 7,
        "login": login,
        "name": login.title(),
        "html_url": f"https://gitee.com/{login}",
        "type": "User",
    }


def _stamp(at: datetime | None) -> str | None:
    return at.astimezone(_ZONE).isoformat(timespec="seconds") if at else None
