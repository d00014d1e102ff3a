"""Resolves addresses on GitHub by GraphQL: fifty aliases a request, as records of the REST interface.

Source: docs.github.com/en/graphql, as read in 2026. Errors of single aliases come with status 200.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from core.fetch.answers import Answer
from ingest.addresses import Address
from ingest.forges.dialects import Asking, Limited, Misread, Request, parsed
from ingest.forges.pages import Kind, PageMissing, Record, Resolved
from ingest.forges.singly import outcome_of

AT_ONCE = 50

_COMMON = (
    "number title body url createdAt closedAt updatedAt authorAssociation"
    " author { __typename login } labels(first: 100) { nodes { name } } comments { totalCount }"
)
_QUERY = (
    (
        "issueOrPullRequest(number: %d) {{ __typename"
        f" ... on Issue {{{{ {_COMMON} state stateReason }}}}"
        f" ... on PullRequest {{{{ {_COMMON} prState: state mergedAt }}}} }}}}"
    )
    .replace("{{", "{")
    .replace("}}", "}")
)
# Errors of one alias; any other error is one of the whole answer, and asking again may help.
_OF_ONE = {"NOT_FOUND", "FORBIDDEN"}


class Asked(Protocol):
    """What is needed here of a dialect."""

    @property
    def graphql_url(self) -> str: ...

    def check(self, kind: Kind, record: Mapping[str, Any]) -> None: ...

    def is_pull_request(self, record: Record) -> bool: ...


def resolved(client: Asking, forge: Asked, addresses: Sequence[Address]) -> dict[Address, Resolved]:
    """What GraphQL finds of the addresses; those that it does not find are left out."""
    found: dict[Address, Resolved] = {}
    for at in range(0, len(addresses), AT_ONCE):
        found |= _some(client, forge, addresses[at : at + AT_ONCE])
    return found


def _some(client: Asking, forge: Asked, addresses: Sequence[Address]) -> dict[Address, Resolved]:
    """Halves a request that fails again and again: GitHub gives up on those that take it too long."""

    def read(answer: Answer) -> dict[Address, Resolved]:
        data = _data(answer)
        found = {}
        for nth, address in enumerate(addresses):
            repository = data.get(f"a{nth}")
            node = repository.get("i") if isinstance(repository, dict) else None
            if isinstance(node, dict):
                record = _as_rest(node)
                forge.check("issues", record)
                outcome = outcome_of(forge, address, record)
                found[address] = Resolved(address, outcome, record["html_url"], record)
        return found

    content = json.dumps({"query": query_of(addresses)}).encode()
    try:
        return client.ask(Request("graphql", forge.graphql_url, "graphql", content=content), read)
    except PageMissing:
        if len(addresses) == 1:
            raise
        half = len(addresses) // 2
        return _some(client, forge, addresses[:half]) | _some(client, forge, addresses[half:])


def query_of(addresses: Sequence[Address]) -> str:
    """One alias for each address, a0, a1 and so on."""
    aliases = []
    for nth, address in enumerate(addresses):
        owner, name = (json.dumps(part) for part in address.path.split("/", 1))
        inside = _QUERY % int(address.number)
        aliases.append(f"a{nth}: repository(owner: {owner}, name: {name}) {{ i: {inside} }}")
    return "query { " + " ".join(aliases) + " }"


def _data(answer: Answer) -> Mapping[str, Any]:
    body = parsed(answer)
    if not isinstance(body, dict):
        raise Misread("the answer is no object")
    errors = body.get("errors") or []
    kinds = {error.get("type") if isinstance(error, dict) else None for error in errors}
    if "RATE_LIMITED" in kinds:
        raise Limited
    data = body.get("data")
    if not isinstance(data, dict) or kinds - _OF_ONE:
        raise Misread("GraphQL answers with an error")
    return data


def _as_rest(node: Mapping[str, Any]) -> dict[str, Any]:
    """The node as the REST interface spells it, so that both give equal drafts. Raises Misread."""
    try:
        state = (node.get("state") or node["prState"]).lower()
        record = {
            "id": 0,  # GraphQL's numbers end at 2**31, and those of issues do not
            "number": node["number"],
            "title": node["title"],
            "body": node["body"],
            "html_url": node["url"],
            "user": _person(node["author"]),
            "author_association": node["authorAssociation"],
            "labels": [{"name": label["name"]} for label in node["labels"]["nodes"]],
            "state": "closed" if state == "merged" else state,
            "state_reason": (node.get("stateReason") or "").lower() or None,
            "created_at": node["createdAt"],
            "closed_at": node["closedAt"],
            "updated_at": node["updatedAt"],
            "comments": node["comments"]["totalCount"],
        }
        if node["__typename"] == "PullRequest":
            record["pull_request"] = {"html_url": node["url"], "merged_at": node.get("mergedAt")}
    except (KeyError, TypeError, AttributeError):
        raise Misread("an issue has not all keys that were asked for") from None
    return record


def _person(author: Mapping[str, Any] | None) -> dict[str, str]:
    """The REST interface names deleted accounts `ghost`, and puts [bot] behind the names of programs."""
    if author is None:
        return {"login": "ghost"}
    login: str = author["login"]
    return {"login": f"{login}[bot]" if author.get("__typename") == "Bot" else login}
