"""Labels as files: the published layout (a row per issue), the long one (a row per label), the package.

Everything is read from one snapshot and streamed; only what is revealed is in it, and nothing that is held
back from who asks: how many issues that are is said beside the rows.
"""

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from zipfile import ZIP_DEFLATED, ZipFile

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from annotate.models import Round, RoundIssue
from annotate.queries.rounds import revealed, reveals_complete_issues
from annotate.queries.volunteers import incomplete_rows
from annotate.queries.withheld import NOTHING, Held, seen_sql
from annotate.reports import agreement_report
from ingest.models import Repository, Source, SourceEntry
from ingest.readers.text import make_inert
from taxonomy.queries import codebook
from taxonomy.tree import write_csv

LAYOUTS = ("wide", "long")
WITHHELD = "Crosscheck-Withheld"
"""The header of a file's answer that says how many issues are held back from who asked, and so not in it."""
WHY_WITHHELD = "who made this package still has to label them in another round"
LONG_COLUMNS = (
    "Issue_URL", "Repository", "Number", "Round", "Volunteer", "Label", "Summary", "Unsure", "Surplus",
    "Submitted_at", "Final_Label", "Method", "Open", "Guideline",
)  # fmt: skip
_BATCH = 2000

_CHOSEN = """
    WITH chosen AS MATERIALIZED (
        SELECT ri.issue_id, ri.position, i.url, i.number, i.repository_id
        FROM annotate_roundissue ri
        JOIN ingest_issue i ON i.id = ri.issue_id
        WHERE ri.round_id = %(round)s
          AND (%(closed)s OR (%(by_issue)s AND ri.completed_at IS NOT NULL))
          AND (%(repositories)s::bigint[] IS NULL OR i.repository_id = ANY(%(repositories)s::bigint[]))
          AND {seen}
    ), code AS MATERIALIZED (
        SELECT category_id, code FROM taxonomy_categorystate WHERE version_id = %(version)s
    )
"""

_WIDE = f"""
    {_CHOSEN}, labelled AS (
        SELECT a.issue_id, array_agg(code.code ORDER BY a.slot) AS codes,
               array_agg(a.slot ORDER BY a.slot) AS slots
        FROM annotate_assignment a
        JOIN chosen ON chosen.issue_id = a.issue_id
        LEFT JOIN annotate_label l ON l.assignment_id = a.id
        LEFT JOIN code ON code.category_id = l.category_id
        WHERE a.round_id = %(round)s
        GROUP BY a.issue_id
    )
    SELECT chosen.url, labelled.codes, labelled.slots, final.code
    FROM chosen
    LEFT JOIN labelled ON labelled.issue_id = chosen.issue_id
    LEFT JOIN annotate_decision d
      ON d.round_id = %(round)s AND d.issue_id = chosen.issue_id AND d.superseded_at IS NULL
    LEFT JOIN code final ON final.category_id = d.category_id
    ORDER BY chosen.position
"""

_LONG = f"""
    {_CHOSEN}
    SELECT chosen.url, r.path, chosen.number, %(name)s, m.pseudonym, code.code, l.summary, l.unsure,
           l.surplus, l.submitted_at, final.code, coalesce(d.method, ''),
           CASE WHEN l.category_id IS NULL THEN p.name END, g.number
    FROM chosen
    JOIN ingest_repository r ON r.id = chosen.repository_id
    JOIN annotate_label l ON l.round_id = %(round)s AND l.issue_id = chosen.issue_id
    JOIN annotate_roundvolunteer v ON v.round_id = l.round_id AND v.member_id = l.volunteer_id
    JOIN studies_membership m ON m.id = v.member_id
    LEFT JOIN code ON code.category_id = l.category_id
    LEFT JOIN taxonomy_proposal p ON p.id = l.proposal_id
    LEFT JOIN studies_guideline g ON g.id = l.guideline_id
    LEFT JOIN annotate_decision d
      ON d.round_id = %(round)s AND d.issue_id = chosen.issue_id AND d.superseded_at IS NULL
    LEFT JOIN code final ON final.category_id = d.category_id
    ORDER BY chosen.position, v."column"
"""


