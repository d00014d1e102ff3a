"""What this room shows on pages of the rooms below: how often categories were chosen, and follow-ups."""

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.translation import ngettext

from consensus.models import FollowUp
from consensus.queries.category_counts import chosen_by_version, label_counts, labels_alone
from consensus.queries.follow_ups import follow_ups, waiting_for
from core import panels
from core.text.joining import clauses
from studies import rules
from studies.models import Membership, Study
from taxonomy.models import Taxonomy


def register() -> None:
    panels.register("taxonomy.counts", lambda _request, version, reader: label_counts(version, reader))
    panels.register("taxonomy.labels", lambda _request, version, reader: labels_alone(version, reader))
    panels.register(
        "taxonomy.times",
        lambda _request, taxonomy, category, reader: chosen_by_version(taxonomy, category.pk, reader),
    )
    panels.register("taxonomy.top", taxonomy_follow_ups)
    panels.register("guideline.top", guideline_follow_ups)


def guideline_follow_ups(request: HttpRequest, *, study: Study, membership: Membership | None) -> str:
    """The open lines for the guideline that meetings noted, for its author. Two queries."""
    found = follow_ups(study, membership).filter(kind=FollowUp.Kind.GUIDELINE, done_at=None)
    lines = list(found.order_by("pk").values_list("text", flat=True))
    return render_to_string("consensus/follow_ups/_guideline.html", {"study": study, "lines": lines}, request)


def taxonomy_follow_ups(
    request: HttpRequest, *, study: Study, membership: Membership | None, taxonomy: Taxonomy
) -> str:
    """The number of open examples and proposals from meetings, for leads. Two queries; none for others."""
    if not rules.may_lead(membership):
        return ""
    waiting = waiting_for(study, membership, taxonomy)
    examples, proposals = waiting[FollowUp.Kind.EXAMPLE], waiting[FollowUp.Kind.PROPOSAL]
    parts = [
        text % {"n": n}
        for n, text in (
            (examples, ngettext("%(n)s example", "%(n)s examples", examples)),
            (proposals, ngettext("%(n)s proposal", "%(n)s proposals", proposals)),
        )
        if n
    ]
    context = {"study": study, "text": clauses(parts)}
    return render_to_string("consensus/follow_ups/_taxonomy.html", context, request)
