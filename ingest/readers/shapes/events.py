"""Hours of GH Archive: the public events of GitHub, one a line. An issue may come in many of them."""

from collections.abc import Mapping, Sequence

from ingest.readers.shapes.items import Item, Raw

MAPPING = {
    "url": "html_url", "number": "number", "title": "title", "body": "body", "author": "user.login",
    "author_association": "author_association", "labels": "labels", "state": "state",
    "state_reason": "state_reason", "created_at": "created_at", "closed_at": "closed_at",
    "updated_at": "updated_at", "comments": "comments", "is_pull_request": "pull_request",
}  # fmt: skip


def fits(record: Raw) -> bool:
    kind = record.get("type")
    return isinstance(kind, str) and kind.endswith("Event") and "payload" in record


def unfold(record: Raw) -> Sequence[Item]:
    payload = record.get("payload")
    if not isinstance(payload, Mapping):
        return ()
    if record.get("type") in {"IssuesEvent", "IssueCommentEvent"}:
        issue, comment = payload.get("issue"), payload.get("comment")
    elif record.get("type") == "PullRequestEvent":
        issue, comment = payload.get("pull_request"), None
    else:
        return ()
    # The events before 2015 name an issue by its id and have no text.
    if not isinstance(issue, Mapping):
        return ()
    items = [Item("issue", _whole(issue, is_pull=record.get("type") == "PullRequestEvent"), are_all=False)]
    if isinstance(comment, Mapping):
        gone = payload.get("action") == "deleted"
        items.append(Item("gone" if gone else "comment", {"issue_url": issue.get("url"), **comment}))
    return items


def repository_of(record: Raw) -> str:
    """owner/name of the repository of an event; "" if it does not say it."""
    repository = record.get("repo")
    name = repository.get("name") if isinstance(repository, Mapping) else None
    return name if isinstance(name, str) else ""


def _whole(issue: Raw, *, is_pull: bool) -> Raw:
    """Short events of pull requests have no page, only the address of the REST interface."""
    whole = dict(issue)
    if not whole.get("html_url"):
        whole["html_url"] = whole.get("url")
    if is_pull:
        whole["pull_request"] = True
    return whole