@contextmanager
def snapshot() -> Iterator[None]:
    """One consistent view of the database for everything read inside."""
    alone = not connection.in_atomic_block
    with transaction.atomic():
        if alone:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def labels_csv(
    round_: Round,
    *,
    layout: str = "wide",
    repositories: Iterable[Repository] | None = None,
    held: Held = NOTHING,
) -> Iterator[bytes]:
    """The revealed labels of a round as UTF-8 CSV with LF, in pieces of about 100 kB.

    `wide`: the published layout, `Issue_URL,Label1,…,LabelN,Final_Label`, in the round's order. `long`: the
    columns of LONG_COLUMNS, a row per label. `repositories`: only their issues. Empty cells: no label, or an
    open one, whose proposed name the long layout says. Who was taken out of the round keeps their column.
    `held`: what is held back from the reader, and left out.
    """
    if layout not in LAYOUTS:
        raise ValueError(f"layout is one of {', '.join(LAYOUTS)}")
    seen, kept = seen_sql(held, "ri.issue_id")
    values: dict[str, Any] = {
        **kept,
        "round": round_.pk,
        "name": round_.name,
        "version": round_.version_id,
        "closed": round_.closed_at is not None,
        "by_issue": reveals_complete_issues(round_),
        "repositories": None if repositories is None else [repository.pk for repository in repositories],
    }
    header: Iterable[str] = LONG_COLUMNS
    make_row: Callable[[tuple[Any, ...]], Iterable[object]] = _long_row
    if layout == "wide":
        header = ("Issue_URL", *(f"Label{n}" for n in range(1, round_.labels_per_issue + 1)), "Final_Label")
        make_row = partial(_wide_row, round_.labels_per_issue)
    with snapshot(), connection.chunked_cursor() as cursor:
        cursor.execute((_WIDE if layout == "wide" else _LONG).format(seen=seen), values)
        yield from _lines(header, (make_row(row) for row in _fetched(cursor)))


def incomplete_issues_csv(round_: Round) -> Iterator[bytes]:
    """The issues that a closed round left without all labels: how many they have, how many were wanted."""
    header = ("Issue_URL", "Repository", "Number", "Labels", "Wanted")
    return _lines(header, incomplete_rows(round_))


def _fetched(cursor: Any) -> Iterator[tuple[Any, ...]]:
    while rows := cursor.fetchmany(_BATCH):
        yield from rows


def _wide_row(width: int, row: tuple[Any, ...]) -> Iterable[object]:
    url, codes, slots, final = row
    if codes is None or len(codes) < width:
        by_slot = dict(zip(slots or (), codes or (), strict=True))
        codes = [by_slot.get(slot) for slot in range(1, width + 1)]
    return (url, *codes, final)


def _long_row(row: tuple[Any, ...]) -> Iterable[object]:
    cells = list(row)
    cells[7:10] = ("yes" if cells[7] else "", "yes" if cells[8] else "", cells[9].isoformat())
    return cells


