"""Plays the REST interface of GitHub, under /api/v3."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.forges.graphql_side import graphql
from tests.forges.replies import Reply, Seen, address, in_json, links, sliced, told, with_etag
from tests.forges.world import Comment, Issue, Repository

BASE = "/api/v3"
TOO_DEEP = "Pagination with the page parameter is not supported for large datasets, please use cursor based pagination (after/before)"


def kind_of(path: str) -> str:
    if path == "/api/graphql":
        return "graphql"
    tail = re.sub(r"^/api/v3/(?:repos/[^/]+/[^/]+|repositories/[0-9]+)/?", "", path)
    names = {
        "": "repository",
        "issues": "issues",
        "issues/comments": "comments",
        "/api/v3/search/issues": "count",
    }
    if re.fullmatch(r"issues/[^/]+/comments", tail):
        return "comments_of"
    return names.get(tail, "issue")


class GitHubSide:
    """`page_cap`: numbers of pages beyond it are answered with 422; `is_by_cursor`: links have cursors from the first page
    on, else only from the cap on; `has_null_key`: issues have `pull_request: null`, else they lack the key.
    """

    def __init__(self, base: str, repositories: Mapping[str, Repository]) -> None:
        self._base = base
        self._repositories = repositories
        self.page_cap = 10
        self.is_by_cursor = True
        self.has_null_key = False

    def reply(self, seen: Seen) -> Reply:
        if seen.kind in {"graphql", "count"}:
            return self._search(seen) if seen.kind == "count" else graphql(seen, self._repositories)
        found = re.match(r"/api/v3/(?:repos/([^/]+/[^/]+)|repositories/([0-9]+))(/.*)?$", seen.path)
        repository = self._find(found[1], found[2]) if found else None
        if found is None or repository is None:
            return told(404, "Not Found")
        tail = found[3] or ""
        if found[1] and found[1].lower() in repository.was:
            query = seen.query and "?" + address(seen, "").partition("?")[2]
            to = f"{self._base}{BASE}/repositories/{repository.id}{tail}{query or ''}"
            return told(301, "Moved Permanently", Location=to)
        return self._inside(seen, repository, tail.rpartition("/")[2])

    def _inside(self, seen: Seen, repository: Repository, tail: str) -> Reply:
        if repository.status != 200:
            return told(
                repository.status, "Repository access blocked" if repository.status == 451 else "Gone"
            )
        if seen.kind == "repository":
            return with_etag(in_json(self._repository(repository)), seen)
        if seen.kind == "issue":
            return self._issue(repository, tail)
        if seen.kind == "comments_of":
            number = seen.path.rpartition("/comments")[0].rpartition("/")[2]
            there = self._issue(repository, number)
            if there.status != 200:
                there.headers = {
                    name: f"{to}/comments" for name, to in there.headers.items() if name == "Location"
                }
                return there
            return with_etag(self._list(seen, repository, repository.comments_of(number)), seen)
        return with_etag(self._list(seen, repository), seen)

    def _find(self, path: str | None, number: str | None) -> Repository | None:
        for repository in self._repositories.values():
            if path and path.lower() in {repository.path.lower(), *repository.was}:
                return repository
            if number and repository.id == int(number):
                return repository
        return None

    def _list(self, seen: Seen, repository: Repository, rows: list[Comment] | None = None) -> Reply:
        if "after" not in seen.query and int(seen.query.get("page", "1")) > self.page_cap:
            return told(422, TOO_DEEP)
        since = _moment(seen.query["since"]) if "since" in seen.query else None
        state = seen.query.get("state", "open")
        found = [
            row
            for row in (
                repository.listed("comments" if seen.kind == "comments" else "both") if rows is None else rows
            )
            if (not since or row.updated_at >= since)
            and (isinstance(row, Comment) or state in {"all", row.state})
        ]
        if seen.kind == "issues" and seen.query.get("direction") != "asc":
            found.reverse()
        page = sliced(found, seen.query)
        before = page.number - 1
        following = ""
        if page.after:
            deep = self.is_by_cursor or page.number + 1 > self.page_cap
            number = str(page.number + 1)
            following = address(seen, self._base, page=number, after=page.after if deep else "")
        first = address(seen, self._base, page="1", after="") if before else ""
        previous = address(seen, self._base, page=str(before), after="") if before else ""
        header = links(prev=previous, next=following, first=first)
        records = [
            _comment(row, repository, self._base)
            if isinstance(row, Comment)
            else self._record(row, repository)
            for row in page.items
        ]
        return in_json(records, **({"Link": header} if header else {}))

    def _search(self, seen: Seen) -> Reply:
        found = re.fullmatch(
            r"repo:(\S+) is:(issue|pull-request) created:(\S+)\.\.(\S+)", seen.query.get("q", "")
        )
        repository = self._find(found[1], None) if found else None
        if found is None or repository is None:
            return told(422, "Validation Failed")
        end = _moment(found[4]) + timedelta(seconds=1)
        truth = repository.truth(_moment(found[3]), end, pulls=found[2] == "pull-request")
        items = [self._record(issue, repository) for issue in list(truth.values())[:1]]
        return in_json({"total_count": len(truth), "incomplete_results": False, "items": items})

    def _issue(self, repository: Repository, number: str) -> Reply:
        issue = repository.issues.get(number)
        if issue is None:
            return told(404, "Not Found")
        if issue.gone == "deleted":
            return told(410, "This issue was deleted")
        if issue.gone:
            path, _, there = issue.gone.partition("#")
            other = self._find(path, None)
            return told(301, "Moved Permanently", Location=f"{self._base}{BASE}/repositories/{other.id if other else 0}/issues/{there}")  # fmt: skip
        return in_json(self._record(issue, repository))

    def _repository(self, repository: Repository) -> dict[str, Any]:
        opened = sum(issue.state == "open" for issue in repository.truth().values())
        owner, _, name = repository.path.partition("/")
        return {
            "id": repository.id, "node_id": f"R_{repository.id}", "name": name, "full_name": repository.path,
            "private": False, "owner": _person(owner), "html_url": f"https://github.com/{repository.path}",
            "fork": False, "url": f"{self._base}{BASE}/repos/{repository.path}", "has_issues": True,
            "open_issues_count": opened, "archived": False, "disabled": False, "visibility": "public",
            "created_at": "2023-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        }  # fmt: skip

    def _record(self, issue: Issue, repository: Repository) -> dict[str, Any]:
        api = f"{self._base}{BASE}/repos/{repository.path}"
        url = f"{api}/issues/{issue.number}"
        word = "pull" if issue.is_pull_request else "issues"
        html = f"https://github.com/{repository.path}/{word}/{issue.number}"
        record: dict[str, Any] = {
            "url": url, "repository_url": api, "labels_url": url + "/labels{/name}", "comments_url": f"{url}/comments",
            "events_url": f"{url}/events", "html_url": html, "id": issue.id, "node_id": f"I_{issue.id}",
            "number": int(issue.number), "title": issue.title, "user": _person(issue.author),
            "labels": [{"id": 1, "name": name, "color": "d73a4a", "default": False, "description": None} for name in issue.labels],
            "state": issue.state, "locked": False, "assignee": None, "assignees": [], "milestone": None,
            "comments": len(repository.comments_of(issue.number)), "created_at": stamp(issue.created_at),
            "updated_at": stamp(issue.updated_at), "closed_at": stamp(issue.closed_at),
            "author_association": issue.association, "active_lock_reason": None, "body": issue.body, "closed_by": None,
            "reactions": {"url": f"{url}/reactions", "total_count": 0, "+1": 0, "-1": 0},
            "timeline_url": f"{url}/timeline", "performed_via_github_app": None, "state_reason": issue.state_reason,
        }  # fmt: skip
        if issue.is_pull_request:
            record["draft"] = False
            record["pull_request"] = {
                "url": f"{api}/pulls/{issue.number}",
                "html_url": html,
                "merged_at": None,
            }
        elif self.has_null_key:
            record["pull_request"] = None
        return record


def _comment(comment: Comment, repository: Repository, base: str) -> dict[str, Any]:
    api = f"{base}{BASE}/repos/{repository.path}"
    issue = repository.issues[comment.number]
    word = "pull" if issue.is_pull_request else "issues"
    return {
        "url": f"{api}/issues/comments/{comment.id}", "issue_url": f"{api}/issues/{comment.number}",
        "html_url": f"https://github.com/{repository.path}/{word}/{comment.number}#issuecomment-{comment.id}",
        "id": comment.id, "node_id": f"IC_{comment.id}", "user": _person(comment.author),
        "created_at": stamp(comment.created_at), "updated_at": stamp(comment.updated_at),
        "author_association": comment.association, "body": comment.body, "performed_via_github_app": None,
    }  # fmt: skip


def _person(login: str) -> dict[str, Any]:
    kind = "Bot" if login.endswith("[bot]") else "User"
    return {"login": login, "id": 1000 + len(login), "node_id": "U_1", "type": kind, "site_admin": False}


def stamp(at: datetime | None) -> str | None:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at else None


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
