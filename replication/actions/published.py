"""Imports a published study: repositories, lists, issues, members without users, a round, labels, decisions.

COPY stages all rows in temporary tables and SQL spreads them from there, in one transaction: a killed run
leaves nothing, memory does not grow with the study, and the constraints check every row.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.utils.translation import gettext as _

from accounts.models import User
from consensus.actions.decisions import note_disagreements
from core import clock
from core.sql.copying import copy_rows
from ingest.models import Import, ImportRow
from ingest.readers import Draft, Refusal, UnreadableFile, published
from replication.actions.published_rows import STATEMENTS
from replication.errors import PublishedStudyDiffers, PublishedStudyRefused
from rounds.models import Round, RoundVolunteer
from rounds.queries.categories import ROLLED_UP
from studies.actions import is_slug, record
from studies.models import Membership, Role, Study
from taxonomy.actions import create_taxonomy
from taxonomy.errors import TaxonomyRefused
from taxonomy.models import Taxonomy, Version
from taxonomy.presets import load_preset
from taxonomy.queries.codebooks import codebook
from taxonomy.queries.taxonomies import published_version
from taxonomy.tree import TaxonomyFileError, Tree, read_csv

Report = Callable[[int, int | None, str], None]
"""Called with the number of rows done, the total if it is known, and the step in words."""

Row = TypeVar("Row", published.LabelRow, Draft)

MAIN_ROUND = "Main round"
FALLBACK_PRESET = "llm-frameworks"


@dataclass
class ImportedStudy:
    """The result of an import. `run.rows` has a row for each line that was not imported."""

    run: Import
    counts: dict[str, int] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    unchanged: bool = False


def import_study(
    *,
    folder: Path,
    slug: str,
    name: str = "",
    owner: User | None = None,
    report: Report = lambda *_told: None,
) -> ImportedStudy:
    """Load a folder of the published layout into the study `slug`; create the study if it does not exist.

    The taxonomy is the folder's `taxonomy.csv`, or the study's newest, or the preset `llm-frameworks`. The
    depth of the round is the level of the shallowest code used. An unchanged folder changes nothing.
    Raises PublishedStudyRefused with every refused line (nothing is stored), TaxonomyRefused, and
    PublishedStudyDiffers if the study has a main round from other files.
    """
    if not is_slug(slug):
        problem = _(
            "A study cannot be called %(slug)s in addresses: use letters, digits and hyphens, up to 80."
        )
        raise PublishedStudyRefused([problem % {"slug": slug or '""'}])
    try:
        found = published.survey(folder)
    except UnreadableFile as unreadable:
        raise PublishedStudyRefused([unreadable.refusal.text(_)]) from unreadable
    if found.refusals:
        raise PublishedStudyRefused([refusal.text(_) for refusal in found.refusals])
    report(0, None, _("reading the files"))
    digest, size = _content_hash(folder, found)
    with transaction.atomic(), connection.cursor() as cursor:
        study, _made = Study.objects.get_or_create(slug=slug, defaults={"name": name or folder.name})
        # One import of a study at a time: a second import waits here and then sees the rows of the first.
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        skipped = [f"{item.name}: {_(item.reason)}" for item in found.skipped]
        former = Import.objects.filter(study=study, kind=Import.Kind.PUBLISHED).order_by("-pk").first()
        if former and former.sha256 == digest:
            _seat(study, owner)
            return ImportedStudy(run=former, counts=former.counts, skipped=skipped, unchanged=True)
        if Round.objects.filter(study=study, name=MAIN_ROUND).exists():
            raise PublishedStudyDiffers
        run = Import.objects.create(
            study=study,
            kind=Import.Kind.PUBLISHED,
            name=folder.name,
            size=size,
            sha256=digest,
            created_by=owner,
            mapping={"format": "published", "skipped": skipped},
        )
        problems = _stage(cursor, found, report)
        version = _version(study, found.taxonomy, owner)
        problems += _unknown_codes(cursor, version)
        if problems:
            raise PublishedStudyRefused(problems)
        _set_repeated_aside(cursor, run)
        counts = _spread(cursor, run, version, _volunteers(study, found.volunteers), report)
        _seat(study, owner)
        Import.objects.filter(pk=run.pk).update(counts=counts)
        record(study, "studies.imported", owner, name=folder.name, **counts)
    return ImportedStudy(run=run, counts=counts, skipped=skipped)


def _content_hash(folder: Path, found: published.Survey) -> tuple[str, int]:
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


def _stage(cursor: CursorWrapper, found: published.Survey, report: Report) -> list[str]:
    """Copy all rows and list entries into temporary tables; return the refused lines, in words."""
    cursor.execute(
        """
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
    problems: list[str] = []
    copy_rows(
        cursor,
        "staged_row (folder, line, url, forge, host, path, number, is_pull_request, labels, final, seq)",
        _numbered(_label_rows(found, problems), report, _("reading labels")),
    )
    copy_rows(
        cursor,
        "staged_list (folder, name, year)",
        ((folder.name, path.name, year) for folder in found.repositories for year, path in folder.lists),
    )
    copy_rows(
        cursor,
        "staged_entry (folder, name, year, position, url, forge, host, path, number, is_pull_request, seq)",
        _numbered(_list_rows(found, problems), report, _("reading lists")),
    )
    cursor.execute("ANALYZE staged_row; ANALYZE staged_entry")
    return problems


