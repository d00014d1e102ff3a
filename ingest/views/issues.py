"""Pages of issues, and of saved filters of their list."""

from urllib.parse import urlencode

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, is_fragment, render_page
from core.idempotency import first_time
from ingest import actions, rules
from ingest.queries.filters import IssueFilter, saved_filters
from ingest.queries.forge_labels import hides_forge_labels
from ingest.queries.issues import (
    filter_issues,
    issue_counts,
    issue_page,
    issues_for,
    snapshots_of,
)
from ingest.queries.keywords import keywords_of, term_finds
from ingest.queries.reading import Reading
from ingest.queries.similar import similar_to
from ingest.views.keyword_filters import menu
from studies.pages import frame, study_of


@require_safe
def issues(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the issues of a study, filtered by the query string."""
    study, member = study_of(request, slug, rules.may_read_issues)
    narrowed = IssueFilter.from_query(request.GET)
    counts = issue_counts(study)
    page = issue_page(
        study, narrowed, request.GET, texts_first=bool(counts.with_text and counts.without_text)
    )
    keywords = menu(request, study, narrowed)
    context = {
        **frame(study, member, "issues"),
        "page": page,
        "found": filter_issues(study, narrowed).count() if narrowed else counts.total,
        "counts": counts,
        "narrowed": narrowed,
        "keywords": keywords,
        "keyword_query": {
            name: value for name, value in narrowed.query.items() if name not in keywords["others"]
        },
        "chosen_repository": {one.pk: one for one, _issues in counts.repositories}.get(
            narrowed.repository or 0
        ),
        "may_import": rules.may_import(member),
        "is_fragment": is_fragment(request),
        "filters": [
            {"saved": saved, "held": held, "address": urlencode(held.query), "is_chosen": held == narrowed}
            for saved in saved_filters(study)
            for held in [IssueFilter.from_query(saved.query)]
        ],
        **page.links(request.GET),
    }
    return render_page(request, "ingest/issues.html", context, partials=["found"])


@require_safe
def issue(request: AuthedRequest, slug: str, issue_id: int) -> HttpResponse:
    """Show one issue with all its text, and a list of its snapshots."""
    study, member = study_of(request, slug, rules.may_read_issues)
    found = get_object_or_404(issues_for(request.user).filter(repository__study=study), pk=issue_id)
    context = {
        **frame(study, member, "issues"),
        "issue": found,
        "reading": Reading(found, keywords_of(study.pk), hides_forge_labels(request.user.pk, found)),
        "snapshots": snapshots_of(found),
        "found_by": term_finds(found),
        "similar": similar_to(found, with_distinct=rules.may_mark_similar(member)),
        "may_mark": rules.may_mark_similar(member),
        "may_remove": rules.may_import(member),
        "first_import": found.first_import if rules.may_import(member) else None,
    }
    return render_page(request, "ingest/issue.html", context)


@require_POST
@transaction.atomic
def save_filter(request: AuthedRequest, slug: str) -> HttpResponse:
    """Save the filters of the list under a name."""
    study, _member = study_of(request, slug, rules.may_import)
    narrowed = IssueFilter.from_query(request.POST)
    if first_time(request):
        saved = actions.save_filter(
            study=study, name=request.POST.get("name", ""), query=narrowed.query, by=request.user
        )
        messages.success(request, _("The filter %(name)s is saved.") % {"name": saved.name})
    return go_to(request, f"{reverse('issues', args=[study.slug])}?{urlencode(narrowed.query)}")


@require_POST
def delete_filter(request: AuthedRequest, slug: str, filter_id: int) -> HttpResponse:
    """Delete a saved filter."""
    study, _member = study_of(request, slug, rules.may_import)
    saved = get_object_or_404(saved_filters(study), pk=filter_id)
    actions.delete_filter(saved=saved, by=request.user)
    messages.success(
        request, _("The filter %(name)s is deleted. Issues and rounds do not change.") % {"name": saved.name}
    )
    return go_to(request, "issues", study.slug)
