"""Pages of the imports that bring issues in."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import AuthedRequest
from core.csv import csv_file
from core.http import go_to, is_fragment, render_page
from core.idempotency import first_time
from core.models import Job
from core.numbers import whole_number
from core.pages import page_of
from ingest import actions, files, rules
from ingest.forms.readings import ReadingForm
from ingest.forms.uploads import UploadForm
from ingest.models import Import, ImportRow
from ingest.queries.imports import (
    former_import,
    imports_for,
    imports_of,
    is_upload_of_labels,
    may_be_taken_back,
    report_rows,
    reported,
    row_counts,
    state_of,
    waiting_uploads,
)
from ingest.queries.previews import preview
from ingest.readers import Sniffed, is_complete
from ingest.words import COUNT_NAMES, FIELD_NAMES, chooser_words, format_in_words
from studies.models import Study
from studies.pages import frame, study_of


@require_safe
def imports(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the imports of a study, newest first."""
    study, member = study_of(request, slug, rules.may_import)
    page = page_of(imports_of(study), request.GET, newest_first=True)
    runs = [{"run": run, "state": state_of(run), "counts": _counts(run)} for run in page.rows]
    context = {
        **frame(study, member, "imports"),
        "runs": runs,
        "is_moving": any(run["state"] in {Job.State.QUEUED, Job.State.RUNNING} for run in runs),
        "waiting": waiting_uploads(study).count(),
        **page.links(request.GET),
    }
    return render_page(request, "ingest/imports.html", context, partials=["imports"])


@require_http_methods(["GET", "HEAD", "POST"])
def new_import(request: AuthedRequest, slug: str) -> HttpResponse:
    """Receive files or addresses for a preview; adds nothing to the study yet."""
    study, member = study_of(request, slug, rules.may_import)
    posted = request.method == "POST"
    form = UploadForm(request.POST if posted else None, request.FILES if posted else None)
    if form.is_valid():
        return _receive(request, study, form)
    context = {**frame(study, member, "imports"), "form": form, "words": chooser_words()}
    status = 422 if form.is_bound else 200
    return render_page(request, "ingest/new_import.html", context, partials=["upload"], status=status)


@transaction.atomic
def _receive(request: AuthedRequest, study: Study, form: UploadForm) -> HttpResponse:
    if not first_time(request):
        return go_to(request, "imports", study.slug)
    runs = [
        actions.receive_upload(study=study, by=request.user, name=name, stream=stream, encoding=encoding)
        for name, stream, encoding in form.streams()
    ]
    for name in form.empty:
        messages.info(request, _("%(name)s is empty. No issues were added.") % {"name": name})
    if len(runs) == 1:
        return go_to(request, runs[0])
    told = ngettext(
        "%(n)d file is uploaded. Check the file below, then import it.",
        "%(n)d files are uploaded. Check the files below, then import them.",
        len(runs),
    )
    messages.success(request, told % {"n": len(runs)})
    return go_to(request, "waiting_imports", study.slug)


@require_safe
def import_(request: AuthedRequest, slug: str, import_id: int) -> HttpResponse:
    """Show an import: its preview, its progress or its report."""
    study, member = study_of(request, slug, rules.may_import)
    run = get_object_or_404(imports_for(request.user).filter(study=study), pk=import_id)
    if run.kind == Import.Kind.HARVEST:
        return go_to(request, "harvest", slug, run.harvest.pk)
    if is_upload_of_labels(run):
        return go_to(request, "published_import", slug, run.pk)
    state = state_of(run)
    context: dict[str, Any] = {**frame(study, member, "imports"), "run": run, "state": state, "job": run.job}
    if state == "waiting":
        template = "ingest/preview.html"
        context |= _preview(request, run)
    else:
        template = "ingest/import.html"
        context["may_be_taken_back"] = may_be_taken_back(run)
        context |= _report(request, run)
    response = render_page(request, template, context, partials=["job", "rows"])
    if is_fragment(request) and request.htmx.target == "job" and (not run.job or run.job.finished_at):
        # The job ended while its page was open: reload the page, which now has the report.
        response["HX-Refresh"] = "true"
    return response


@require_POST
def read_import_again(request: AuthedRequest, slug: str, import_id: int) -> HttpResponse:
    """Read a file that waits by other columns or keys, and show its preview again."""
    study, member = study_of(request, slug, rules.may_import)
    run = get_object_or_404(imports_for(request.user).filter(study=study), pk=import_id)
    sniffed, nth = _chosen(request, run)
    form = ReadingForm(request.POST, sniffed=sniffed, part=sniffed.files[nth])
    if not form.is_valid():
        context = {**frame(study, member, "imports"), "run": run, "state": state_of(run), "job": run.job}
        context |= _preview(request, run) | {"form": form}
        return render_page(request, "ingest/preview.html", context, status=422)
    actions.read_again(run=run, **form.cleaned_data)
    if not sniffed.parts:
        return go_to(request, run)
    return redirect(f"{run.get_absolute_url()}?file={nth}")


