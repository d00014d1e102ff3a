"""Issues as examples of a category: a list beside the editor, or one issue for any category."""

from typing import Any

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from annotate.actions.examples import take_example
from annotate.queries.examples import can_show, example_issues
from core.http import render_page, require
from core.idempotency import once
from core.numbers import whole_number
from ingest.models import Issue
from studies.models import Membership
from studies.pages import frame
from taxonomy.models import Taxonomy
from taxonomy.pages import taxonomy_of
from taxonomy.queries.drafts import drafted
from taxonomy.rules import may_edit_taxonomies


@require_safe
def draft_examples(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Show issues with the label `category` (its key), or ask which category an `issue` is an example of."""
    taxonomy, member = _taxonomy(request, taxonomy_id)
    found = drafted(taxonomy)
    entry = found.draft.entries.get(request.GET.get("category", ""))
    asked = request.GET.get("issue", "")
    issue = _issue(taxonomy, asked) if asked else None
    if issue is None and entry is None:
        raise Http404
    context: dict[str, Any] = {
        **frame(taxonomy.study, member, "taxonomies"),
        "taxonomy": taxonomy,
        "entry": entry,
        "issue": issue,
        "can_show": issue is not None and can_show(taxonomy, issue.pk),
        "entries": list(found.draft) if issue else [],
        "examples": example_issues(taxonomy, entry.key, entry.examples) if entry and not issue else [],
    }
    return render_page(request, "annotate/examples/examples.html", context, partials=["examples"])


@require_POST
def take_as_example(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Add an `issue` to the examples of the `category` (its key) in the draft; answers with the editor."""
    taxonomy, member = _taxonomy(request, taxonomy_id)
    issue, key = _issue(taxonomy, request.POST.get("issue", "")), request.POST.get("category", "")
    once(request, lambda: take_example(taxonomy=taxonomy, key=key, issue=issue, by=member))
    entry = drafted(taxonomy).draft.entries.get(key)
    to = urlencode({"category": entry.code if entry else "", "examples": "1"})
    # A plain redirect: htmx follows it and puts the editor in its place.
    return HttpResponseRedirect(f"{reverse('draft', args=[taxonomy.pk])}?{to}")


def _taxonomy(request: AuthedRequest, taxonomy_id: int) -> tuple[Taxonomy, Membership]:
    taxonomy, member = taxonomy_of(request, taxonomy_id)
    require(may_edit_taxonomies(member), _("Only owners and leads can edit taxonomies."))
    return taxonomy, member


def _issue(taxonomy: Taxonomy, asked: str) -> Issue:
    issues = Issue.objects.filter(repository__study=taxonomy.study_id).select_related("repository", "current")
    return get_object_or_404(issues, pk=whole_number(asked))
