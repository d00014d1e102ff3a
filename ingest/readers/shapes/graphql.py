"""Nodes of GitHub's GraphQL: connections in place of lists, and states in upper case."""

from collections.abc import Mapping, Sequence

from ingest.readers.shapes.items import Item, Raw

_OF_ISSUES = ("Issue", "PullRequest")


def fits(record: Raw) -> bool:
    node = _node(record)
    return (
        "__typename" in node
        or node is not record
        or any(
            isinstance(value, Mapping) and {"nodes", "edges", "totalCount"} & value.keys()
            for value in node.values()
        )
    )


def unfold(record: Raw) -> Sequence[Item]:
    node = _node(record)
    kind = node.get("__typename")
    if kind is None:
        return (Item("issue", node),)
    if kind not in _OF_ISSUES:
        return ()
    return (Item("issue", {**node, "pull_request": kind == "PullRequest"}),)


def _node(record: Raw) -> Raw:
    """The node of an edge, or the node itself."""
    node = record.get("node")
    if isinstance(node, Mapping) and set(record) <= {"node", "cursor", "repository", "textMatches"}:
        return {"repository": record["repository"], **node} if "repository" in record else node
    return record
