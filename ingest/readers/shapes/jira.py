"""Answers of Jira's REST interface: texts are texts in version 2 and documents in version 3; and its CSV."""

import re
from collections.abc import Mapping, Sequence

from ingest.readers.shapes.items import Item, Raw
from ingest.readers.shapes.rich_text import markdown_of

ADDRESS = "self + key"
"""The source of the address: the host of the REST interface, and the issue's key."""

CSV_MAPPING = {
    "number": "Issue key", "title": "Summary", "body": "Description", "author": "Reporter",
    "labels": "Labels", "state": "Status", "state_reason": "Resolution", "created_at": "Created",
    "closed_at": "Resolved", "updated_at": "Updated", "comments": "Comment",
}  # fmt: skip

_SITE = re.compile(r"(https?://[^/]+(?:/[^/]+)?)/rest/api/(?:[0-9]+|latest)/issue/")
_STATES = {"new": "open", "indeterminate": "open", "done": "closed"}


def fits(record: Raw) -> bool:
    return isinstance(record.get("key"), str) and isinstance(record.get("fields"), Mapping)


def unfold(record: Raw) -> Sequence[Item]:
    return (Item("issue", flat(record)),)


def flat(record: Raw, comments: list[object] | None = None) -> Raw:
    """The fields of an issue beside its key; `comments` are those that were fetched apart."""
    fields = record["fields"]
    assert isinstance(fields, Mapping)  # noqa: S101 - the shape fits
    texts = {
        name: markdown_of(fields[name], key=name) for name in ("description", "environment") if name in fields
    }
    whole: dict[str, object] = {"key": record["key"], **fields, **texts}
    site = _SITE.match(str(record.get("self", "")))
    if site:
        whole[ADDRESS] = f"{site[1]}/browse/{record['key']}"
    whole["issue key"] = whole.pop("key")
    state, reason = _state(fields)
    whole |= {"state": state, "state_reason": reason, "comments": _comments(fields, comments)}
    whole.pop("comment", None)
    return whole


def _state(fields: Raw) -> tuple[str, str]:
    """Open or closed, and the words of Jira for it: the resolution, or the status."""
    status, resolution = fields.get("status"), fields.get("resolution")
    if not isinstance(status, Mapping):
        return "", ""
    name = str(status.get("name") or "")
    category = status.get("statusCategory")
    key = category.get("key") if isinstance(category, Mapping) else None
    reason = resolution.get("name") if isinstance(resolution, Mapping) else None
    return _STATES.get(str(key), name), str(reason or name)


def _comments(fields: Raw, fetched: list[object] | None) -> object:
    said = fields.get("comment")
    if fetched is None and isinstance(said, Mapping):
        listed = said.get("comments")
        fetched = listed if isinstance(listed, list) else None
    if fetched is None:
        return None
    read = [
        {**comment, "body": markdown_of(comment.get("body"), key="comment.body")}
        if isinstance(comment, Mapping)
        else comment
        for comment in fetched
    ]
    total = said.get("total") if isinstance(said, Mapping) else None
    return {"nodes": read, "totalCount": total if isinstance(total, int) else len(fetched)}


def comment_of(cell: str) -> Mapping[str, object]:
    """A comment of the CSV: time;author;text, or only a text."""
    parts = cell.split(";", 2)
    if len(parts) == 3 and re.match(r"[0-9]{1,4}[/-]", parts[0]):
        return {"created_at": parts[0], "author": parts[1], "body": parts[2]}
    return {"body": cell}
