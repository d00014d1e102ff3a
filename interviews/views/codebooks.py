"""Pages of the codebook in the published shape: what may leave the study, and codebooks from files."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from interviews.actions.codebooks import import_codebook, remove_codebook
from interviews.forms.codebooks import CodebookFileForm, CodebookForm, unpacked
from interviews.models import ImportedCodebook
from interviews.qdpx import write_qdpx
from interviews.queries.codebooks import (
    Book,
    flaws_in,
    flaws_of,
    imported_book,
    imported_of,
    rows_of,
    settled_book,
)
from interviews.queries.projects import project_of
from interviews.readers.codebook import Codebook, write_codebook
from interviews.views.codings import CODING
from interviews.views.pages import around, is_stored, led_study
from studies.models import Membership

SHOWN = 100


@require_safe
def interview_codebook(request: AuthedRequest, slug: str) -> HttpResponse:
    """The settled quotes that may leave the study, and the codebooks that were imported."""
    study, member = led_study(request, slug)
    book = settled_book(study, member)
    context = {
        **around(study, member, CODING),
        "book": book,
        "rows": book.rows[:SHOWN],
        "imported": imported_of(study),
        "project": project_of(study, member),
    }
    return render_page(request, "interviews/codebook.html", context)


@require_safe
def codebook_csv(request: AuthedRequest, slug: str) -> HttpResponse:
    """The settled quotes as CSV in the published shape."""
    study, member = led_study(request, slug)
    return _csv(settled_book(study, member), f"{study.slug}-codebook.csv")


@require_safe
def qda_project(request: AuthedRequest, slug: str) -> HttpResponse:
    """Transcripts and quotes that may leave the study, as a project for other coding programs."""
    study, member = led_study(request, slug)
    answer = HttpResponse(write_qdpx(project_of(study, member)), content_type="application/zip")
    name = content_disposition_header(as_attachment=True, filename=f"{study.slug}.qdpx")
    answer.headers["Content-Disposition"] = name
    return answer


@require_safe
def imported_codebook(request: AuthedRequest, slug: str, codebook_id: int) -> HttpResponse:
    """An imported codebook with its flaws, and how much of it may leave the study."""
    study, member = led_study(request, slug)
    found = _imported(study.pk, codebook_id)
    rows = rows_of(found)
    context = {
        **around(study, member, CODING),
        "codebook": found,
        "book": imported_book(found),
        "rows": rows[:SHOWN],
        "count": len(rows),
        "flaws": flaws_of(found, rows),
    }
    return render_page(request, "interviews/imported_codebook.html", context)


@require_safe
def imported_codebook_csv(request: AuthedRequest, slug: str, codebook_id: int) -> HttpResponse:
    """What of an imported codebook may leave the study, in the shape in which it came."""
    study, _member = led_study(request, slug)
    found = _imported(study.pk, codebook_id)
    name = found.name if found.name.lower().endswith(".csv") else f"{found.name}.csv"
    return _csv(imported_book(found), name)


@require_POST
def remove_imported_codebook(request: AuthedRequest, slug: str, codebook_id: int) -> HttpResponse:
    study, member = led_study(request, slug)
    remove_codebook(codebook=_imported(study.pk, codebook_id), by=member)
    messages.success(request, _("The imported codebook is removed."))
    return go_to(request, "interview_codebook", slug)


def _imported(study_id: int, codebook_id: int) -> ImportedCodebook:
    found = ImportedCodebook.objects.select_related("study", "version__taxonomy", "imported_by")
    return get_object_or_404(found, study=study_id, pk=codebook_id)


def _csv(book: Book, name: str) -> HttpResponse:
    answer = HttpResponse(write_codebook(book.rows).encode(), content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name)
    return answer


@sensitive_post_parameters()
@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
def new_codebook(request: AuthedRequest, slug: str) -> HttpResponse:
    """Read a file, look at its rows and flaws, then import it."""
    study, member = led_study(request, slug)
    packed = request.POST.get("secret_file", "")
    if known := unpacked(packed):
        form = CodebookForm(request.POST, study=study)
        return _preview(request, member, form, known[1], packed)
    posted = request.method == "POST"
    upload = CodebookFileForm(request.POST if posted else None, request.FILES if posted else None)
    if upload.is_valid():
        start = {"name": upload.cleaned_data["file"].name}
        form = CodebookForm(study=study, initial=start)
        return _preview(request, member, form, upload.read, upload.packed)
    context = {**around(study, member, CODING), "form": upload}
    status = 422 if posted else 200
    return render_page(request, "interviews/new_codebook.html", context, status=status)


@sensitive_variables()
def _preview(
    request: AuthedRequest, member: Membership, form: CodebookForm, read: Codebook, packed: str
) -> HttpResponse:
    """The rows with their flaws; with `import` in the form they are stored."""
    study = member.study
    stores = "import" in request.POST
    version = form.fields["version"].initial
    if form.is_bound and form.is_valid():
        version = form.cleaned_data["version"]
        if stores:
            values = form.cleaned_data
            made: list[ImportedCodebook] = []

            def act() -> ImportedCodebook:
                return import_codebook(study=study, rows=read.rows, by=member, **values)

            if is_stored(request, form, act, made):
                told = ngettext("%(n)s row is imported.", "%(n)s rows are imported.", len(read.rows))
                messages.success(request, told % {"n": len(read.rows)})
                return go_to(request, "interview_codebook", study.slug)
    context: dict[str, Any] = {
        **around(study, member, CODING),
        "form": form,
        "read": read,
        "rows": read.rows[:SHOWN],
        "flaws": flaws_in(read, version, study),
        "packed": packed,
    }
    status = 422 if form.errors else 200
    return render_page(request, "interviews/new_codebook.html", context, status=status)
