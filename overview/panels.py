"""What this room adds to pages of other rooms: the tabs of a study, and those of a round in it."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from annotate.queries.labels import progress
from annotate.rules import may_see_own_labels, may_take_turns, own_seat
from consensus.queries.disagreement_states import tally
from core import panels
from core.templatetags.crosscheck import count
from findings.rules import may_read_findings
from ingest.rules import may_mark_similar
from interviews.rules import may_enter_interviews, may_lead_interviews, may_read_guide
from overview.queries.sizes import size_of
from protocols.rules import may_read_protocol
from rounds.models import Round
from rounds.queries.rounds import round_progress
from rounds.rules import may_read_samples, may_see_others
from standards.rules import may_read_standards, may_tell_background
from studies import rules
from studies.models import Membership, Study

OF_A_ROUND = {"label", "own_labels", "rounds", "disagreements", "agreement"}
"""The tabs of pages that belong to one round, where the page has one."""


@dataclass(frozen=True)
class Tab:
    """A link of a row of tabs; `key` is the name of its address, and what pages call
    their tab. `note` is its count in words.
    """

    key: str
    name: str
    of: Any
    may: bool = True
    note: str = ""

    @property
    def url(self) -> str:
        return reverse(self.key, args=[self.of])


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
    """The tabs of a study that this member may open; `current` is the key of the page's tab. Below them those
    of its section, or of the page's round. Two queries, on pages of a round at most seven more.
    """
    sections = [
        (name, shown)
        for name, tabs in _sections(study, membership)
        if (shown := [tab for tab in tabs if tab.may])
    ]
    round_ = page_round if current in OF_A_ROUND else None
    at = "rounds" if round_ else current
    within = next((shown for _name, shown in sections if at in {tab.key for tab in shown}), [])
    context: dict[str, Any] = {
        "sections": [
            {"name": name, "first": shown[0], "is_current": shown is within} for name, shown in sections
        ],
        "within": within if len(within) > 1 else [],
        "current": current,
        "study": study,
    }
    if round_:
        rounds = list(Round.objects.filter(study=study).order_by("-created_at", "-id"))
        context |= {
            "round": round_,
            "round_tabs": _of_round(round_, membership),
            "rounds": [(one, _same_page(one, current)) for one in rounds] if len(rounds) > 1 else [],
        }
    return render_to_string("overview/_tabs.html", context, request)


def _sections(study: Study, member: Membership | None) -> list[tuple[str, list[Tab]]]:
    """The sections of a study, each with its pages; the first that a member may open stands for it, with its
    count.
    """
    of, reads = study.slug, rules.may_read_revealed(member)
    leads = rules.may_lead(member)
    size = size_of(study)
    held = size.open_meetings if reads else 0
    held_text = _("%(n)s open") % {"n": held} if held else ""
    return [
        (_("Overview"), [Tab("study", _("Overview"), of)]),
        (
            _("Issues"),
            [
                Tab("issues", _("All issues"), of, note=count(size.issues) if size.issues else ""),
                Tab("imports", _("Imports"), of, leads),
                Tab("harvests", _("Harvests"), of, leads),
                Tab("keywords", _("Keyword lists"), of, rules.may_see_people(member)),
                Tab("similar", _("Similar reports"), of, may_mark_similar(member)),
                Tab("samples", _("Samples"), of, may_read_samples(member, study)),
            ],
        ),
        (
            _("Taxonomy"),
            [
                Tab("taxonomies", _("Taxonomies"), of, note=f"v{size.version}" if size.version else ""),
                Tab("guideline", _("Guideline"), of, rules.may_read_guideline(member)),
            ],
        ),
        (_("Rounds"), [Tab("rounds", _("Rounds"), of)]),
        (
            _("Meetings"),
            [
                Tab("study_meetings", _("Meetings"), of, reads, held_text),
                Tab("follow_ups", _("Follow-ups"), of, reads),
            ],
        ),
        (
            _("Interviews"),
            [
                Tab("interviews", _("Interviews"), of, may_enter_interviews(member)),
                Tab("guides", _("Guide"), of, may_read_guide(member)),
                Tab("participants", _("Participants"), of, may_lead_interviews(member)),
                Tab("codings", _("Coding"), of, may_enter_interviews(member)),
                Tab("rankings", _("Rankings"), of, may_enter_interviews(member)),
            ],
        ),
        (
            _("Report"),
            [
                Tab("study_report", _("Report"), of, reads),
                Tab("protocol", _("Protocol"), of, may_read_protocol(member)),
                Tab("deviations", _("Deviations"), of, may_read_protocol(member)),
                Tab("findings", _("Findings"), of, may_read_findings(member)),
                Tab("standards", _("Standards"), of, may_read_standards(member)),
            ],
        ),
        (
            _("People"),
            [
                Tab("people", _("People"), of, rules.may_see_people(member), count(size.people)),
                Tab("my_background", _("My background"), of, may_tell_background(member)),
                Tab("audit", _("Audit"), of, rules.may_read_audit(member)),
                Tab("study_settings", _("Settings"), of, leads),
            ],
        ),
        (
            _("Export"),
            [
                Tab("export", _("Export"), of, reads),
                Tab("integrity", _("Integrity"), of, leads),
            ],
        ),
    ]


def _of_round(round_: Round, member: Membership | None) -> list[Tab]:
    """The tabs of a round with their counts: labels to give, issues complete, disagreements open."""
    tabs = [Tab("round", _("Progress"), round_.pk, note=_complete(round_, member))]
    if not round_.opened_at or member is None:
        return tabs
    if may_see_own_labels(member, round_):
        tabs.insert(0, Tab("own_labels", _("My labels"), round_.pk))
    if may_take_turns(member, round_):
        own = progress(round_, member, seat=own_seat(member, round_))
        left = _("%(n)s to go") % {"n": count(own.left)} if own.left else ""
        tabs.insert(0, Tab("label", _("Label"), round_.pk, note=left))
    if rules.may_read_revealed(member) and round_.kind != Round.Kind.LOOK:
        waiting = tally(round_, member)["open"]
        left = _("%(n)s open") % {"n": count(waiting)} if waiting else ""
        tabs += [
            Tab(
                "disagreements",
                _("Proposed names") if round_.has_one_label else _("Disagreements"),
                round_.pk,
                note=left,
            ),
            Tab("agreement", _("Agreement"), round_.pk),
        ]
    return tabs


def _complete(round_: Round, member: Membership | None) -> str:
    """The share of issues that are complete, rounded down: 100 % says that all are."""
    if not round_.opened_at or not may_see_others(member, round_):
        return ""
    found = round_progress(round_)
    if found.complete is None or not found.issues:
        return ""
    return _("%(n)s %% complete") % {"n": 100 * found.complete // found.issues}


def _same_page(round_: Round, current: str) -> str:
    """Where the switch of rounds leads: to the same page of the other round, if it has begun."""
    if round_.opened_at and current in {"disagreements", "agreement"}:
        return reverse(current, args=[round_.pk])
    return reverse("round", args=[round_.pk])
