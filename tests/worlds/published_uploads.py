"""Uploads of published labels, as the page makes them, and jobs that run here."""

import io
from pathlib import Path

from core import jobs
from core.models import Job
from ingest.models import Import
from replication.actions import uploads
from studies.models import Membership
from tests.ingest.readers.test_packed import zipped


def files_of(folder: Path) -> dict[str, bytes]:
    """The files below a folder by their paths, without hidden ones, as a browser sends them."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def receive(lead: Membership, files: dict[str, bytes]) -> Import:
    streams = [(name, io.BytesIO(data)) for name, data in files.items()]
    return uploads.receive_published(study=lead.study, by=lead.user, streams=streams)


def receive_zip(lead: Membership, files: dict[str, bytes], name: str = "labels.zip") -> Import:
    return receive(lead, {name: zipped(files)})


def work(run: Import) -> Job:
    """Let the last job of an import run to its end."""
    run.refresh_from_db()
    assert run.job
    job = jobs.run(run.job.pk)
    run.refresh_from_db()
    assert job
    return job


def check(lead: Membership, files: dict[str, bytes]) -> Import:
    """An upload that was checked."""
    run = receive(lead, files)
    assert work(run).error == ""
    return run


def bring_in(run: Import) -> Job:
    """Confirm an upload, and import it."""
    uploads.confirm_published(run=run, by=run.created_by)
    return work(run)