def _numbered(rows: Iterable[tuple[object, ...]], report: Report, step: str) -> Iterator[tuple[object, ...]]:
    for seq, row in enumerate(rows, start=1):
        yield (*row, seq)
        if seq % 2000 == 0:
            report(seq, None, step)


def _label_rows(found: published.Survey, problems: list[str]) -> Iterator[tuple[object, ...]]:
    for folder in found.repositories:
        rows = published.label_rows(folder.labels) if folder.labels else ()
        for row, address in _taken(rows, problems):
            yield folder.name, row.line, *address, list(row.labels), row.final


def _list_rows(found: published.Survey, problems: list[str]) -> Iterator[tuple[object, ...]]:
    for folder in found.repositories:
        for year, path in folder.lists:
            rows = _taken(published.list_rows(path), problems)
            for position, (_row, address) in enumerate(rows, start=1):
                yield folder.name, path.name, year, position, *address


def _taken(rows: Iterable[Row | Refusal], problems: list[str]) -> Iterator[tuple[Row, tuple[object, ...]]]:
    """The readable rows with the columns of their addresses; refused rows are added to `problems`."""
    for row in rows:
        if isinstance(row, Refusal):
            problems.append(row.text(_))
        else:
            place = row.address
            is_pull_request = True if place.kind == "pull_request" else None
            yield row, (row.url, place.forge, place.host, place.path, place.number, is_pull_request)


# --- what the rows refer to


def _version(study: Study, path: Path | None, owner: User | None) -> Version:
    if path is None:
        newest = Taxonomy.objects.filter(study=study).order_by("-pk").first()
        known = published_version(newest) if newest else None
        if known:
            return known
        tree = load_preset(FALLBACK_PRESET)
    else:
        tree = _read_taxonomy(path)
        for taxonomy in Taxonomy.objects.filter(study=study):
            known = published_version(taxonomy)
            if known and {(state.code, state.name) for state in codebook(known).states} == {
                (node.code, node.name) for node in tree
            }:
                return known
    return create_taxonomy(study=study, name=_("Challenges"), tree=tree, by=owner)


def _read_taxonomy(path: Path) -> Tree:
    try:
        with path.open("rb") as stream:
            return read_csv(stream)
    except TaxonomyFileError as error:
        raise TaxonomyRefused(error.problems) from error


def _unknown_codes(cursor: CursorWrapper, version: Version) -> list[str]:
    """A sentence for each row with codes that the version lacks; also stages the known codes."""
    book = codebook(version)
    cursor.execute(
        "CREATE TEMPORARY TABLE staged_code"
        " (code text PRIMARY KEY, category_id bigint, level int, at_depth bigint) ON COMMIT DROP"
    )
    copy_rows(
        cursor,
        "staged_code (code, category_id, level)",
        ((state.code, state.category_id, state.level) for state in book.states),
    )
    cursor.execute(
        """
        SELECT s.folder, s.line, string_agg(DISTINCT used.code, ', ')
        FROM staged_row s CROSS JOIN LATERAL unnest(s.labels || s.final) used(code)
        WHERE used.code IS NOT NULL AND NOT EXISTS (SELECT FROM staged_code k WHERE k.code = used.code)
        GROUP BY s.seq ORDER BY s.seq
        """
    )
    return [
        _("%(file)s.csv, line %(line)s: the taxonomy has no category %(codes)s.")
        % {"file": folder, "line": line, "codes": codes}
        for folder, line, codes in cursor.fetchall()
    ]


