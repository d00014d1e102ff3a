"""Receives and previews an uploaded file, then confirms or discards its import."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from django.conf import settings
from django.db import transaction
from django.utils.translation import get_language

from accounts.models import User
from core import jobs
from core.errors import DomainError
from core.models import Job
from ingest import files
from ingest.errors import (
    AlreadyImported,
    FileChanged,
    FileGone,
    FileRefused,
    FileTooLarge,
    ImportRunning,
    ImportStarted,
    NotMapped,
    OneRefused,
)
from ingest.models import Import
from ingest.queries.imports import former_import
from ingest.readers import UnreadableFile, is_complete, sniff_file
from ingest.readers.fields import remapped
from studies.models import Study

JOB = "ingest.import_issues"
MAX_NAME = 255


def receive_upload(
    *, study: Study, by: User | None, name: str, stream: files.Readable, encoding: str | None = None
) -> Import:
    """Store an uploaded file and how it will be read, for its preview; adds nothing to the study yet.

    `name` is shown, never used as a path; `encoding` is the user's choice of ingest.readers.ENCODINGS, if
    any. The stream is read once, in pieces. Raises FileTooLarge and FileRefused, and then keeps nothing.
    """
    shown = name[-MAX_NAME:].replace("\0", "") or "?"
    try:
        path, size, digest = files.keep(stream, settings.UPLOAD_MAX_BYTES)
    except files.TooLong:
        raise FileTooLarge(shown, settings.UPLOAD_MAX_BYTES) from None
    try:
        with files.located(path).open("rb") as kept:
            sniffed = sniff_file(kept, name, encoding=encoding)
        return Import.objects.create(
            study=study,
            kind=Import.Kind.ISSUES,
            name=shown,
            path=path,
            size=size,
            sha256=digest,
            mapping=asdict(sniffed),
            created_by=by,
        )
    except UnreadableFile as unreadable:
        files.discard(path)
        raise FileRefused(shown, unreadable.refusal) from None
    except BaseException:
        files.discard(path)
        raise


@transaction.atomic
def confirm_import(*, run: Import, by: User | None, rings: bool = True) -> Job:
    """Start a previewed import, or continue one that was cancelled or failed.

    Raises ImportRunning, AlreadyImported (the study has the same bytes), FileGone, FileChanged if the file
    differs from the preview, and NotMapped while nothing says where the issues' addresses come from. With
    `rings=False` the caller runs the job.
    """
    run = Import.objects.select_for_update(no_key=True, of=("self",)).select_related("job").get(pk=run.pk)
    if run.counts.get("complete"):
        raise AlreadyImported
    if run.kind != Import.Kind.ISSUES:
        raise ImportStarted
    if run.job and run.job.finished_at is None:
        raise ImportRunning
    if former_import(run):
        raise AlreadyImported
    if not is_complete(files.as_sniffed(run.mapping)):
        raise NotMapped
    path = files.located(run.path)
    if not run.path or not path.is_file():
        raise FileGone
    with path.open("rb") as stream:
        if files.sha256_of(stream) != run.sha256:
            raise FileChanged
    arguments = {"import": run.pk, "language": get_language()}
    if rings:
        job = jobs.enqueue(JOB, arguments=arguments, by=by, content_hash=run.sha256)
    else:
        job = Job.objects.create(kind=JOB, arguments=arguments, created_by=by, content_hash=run.sha256)
    Import.objects.filter(pk=run.pk).update(job=job)
    return job


@transaction.atomic
def confirm_imports(*, runs: Sequence[Import], by: User | None) -> list[Job]:
    """Start several previewed imports, or none. Raises OneRefused, with the name of the file."""
    started = []
    for run in sorted(runs, key=lambda run: run.pk):
        try:
            started.append(confirm_import(run=run, by=by))
        except DomainError as error:
            raise OneRefused(run.name, error) from error
    return started


@transaction.atomic
def read_again(
    *,
    run: Import,
    file: str,
    mapping: Mapping[str, str],
    base: str = "",
    zone: str = "",
    only: Sequence[str] = (),
) -> Import:
    """Read an upload that waits by other columns or keys; see ingest.readers.Sniffed.

    `file` is the file of an archive for which they were chosen, "" without an archive; they are used for its
    other files with the same columns too. Raises ImportStarted once the import was started.
    """
    run = Import.objects.select_for_update(no_key=True, of=("self",)).get(pk=run.pk)
    if run.counts or run.job_id or run.kind != Import.Kind.ISSUES:
        raise ImportStarted
    sniffed = remapped(files.as_sniffed(run.mapping), file, mapping, base=base, zone=zone, only=only)
    run.mapping = asdict(sniffed)
    run.save(update_fields=["mapping"])
    return run


@transaction.atomic
def discard_import(*, run: Import) -> None:
    """Delete a file that was not imported. Raises ImportStarted once rows of the file were read."""
    run = Import.objects.select_for_update(of=("self",)).select_related("job").get(pk=run.pk)
    if run.counts or run.kind != Import.Kind.ISSUES or (run.job and run.job.finished_at is None):
        raise ImportStarted
    run.delete()
    transaction.on_commit(lambda: files.discard(run.path))
