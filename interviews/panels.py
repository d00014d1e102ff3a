"""What this room adds to pages of other rooms: open codes that were proposed as categories."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from core import panels
from interviews.queries.open_codes import open_code_lines
from interviews.rules import may_enter_interviews
from studies.models import Membership, Study
from taxonomy.models import Taxonomy
from taxonomy.rules import may_propose


def register() -> None:
    panels.register("proposals.top", proposed_open_codes)


def proposed_open_codes(
    request: HttpRequest, *, study: Study, membership: Membership | None, taxonomy: Taxonomy
) -> str:
    """The open codes of revealed interviews that were proposed for this taxonomy. One query."""
    if membership is None or not may_enter_interviews(membership):
        return ""
    lines = [
        line
        for line in open_code_lines(study, membership)
        if line.code.proposal and line.code.proposal.taxonomy_id == taxonomy.pk
    ]
    context = {"lines": lines, "taxonomy": taxonomy, "may_propose": may_propose(membership)}
    return render_to_string("interviews/coding/_proposed.html", context, request)
