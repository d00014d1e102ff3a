"""Plays as much of GitHub's GraphQL as asks for issues by aliases."""

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.forges.replies import Reply, Seen, in_json, told
from tests.forges.world import Issue, Repository

_ALIAS = re.compile(
    r"(\w+): repository\(owner: \"([^\"]+)\", name: \"([^\"]+)\"\) \{ i: issueOrPullRequest\(number: (\d+)\)"
)


def graphql(seen: Seen, repositories: Mapping[str, Repository]) -> Reply:
    if not seen.token:
        return told(401, "Requires authentication")
    data: dict[str, Any] = {}
    errors = []
    for alias, owner, name, number in _ALIAS.findall(json.loads(seen.body)["query"]):
        path = f"{owner}/{name}".lower()
        repository = next(
            (one for one in repositories.values() if path in {one.path.lower(), *one.was}), None
        )
        if repository is None:
            data[alias] = None
            errors.append(
                {"type": "NOT_FOUND", "path": [alias], "message": "Could not resolve to a Repository"}
            )
            continue
        issue = repository.issues.get(number)
        data[alias] = {"i": _node(issue, repository) if issue and not issue.gone else None}
        if data[alias]["i"] is None:
            errors.append(
                {"type": "NOT_FOUND", "path": [alias, "i"], "message": "Could not resolve to an issue"}
            )
    return in_json({"data": data} | ({"errors": errors} if errors else {}))


def _node(issue: Issue, repository: Repository) -> dict[str, Any]:
    from tests.forges.github_side import stamp

    word = "pull" if issue.is_pull_request else "issues"
    login = issue.author.removesuffix("[bot]")
    node: dict[str, Any] = {
        "__typename": "PullRequest" if issue.is_pull_request else "Issue", "number": int(issue.number),
        "title": issue.title, "body": issue.body or "", "url": f"https://github.com/{repository.path}/{word}/{issue.number}",
        "createdAt": stamp(issue.created_at), "closedAt": stamp(issue.closed_at), "updatedAt": stamp(issue.updated_at),
        "authorAssociation": issue.association,
        "author": {"__typename": "User" if login == issue.author else "Bot", "login": login},
        "labels": {"nodes": [{"name": name} for name in issue.labels]},
        "comments": {"totalCount": len(repository.comments_of(issue.number))},
    }  # fmt: skip
    if issue.is_pull_request:
        return node | {"prState": issue.state.upper(), "mergedAt": None}
    return node | {"state": issue.state.upper(), "stateReason": (issue.state_reason or "").upper() or None}
