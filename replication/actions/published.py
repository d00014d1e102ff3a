"""Imports a published study: repositories, lists, issues, members without users, a round, labels, decisions.

COPY stages all rows in temporary tables and SQL spreads them from there, in one transaction: a killed run
leaves nothing, memory does not grow with the study, and the constraints check every row.
"""

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.utils.translation import gettext as _

from accounts.models import User
from consensus.actions.decisions import note_disagreements
from core import clock
from ingest.models import Import
from ingest.readers import UnreadableFile, published
from replication.actions.published_rows import STATEMENTS
from replication.actions.staging import (
    Report,
    content_hash,
    contradictions,
    set_repeated_aside,
    stage,
    stage_codes,
    taxonomy_of,
    unknown_codes,
)
from replication.errors import PseudonymTaken, PublishedStudyDiffers, PublishedStudyRefused
from replication.queries.published import (
    MAIN_ROUND,
    has_main_round,
    imported,
    labels_already,
    members_to_rename,
)
from rounds.models import Round, RoundVolunteer
from rounds.queries.categories import ROLLED_UP
from studies.actions import is_slug, record
from studies.models import Membership, Role, Study
from taxonomy.actions import create_taxonomy
from taxonomy.errors import TaxonomyRefused
from taxonomy.models import Taxonomy, Version
from taxonomy.queries.codebooks import codebook
from taxonomy.tree import TaxonomyFileError

NAME_LENGTH = 120
"""Of a taxonomy."""


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
    strict: bool = False,
    report: Report = lambda *_told: None,
) -> ImportedStudy:
    """Load a folder of the published layout into the study `slug`; create the study if it does not exist.

    The taxonomy is the folder's `taxonomy.csv`, or the study's newest, or the preset `llm-frameworks`. The
    depth of the round is the level of the shallowest code used. An unchanged folder changes nothing.
    Of rows that label one issue differently the first counts, and the others are lines of the report; with
    `strict` they refuse the study.
    Raises PublishedStudyRefused with every refused line (nothing is stored), TaxonomyRefused, and
    PublishedStudyDiffers if the study has a main round from other files, and PseudonymTaken.
    """
    if not is_slug(slug):
        problem = _(
            "A study cannot be called %(slug)s in addresses: use letters, digits and hyphens, up to 80."
        )
        raise PublishedStudyRefused([problem % {"slug": slug or '""'}])
    found = surveyed(folder)
    report(0, None, _("reading the files"))
    digest, size = content_hash(folder, found)
    with transaction.atomic():
        study, _made = Study.objects.get_or_create(slug=slug, defaults={"name": name or folder.name})
        # One import of a study at a time: a second import waits here and then sees the rows of the first.
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        skipped = [f"{item.name}: {_(item.reason)}" for item in found.skipped]
        former = imported(study).first()
        if former and former.sha256 == digest:
            _seat(study, owner)
            return ImportedStudy(run=former, counts=former.counts, skipped=skipped, unchanged=True)
        if has_main_round(study):
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
        version = version_of(study, found.taxonomy, owner)
        counts = load(run=run, found=found, version=version, by=owner, report=report, strict=strict)
        _seat(study, owner)
    return ImportedStudy(run=run, counts=counts, skipped=skipped)


def surveyed(folder: Path) -> published.Survey:
    """The files of the layout in a folder. Raises PublishedStudyRefused."""
    try:
        found = published.survey(folder)
    except UnreadableFile as unreadable:
        raise PublishedStudyRefused([unreadable.refusal.text(_)]) from unreadable
    if found.refusals:
        raise PublishedStudyRefused([refusal.text(_) for refusal in found.refusals])
    return found


def load(
    *,
    run: Import,
    found: published.Survey,
    version: Version,
    by: User | None,
    report: Report,
    expected: int | None = None,
    name: str = MAIN_ROUND,
    strict: bool = False,
) -> dict[str, int]:
    """Store the whole study and note in its import what came; return the counts. `expected` is the number of
    rows that will be read and stored, if it is known. `name` is that of the round. With `strict` rows that
    repeat an issue with other labels refuse the study.

    For callers in a transaction that locked the study. Raises PublishedStudyRefused with every refused line,
    and PseudonymTaken if a person who would need another pseudonym labels in a round.
    """
    read = 0

    def read_report(done: int, _total: int | None, step: str) -> None:
        nonlocal read
        read = max(read, done)
        report(done, expected, step)

    with connection.cursor() as cursor:
        problems = stage(cursor, found, read_report)
        codes = codebook(version).states
        stage_codes(cursor, ((state.code, state.category_id, state.level) for state in codes))
        problems += unknown_codes(cursor)
        problems += contradictions(cursor) if strict else []
        if problems:
            raise PublishedStudyRefused([refusal.text(_) for refusal in problems])
        set_repeated_aside(cursor, run)
        people = _volunteers(run.study, found.volunteers)
        round_, counts = _spread(
            cursor, run, version, people, lambda done, _total, step: report(read + done, expected, step), name
        )
    mapping = run.mapping | {"round": round_.pk}
    Import.objects.filter(pk=run.pk).update(counts=counts, mapping=mapping, path="")
    record(run.study, "studies.imported", by, name=run.name, **counts)
    return counts


# --- what the rows refer to


def version_of(study: Study, path: Path | None, owner: User | None, name: str = "") -> Version:
    """The version by which the files are read. If the study has none that fits, a taxonomy of this name is
    made. Raises TaxonomyRefused.
    """
    try:
        found = taxonomy_of(study, path)
    except TaxonomyFileError as error:
        raise TaxonomyRefused(error.problems) from error
    if isinstance(found, Version):
        return found
    taken = set(Taxonomy.objects.filter(study=study).values_list("name", flat=True))
    first = name or _("Challenges")
    ends = (f" {number}" if number > 1 else "" for number in range(1, len(taken) + 2))
    names = (first[: NAME_LENGTH - len(end)] + end for end in ends)
    return create_taxonomy(
        study=study, name=next(one for one in names if one not in taken), tree=found, by=owner
    )


def _volunteers(study: Study, how_many: int) -> list[Membership]:
    """The members R1 to Rn, without users. A member with a user and such a pseudonym gets another pseudonym.

    Raises PseudonymTaken if a member to rename is a volunteer of a round.
    """
    renamed = members_to_rename(study, how_many)
    if labels_already(renamed):
        raise PseudonymTaken
    for member, pseudonym in renamed:
        Membership.objects.filter(pk=member.pk).update(pseudonym=pseudonym)
    names = [f"R{number}" for number in range(1, how_many + 1)]
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


def _spread(
    cursor: CursorWrapper,
    run: Import,
    version: Version,
    volunteers: list[Membership],
    report: Report,
    round_name: str,
) -> tuple[Round, dict[str, int]]:
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
        name=round_name,
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
    # Tables without statistics look small, and a nested loop over a whole study takes minutes. So does a plan
    # of a foreign key that this session made when a table was small, and that reads all of it for each label.
    cursor.execute("SET LOCAL enable_nestloop = off; DISCARD PLANS")
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
    return round_, counts
