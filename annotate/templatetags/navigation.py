"""The tabs of a study, and what else leads from one page to another: this is the room above them all."""

from typing import Any

from django import template
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.models import FollowUp, Round
from annotate.queries.examples import taxonomies_of
from annotate.queries.follow_ups import follow_ups, waiting_for
from annotate.queries.meeting_lists import open_meetings
from annotate.queries.missing import missing_categories
from annotate.queries.rounds import current_round
from annotate.rules import may_take_turns
from ingest.models import Issue
from studies import rules
from studies.models import Membership, Study
from taxonomy.models import Taxonomy
from taxonomy.queries import codebook, published_version
from taxonomy.rules import may_edit_taxonomies, may_propose

register = template.Library()


@register.inclusion_tag("shared/_study_tabs.html", takes_context=True)
def study_tabs(context: template.Context, study: Study, current: str) -> dict[str, Any]:
    """The tabs of a study; `current` is the URL name of the page's tab. Three queries.

    Label, disagreements, meetings and agreement are those of the context's `round`, or of the round in front.
    `membership` in the context says what this member may open.
    """
    membership: Membership | None = context.get("membership")
    round_ = context.get("round") or current_round(Round.objects.filter(study=study))
    tabs: list[tuple[str, str, list[Any], bool]] = [
        ("study", _("Overview"), [study.slug], True),
        ("issues", _("Issues"), [study.slug], True),
        ("rounds", _("Rounds"), [study.slug], True),
    ]
    if round_ and round_.opened_at:
        reads = rules.may_read_revealed(membership)
        tabs += [
            ("label", _("Label"), [round_.pk], may_take_turns(membership, round_)),
            ("disagreements", _("Disagreements"), [round_.pk], reads),
            ("meetings", _("Meetings"), [round_.pk], reads),
            ("agreement", _("Agreement"), [round_.pk], reads),
        ]
    tabs += [
        ("taxonomies", _("Taxonomy"), [study.slug], True),
        ("guideline", _("Guideline"), [study.slug], rules.may_read_guideline(membership)),
        ("people", _("People"), [study.slug], rules.may_see_people(membership)),
        ("imports", _("Imports"), [study.slug], rules.may_lead(membership)),
        ("export", _("Export"), [study.slug], rules.may_read_revealed(membership)),
        ("audit", _("Audit"), [study.slug], rules.may_read_audit(membership)),
    ]
    held = open_meetings(round_) if round_ and round_.opened_at and rules.may_read_revealed(membership) else 0
    counts = {"meetings": _("%(n)s open") % {"n": held}} if held else {}
    return {
        "tabs": [
            {
                "name": name,
                "url": reverse(url, args=args),
                "current": url == current,
                "count": counts.get(url),
            }
            for url, name, args, may in tabs
            if may
        ]
    }


@register.inclusion_tag("annotate/follow_ups/_guideline.html")
def guideline_follow_ups(study: Study, membership: Membership | None) -> dict[str, Any]:
    """The lines for the guideline that meetings noted and that wait, for who writes it. Two queries."""
    found = follow_ups(study, membership).filter(kind=FollowUp.Kind.GUIDELINE, done_at=None)
    return {"study": study, "lines": list(found.order_by("pk").values_list("text", flat=True))}


@register.inclusion_tag("annotate/follow_ups/_taxonomy.html")
def taxonomy_follow_ups(study: Study, membership: Membership | None, taxonomy: Taxonomy) -> dict[str, Any]:
    """How many examples and proposals from meetings wait, for who leads the study. Two queries, none else."""
    if not rules.may_lead(membership):
        return {}
    waiting = waiting_for(study, membership, taxonomy)
    examples, proposals = waiting[FollowUp.Kind.EXAMPLE], waiting[FollowUp.Kind.PROPOSAL]
    said = [
        text % {"n": n}
        for n, text in (
            (examples, ngettext("%(n)s example", "%(n)s examples", examples)),
            (proposals, ngettext("%(n)s proposal", "%(n)s proposals", proposals)),
        )
        if n
    ]
    return {"study": study, "text": ", ".join(said)}


@register.inclusion_tag("annotate/examples/_links.html")
def example_links(membership: Membership | None, issue: Issue) -> dict[str, Any]:
    """Where an issue is taken as an example, for who edits taxonomies. One query, none else."""
    found = taxonomies_of(issue) if may_edit_taxonomies(membership) else []
    return {"issue": issue, "taxonomies": found}


@register.inclusion_tag("annotate/missing/_card.html")
def labels_wait_for(study: Study, membership: Membership | None, taxonomy: Taxonomy) -> dict[str, Any]:
    """The names that revealed open labels of a taxonomy wait for. Ten queries at most."""
    if not rules.may_read_revealed(membership):
        return {}
    found = missing_categories(taxonomy, membership)
    may_answer = rules.may_lead(membership)
    version = published_version(taxonomy) if found and may_answer else None
    return {
        "study": study,
        "taxonomy": taxonomy,
        "found": found,
        "may_propose": may_propose(membership),
        "may_answer": may_answer,
        "states": codebook(version).states if version else (),
    }
