"""What this room adds to pages of other rooms: the tabs of a study."""

from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from annotate.rules import may_take_turns
from consensus.queries.meetings import open_meetings
from core import panels
from rounds.models import Round
from rounds.queries.rounds import current_round
from studies import rules
from studies.models import Membership, Study


def register() -> None:
    panels.register("study.tabs", study_tabs)


def study_tabs(
    request: HttpRequest,
    *,
    study: Study,
    membership: Membership | None,
    current: str,
    page_round: Round | None,
) -> str:
    """The tabs of a study that this member may open; `current` is the URL name of the page's tab. The tabs
    for labelling, disagreements, meetings and agreement belong to the page's round, or else to the current
    round of the study. Three queries.
    """
    round_ = page_round or current_round(Round.objects.filter(study=study))
    tabs: list[tuple[str, str, list[Any], bool]] = [
        ("study", _("Overview"), [study.slug], True),
        ("issues", _("Issues"), [study.slug], True),
        ("rounds", _("Rounds"), [study.slug], True),
    ]
    reads = rules.may_read_revealed(membership)
    held = 0
    if round_ and round_.opened_at:
        tabs += [
            ("label", _("Label"), [round_.pk], may_take_turns(membership, round_)),
            ("disagreements", _("Disagreements"), [round_.pk], reads),
            ("meetings", _("Meetings"), [round_.pk], reads),
            ("agreement", _("Agreement"), [round_.pk], reads),
        ]
        held = open_meetings(round_) if reads else 0
    tabs += [
        ("taxonomies", _("Taxonomy"), [study.slug], True),
        ("guideline", _("Guideline"), [study.slug], rules.may_read_guideline(membership)),
        ("people", _("People"), [study.slug], rules.may_see_people(membership)),
        ("imports", _("Imports"), [study.slug], rules.may_lead(membership)),
        ("export", _("Export"), [study.slug], reads),
        ("audit", _("Audit"), [study.slug], rules.may_read_audit(membership)),
    ]
    shown = [
        {
            "name": name,
            "url": reverse(url, args=args),
            "current": url == current,
            "count": _("%(n)s open") % {"n": held} if held and url == "meetings" else None,
        }
        for url, name, args, may in tabs
        if may
    ]
    return render_to_string("overview/_tabs.html", {"tabs": shown}, request)
