"""The effect of publishing a draft of a taxonomy on labels, decisions and kappa."""

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from core.http import render_page, require
from reports.queries.dry_run import dry_run
from studies.pages import frame
from taxonomy.pages import taxonomy_of
from taxonomy.queries.draft_reading import hues_by_code, mentioned
from taxonomy.queries.drafts import drafted
from taxonomy.rules import may_edit_taxonomies


@require_safe
def draft_dry_run(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Show the dry run as a card beside the editor, or as a page with all categories that change."""
    taxonomy, member = taxonomy_of(request, taxonomy_id)
    require(may_edit_taxonomies(member), _("Only owners and leads can edit taxonomies of this study."))
    found = drafted(taxonomy)
    context = {
        **frame(taxonomy.study, member, "taxonomies"),
        "taxonomy": taxonomy,
        "found": found,
        "dry": dry_run(found, member),
        "mentioned": mentioned(found.draft),
        "types": hues_by_code(found.draft),
    }
    return render_page(request, "reports/dry_run/dry_run.html", context, partials=["dry-run"])
