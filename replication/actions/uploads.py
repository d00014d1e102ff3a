"""Published labels by the browser: receives the files, checks them, then confirms or discards the import."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import User
from core import jobs
from core.jobs import Watch
from core.models import Job
from ingest import files
from ingest.errors import (
    AlreadyImported,
    FileChanged,
    FileGone,
    FileTooLarge,
    ImportRunning,
    ImportStarted,
)
from ingest.models import Import, ImportRow
from ingest.readers import Limits, UnreadableFile, published
from ingest.readers.laid_out import lay_out
from replication.actions.checking import checked, version_id
from replication.actions.published import load, surveyed, version_of
from replication.actions.staging import content_hash, taxonomy_of
from replication.errors import (
    LinesRefused,
    NotChecked,
    PseudonymTaken,
    PublishedStudyDiffers,
    PublishedStudyRefused,
    RoundNameTaken,
    TaxonomyChanged,
)
from replication.queries.published import (
    MAIN_ROUND,
    expected_rows,
    has_main_round,
    has_round,
    imported,
    labels_already,
    members_to_rename,
    preview_of,
)
from studies.models import Study

CHECK = "replication.check_published"
IMPORT = "replication.import_published"
MAX_NAME = 255
SKIPPED = 200
"""How many of the files that are not taken are named."""


@transaction.atomic
def receive_published(
    *,
    study: Study,
    by: User | None,
    streams: Sequence[tuple[str, files.Readable]],
    left: Sequence[str] = (),
) -> Import:
    """Store uploaded files with their names, and start their check; adds nothing to the study yet.

    `streams` are names, with folders where they are known, and contents; `left` are the names of files that
    were not kept. Raises FileTooLarge if all together are too large, and then keeps nothing.
    """
    name = _name_of([name for name, _stream in streams])
    try:
        path, size, digest = files.keep_together(streams, settings.UPLOAD_MAX_BYTES)
    except files.TooLong:
        raise FileTooLarge(name, settings.UPLOAD_MAX_BYTES) from None
    try:
        run = Import.objects.create(
            study=study,
            kind=Import.Kind.PUBLISHED,
            name=name,
            path=path,
            size=size,
            mapping={"format": "published", "upload": digest, "left": list(left)[:SKIPPED]},
            created_by=by,
        )
        _enqueue(run, CHECK, by)
    except BaseException:
        files.discard(path)
        raise
    return run


def _name_of(names: Sequence[str]) -> str:
    """The name of an upload: its only file, the folder around all of its files, or its first file and the
    number of the others, without a word of any language.
    """
    tops = {name.partition("/")[0] if "/" in name else "" for name in names}
    if len(names) == 1:
        shown = names[0].rpartition("/")[2]
    elif len(tops) == 1 and "" not in tops:
        shown = tops.pop()
    else:
        shown = f"{names[0].rpartition('/')[2]} + {len(names) - 1}"
    return shown[-MAX_NAME:].replace("\0", "") or "?"


def _enqueue(run: Import, kind: str, by: User | None) -> Job:
    arguments = {"import": run.pk, "language": get_language()}
    job = jobs.enqueue(kind, arguments=arguments, by=by, content_hash=str(run.mapping["upload"]))
    Import.objects.filter(pk=run.pk).update(job=job)
    run.job = job
    return job


def _locked(run: Import) -> Import:
    """The import, locked, if its files wait and no job of it runs. Raises ImportStarted, ImportRunning."""
    locked = Import.objects.select_for_update(no_key=True, of=("self",)).select_related("job").get(pk=run.pk)
    if locked.kind != Import.Kind.PUBLISHED or not locked.path:
        raise ImportStarted
    if locked.job and locked.job.finished_at is None:
        raise ImportRunning
    return locked


@dataclass(frozen=True)
class ImportNames:
    """The names that the reader of a preview typed for the round and, if one is made, for the taxonomy."""

    round: str = MAIN_ROUND
    taxonomy: str = ""


def names_of(run: Import) -> ImportNames | None:
    """The names of the last confirmation, also after its job failed; None before the first one."""
    given = run.mapping.get("names")
    return ImportNames(**given) if given else None


@transaction.atomic
def check_again(*, run: Import, by: User | None) -> Job:
    """Start the check of uploaded files anew. Raises ImportRunning, ImportStarted."""
    run = _locked(run)
    ImportRow.objects.filter(run=run).delete()
    mapping = {name: value for name, value in run.mapping.items() if name != "preview"}
    Import.objects.filter(pk=run.pk).update(mapping=mapping)
    return _enqueue(run, CHECK, by)


@transaction.atomic
def confirm_published(*, run: Import, by: User | None, names: ImportNames | None = None) -> Job:
    """Start the import of checked files, or start it again after it was cancelled or failed.

    Raises what `require_confirmable` raises, and RoundNameTaken. The job looks at the files again.
    """
    run = _locked(run)
    names = names or ImportNames()
    _compared(run)
    _require_free(run.study, names)
    run.mapping = run.mapping | {"names": asdict(names)}
    Import.objects.filter(pk=run.pk).update(mapping=run.mapping)
    return _enqueue(run, IMPORT, by)


@transaction.atomic
def require_confirmable(*, run: Import) -> None:
    """Raise what stops an import whatever its names are: ImportRunning, ImportStarted, NotChecked,
    LinesRefused, AlreadyImported (the study has these labels), PublishedStudyDiffers (it has others),
    PseudonymTaken (by a member who labels), and TaxonomyChanged if its taxonomy is not the one of the
    preview.
    """
    _compared(_locked(run))


@transaction.atomic
def discard_published(*, run: Import) -> None:
    """Delete uploaded files that were not imported, and their preview. Raises as `check_again`."""
    run = _locked(run)
    run.delete()
    transaction.on_commit(lambda: files.discard(run.path))


def _compared(run: Import) -> dict[str, Any]:
    """The preview of an upload, if the study is as it was then. Raises as `require_confirmable`."""
    preview = preview_of(run)
    if not preview:
        raise NotChecked
    if preview["refused"]:
        raise LinesRefused
    former = imported(run.study).first()
    if former and former.sha256 == preview["digest"]:
        raise AlreadyImported
    if has_main_round(run.study):
        raise PublishedStudyDiffers
    if labels_already(members_to_rename(run.study, len(preview["people"]))):
        raise PseudonymTaken
    newest = taxonomy_of(run.study, None) if preview["taxonomy"]["source"] != "file" else None
    if newest is not None and version_id(newest) != preview["taxonomy"]["version"]:
        raise TaxonomyChanged
    return preview


def _require_free(study: Study, names: ImportNames) -> None:
    if has_round(study, names.round):
        raise RoundNameTaken


@contextmanager
def _laid_out(run: Import) -> Iterator[tuple[Path, list[str]]]:
    """The uploaded files as a folder of the published layout, for the block, and what was not taken, in
    words. Raises FileGone, FileChanged and PublishedStudyRefused.
    """
    path = files.located(run.path)
    if not run.path or not path.is_file():
        raise FileGone
    with path.open("rb") as stream, files.workplace(run.path) as base:
        if files.sha256_of(stream) != run.mapping["upload"]:
            raise FileChanged
        stream.seek(0)
        limits = Limits(max_bytes=4 * settings.UPLOAD_MAX_BYTES)
        try:
            folder, skipped = lay_out(stream, base, limits=limits)
        except UnreadableFile as unreadable:
            raise PublishedStudyRefused([unreadable.refusal.text(_)]) from None
        others = [published.Skipped(name, published.OTHER) for name in run.mapping["left"]]
        told = [f"{item.name}: {_(item.reason)}" for item in (*skipped, *others)]
        yield folder, told[:SKIPPED]


def check_published(*, run: Import, report: Watch) -> dict[str, Any]:
    """Read all uploaded files as an import would, and store what it would bring in `run.mapping["preview"]`
    and the lines that are refused or repeated in `run.rows`. Safe to repeat.
    """
    run.refresh_from_db()
    report(0, None, _("unpacking the files"))
    with _laid_out(run) as (folder, skipped), transaction.atomic():
        ImportRow.objects.filter(run=run).delete()
        preview = checked(run=run, folder=folder, skipped=skipped, report=report)
        mapping = run.mapping | {"preview": preview}
        Import.objects.filter(pk=run.pk).update(mapping=mapping)
    return {"rows": preview.get("rows", 0), "refused": preview["refused"]}


def import_published(*, run: Import, report: Watch) -> dict[str, Any]:
    """Store the labels of checked files in one transaction, and delete the files; return the counts.

    Raises what `confirm_published` raises, FileGone, FileChanged and PublishedStudyRefused; then nothing is
    stored. Safe to repeat.
    """
    run.refresh_from_db()
    if not run.path:
        return dict(run.counts)
    report(0, None, _("unpacking the files"))
    with _laid_out(run) as (folder, skipped), transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=run.study_id)
        run = Import.objects.select_for_update(no_key=True, of=("self",)).get(pk=run.pk)
        preview, names = _compared(run), names_of(run) or ImportNames()
        _require_free(run.study, names)
        found = surveyed(folder)
        digest, _size = content_hash(folder, found)
        if digest != preview["digest"]:
            raise FileChanged
        if version_id(taxonomy_of(run.study, found.taxonomy)) != preview["taxonomy"]["version"]:
            raise TaxonomyChanged
        ImportRow.objects.filter(run=run).delete()
        run.mapping = {"format": "published", "skipped": skipped, "files": preview["files"]}
        counts = load(
            run=run,
            found=found,
            version=version_of(run.study, found.taxonomy, run.created_by, names.taxonomy),
            by=run.created_by,
            report=report,
            expected=expected_rows(preview),
            name=names.round,
        )
        Import.objects.filter(pk=run.pk).update(sha256=digest)
        transaction.on_commit(lambda: files.discard(run.path))
    return counts
