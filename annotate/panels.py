"""What this room adds to pages of other rooms: examples of categories, and names that labels wait for."""

from collections.abc import Mapping

from django.http import HttpRequest
from django.template.loader import render_to_string

from annotate.queries.examples import taxonomies_of
from annotate.queries.proposed_categories import missing_categories
from annotate.queries.second_looks import revealed_in_open_rounds
from core import panels
from ingest.models import Issue
from ingest.rules import may_import
from rounds.rules import may_create_round, may_draw_sample
from studies import rules
from studies.models import Membership, Study
from taxonomy.models import Taxonomy
from taxonomy.queries.codebooks import codebook
from taxonomy.queries.taxonomies import published_version
from taxonomy.rules import may_edit_taxonomies, may_propose


def register() -> None:
    panels.register("issue.links", example_links)
    panels.register("proposals.top", labels_wait_for)
    panels.register("found_issues", ways_on)
    panels.register(
        "taxonomy.revealed_in_open_rounds",
        lambda _request, version, reader: revealed_in_open_rounds(version, reader),
    )


def example_links(request: HttpRequest, *, membership: Membership | None, issue: Issue) -> str:
    """Links that take an issue as an example. One query for editors of taxonomies, none for other members."""
    found = taxonomies_of(issue) if may_edit_taxonomies(membership) else []
    return render_to_string("annotate/examples/_links.html", {"issue": issue, "taxonomies": found}, request)


def ways_on(
    request: HttpRequest, *, study: Study, membership: Membership | None, query: Mapping[str, str]
) -> str:
    """Buttons from issues that were found to a screening and to a sample of them. No query."""
    if not may_import(membership):
        return ""
    ways = {
        "screening": may_create_round(membership, study),
        "sample": may_draw_sample(membership, study),
    }
    context = {"study": study, "query": query, "ways": ways}
    return render_to_string("annotate/samples/_found_issues.html", context, request)


def labels_wait_for(
    request: HttpRequest, *, study: Study, membership: Membership | None, taxonomy: Taxonomy
) -> str:
    """The names that revealed open labels of a taxonomy wait for. Ten queries at most."""
    if not rules.may_read_revealed(membership):
        return ""
    found = missing_categories(taxonomy, membership)
    may_answer = rules.may_lead(membership)
    version = published_version(taxonomy) if found and may_answer else None
    context = {
        "study": study,
        "taxonomy": taxonomy,
        "found": found,
        "may_propose": may_propose(membership),
        "may_answer": may_answer,
        "states": codebook(version).states if version else (),
    }
    return render_to_string("annotate/missing/_card.html", context, request)
