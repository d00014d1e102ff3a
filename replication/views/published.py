"""Pages of published labels that are uploaded: the upload, its check and preview, its import."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, is_fragment, render_page
from core.idempotency import first_time
from ingest.models import Import, ImportRow
from ingest.queries.imports import imports_for, report_rows, row_counts, state_of
from ingest.rules import may_import
from ingest.words import chooser_words
from replication.actions import uploads
from replication.forms.published import MAX_FILES, NamesForm, PublishedForm
from replication.queries.published import (
    has_main_round,
    imported,
    labels_already,
    members_to_rename,
    preview_of,
)
from studies.models import Study
from studies.pages import frame, study_of
from taxonomy.models import Level

SHOWN = 50


@require_http_methods(["GET", "HEAD", "POST"])
def new_published_import(request: AuthedRequest, slug: str) -> HttpResponse:
    """Receive files of published labels and start their check; adds nothing to the study yet."""
    study, member = study_of(request, slug, may_import)
    posted = request.method == "POST"
    form = PublishedForm(request.POST if posted else None, request.FILES if posted else None)
    if form.is_valid():
        return _receive(request, study, form)
    context = {
        **frame(study, member, "imports"),
        "form": form,
        "most": MAX_FILES,
        "words": chooser_words(),
        "former": imported(study).first(),
    }
    status = 422 if form.is_bound else 200
    return render_page(request, "replication/published/new.html", context, status=status)


@transaction.atomic
def _receive(request: AuthedRequest, study: Study, form: PublishedForm) -> HttpResponse:
    if not first_time(request):
        return go_to(request, "imports", study.slug)
    run = uploads.receive_published(study=study, by=request.user, streams=form.streams, left=form.others)
    return go_to(request, "published_import", study.slug, run.pk)


@require_safe
def published_import(request: AuthedRequest, slug: str, import_id: int) -> HttpResponse:
    """Show an upload of published labels: its progress, then its preview."""
    study, member = study_of(request, slug, may_import)
    run = _run(request, study, import_id)
    if not run.path:
        return go_to(request, run)
    context = {**frame(study, member, "imports"), **_shown(request, run)}
    response = render_page(request, "replication/published/import.html", context, partials=["job"])
    ended = not run.job or run.job.finished_at is not None
    if is_fragment(request) and request.htmx.target == "job" and ended:
        # The job ended while its page was open: load the page again.
        response["HX-Refresh"] = "true"
    return response


@require_POST
def check_published_import(request: AuthedRequest, slug: str, import_id: int) -> HttpResponse:
    """Check uploaded files again."""
    study, _member = study_of(request, slug, may_import)
    uploads.check_again(run=_run(request, study, import_id), by=request.user)
    return go_to(request, "published_import", slug, import_id)


@require_POST
def confirm_published_import(request: AuthedRequest, slug: str, import_id: int) -> HttpResponse:
    """Start the import of checked files, with the names that the form proposed or the reader typed."""
    study, member = study_of(request, slug, may_import)
    run = _run(request, study, import_id)
    form = NamesForm(request.POST, study=study)
    if not form.is_valid():
        # Without the form on its page, nobody would see the error of a name.
        uploads.require_confirmable(run=run)
        context = {**frame(study, member, "imports"), **_shown(request, run), "names": form}
        return render_page(request, "replication/published/import.html", context, status=422)
    uploads.confirm_published(run=run, by=request.user, names=form.names)
    return go_to(request, "published_import", slug, import_id)


@require_POST
def discard_published_import(request: AuthedRequest, slug: str, import_id: int) -> HttpResponse:
    """Delete uploaded files that were not imported."""
    study, _member = study_of(request, slug, may_import)
    run = _run(request, study, import_id)
    uploads.discard_published(run=run)
    messages.success(request, _("%(name)s was discarded. Nothing was stored.") % {"name": run.name})
    return go_to(request, "imports", slug)


def _run(request: AuthedRequest, study: Study, import_id: int) -> Import:
    runs = imports_for(request.user).filter(study=study, kind=Import.Kind.PUBLISHED)
    return get_object_or_404(runs, pk=import_id)


def _shown(request: AuthedRequest, run: Import) -> dict[str, Any]:
    """The context of an upload's page. Nothing of a preview is shown while a job runs."""
    job, state, preview = run.job, state_of(run), preview_of(run)
    own_job = job and job.finished_at is None and job.created_by_id == request.user.pk
    context: dict[str, Any] = {
        "run": run,
        "job": job,
        "state": state,
        "is_check": bool(job and job.kind == uploads.CHECK),
        "job_url": reverse("published_import", args=[run.study.slug, run.pk]),
        "cancel_url": reverse("cancel_job", args=[job.pk]) if job and own_job else "",
        "cancel_text": _("Cancel this job? Nothing is stored, and your files are kept."),
        "job_name": _("Checking the files") if job and job.kind == uploads.CHECK else _("Importing labels"),
    }
    if not preview or state in {"queued", "running"}:
        return context
    former = imported(run.study).first()
    same = former if former and former.sha256 == preview["digest"] else None
    people = preview.get("people", [])
    renamed = members_to_rename(run.study, len(people))
    stops = has_main_round(run.study) or labels_already(renamed)
    return context | {
        "preview": preview,
        "names": NamesForm(study=run.study, given=uploads.names_of(run)),
        "people": [(f"R{number}", labels) for number, labels in enumerate(people, start=1)],
        "depth": Level(preview["depth"]).label if "depth" in preview else "",
        "same": same,
        "differs": not same and stops,
        "renamed": renamed,
        "new": preview.get("issues", 0) - preview.get("issues_known", 0),
        "empty": [file for file in preview["files"] if file["kind"] == "list" and not file["rows"]],
        "outcomes": row_counts(run),
        "refusals": report_rows(run, ImportRow.Outcome.REFUSED)[:SHOWN],
        "repeats": report_rows(run, ImportRow.Outcome.REPEATED)[:SHOWN],
        "may_confirm": not (preview["refused"] or same or stops),
    }
