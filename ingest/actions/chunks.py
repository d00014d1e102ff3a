"""Stores one chunk of drafts by natural keys, so that a repeated chunk is stored once. Everything here runs
inside the caller's transaction.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from django.db import connection

from core import clock
from ingest.actions.searching import keep_words
from ingest.models import Snapshot
from ingest.queries.removal import removed_before
from ingest.readers import Draft
from ingest.readers.content import Content, completed, content_of
from studies.actions import record
from studies.models import Study

MAX_HOST = 253
MAX_PATH = 300
MAX_FOLDER = 120
NAMED_AT_ONCE = 100
"""Issues that a line of the audit names."""

_CONTENT = tuple(field.name for field in fields(Content))

_MAKE = """
    INSERT INTO ingest_issue (repository_id, number, url, is_pull_request, year, first_import_id)
    SELECT repository_id, number, url, is_pull_request, year, %s
    FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::bool[], %s::smallint[])
         WITH ORDINALITY AS given (repository_id, number, url, is_pull_request, year, nth)
    ORDER BY nth
    ON CONFLICT (repository_id, number) DO NOTHING
    RETURNING id
"""
_FIND = """
    SELECT i.repository_id, i.number, i.id, i.is_pull_request, i.year, i.current_id
    FROM ingest_issue i JOIN unnest(%s::bigint[], %s::text[]) AS given (repository_id, number)
      ON given.repository_id = i.repository_id AND given.number = i.number
    ORDER BY i.id FOR NO KEY UPDATE OF i
"""


@dataclass(slots=True)
class Placed:
    """A draft with the stored state of its issue. `is_new`: this chunk stored the issue."""

    draft: Draft
    issue_id: int
    is_new: bool
    is_pull_request: bool | None
    current_id: int | None
    is_back: bool = False
    """A lead had removed the issue."""


def fits(draft: Draft) -> bool:
    """Are host and path of the address short enough to be stored?"""
    return len(draft.address.host) <= MAX_HOST and len(draft.address.path) <= MAX_PATH


def place(study_id: int, run_id: int | None, drafts: Sequence[Draft]) -> list[Placed]:
    """Find or make the repository and the issue of each draft; the drafts name different issues. Fills in an
    issue's year, and whether it is a pull request, if these were unknown. Locks the issues. `run_id` is the
    import that brings new ones.
    """
    repositories = _repositories(study_id, drafts)
    keys = [(repositories[draft.address.repository], draft.address.number) for draft in drafts]
    pulls = [draft.is_pull_request for draft in drafts]
    years = [draft.created_at.year if draft.created_at else None for draft in drafts]
    given: list[Any] = [
        [repository for repository, _number in keys],
        [number for _repository, number in keys],
        [draft.url for draft in drafts],
        pulls,
        years,
    ]
    made: set[int] = set()
    rows: dict[tuple[int, str], list[Any]] = {}
    with connection.cursor() as cursor:
        # An issue can be removed between the two statements: then it is made again.
        while not set(keys) <= rows.keys():
            cursor.execute(_MAKE, [run_id, *given])
            made |= {issue_id for (issue_id,) in cursor.fetchall()}
            cursor.execute(_FIND, given[:2])
            rows = {(repository, number): rest for repository, number, *rest in cursor.fetchall()}
        _fill_in(
            cursor, [(rows[key], pull, year) for key, pull, year in zip(keys, pulls, years, strict=True)]
        )
    placed = []
    for draft, key in zip(drafts, keys, strict=True):
        issue_id, pull, _year, current_id = rows[key]
        known = draft.is_pull_request if pull is None else pull
        placed.append(Placed(draft, issue_id, issue_id in made, known, current_id))
    _say_what_is_back(study_id, [place for place in placed if place.is_new])
    return placed


def _say_what_is_back(study_id: int, made: Sequence[Placed]) -> None:
    """Mark the new issues that a lead had removed, and record them in the audit."""
    keys = {
        ("/".join(place.draft.address.repository).lower(), place.draft.address.number): place
        for place in made
    }
    back = [keys[key] for key in sorted(removed_before(study_id, keys))] if keys else []
    for place in back:
        place.is_back = True
    names = [f"{place.draft.address.path}#{place.draft.address.number}" for place in back]
    for first in range(0, len(names), NAMED_AT_ONCE):
        study = Study.objects.get(pk=study_id)
        record(study, "issues.brought_back", None, what=names[first : first + NAMED_AT_ONCE])


def _fill_in(cursor: Any, rows: Iterable[tuple[Sequence[Any], bool | None, int | None]]) -> None:
    """Store the kind and the year of issues for which these were unknown and a draft has them."""
    unknown = [
        (issue_id, pull, year)
        for (issue_id, known_pull, known_year, _current), pull, year in rows
        if (known_pull is None and pull is not None) or (known_year is None and year is not None)
    ]
    if unknown:
        cursor.execute(
            """
            UPDATE ingest_issue i
            SET is_pull_request = coalesce(i.is_pull_request, given.is_pull_request),
                year = coalesce(i.year, given.year)
            FROM unnest(%s::bigint[], %s::bool[], %s::smallint[]) AS given (id, is_pull_request, year)
            WHERE i.id = given.id
            """,
            [list(column) for column in zip(*unknown, strict=True)],
        )


def _repositories(study_id: int, drafts: Sequence[Draft]) -> dict[tuple[str, str], int]:
    """Ids by host and lower-case path; makes missing repositories, in the order of the drafts."""
    wanted = {draft.address.repository: draft.address for draft in drafts}
    known = _known_repositories(study_id, wanted)
    missing = [address for key, address in wanted.items() if key not in known]
    if not missing:
        return known
    # Locks the study, so that one import at a time names folders.
    Study.objects.select_for_update(no_key=True).get(pk=study_id)
    with connection.cursor() as cursor:
        cursor.execute("SELECT lower(folder) FROM ingest_repository WHERE study_id = %s", [study_id])
        taken = {folder for (folder,) in cursor.fetchall()}
        for address in missing:
            folder = free_folder(address.path, taken)
            cursor.execute(
                "INSERT INTO ingest_repository (study_id, forge, host, path, folder)"
                " VALUES (%s, %s, %s, %s, %s)"
                " ON CONFLICT DO NOTHING",
                [study_id, address.forge, address.host, address.path, folder],
            )
            taken.add(folder.lower())
    return _known_repositories(study_id, wanted)


def _known_repositories(study_id: int, keys: Collection[tuple[str, str]]) -> dict[tuple[str, str], int]:
    hosts, paths = zip(*keys, strict=True)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT r.host, lower(r.path), r.id
            FROM ingest_repository r JOIN unnest(%s::text[], %s::text[]) AS given (host, path)
              ON r.host = given.host AND lower(r.path) = given.path
            WHERE r.study_id = %s FOR KEY SHARE OF r
            """,
            [list(hosts), list(paths), study_id],
        )
        return {(host, path): pk for host, path, pk in cursor.fetchall()}