def _chosen(request: AuthedRequest, run: Import) -> tuple[Sniffed, int]:
    """How an import will be read, and the number of the file in it that the address chooses."""
    sniffed = files.as_sniffed(run.mapping)
    asked = whole_number(request.GET.get("file", ""), digits=4) or 0
    return sniffed, asked if asked < len(sniffed.files) else 0


@require_POST
def confirm_import(request: AuthedRequest, slug: str, import_id: int) -> HttpResponse:
    """Start a previewed import."""
    run = _run(request, slug, import_id)
    actions.confirm_import(run=run, by=request.user)
    return go_to(request, run)


@require_POST
def discard_import(request: AuthedRequest, slug: str, import_id: int) -> HttpResponse:
    """Delete a file that was not imported."""
    run = _run(request, slug, import_id)
    actions.discard_import(run=run)
    messages.success(
        request, _("%(name)s is discarded. Nothing from this file was stored.") % {"name": run.name}
    )
    return go_to(request, "imports", slug)


@require_safe
def import_rows(request: AuthedRequest, slug: str, import_id: int) -> StreamingHttpResponse:
    """Send the report of an import as CSV, or only its rows of one outcome."""
    run = _run(request, slug, import_id)
    outcome = _outcome(request)
    rows = report_rows(run, outcome).iterator(chunk_size=2000)
    return csv_file(
        f"import-{run.pk}-{outcome or 'rows'}.csv",
        ["outcome", "file", "line", "cause", "message", "raw"],
        ((row.outcome, row.file, row.line or "", row.code, row.message, row.raw) for row in rows),
    )


def _run(request: AuthedRequest, slug: str, import_id: int) -> Import:
    """An import of files that the user may manage; 404 for one that the user may not see and for a harvest,
    which has pages of its own; 403 without the right.
    """
    study, _member = study_of(request, slug, rules.may_import)
    runs = imports_for(request.user).filter(study=study).exclude(kind=Import.Kind.HARVEST)
    return get_object_or_404(runs, pk=import_id)


def _outcome(request: AuthedRequest) -> str:
    asked = request.GET.get("outcome", "")
    return asked if asked in ImportRow.Outcome.values else ""


def _source(sniffed: Sniffed, field: str) -> str:
    """The source of a field in words; a key that the first rows lack may occur in later rows."""
    if sniffed.format == "urls":
        return _("each line")
    source = sniffed.mapping[field]
    if field == "is_pull_request" and source not in sniffed.columns:
        return _("%(key)s, in rows with this key") % {"key": source}
    return source


def _preview(request: AuthedRequest, run: Import) -> dict[str, Any]:
    whole, nth = _chosen(request, run)
    sniffed = whole.files[nth]
    found = preview(run)
    return {
        "found": found,
        "sniffed": sniffed,
        "is_complete": is_complete(whole),
        "form": ReadingForm(sniffed=whole, part=sniffed),
        "parts": [(part.name, format_in_words(part), at == nth) for at, part in enumerate(whole.parts)],
        "nth": nth,
        "format": format_in_words(whole),
        "aside": [(COUNT_NAMES[name], count) for name, count in found.aside.items()] if found else [],
        "former": former_import(run),
        "has_labels": any({"Issue_URL", "Final_Label"} <= set(part.columns) for part in whole.files),
        "fields": [
            (name, _source(sniffed, field)) for field, name in FIELD_NAMES.items() if field in sniffed.mapping
        ],
        "sample": [
            (
                record.get(sniffed.mapping.get("url", "")) or next(iter(record.values()), ""),
                [(column, record[column]) for column in sniffed.columns if record.get(column)],
            )
            for record in sniffed.sample
        ],
        "refusals": [refusal.text(_) for refusal in found.refusals] if found else [],
    }


def _report(request: AuthedRequest, run: Import) -> dict[str, Any]:
    outcome = _outcome(request)
    page = page_of(report_rows(run, outcome), request.GET)
    outcomes = dict(ImportRow.Outcome.choices)
    own_job = run.job and run.job.created_by_id == request.user.pk
    return {
        "counts": _counts(run),
        "page": page,
        "outcome": outcome,
        "outcomes": [(name, outcomes[name], count) for name, count in row_counts(run).items()],
        "job_url": reverse("import", args=[run.study.slug, run.pk]),
        "cancel_url": reverse("cancel_job", args=[run.job.pk]) if run.job and own_job else "",
        "job_name": run.name,
        **page.links(request.GET),
    }


def _counts(run: Import) -> list[tuple[str, int]]:
    """The counts of an import with their names, in the order of COUNT_NAMES."""
    counts = reported(run)
    ordered = [name for name in COUNT_NAMES if name in counts] + [n for n in counts if n not in COUNT_NAMES]
    return [(str(COUNT_NAMES.get(name, _(name.replace("_", " ")))), counts[name]) for name in ordered]