def _lines(header: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[bytes]:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([make_inert(cell) if isinstance(cell, str) else cell for cell in row])
        if buffer.tell() > 100_000:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()


class Sink(Protocol):
    """Where a package goes: a folder or an archive."""

    def write(self, name: str, chunks: Iterable[bytes]) -> None: ...


class FolderSink:
    """Files below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, chunks: Iterable[bytes]) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as stream:
            stream.writelines(chunks)


class ZipSink:
    """Members of an archive."""

    def __init__(self, archive: ZipFile) -> None:
        self.archive = archive

    def write(self, name: str, chunks: Iterable[bytes]) -> None:
        with self.archive.open(name, "w", force_zip64=True) as stream:
            for chunk in chunks:
                stream.write(chunk)


def write_package(round_: Round, to: Path, *, held: Held = NOTHING) -> dict[str, str]:
    """Write the replication package of a round into a folder, or a new `.zip`; answers with SHA-256 by file.

    It holds the published layout (`<folder>/<folder>.csv`, `<folder>/<folder>_<year>.txt`, `taxonomy.csv`),
    the long layout, the agreement report, and a manifest with the moment, the version and the hashes. What is
    `held` back from the reader is in none of them; the manifest says how many issues that are, and why.
    """
    if to.suffix == ".zip":
        to.parent.mkdir(parents=True, exist_ok=True)
        with ZipFile(to, "w", ZIP_DEFLATED) as archive:
            return _write_files(round_, ZipSink(archive), held)
    to.mkdir(parents=True, exist_ok=True)
    return _write_files(round_, FolderSink(to), held)


def _write_files(round_: Round, sink: Sink, held: Held) -> dict[str, str]:
    hashes: dict[str, str] = {}

    def write(name: str, chunks: Iterable[bytes]) -> None:
        digest = hashlib.sha256()

        def seen() -> Iterator[bytes]:
            for chunk in chunks:
                digest.update(chunk)
                yield chunk

        sink.write(name, seen())
        hashes[name] = digest.hexdigest()

    with snapshot():
        for name, repositories in _folders(round_).items():
            write(f"{name}/{name}.csv", labels_csv(round_, repositories=repositories, held=held))
            for listed, urls in _lists(round_, name, repositories, held):
                write(f"{name}/{listed}", _joined(urls))
        write("taxonomy.csv", [_taxonomy_csv(round_)])
        write("labels_long.csv", labels_csv(round_, layout="long", held=held))
        found = agreement_report(round_, by=[["type"], ["repository"]], held=held)
        write("agreement.json", [json.dumps(found.as_dict(), indent=2).encode() + b"\n"])
        withheld = held.count()
    manifest = {
        "study": round_.study.slug,
        "round": round_.name,
        "kind": round_.kind,
        "taxonomy": round_.version.taxonomy.name,
        "version": round_.version.number,
        "as_of": found.as_of.isoformat(),
        "written_at": timezone.now().isoformat(),
        "withheld_issues": withheld,
        **({"why_withheld": WHY_WITHHELD} if withheld else {}),
        "sha256": hashes,
    }
    sink.write("manifest.json", [json.dumps(manifest, indent=2).encode() + b"\n"])
    return hashes


def _folders(round_: Round) -> dict[str, list[Repository]]:
    """The repositories that the round's issues or lists are of, by the folder they go to."""
    used = RoundIssue.objects.filter(round=round_).values("issue__repository")
    folders: dict[str, list[Repository]] = {}
    for repository in Repository.objects.filter(study=round_.study_id, pk__in=used).order_by("pk"):
        folders.setdefault(repository.folder, []).append(repository)
    return folders


def _lists(
    round_: Round, folder: str, repositories: list[Repository], held: Held
) -> Iterator[tuple[str, Iterator[str]]]:
    """The lists of a folder as they came; where none came, the round's revealed issues by year."""
    sources = Source.objects.filter(repository__in=repositories).order_by("name")
    for source in sources:
        entries = SourceEntry.objects.filter(source=source).order_by("position")
        yield source.name, entries.values_list("url", flat=True).iterator(chunk_size=_BATCH)
    if not sources:
        issues = revealed(round_).exclude(pk__in=held.values("pk"))
        issues = issues.filter(issue__repository__in=repositories, issue__year__isnull=False)
        for year in issues.order_by("issue__year").values_list("issue__year", flat=True).distinct():
            urls = (
                issues.filter(issue__year=year).order_by("position").values_list(F("issue__url"), flat=True)
            )
            yield f"{folder}_{year}.txt", urls.iterator(chunk_size=_BATCH)


def _joined(urls: Iterable[str]) -> Iterator[bytes]:
    for url in urls:
        yield f"{url}\n".encode()


def _taxonomy_csv(round_: Round) -> bytes:
    buffer = io.StringIO(newline="")
    write_csv(codebook(round_.version_id).tree(), buffer)
    return buffer.getvalue().encode()
