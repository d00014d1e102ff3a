"""Pages that take issues out of a study again: those of an import, or a single one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from core.templatetags.crosscheck import count
from ingest import actions, rules
from ingest.forms.removal import RemoveIssueForm
from ingest.models import Import
from ingest.queries.imports import imports_for, may_be_taken_back
from ingest.queries.issues import issues_for
from ingest.queries.references import references_to_import, references_to_issue
from ingest.queries.removal import going_with
from studies.pages import frame, study_of


@require_http_methods(["GET", "HEAD", "POST"])
def take_back_import(request: AuthedRequest, slug: str, import_id: int) -> HttpResponse:
    """Show what would go with an import; a POST takes the import back."""
    study, member = study_of(request, slug, rules.may_import)
    runs = imports_for(request.user).filter(study=study).exclude(kind=Import.Kind.HARVEST)
    run = get_object_or_404(runs, pk=import_id)
    if request.method == "POST":
        gone = actions.take_back_import(run=run, by=request.user)
        told = ngettext(
            "The import of %(name)s is taken back. %(n)s issue was removed.",
            "The import of %(name)s is taken back. %(n)s issues were removed.",
            gone.issues,
        )
        messages.success(request, told % {"name": run.name, "n": count(gone.issues)})
        return go_to(request, "imports", study.slug)
    context = {
        **frame(study, member, "imports"),
        "run": run,
        "may": may_be_taken_back(run),
        "going": going_with(run),
        "references": references_to_import(run),
    }
    return render_page(request, "ingest/take_back.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def remove_issue(request: AuthedRequest, slug: str, issue_id: int) -> HttpResponse:
    """Ask for the reason; a POST removes the issue."""
    study, member = study_of(request, slug, rules.may_import)
    issue = get_object_or_404(issues_for(request.user).filter(repository__study=study), pk=issue_id)
    form = RemoveIssueForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        actions.remove_issue(issue=issue, why=form.cleaned_data["why"], by=request.user)
        told = _("%(issue)s is removed. A later import of this issue brings the issue back.")
        messages.success(request, told % {"issue": f"{issue.repository.path}#{issue.number}"})
        return go_to(request, "issues", study.slug)
    context = {
        **frame(study, member, "issues"),
        "issue": issue,
        "form": form,
        "references": references_to_issue(issue),
    }
    return render_page(request, "ingest/remove_issue.html", context, status=422 if form.is_bound else 200)
