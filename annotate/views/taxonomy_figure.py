"""The figure of a taxonomy: its page, and its files."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from annotate.exports import WITHHELD
from annotate.letters import boxes, without_a_font
from annotate.models import Round
from annotate.queries.categories import categories_of
from annotate.queries.category_shares import (
    DECISIONS,
    LABELS,
    UNITS,
    Shares,
    category_shares,
    rounds_to_count,
)
from annotate.rendering import FORMS
from annotate.taxonomy_figure import MOST, TaxonomyFigure
from annotate.taxonomy_figure import taxonomy_figure as drawn
from core.http import render_page
from studies.models import Membership
from studies.pages import frame
from taxonomy.asked import version_asked_for
from taxonomy.codebook_files import attached_as
from taxonomy.models import Version
from taxonomy.queries import published_versions

WITHOUT = "none"


@dataclass(frozen=True)
class Asked:
    """The figure that an address asks for, with the rounds that it could have had shares of."""

    figure: TaxonomyFigure
    rounds: list[Round]
    shares: Shares | None

    @property
    def address(self) -> dict[str, str]:
        """The query string that asks for the same shares again."""
        if self.shares is None:
            return {"round": WITHOUT}
        return {"round": str(self.shares.round.pk), "of": self.shares.unit}


def figure_asked_for(version: Version, member: Membership | None, query: Mapping[str, str]) -> Asked:
    """The figure with the shares of `round`: an id, "none", or the newest main round that can be counted.

    `of`: what is counted, one of UNITS. 404 for a round whose numbers this member may not see.
    """
    rounds = rounds_to_count(version.taxonomy, member)
    asked, unit = query.get("round", ""), query.get("of") or None
    if unit not in {None, *UNITS}:
        raise Http404
    chosen = next((one for one in rounds if str(one.pk) == asked), None)
    if asked not in {"", WITHOUT} and chosen is None:
        raise Http404
    if not asked:
        chosen = next((one for one in rounds if one.kind == Round.Kind.MAIN), None)
    book = categories_of(version.pk)
    shares = category_shares(chosen, book, member, unit) if chosen else None
    return Asked(drawn(version, book, shares), rounds, shares)


def sent(asked: Asked, version: Version, form: str) -> HttpResponse:
    """The figure as a file of one of FORMS, 404 for another; says how many issues are held back."""
    if form not in FORMS:
        raise Http404
    return HttpResponse(
        asked.figure.as_file(form),
        content_type=FORMS[form],
        headers={
            "Content-Disposition": attached_as(version, f"-figure.{form}"),
            WITHHELD: str(asked.shares.withheld if asked.shares else 0),
        },
    )


@require_safe
def taxonomy_figure(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Show one version as a tree, with the shares of the round that the address names."""
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
    return render_page(request, "annotate/taxonomy/figure.html", context)


@require_safe
def taxonomy_figure_file(request: AuthedRequest, taxonomy_id: int, form: str) -> HttpResponse:
    """Send the same figure: svg, pdf or png."""
    _taxonomy, member, version = version_asked_for(request, taxonomy_id)
    return sent(figure_asked_for(version, member, request.GET.dict()), version, form)
