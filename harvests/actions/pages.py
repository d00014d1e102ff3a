"""Stores one page of a forge: its rows, its line in the journal and the place of the next page, in one
transaction. A page that another run has stored meanwhile is not stored again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.db.models import Max

from core import clock
from core.sql.retry import retried
from harvests.models import HarvestedIssue, HarvestedRepository, HarvestPage
from ingest.forges.pages import EARLIEST, Forge, Page, Record, Window

Phase = HarvestedRepository.Phase
Outcome = HarvestedIssue.Outcome

_MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the walk over a repository: the pass, and its next page, "" at the beginning of a pass."""

    phase: str
    next_url: str = ""


def place_of(repository: HarvestedRepository) -> Place:
    return Place(repository.phase, repository.next_url)


def owner_of(repository: HarvestedRepository) -> int:
    """The id of the repository with whose rows this walk stores what it fetches."""
    return repository.origin_id or repository.pk


def path_of(repository: HarvestedRepository) -> str:
    """The path under which the forge has the repository now."""
    return repository.moved_to or repository.path


def window_of(repository: HarvestedRepository) -> Window:
    """The harvest's window, in whole seconds; without an end, it ends where the walk began."""
    harvest = repository.harvest
    end = harvest.opened_before or repository.started_at or clock.now()
    return Window(harvest.opened_from or EARLIEST, end.replace(microsecond=0))


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
        store_issues(repository, forge, page.records, journalled)
    return True


def advance(repository: HarvestedRepository, *, at: Place, then: Place, **more: Any) -> bool:
    """Move the walk on, also on the given object. False, and nothing moved, if another run has moved it
    elsewhere: then the object is there as well. `more` are other fields of the row.
    """
    values = {"phase": then.phase, "next_url": then.next_url, "trouble": "", "missing_url": "", **more}
    moved = HarvestedRepository.objects.filter(pk=repository.pk, phase=at.phase, next_url=at.next_url)
    if not moved.update(**values):
        repository.refresh_from_db()
        return False
    for name, value in values.items():
        setattr(repository, name, value)
    return True


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
        total=page.total,
        fetched_at=clock.now(),
    )


def store_issues(
    repository: HarvestedRepository, forge: Forge, records: Sequence[Record], page: HarvestPage
) -> None:
    """Store issues and pull requests; one that is stored already is replaced by a newer answer, and is listed
    on this page from now on.
    """
    window = window_of(repository)
    rows = [_row(forge, record, window) for record in _newest(forge, records).values()]
    if not rows:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO harvests_harvestedissue AS stored
                (repository_id, page_id, number, forge_id, record, is_pull_request, opened_at, changed_at,
                 comment_count, outcome, is_matched, kept_by_hand)
            SELECT %s, %s, given.*, false, false
            FROM unnest(%s::text[], %s::text[], %s::text[], %s::bool[], %s::timestamptz[], %s::timestamptz[],
                        %s::int[], %s::text[]) AS given
            ON CONFLICT (repository_id, number) DO UPDATE
            SET page_id = excluded.page_id,
                vanished_at = NULL,
                forge_id = coalesce(nullif(excluded.forge_id, ''), stored.forge_id),
                outcome = CASE WHEN stored.outcome IN ('outside', 'vanished') THEN excluded.outcome
                               ELSE stored.outcome END,
                record = CASE WHEN excluded.record <> ''
                                   AND (excluded.changed_at >= stored.changed_at OR stored.record = '')
                              THEN excluded.record ELSE stored.record END,
                is_pull_request = excluded.is_pull_request,
                comment_count = CASE WHEN excluded.changed_at >= stored.changed_at
                                     THEN excluded.comment_count ELSE stored.comment_count END,
                changed_at = greatest(excluded.changed_at, stored.changed_at)
            """,
            [owner_of(repository), page.pk, *_columns(rows)],
        )


def _newest(forge: Forge, records: Sequence[Record]) -> Mapping[str, Record]:
    """By number; of two answers about one issue the newer one."""
    newest: dict[str, Record] = {}
    for record in records:
        number = forge.number(record)
        if number not in newest or forge.updated_at(newest[number]) <= forge.updated_at(record):
            newest[number] = record
    return newest


def _row(forge: Forge, record: Record, window: Window) -> tuple[Any, ...]:
    opened = forge.created_at(record)
    inside = opened in window
    forge_id = forge.id(record)
    return (
        forge.number(record),
        # GraphQL's answers have no id.
        "" if forge_id == "0" else forge_id,
        as_text(record) if inside else "",
        forge.is_pull_request(record),
        opened,
        forge.updated_at(record),
        min(forge.comment_count(record) or 0, _MOST),
        "" if inside else Outcome.OUTSIDE,
    )


def _store_comments(
    repository: HarvestedRepository, forge: Forge, records: Sequence[Record], page: HarvestPage
) -> None:
    """Store the comments of issues that are stored, lie in the window and may be kept. A comment that names
    its issue by the forge's id (`id:77`) is stored with the issue's number.
    """
    newest: dict[str, Record] = {}
    for record in records:
        forge_id = forge.id(record)
        if forge_id not in newest or forge.updated_at(newest[forge_id]) <= forge.updated_at(record):
            newest[forge_id] = record
    rows = [
        (forge_id, number, as_text(record), forge.created_at(record), forge.updated_at(record))
        for forge_id, record in newest.items()
        if (number := forge.number_of_comment(record))
    ]
    if not rows:
        return
    owner = owner_of(repository)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            WITH given (forge_id, named, record, opened_at, changed_at) AS (
                SELECT * FROM unnest(%s::text[], %s::text[], %s::text[], %s::timestamptz[], %s::timestamptz[])
            ), named AS (
                SELECT issue.number, issue.number AS named FROM harvests_harvestedissue issue
                WHERE issue.repository_id = %s AND issue.number IN (SELECT named FROM given)
                      AND issue.outcome <> 'outside' AND (%s OR NOT issue.is_pull_request)
                UNION ALL
                SELECT issue.number, 'id:' || issue.forge_id FROM harvests_harvestedissue issue
                WHERE issue.repository_id = %s AND issue.outcome <> 'outside'
                      AND (%s OR NOT issue.is_pull_request)
                      AND issue.forge_id IN (SELECT substr(named, 4) FROM given WHERE named LIKE 'id:%%')
            )
            INSERT INTO harvests_harvestedcomment AS stored
                (repository_id, page_id, forge_id, number, record, opened_at, changed_at)
            SELECT %s, %s, given.forge_id, named.number, given.record, given.opened_at, given.changed_at
            FROM given JOIN named USING (named)
            ON CONFLICT (repository_id, forge_id) DO UPDATE
            SET page_id = excluded.page_id, record = excluded.record, changed_at = excluded.changed_at
            WHERE excluded.changed_at >= stored.changed_at
            """,
            [*_columns(rows), *[owner, repository.harvest.with_pull_requests] * 2, owner, page.pk],
        )


def _columns(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


def as_text(record: Record) -> str:
    """A record as JSON in ASCII, so that every character of it can be stored."""
    return json.dumps(record, separators=(",", ":"))