def _volunteers(study: Study, how_many: int) -> list[Membership]:
    """The members R1 to Rn, without users. A member with a user and such a pseudonym gets another pseudonym.

    Raises PublishedStudyDiffers if a member to rename is a volunteer of a round.
    """
    names = [f"R{number}" for number in range(1, how_many + 1)]
    taken = {member.pseudonym: member for member in Membership.objects.filter(study=study)}
    free = (name for number in range(1, 10**6) if (name := f"R{number}") not in taken and name not in names)
    for name in names:
        member = taken.get(name)
        if member and member.user_id:
            if member.rounds.exists():
                raise PublishedStudyDiffers
            Membership.objects.filter(pk=member.pk).update(pseudonym=next(free))
    seats = {
        member.pseudonym: member
        for member in Membership.objects.filter(study=study, user=None, pseudonym__in=names)
    }
    missing = [
        Membership(study=study, role=Role.VOLUNTEER, pseudonym=name) for name in names if name not in seats
    ]
    seats |= {member.pseudonym: member for member in Membership.objects.bulk_create(missing)}
    return [seats[name] for name in names]


def _seat(study: Study, owner: User | None) -> None:
    """Make this user, if there is one, the owner of a study that has no owner with a user."""
    if owner and not Membership.objects.filter(study=study, user__isnull=False, role=Role.OWNER).exists():
        number = Membership.objects.filter(study=study).count() + 1
        Membership.objects.create(study=study, user=owner, role=Role.OWNER, pseudonym=f"R{number}")


# --- from the temporary tables into the study


def _set_repeated_aside(cursor: CursorWrapper, run: Import) -> None:
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
    same = _("The same row as line %(line)s; that one was kept.")
    other = _("The issue of line %(line)s again, with other labels; the labels of line %(line)s were kept.")
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


def _spread(
    cursor: CursorWrapper, run: Import, version: Version, volunteers: list[Membership], report: Report
) -> dict[str, int]:
    now = clock.now()
    cursor.execute(
        "SELECT coalesce(min(k.level), 2), max(k.level) FROM staged_row s"
        " CROSS JOIN LATERAL unnest(s.labels || s.final) used(code) JOIN staged_code k USING (code)"
    )
    depth, deepest = cursor.fetchone()
    cursor.execute(
        f"UPDATE staged_code SET at_depth = d.at_depth FROM ({ROLLED_UP}) d"  # noqa: S608 - a constant
        " WHERE d.category_id = staged_code.category_id",
        {"version": version.pk, "depth": depth},
    )
    round_ = Round.objects.create(
        study=run.study,
        name=MAIN_ROUND,
        version=version,
        depth=depth,
        labels_per_issue=len(volunteers),
        seed=secrets.randbits(62),
        opened_at=now,
        closed_at=now,
    )
    RoundVolunteer.objects.bulk_create(
        RoundVolunteer(round=round_, member=member, column=column, seed=secrets.randbits(62))
        for column, member in enumerate(volunteers, start=1)
    )
    values: dict[str, Any] = {
        "study": run.study_id,
        "run": run.pk,
        "round": round_.pk,
        "version": version.pk,
        "now": now,
        "k": len(volunteers),
        "deeper": deepest is not None and deepest > depth,
    }
    counts = {"volunteers": len(volunteers)}
    # Tables without statistics look small, and a nested loop over a whole study takes minutes.
    cursor.execute("SET LOCAL enable_nestloop = off")
    for name, table, step, statement in STATEMENTS:
        report(sum(counts.values()), None, _(step))
        cursor.execute(statement, values)
        counts[name] = cursor.rowcount
        # A session keeps the plans of its foreign key checks: a plan from when this table was small reads the
        # whole table for each row that refers to it, until new statistics discard the plan.
        cursor.execute(f"ANALYZE {table}")
    report(sum(counts.values()), None, _("noting disagreements"))
    note_disagreements(round_)
    cursor.execute("ANALYZE consensus_disagreement")
    del counts["placed"]
    return counts
