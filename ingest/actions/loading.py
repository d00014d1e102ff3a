"""The work of an import: stores the drafts of a file and the report, one chunk in each transaction.

Position and counts are stored with each chunk: a killed run continues after its last chunk, with the same
result as an undisturbed run.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, BinaryIO, Self

from django.db import connection, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.sql.retry import retried
from ingest import files
from ingest.actions import chunks
from ingest.actions.finds import begin_search
from ingest.actions.similar import begin_comparison
from ingest.errors import FileChanged, FileGone
from ingest.models import Import, ImportRow
from ingest.readers import Draft, Refusal, counted, open_reader
from studies.actions import record

CHUNK = 500
CHUNK_CHARACTERS = 8 << 20
WATCHED = 1000
COUNTS = ("rows", "new", "known", "changed", "repeated", "refused", "repaired", "back", "pull_requests")

Report = Callable[[int, int | None, str], None]
"""Called with the rows done, an estimate of all rows, and the step in words."""

Found = Draft | Refusal

Place = tuple[str, int]
"""A file of an archive, or "", and a line."""

MAX_FILE = 300


def import_issues(*, run: Import, report: Report = lambda *_told: None) -> dict[str, Any]:
    """Store the issues of an import's file and return its counts; safe to repeat after any interruption.

    `rows` are the drafts and refusals read: new + known + changed + repeated + refused; these include
    repaired rows and pull requests. Raises FileGone, FileChanged, and every error of `report` (between two
    chunks).
    """
    run.refresh_from_db()
    if run.counts.get("complete"):
        return dict(run.counts)
    path = files.located(run.path)
    if not run.path or not path.is_file():
        raise FileGone
    with path.open("rb") as stream:
        report(run.counts.get("rows", 0), None, _("checking the file"))
        if files.sha256_of(stream) != run.sha256:
            raise FileChanged
        stream.seek(0)
        return _load(run, stream, report)


def _load(run: Import, stream: BinaryIO, report: Report) -> dict[str, Any]:
    sniffed = files.as_sniffed(run.mapping)
    reader = open_reader(stream, run.name, sniffed=sniffed, watch=_watching(run, report))
    fields = {part.name: frozenset(part.mapping) for part in sniffed.files}
    counts = dict.fromkeys(COUNTS, 0) | run.counts
    stored = counts["rows"]
    done = 0
    with _Seen() as seen:
        for chunk in _chunks(iter(reader), stored):
            done += len(chunk)
            if done <= stored:
                _remember(run, chunk, seen)
            else:
                counts = _store(run, chunk, fields, seen, done)
            total = max(done, round(done * run.size / max(1, reader.bytes_read)))
            # Only the last report says that everything is done, because that one is never skipped.
            report(
                done,
                max(total, done + 1),
                _("storing issues") if done > stored else _("finding the next row"),
            )
    return _finish(run, done, report, counted(reader.aside))


def _watching(run: Import, report: Report) -> Callable[[int], None]:
    """Reports how far a file is read whose issues are stored only after its end; for each of its records."""
    records = 0

    def watch(read: int) -> None:
        nonlocal records
        records += 1
        if records % WATCHED == 0:
            share = min(100, 100 * read // max(1, run.size))
            report(0, None, _("gathering the issues, %(share)d %% of the file") % {"share": share})

    return watch


def _chunks(found: Iterator[Found], stored: int) -> Iterator[list[Found]]:
    """Up to CHUNK rows, fewer if their texts are long; one chunk ends exactly after the `stored` rows."""
    done = 0
    while chunk := list(islice(found, 1)):
        size = _length(chunk[0])
        most = min(CHUNK, stored - done) if done < stored else CHUNK
        while len(chunk) < most and size < CHUNK_CHARACTERS:
            following = next(found, None)
            if following is None:
                break
            chunk.append(following)
            size += _length(following)
        done += len(chunk)
        yield chunk


def _length(found: Found) -> int:
    if isinstance(found, Refusal):
        return len(found.raw)
    return len(found.title) + len(found.body) + sum(len(comment.body) for comment in found.comments)


class _Seen:
    """The issues that this file has named so far, in a temporary table, so that memory does not grow."""

    def __enter__(self) -> Self:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS pg_temp.import_seen")
            cursor.execute(
                "CREATE TEMPORARY TABLE import_seen"
                " (issue_id bigint PRIMARY KEY, line bigint, file text, has_text bool)"
            )
        return self

    def __exit__(self, *_error: object) -> None:
        if connection.is_usable():
            with connection.cursor() as cursor:
                cursor.execute("DROP TABLE IF EXISTS pg_temp.import_seen")

    def sift(
        self, placed: list[chunks.Placed]
    ) -> tuple[list[chunks.Placed], list[tuple[chunks.Placed, Place]]]:
        """The drafts that the file names for the first time, and its repetitions with the place of the first.
        A line that brings the first text of an issue counts as its first.
        """
        ids = [place.issue_id for place in placed]
        texts = [_has_text(place.draft) for place in placed]
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT issue_id, file, line, has_text FROM import_seen WHERE issue_id = ANY(%s)", [ids]
            )
            earlier = {issue_id: ((file, line), had) for issue_id, file, line, had in cursor.fetchall()}
            cursor.execute(
                """
                INSERT INTO import_seen
                SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::bool[])
                ON CONFLICT (issue_id) DO UPDATE SET has_text = import_seen.has_text OR excluded.has_text
                """,
                [ids, [place.draft.line for place in placed], [place.draft.file for place in placed], texts],
            )
        first, again = [], []
        for place, has_text in zip(placed, texts, strict=True):
            former, had_text = earlier.get(place.issue_id, (None, False))
            if former is None or (has_text and not had_text):
                first.append(place)
            else:
                again.append((place, former))
        return first, again


def _has_text(draft: Draft) -> bool:
    return bool(draft.title or draft.body or draft.comments)


def _remember(run: Import, chunk: list[Found], seen: _Seen) -> None:
    """Record the issues of a chunk that an earlier attempt stored."""
    with transaction.atomic():
        drafts, _repeated, _refused = _sorted(chunk)
        if drafts:
            seen.sift(chunks.place(run.study_id, run.pk, drafts))


@retried
def _store(
    run: Import, chunk: list[Found], fields: Mapping[str, Collection[str]], seen: _Seen, done: int
) -> dict[str, Any]:
    """Store one chunk, its report and the position after it, in one transaction; return the new counts.
    `fields` are those that each file of the upload brings.
    """
    with transaction.atomic():
        locked = Import.objects.select_for_update(no_key=True, of=("self",)).get(pk=run.pk)
        counts: dict[str, Any] = dict.fromkeys(COUNTS, 0) | locked.counts
        if counts["rows"] + len(chunk) != done:
            raise RuntimeError(f"import {run.pk} stands at row {counts['rows']}, not before {done}")
        drafts, repeated, refused = _sorted(chunk)
        placed = chunks.place(run.study_id, run.pk, drafts) if drafts else []
        first, again = seen.sift(placed) if placed else ([], [])
        changed: set[int] = set()
        for file in dict.fromkeys(place.draft.file for place in first):
            mapped = fields.get(file, frozenset())
            changed |= chunks.store_texts([place for place in first if place.draft.file == file], mapped)
        repeated += [(place.draft, former) for place, former in again]
        order = {(found.file or run.name)[-MAX_FILE:]: nth for nth, found in reversed(list(enumerate(chunk)))}
        ImportRow.objects.bulk_create(
            sorted(
                [
                    *(refused_row(run, refusal) for refusal in refused),
                    *(_repeated_row(run, draft, former) for draft, former in repeated),
                    *(_repaired_row(run, place.draft) for place in first if place.draft.repaired),
                    *(_back_row(run, place.draft) for place in first if place.is_back),
                ],
                key=lambda row: (order[row.file], row.line or 0),
            )
        )
        new = sum(place.is_new for place in first)
        changed_count = sum(place.issue_id in changed and not place.is_new for place in first)
        for name, more in (
            ("rows", len(chunk)),
            ("new", new),
            ("changed", changed_count),
            ("known", len(first) - new - changed_count),
            ("repeated", len(repeated)),
            ("refused", len(refused)),
            ("repaired", sum(bool(place.draft.repaired) for place in first)),
            ("back", sum(place.is_back for place in first)),
            ("pull_requests", sum(place.is_pull_request is True for place in first)),
        ):
            counts[name] += more
        Import.objects.filter(pk=run.pk).update(counts=counts)
    return counts


def _sorted(chunk: list[Found]) -> tuple[list[Draft], list[tuple[Draft, Place]], list[Refusal]]:
    """One draft for each issue, the repetitions in this chunk with the place of that draft, and the refusals.
    The draft of an issue is its first with a text, or else its first.
    """
    chosen: dict[tuple[str, str, str], Draft] = {}
    refused: list[Refusal] = []
    drafts: list[Draft] = []
    for found in chunk:
        if isinstance(found, Refusal):
            refused.append(found)
        elif not chunks.fits(found):
            refused.append(Refusal(found.line, "address_too_long", {}, found.url, file=found.file))
        else:
            drafts.append(found)
            former = chosen.get(found.address.identity)
            if former is None or (_has_text(found) and not _has_text(former)):
                chosen[found.address.identity] = found
    repeated = [
        (draft, (kept.file, kept.line))
        for draft in drafts
        if (kept := chosen[draft.address.identity]) is not draft
    ]
    return list(chosen.values()), repeated, refused


def refused_row(run: Import, refusal: Refusal) -> ImportRow:
    """The row of the report about a record that was refused, not stored yet."""
    message = replace(refusal, line=0, file="").text(_)
    if refusal.record:
        message += " " + _("This is record %(record)d of the file.") % {"record": refusal.record}
    if refusal.fatal:
        message += " " + _("The rest of the file was not read.")
    return _row(run, ImportRow.Outcome.REFUSED, refusal, refusal.code, message, refusal.raw)


def _repeated_row(run: Import, draft: Draft, former: Place) -> ImportRow:
    file, line = former
    if file == draft.file:
        message = _("This line repeats the issue of line %(line)d. The earlier line was imported.") % {
            "line": line
        }
    else:
        told = {"line": line, "file": file}
        message = (
            _("This line repeats the issue of line %(line)d of %(file)s. The earlier line was imported.")
            % told
        )
    return _row(run, ImportRow.Outcome.REPEATED, draft, "repeated", message, draft.url)


def _repaired_row(run: Import, draft: Draft) -> ImportRow:
    message = ngettext(
        "%(count)d character that cannot be stored (NUL, half a character) was replaced by U+FFFD.",
        "%(count)d characters that cannot be stored (NUL, halves of characters) were replaced by U+FFFD.",
        draft.repaired,
    ) % {"count": draft.repaired}
    return _row(run, ImportRow.Outcome.REPAIRED, draft, "repaired", message, draft.url)


def _back_row(run: Import, draft: Draft) -> ImportRow:
    message = _("A lead had removed this issue. This import brought the issue back.")
    return _row(run, ImportRow.Outcome.BACK, draft, "back", message, draft.url)


def _row(run: Import, outcome: str, found: Found, code: str, message: str, raw: str) -> ImportRow:
    file = (found.file or run.name)[-MAX_FILE:]
    return ImportRow(
        run=run, outcome=outcome, file=file, line=found.line or None, code=code, message=message, raw=raw
    )


def _finish(run: Import, done: int, report: Report, aside: Mapping[str, int]) -> dict[str, Any]:
    """Mark the import as complete, record it, begin the searches of its texts, and delete the file. `aside`
    are the counts of what was read and is no row.
    """
    report(done, done, "")
    with transaction.atomic():
        locked = (
            Import.objects.select_for_update(no_key=True, of=("self",))
            .select_related("created_by")
            .get(pk=run.pk)
        )
        counts: dict[str, Any] = dict.fromkeys(COUNTS, 0) | locked.counts | aside | {"complete": True}
        Import.objects.filter(pk=run.pk).update(counts=counts, path="")
        told = {name: counts[name] for name in COUNTS if counts[name]}
        record(locked.study, "issues.imported", locked.created_by, name=locked.name, **told)
        begin_search(study=locked.study, by=locked.created_by)
        begin_comparison(study=locked.study, by=locked.created_by)
        transaction.on_commit(lambda: files.discard(locked.path))
    return counts
