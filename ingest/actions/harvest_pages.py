"""Stores one page of a forge: its rows, its line in the journal and the place of the next page, in one
transaction. A page that another run has stored meanwhile is not stored again.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.db.models import Max

from core.sql.retry import retried
from ingest.forges.pages import Forge, Page, Record
from ingest.models import HarvestedIssue, HarvestedRepository, HarvestPage

Phase = HarvestedRepository.Phase


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the walk over a repository: the pass, and its next page, "" at the beginning of a pass."""

    phase: str
    next_url: str = ""


@retried
@transaction.atomic
def store_page(repository: HarvestedRepository, forge: Forge, page: Page, *, at: Place, then: Place) -> bool:
    """Store a page that was fetched `at` a place, and go on to the place `then`. False if the walk stands
    elsewhere by now.
    """
    if not advance(repository, at=at, then=then):
        return False
    journalled = journal(repository, page, at.phase)
    if page.kind == "comments":
        _store_comments(repository, forge, page.records, journalled)
    else:
        _store_issues(repository, forge, page.records, journalled)
    return True


def advance(repository: HarvestedRepository, *, at: Place, then: Place) -> bool:
    """Move the walk on, also on the given object. False, and nothing moved, if it stands elsewhere."""
    moved = HarvestedRepository.objects.filter(pk=repository.pk, phase=at.phase, next_url=at.next_url).update(
        phase=then.phase, next_url=then.next_url, trouble=""
    )
    if moved:
        repository.phase, repository.next_url, repository.trouble = then.phase, then.next_url, ""
    return bool(moved)


def journal(repository: HarvestedRepository, page: Page, phase: str) -> HarvestPage:
    """Write the journal's line of a page. The caller's transaction has locked the repository."""
    last = HarvestPage.objects.filter(repository=repository).aggregate(last=Max("position"))["last"] or 0
    return HarvestPage.objects.create(
        repository=repository,
        position=last + 1,
        phase=phase,
        url=page.url,
        next_url=page.next,
        status=page.status,
        etag=page.etag[:200],
        sha256=page.sha256,
        records=len(page.records),
    )


def _store_issues(
    repository: HarvestedRepository, forge: Forge, records: Sequence[Record], page: HarvestPage
) -> None:
    """Store issues and pull requests; one that is stored already is replaced by a newer answer."""
    newest: dict[str, Record] = {}
    for record in records:
        number = forge.number(record)
        if number not in newest or forge.updated_at(newest[number]) <= forge.updated_at(record):
            newest[number] = record
    harvest = repository.harvest
    rows = []
    for number, record in newest.items():
        opened = forge.created_at(record)
        outside = (harvest.opened_from and opened < harvest.opened_from) or (
            harvest.opened_before and opened >= harvest.opened_before
        )
        rows.append(
            (
                number,
                "" if outside else as_text(record),
                forge.is_pull_request(record),
                opened,
                forge.updated_at(record),
                HarvestedIssue.Outcome.OUTSIDE if outside else "",
            )
        )
    if not rows:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO ingest_harvestedissue AS stored
                (repository_id, page_id, number, record, is_pull_request, opened_at, changed_at, outcome)
            SELECT %s, %s, given.*
            FROM unnest(%s::text[], %s::text[], %s::bool[], %s::timestamptz[], %s::timestamptz[], %s::text[])
                 AS given
            ON CONFLICT (repository_id, number) DO UPDATE
            SET page_id = excluded.page_id, record = excluded.record, changed_at = excluded.changed_at,
                is_pull_request = excluded.is_pull_request
            WHERE excluded.changed_at >= stored.changed_at
            """,
            [repository.origin_id or repository.pk, page.pk, *_columns(rows)],
        )


def _store_comments(
    repository: HarvestedRepository, forge: Forge, records: Sequence[Record], page: HarvestPage
) -> None:
    """Store the comments of issues that are stored, lie in the window and may be kept."""
    newest = {str(record["id"]): record for record in records}
    rows = [
        (forge_id, number, as_text(record), forge.created_at(record), forge.updated_at(record))
        for forge_id, record in newest.items()
        if (number := forge.number_of_comment(record))
    ]
    if not rows:
        return
    owner = repository.origin_id or repository.pk
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO ingest_harvestedcomment AS stored
                (repository_id, page_id, forge_id, number, record, opened_at, changed_at)
            SELECT %s, %s, given.*
            FROM unnest(%s::text[], %s::text[], %s::text[], %s::timestamptz[], %s::timestamptz[])
                 AS given (forge_id, number, record, opened_at, changed_at)
            JOIN ingest_harvestedissue issue ON issue.repository_id = %s AND issue.number = given.number
                 AND issue.outcome <> 'outside' AND (%s OR NOT issue.is_pull_request)
            ON CONFLICT (repository_id, forge_id) DO UPDATE
            SET page_id = excluded.page_id, record = excluded.record, changed_at = excluded.changed_at
            WHERE excluded.changed_at >= stored.changed_at
            """,
            [owner, page.pk, *_columns(rows), owner, repository.harvest.with_pull_requests],
        )


def _columns(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


def as_text(record: Record) -> str:
    """A record as JSON in ASCII, so that every character of it can be stored."""
    return json.dumps(record, separators=(",", ":"))
