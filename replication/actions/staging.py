"""A published study in temporary tables: its rows are copied there, checked there, and spread from there.

What actions share here takes the caller's transaction, at whose end the tables are gone.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from django.db.backends.utils import CursorWrapper
from django.utils.translation import gettext as _

from core.sql.copying import copy_rows
from ingest.models import Import, ImportRow
from ingest.readers import Draft, Refusal, published
from ingest.readers.refusals import RAW_LENGTH
from studies.models import Study
from taxonomy.models import Taxonomy, Version
from taxonomy.presets import load_preset
from taxonomy.queries.codebooks import codebook
from taxonomy.queries.taxonomies import published_version
from taxonomy.tree import Tree, read_csv

Report = Callable[[int, int | None, str], None]
"""Called with the number of rows done, the total if it is known, and the step in words."""

Row = TypeVar("Row", published.LabelRow, Draft)

MOST_REFUSED = 20_000
"""After so many refused lines no further line is read."""

FALLBACK_PRESET = "llm-frameworks"


def content_hash(folder: Path, found: published.Survey) -> tuple[str, int]:
    """SHA-256 over the names and bytes of all files that will be read, and their size in bytes."""
    whole, size = hashlib.sha256(), 0
    paths = [found.taxonomy] if found.taxonomy else []
    for repository in found.repositories:
        paths += [repository.labels] if repository.labels else []
        paths += [path for _year, path in repository.lists]
    for path in paths:
        with path.open("rb") as stream:
            part = hashlib.file_digest(stream, "sha256")
        size += path.stat().st_size
        whole.update(f"{path.relative_to(folder).as_posix()}\0{part.hexdigest()}\n".encode())
    return whole.hexdigest(), size


# --- into the temporary tables


def stage(cursor: CursorWrapper, found: published.Survey, report: Report) -> list[Refusal]:
    """Copy all rows and list entries into temporary tables; return the refused lines."""
    cursor.execute(
        """
        DROP TABLE IF EXISTS pg_temp.staged_row, pg_temp.staged_entry, pg_temp.staged_list;
        CREATE TEMPORARY TABLE staged_row (
            seq int PRIMARY KEY, folder text, line int, url text, forge text, host text, path text,
            number text, is_pull_request bool, labels text[], final text
        ) ON COMMIT DROP;
        CREATE TEMPORARY TABLE staged_entry (
            seq int PRIMARY KEY, folder text, name text, year smallint, position int, url text, forge text,
            host text, path text, number text, is_pull_request bool
        ) ON COMMIT DROP;
        CREATE TEMPORARY TABLE staged_list (seq serial, folder text, name text, year smallint) ON COMMIT DROP
        """
    )
    problems: list[Refusal] = []
    copy_rows(
        cursor,
        "staged_row (folder, line, url, forge, host, path, number, is_pull_request, labels, final, seq)",
        _numbered(_label_rows(found, problems), report, _("reading labels")),
    )
    cursor.execute("SELECT count(*) FROM staged_row")
    (rows,) = cursor.fetchone()
    copy_rows(
        cursor,
        "staged_list (folder, name, year)",
        ((folder.name, path.name, year) for folder in found.repositories for year, path in folder.lists),
    )
    copy_rows(
        cursor,
        "staged_entry (folder, name, year, position, url, forge, host, path, number, is_pull_request, seq)",
        _numbered(_list_rows(found, problems), report, _("reading lists"), rows),
    )
    cursor.execute("ANALYZE staged_row; ANALYZE staged_entry")
    return problems


def _numbered(
    rows: Iterable[tuple[object, ...]], report: Report, step: str, before: int = 0
) -> Iterator[tuple[object, ...]]:
    seq = 0
    for seq, row in enumerate(rows, start=1):
        yield (*row, seq)
        if seq % 2000 == 0:
            report(before + seq, None, step)
    report(before + seq, None, step)


def _label_rows(found: published.Survey, problems: list[Refusal]) -> Iterator[tuple[object, ...]]:
    for folder in found.repositories:
        rows = published.label_rows(folder.labels) if folder.labels else ()
        for row, address in _taken(rows, problems):
            yield folder.name, row.line, *address, list(row.labels), row.final


def _list_rows(found: published.Survey, problems: list[Refusal]) -> Iterator[tuple[object, ...]]:
    for folder in found.repositories:
        for year, path in folder.lists:
            rows = _taken(published.list_rows(path), problems)
            for position, (_row, address) in enumerate(rows, start=1):
                yield folder.name, path.name, year, position, *address


def _taken(
    rows: Iterable[Row | Refusal], problems: list[Refusal]
) -> Iterator[tuple[Row, tuple[object, ...]]]:
    """The readable rows with the columns of their addresses; refused rows are added to `problems`."""
    for row in rows:
        if len(problems) > MOST_REFUSED:
            return
        if isinstance(row, Refusal):
            problems.append(row)
            if len(problems) == MOST_REFUSED:
                problems.append(Refusal(0, "many_refused", {"limit": MOST_REFUSED}, file=row.file))
        else:
            place = row.address
            is_pull_request = True if place.kind == "pull_request" else None
            yield row, (row.url, place.forge, place.host, place.path, place.number, is_pull_request)


# --- what the rows refer to


def taxonomy_of(study: Study, path: Path | None) -> Version | Tree:
    """The version of the study by which the files are read, or the tree of which a version will be made.
    Raises TaxonomyFileError for a file that is refused.
    """
    if path is None:
        newest = Taxonomy.objects.filter(study=study).order_by("-pk").first()
        return (published_version(newest) if newest else None) or load_preset(FALLBACK_PRESET)
    with path.open("rb") as stream:
        tree = read_csv(stream)
    for taxonomy in Taxonomy.objects.filter(study=study):
        known = published_version(taxonomy)
        if known and {(state.code, state.name) for state in codebook(known).states} == {
            (node.code, node.name) for node in tree
        }:
            return known
    return tree


def stage_codes(cursor: CursorWrapper, codes: Iterable[tuple[str, int | None, int]]) -> None:
    """Put the known codes, with their categories and levels, into a temporary table."""
    cursor.execute(
        "DROP TABLE IF EXISTS pg_temp.staged_code;"
        " CREATE TEMPORARY TABLE staged_code"
        " (code text PRIMARY KEY, category_id bigint, level int, at_depth bigint) ON COMMIT DROP"
    )
    copy_rows(cursor, "staged_code (code, category_id, level)", codes)


def unknown_codes(cursor: CursorWrapper) -> list[Refusal]:
    """A refusal for each staged row with codes that are not known."""
    cursor.execute(
        """
        SELECT s.folder, s.line, string_agg(DISTINCT used.code, ', '),
               concat_ws(',', s.url, array_to_string(s.labels || s.final, ',', ''))
        FROM staged_row s CROSS JOIN LATERAL unnest(s.labels || s.final) used(code)
        WHERE used.code IS NOT NULL AND NOT EXISTS (SELECT FROM staged_code k WHERE k.code = used.code)
        GROUP BY s.seq ORDER BY s.seq LIMIT %s
        """,
        [MOST_REFUSED],
    )
    return [
        Refusal(line, "unknown_codes", {"codes": codes}, raw[:RAW_LENGTH], file=f"{folder}/{folder}.csv")
        for folder, line, codes, raw in cursor.fetchall()
    ]


def contradictions(cursor: CursorWrapper) -> list[Refusal]:
    """A refusal for each staged row that repeats an issue with other labels than its first row."""
    cursor.execute(
        """
        SELECT folder, line, given, first_folder, first_line FROM (
            SELECT seq, folder, line, concat_ws(',', url, array_to_string(labels || final, ',', '')) AS given,
                   first_value(folder) OVER same AS first_folder, first_value(line) OVER same AS first_line,
                   labels || final IS NOT DISTINCT FROM first_value(labels || final) OVER same AS alike
            FROM staged_row WINDOW same AS (PARTITION BY host, lower(path), number ORDER BY seq)
        ) ranked WHERE NOT alike ORDER BY seq LIMIT %s
        """,
        [MOST_REFUSED],
    )
    return [
        Refusal(
            line,
            "twin",
            {"file": f"{first}/{first}.csv", "line": first_line},
            given[:RAW_LENGTH],
            file=f"{folder}/{folder}.csv",
        )
        for folder, line, given, first, first_line in cursor.fetchall()
    ]


def set_repeated_aside(cursor: CursorWrapper, run: Import) -> None:
    """Keep the first row of each issue; store a report row for every repeated row."""
    cursor.execute(
        """
        WITH ranked AS (
            SELECT seq, folder, line, url, array_to_string(labels || final, ',', '') AS given,
                   row_number() OVER same AS nth, first_value(line) OVER same AS first_line,
                   labels || final IS NOT DISTINCT FROM first_value(labels || final) OVER same AS alike
            FROM staged_row WINDOW same AS (PARTITION BY host, lower(path), number ORDER BY seq)
        ), aside AS (
            DELETE FROM staged_row USING ranked WHERE staged_row.seq = ranked.seq AND ranked.nth > 1
            RETURNING ranked.*
        )
        SELECT folder, line, url, given, first_line, alike FROM aside ORDER BY seq
        """
    )
    same = _("The same row as line %(line)s. Line %(line)s was kept.")
    other = _("The issue of line %(line)s again, with other labels. The labels of line %(line)s were kept.")
    ImportRow.objects.bulk_create(
        (
            ImportRow(
                run=run,
                outcome=ImportRow.Outcome.REPEATED,
                file=f"{folder}/{folder}.csv",
                line=line,
                code="repeated" if alike else "repeated_with_other_labels",
                message=(same if alike else other) % {"line": first_line},
                raw=f"{url},{given}",
            )
            for folder, line, url, given, first_line, alike in cursor.fetchall()
        ),
        batch_size=2000,
    )