def free_folder(path: str, taken: Collection[str]) -> str:
    """A free folder for the repository at `path`, also on a disk that ignores letter case: `vllm` for
    vllm-project/vllm; `vllm-project-vllm` if that is taken, then with a number.
    """
    *owners, name = path.split("/")
    names = [name[:MAX_FOLDER], "-".join([*owners, name])[:MAX_FOLDER]]
    for candidate in names:
        if candidate.lower() not in taken:
            return candidate
    number = 2
    while f"{names[1][: MAX_FOLDER - 8]}-{number}".lower() in taken:
        number += 1
    return f"{names[1][: MAX_FOLDER - 8]}-{number}"


def store_texts(
    placed: Sequence[Placed], mapped: Collection[str], *, keeps_current: bool = False
) -> set[int]:
    """Store a snapshot for each draft that differs from its issue's text. Return the ids of the issues whose
    shown text changed; with `keeps_current` of those with a text that was not stored before.

    `mapped` are the fields that the file's mapping names. A draft without text removes no text. A draft that
    its forge updated before the current text is kept as a snapshot, but not shown. With `keeps_current` an
    issue that has a text goes on to show it, and the new one is kept beside it.
    """
    said = [(place, content) for place in placed if (content := content_of(place.draft))]
    known = _contents([place.current_id for place, _content in said if place.current_id])
    fresh: list[tuple[int, str, Content]] = []
    shown: dict[int, str] = {}
    for place, content in said:
        current = known.get(place.current_id) if place.current_id else None
        whole = completed(content, place.draft, current, mapped) if current else content
        digest = whole.hash
        if current and digest == current.hash:
            continue
        fresh.append((place.issue_id, digest, whole))
        if not (current and (keeps_current or _older(whole, current))):
            shown[place.issue_id] = digest
    stored = _insert(fresh) if fresh else set()
    if shown:
        _show(shown)
    return stored if keeps_current else set(shown)


def _older(content: Content, current: Content) -> bool:
    return bool(content.updated_at and current.updated_at and content.updated_at < current.updated_at)


def _contents(ids: Collection[int]) -> dict[int, Content]:
    """Contents by the id of their snapshot."""
    rows = Snapshot.objects.filter(pk__in=ids).values("pk", *_CONTENT) if ids else ()
    return {
        row.pop("pk"): Content(**(row | {"labels": tuple(row["labels"]), "comments": tuple(row["comments"])}))
        for row in rows
    }


def _insert(fresh: Sequence[tuple[int, str, Content]]) -> set[int]:
    """Store snapshots; return the ids of the issues that did not have theirs yet."""
    columns: list[list[Any]] = [[issue_id for issue_id, _digest, _content in fresh]]
    columns.append([digest for _issue_id, digest, _content in fresh])
    for field in _CONTENT:
        values = [getattr(content, field) for _issue_id, _digest, content in fresh]
        if field in {"labels", "comments"}:
            values = [json.dumps(value, ensure_ascii=False) for value in values]
        columns.append(values)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            INSERT INTO ingest_snapshot (issue_id, content_hash, {", ".join(_CONTENT)}, taken_at)
            SELECT issue_id, content_hash, title, body, author, author_association, labels::jsonb, state,
                   state_reason, opened_at, closed_at, updated_at, comments::jsonb, comment_count, %s
            FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[],
                        %s::text[], %s::text[], %s::timestamptz[], %s::timestamptz[], %s::timestamptz[],
                        %s::text[], %s::int[]) AS given (issue_id, content_hash, {", ".join(_CONTENT)})
            ON CONFLICT (issue_id, content_hash) DO NOTHING
            RETURNING issue_id, id
            """,  # noqa: S608 - constants
            [clock.now(), *columns],
        )
        stored: dict[int, int] = dict(cursor.fetchall())
    keep_words(
        (stored[issue_id], content.title, content.body, content.comments)
        for issue_id, _digest, content in fresh
        if issue_id in stored
    )
    return set(stored)


def _show(digests: dict[int, str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE ingest_issue i SET current_id = s.id
            FROM unnest(%s::bigint[], %s::text[]) AS given (issue_id, content_hash)
            JOIN ingest_snapshot s USING (issue_id, content_hash)
            WHERE i.id = given.issue_id
            """,
            [list(digests), list(digests.values())],
        )
