"""The history of a taxonomy, and the life of one of its categories."""

from uuid import UUID

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from core.http import render_page
from studies.pages import frame
from taxonomy import rules
from taxonomy.asked import version_asked_for
from taxonomy.history import life, steps
from taxonomy.models import Category, Taxonomy


@require_safe
def taxonomy_history(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Show what each version changed; with `category`, the key of one, its life as well."""
    taxonomy, member, version = version_asked_for(request, taxonomy_id)
    category = _category(taxonomy, request.GET.get("category", ""))
    context = {
        **frame(taxonomy.study, member, "taxonomies"),
        "taxonomy": taxonomy,
        "version": version,
        "steps": steps(taxonomy),
        "category": category,
        "life": life(taxonomy, category.pk) if category else None,
        "may_edit": rules.may_edit_taxonomies(member),
    }
    return render_page(request, "taxonomy/history.html", context)


def _category(taxonomy: Taxonomy, key: str) -> Category | None:
    """The category of this key; None where none is asked for."""
    if not key:
        return None
    try:
        found = taxonomy.categories.filter(key=UUID(key)).first()
    except ValueError:
        raise Http404 from None
    if found is None:
        raise Http404
    return found
