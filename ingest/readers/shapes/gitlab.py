"""issues.ndjson and merge_requests.ndjson of a project's export from GitLab. It names authors of comments,
and neither authors of issues nor the project.
"""

from collections.abc import Mapping, Sequence

from ingest.readers.shapes.items import Item, Raw


def fits(record: Raw) -> bool:
    return (
        "iid" in record
        and "web_url" not in record
        and bool({"notes", "label_links", "author_id"} & record.keys())
    )


def unfold(record: Raw) -> Sequence[Item]:
    whole = {key: value for key, value in record.items() if key not in {"notes", "label_links"}}
    links, notes = record.get("label_links"), record.get("notes")
    if isinstance(links, list):
        labels = [link.get("label") for link in links if isinstance(link, Mapping)]
        whole["labels"] = [label for label in labels if isinstance(label, Mapping)]
    if isinstance(notes, list):
        whole["comments"] = [
            {"author": note.get("author"), "body": note.get("note"), "created_at": note.get("created_at")}
            for note in notes
            if isinstance(note, Mapping) and not note.get("system")
        ]
    whole["pull_request"] = "target_branch" in record
    return (Item("issue", whole),)
