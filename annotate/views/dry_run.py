"""What publishing a draft of a taxonomy would do to labels, decisions and kappa."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from annotate.dry_run import dry_run
from core.http import render_page, require
from studies.pages import frame
from studies.queries import membership_of
from taxonomy.draft_reading import mentioned
from taxonomy.drafting import drafted
from taxonomy.queries import taxonomies_for
from taxonomy.rules import may_edit_taxonomies


@require_safe
def draft_dry_run(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Show the dry run: as a card beside the editor, and as a page with all categories that change."""
    taxonomy = get_object_or_404(taxonomies_for(request.user), pk=taxonomy_id)
    member = membership_of(request.user, taxonomy.study)
    require(may_edit_taxonomies(member), _("An owner or a lead of the study edits its taxonomies."))
    found = drafted(taxonomy)
    context = {
        **frame(taxonomy.study, member, "taxonomies"),
        "taxonomy": taxonomy,
        "found": found,
        "dry": dry_run(found, member),
        "mentioned": mentioned(found.draft),
    }
    return render_page(request, "annotate/dry_run/dry_run.html", context, partials=["dry-run"])
