"""Envelopes of Perceval around the answers of GitHub, Gitee, GitLab and Jira."""

from collections.abc import Mapping, Sequence

from ingest.readers.shapes import comments, jira
from ingest.readers.shapes.items import Item, Raw

_CATEGORIES = {"issue", "pull_request", "merge_request"}


def fits(record: Raw) -> bool:
    return "backend_name" in record and "data" in record


def unfold(record: Raw) -> Sequence[Item]:
    data = record.get("data")
    if record.get("category", "issue") not in _CATEGORIES or not isinstance(data, Mapping):
        return ()
    if jira.fits(data):
        said = data.get("comments_data")
        return (Item("issue", jira.flat(data, said if isinstance(said, list) else None)),)
    said = data.get("comments_data", data.get("notes_data"))
    whole = dict(data)
    if isinstance(said, list):
        whole["comments"] = [
            one for one in said if isinstance(one, Mapping) and comments.is_said_by_a_person(one)
        ]
        whole.pop("user_notes_count", None)
    if record.get("category") != "issue":
        whole["pull_request"] = True
    return (Item("issue", whole),)
