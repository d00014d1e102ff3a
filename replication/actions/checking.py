"""What an import of a published study would bring, found by the reader of that import and its first steps."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.utils.translation import gettext as _

from ingest.actions.loading import refused_row
from ingest.models import Import, ImportRow
from ingest.readers import Refusal, UnreadableFile, published
from ingest.readers.laid_out import TAXONOMY
from replication.actions.staging import (
    Report,
    content_hash,
    set_repeated_aside,
    stage,
    stage_codes,
    taxonomy_of,
    unknown_codes,
)
from replication.errors import PublishedStudyRefused
from taxonomy.models import Version
from taxonomy.queries.codebooks import codebook
from taxonomy.tree import TaxonomyFileError, Tree

_COUNTS = """
    WITH address AS (
        SELECT DISTINCT host, lower(path) AS path, number FROM (
            SELECT host, path, number FROM staged_row UNION ALL SELECT host, path, number FROM staged_entry
        ) every_address
    ), place AS (SELECT DISTINCT host, path FROM address)
    SELECT
        (SELECT count(*) FROM place),
        (SELECT count(*) FROM place JOIN ingest_repository r
            ON r.study_id = %(study)s AND r.host = place.host AND lower(r.path) = place.path),
        (SELECT count(*) FROM address),
        (SELECT count(*) FROM address a JOIN ingest_repository r
            ON r.study_id = %(study)s AND r.host = a.host AND lower(r.path) = a.path
            JOIN ingest_issue i ON i.repository_id = r.id AND i.number = a.number),
        (SELECT count(*) FROM staged_row),
        (SELECT count(final) FROM staged_row),
        (SELECT count(*) FROM staged_list),
        (SELECT count(*) FROM staged_entry)
"""
_BY_PERSON = """
    SELECT given.place, count(given.code) FROM staged_row
    CROSS JOIN LATERAL unnest(labels) WITH ORDINALITY given (code, place) GROUP BY 1 ORDER BY 1
"""


def version_id(found: Version | Tree) -> int | None:
    """The version by which files would be read; None if it would be made."""
    return found.pk if isinstance(found, Version) else None


def checked(*, run: Import, folder: Path, skipped: list[str], report: Report) -> dict[str, Any]:
    """The preview of a folder, to be stored as JSON; stores a report row for each refused or repeated line.

    For callers in a transaction, which holds the rows in temporary tables to its end. Raises
    PublishedStudyRefused for a folder without a file of the layout.
    """
    try:
        found = published.survey(folder)
    except UnreadableFile as unreadable:
        refusal = replace(unreadable.refusal, file=run.name)
        raise PublishedStudyRefused([refusal.text(_)]) from None
    digest, _size = content_hash(folder, found)
    refusals = list(found.refusals)
    tree: Version | Tree | None = None
    try:
        tree = taxonomy_of(run.study, found.taxonomy)
    except TaxonomyFileError as error:
        refusals += [
            Refusal(problem.line, "taxonomy", {"cause": _(problem.template) % problem.values}, file=TAXONOMY)
            for problem in error.problems
        ]
    with connection.cursor() as cursor:
        if not found.refusals:
            refusals += stage(cursor, found, report)
            stage_codes(cursor, ((code, None, level) for code, level in _codes(tree)))
            if tree is not None:
                refusals += unknown_codes(cursor)
            report(0, None, _("counting"))
        _store(run, refusals)
        counts = _counts(cursor, run, found) if not found.refusals else {}
    return {
        "digest": digest,
        "files": _files(found, counts.pop("rows_of", {}), tree),
        "skipped": skipped,
        "taxonomy": _taxonomy(found, tree),
        "refused": len(refusals),
        **counts,
    }


def _codes(tree: Version | Tree | None) -> list[tuple[str, int]]:
    """The codes of a taxonomy with their levels."""
    nodes: Iterable[Any] = codebook(tree).states if isinstance(tree, Version) else tree or ()
    return [(node.code, node.level) for node in nodes]


def _store(run: Import, refusals: list[Refusal]) -> None:
    ImportRow.objects.bulk_create((refused_row(run, refusal) for refusal in refusals), batch_size=2000)


def _counts(cursor: CursorWrapper, run: Import, found: published.Survey) -> dict[str, Any]:
    """The numbers of a preview, and the number of rows of each file."""
    cursor.execute("SELECT folder || '/' || folder || '.csv', count(*) FROM staged_row GROUP BY folder")
    rows_of = dict(cursor.fetchall())
    cursor.execute("SELECT folder || '/' || name, count(*) FROM staged_entry GROUP BY folder, name")
    rows_of |= dict(cursor.fetchall())
    set_repeated_aside(cursor, run)
    repeated = ImportRow.objects.filter(run=run, outcome=ImportRow.Outcome.REPEATED)
    codes = Counter(repeated.values_list("code", flat=True))
    cursor.execute("SET LOCAL enable_nestloop = off")
    cursor.execute(_COUNTS, {"study": run.study_id})
    names = (
        "repositories", "repositories_known", "issues", "issues_known", "labelled", "decisions", "lists",
        "list_entries",
    )  # fmt: skip
    counts: dict[str, Any] = dict(zip(names, cursor.fetchone(), strict=True))
    cursor.execute(_BY_PERSON)
    labels = dict(cursor.fetchall())
    people = [labels.get(place, 0) for place in range(1, found.volunteers + 1)]
    cursor.execute(
        "SELECT min(k.level) FROM staged_row s"
        " CROSS JOIN LATERAL unnest(s.labels || s.final) used(code) JOIN staged_code k USING (code)"
    )
    (depth,) = cursor.fetchone()
    return counts | {
        "rows": sum(rows_of.values()),
        "rows_of": rows_of,
        "people": people,
        "labels": sum(people),
        "repeated": codes["repeated"],
        "repeated_otherwise": codes["repeated_with_other_labels"],
        "depth": depth or 2,
    }


def _files(
    found: published.Survey, rows_of: dict[str, int], tree: Version | Tree | None
) -> list[dict[str, Any]]:
    """The files that are taken, in their order: name, kind, number of rows, and for a list its year."""
    files: list[dict[str, Any]] = []
    if found.taxonomy:
        files.append({"name": TAXONOMY, "kind": "taxonomy", "rows": len(_codes(tree))})
    for repository in found.repositories:
        if repository.labels:
            name = published.named(repository.labels)
            files.append({"name": name, "kind": "labels", "rows": rows_of.get(name, 0)})
        for year, path in repository.lists:
            name = published.named(path)
            files.append({"name": name, "kind": "list", "year": year, "rows": rows_of.get(name, 0)})
    return files


def _taxonomy(found: published.Survey, tree: Version | Tree | None) -> dict[str, Any]:
    """Where the taxonomy comes from, and how many categories it has at each level."""
    levels = Counter(level for _code, level in _codes(tree))
    is_known = isinstance(tree, Version)
    return {
        "source": "file" if found.taxonomy else "study" if is_known else "preset",
        "version": tree.pk if isinstance(tree, Version) else None,
        "name": str(tree) if is_known else "",
        "levels": [levels[level] for level in (1, 2, 3)],
    }
