"""Codebooks in the published shape: imported whole or not at all, and removed."""

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from interviews.actions.leading import one_line, require_lead, require_length
from interviews.errors import InterviewRefused, NamesLeft
from interviews.models import CodebookEntry, ImportedCodebook, Participant
from interviews.queries.codebooks import FIELDS
from interviews.queries.erasing import entries_of
from interviews.queries.pseudonyms import names_left
from interviews.readers.codebook import CodebookRow, links_in
from studies.actions import record
from studies.models import Membership, Study
from taxonomy.models import Version

MOST_CODEBOOKS = 100
LONGEST_NAME = 200


@sensitive_variables()
@transaction.atomic
def import_codebook(
    *,
    study: Study,
    name: str,
    rows: Sequence[CodebookRow],
    version: Version | None,
    is_published: bool,
    by: Membership,
) -> ImportedCodebook:
    """Store the rows of a codebook as they are. Links to categories stay text. Raises InterviewRefused,
    NamesLeft, IdentityUnreadable and PermissionDenied.
    """
    require_lead(study.pk, by)
    name = one_line(name)
    require_length(name, LONGEST_NAME, "name")
    if not name:
        raise InterviewRefused(_("Type a name for this codebook. Nothing was stored."), field="name")
    if not rows:
        raise InterviewRefused(_("The codebook has no rows. Nothing was stored."), field="file")
    if version is not None and version.taxonomy.study_id != study.pk:
        raise InterviewRefused(_("This study has no such taxonomy. Nothing was stored."), field="version")
    if ImportedCodebook.objects.filter(study=study).count() >= MOST_CODEBOOKS:
        words = _("A study has at most %(most)s imported codebooks. Nothing was stored.")
        raise InterviewRefused(words % {"most": MOST_CODEBOOKS}, field="name")
    if left := names_left(study.pk, [name, *("\n".join(row.cells) for row in rows)]):
        line = rows[left - 2].line if left > 1 else 0
        words = _("Line %(line)s contains a listed name. Nothing was stored. Replace that name first.")
        raise NamesLeft(words % {"line": line}, field="file")
    made = ImportedCodebook.objects.create(
        study=study, name=name, version=version, is_published=is_published, imported_by=by
    )
    CodebookEntry.objects.bulk_create(
        (
            CodebookEntry(codebook=made, line=row.line, **dict(zip(FIELDS, row.cells, strict=True)))
            for row in rows
        ),
        batch_size=1_000,
    )
    record(study, "codebooks.imported", by.user, name=name, count=len(rows), published=is_published)
    return made


@transaction.atomic
def remove_codebook(*, codebook: ImportedCodebook, by: Membership) -> None:
    """Delete an imported codebook with its rows. Raises PermissionDenied."""
    require_lead(codebook.study_id, by)
    record(codebook.study, "codebooks.removed", by.user, name=codebook.name)
    codebook.delete()


def empty_entries_of(participant: Participant) -> None:
    """Empty what imported codebooks hold of a participant: only the pseudonym and the codes of the links
    stay. A row of several people goes with each of them: nobody can tell whose words it has.
    """
    for row in entries_of(participant):
        row.linked = ", ".join(links_in(row.linked))
        row.participant = str(participant)
        row.kind = row.experience = row.context = row.prompt = row.quote = row.insight = ""
        row.save()
