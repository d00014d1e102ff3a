"""The page of uploaded files that wait: what each would bring, and one button that imports them together."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from core.numbers import whole_number
from ingest import actions, files, rules
from ingest.forms.uploads import MAX_FILES
from ingest.queries.imports import former_imports, waiting_uploads
from ingest.queries.previews import previews
from ingest.readers import Look, is_complete
from ingest.words import format_in_words
from studies.pages import frame, study_of

LOOK = Look(200, 1 << 20)
"""How far each file is read for this page; its own preview reads more."""


@require_safe
def waiting_imports(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the uploaded files that wait, with what each would bring."""
    study, member = study_of(request, slug, rules.may_import)
    runs = list(waiting_uploads(study)[:MAX_FILES])
    former = former_imports(runs)
    lines: list[dict[str, Any]] = [
        {
            "run": run,
            "found": found,
            "former": former.get(run.pk),
            "format": format_in_words(files.as_sniffed(run.mapping)),
            "is_complete": is_complete(files.as_sniffed(run.mapping)),
            "may": bool(found and found.rows > found.refused and run.pk not in former),
        }
        for run, found in zip(runs, previews(study, runs, LOOK), strict=True)
    ]
    taken = [line["found"] for line in lines if line["may"]]
    context = {
        **frame(study, member, "imports"),
        "lines": lines,
        "ready": len(taken),
        "is_whole": all(found.whole for found in taken),
    }
    return render_page(request, "ingest/waiting.html", context)


@require_POST
def confirm_imports(request: AuthedRequest, slug: str) -> HttpResponse:
    """Start the imports of the chosen files."""
    study, _member = study_of(request, slug, rules.may_import)
    given = map(whole_number, request.POST.getlist("import")[:MAX_FILES])
    chosen = [number for number in given if number is not None]
    runs = list(waiting_uploads(study).filter(pk__in=chosen))
    if not runs:
        messages.info(request, _("No file was chosen, so nothing was imported."))
        return go_to(request, "waiting_imports", slug)
    started = len(actions.confirm_imports(runs=runs, by=request.user))
    told = ngettext("%(n)d import was started.", "%(n)d imports were started.", started)
    messages.success(request, told % {"n": started})
    return go_to(request, "imports", slug)
