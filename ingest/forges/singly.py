"""Resolves addresses one request each."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from core.fetch.answers import Answer
from ingest.addresses import Address, BadAddress, parse
from ingest.forges.dialects import Asking, Misread, Request, parsed
from ingest.forges.pages import Kind, Moved, Outcome, Record, RepositoryGone, Resolved

_MOST_MOVES = 3


class Judging(Protocol):
    """What is needed here of a dialect."""

    def is_pull_request(self, record: Record) -> bool: ...


class Asked(Judging, Protocol):
    def issue_url(self, address: Address) -> str: ...

    def check(self, kind: Kind, record: Mapping[str, Any]) -> None: ...


def resolved(client: Asking, forge: Asked, addresses: Sequence[Address]) -> dict[Address, Resolved]:
    """What each address is. An issue that has moved into another repository is `transferred`; one whose whole
    repository was renamed is what it is.
    """
    return {address: _resolved(client, forge, address) for address in addresses}


def _resolved(client: Asking, forge: Asked, address: Address) -> Resolved:
    def read(answer: Answer) -> Record:
        record = parsed(answer)
        if not isinstance(record, dict):
            raise Misread("an issue was expected")
        forge.check("issues", record)
        return record

    url = forge.issue_url(address)
    for _ in range(_MOST_MOVES + 1):
        try:
            record = client.ask(Request("issue", url), read)
        except Moved as moved:
            url = moved.to_url
        except RepositoryGone:
            break
        else:
            return Resolved(address, outcome_of(forge, address, record), record["html_url"], record)
    return Resolved(address, "gone", "", None)


def outcome_of(forge: Judging, address: Address, record: Record) -> Outcome:
    """What a record that was found for an address is."""
    try:
        there = parse(record["html_url"])
    except BadAddress:
        return "gone"
    if there.number != address.number and there.repository != address.repository:
        return "transferred"
    return "pull_request" if forge.is_pull_request(record) else "issue"
