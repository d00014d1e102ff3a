"""The figure of a taxonomy: its page, and its files."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from core.http import render_page
from drawing.missing_glyphs import boxes, without_a_font
from reports.file_responses import WITHOUT, figure_asked_for, figure_response
from reports.queries.category_shares import DECISIONS, LABELS
from reports.taxonomy_figure import MOST
from studies.pages import frame
from taxonomy.pages import version_asked_for
from taxonomy.queries.taxonomies import published_versions


@require_safe
def taxonomy_figure(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Show a version as a tree, with the shares of the round in the address."""
    taxonomy, member, version = version_asked_for(request, taxonomy_id)
    asked = figure_asked_for(version, member, request.GET.dict())
    here = {"version": str(version.number)}
    same = here | asked.address
    context: dict[str, Any] = {
        **frame(taxonomy.study, member, "taxonomies"),
        "taxonomy": taxonomy,
        "version": version,
        "versions": [
            (one.number, f"?{urlencode(asked.address | {'version': one.number})}")
            for one in published_versions(taxonomy)
        ],
        "figure": asked.figure,
        "svg": mark_safe(asked.figure.svg),  # noqa: S308 - the writer of the tree escapes every text
        "shares": asked.shares,
        "rounds": [(one, f"?{urlencode(here | {'round': one.pk})}") for one in asked.rounds],
        "without": f"?{urlencode(here | {'round': WITHOUT})}",
        "units": [
            (name, word, f"?{urlencode(same | {'of': name})}")
            for name, word in ((DECISIONS, _("Decided issues")), (LABELS, _("Labels")))
        ],
        "files": [
            (form, f"{reverse('taxonomy_figure_file', args=[taxonomy.pk, form])}?{urlencode(same)}")
            for form in asked.figure.forms
        ],
        "most": MOST,
        "boxes": boxes(without_a_font(asked.figure.texts)),
    }
    return render_page(request, "reports/taxonomy_figure/figure.html", context)


@require_safe
def taxonomy_figure_file(request: AuthedRequest, taxonomy_id: int, form: str) -> HttpResponse:
    """Send the figure as svg, pdf or png."""
    _taxonomy, member, version = version_asked_for(request, taxonomy_id)
    return figure_response(figure_asked_for(version, member, request.GET.dict()), version, form)
