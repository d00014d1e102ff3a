"""The effect of meetings on a round: who changed their mind, and agreement before and after."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from consensus.minutes_text import method
from consensus.queries import changed_votes as queries
from consensus.queries.changed_votes import CategoryChange, ChangedVotes
from consensus.queries.consensus_numbers import consensus_numbers
from consensus.views.matrix import hues
from core.http import render_page
from ingest.models import Issue
from reports.queries.before_after import before_and_after
from reports.sections.consensus import before_after_rows
from reports.sentences.definitions import COEFFICIENTS
from reports.views.shortcuts import leaves_out_coached, round_to_read
from rounds.models import Round
from rounds.queries.blindness import NOTHING, withheld_issues
from rounds.queries.categories import ShownCodebook, codebook
from rounds.queries.coached import coached_in_report
from studies.pages import frame

TURNS = 30
"""The number of changes between categories on the page, most frequent first; REST gives all changes."""
ISSUES = 12
"""The number of issues named for each change; the list of disagreements has all issues."""


@require_safe
def consensus(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show who changed their mind between label and last ballot, and the effect on agreement."""
    round_, member = round_to_read(request, round_id)
    coached, counted = coached_in_report(round_, withheld_issues(round_, member))
    without_coached = leaves_out_coached(request)
    without = coached if without_coached else NOTHING
    found = queries.changed_votes(round_, member, without=without)
    both = before_and_after(round_, member, found=found, without=without)
    book = codebook(round_.version_id)
    context: dict[str, Any] = {
        **frame(round_.study, member, "agreement"),
        "round": round_,
        "report": {"coached": counted.count(), "without_coached": without_coached},
        "both": both,
        "level": both.level.label,
        "rows": before_after_rows(both, COEFFICIENTS),
        "headline": before_after_rows(both, ["fleiss_kappa"])[0],
        "found": found,
        "turns": _turns(round_, found, book),
        "more_turns": max(len(found.turns) - TURNS, 0),
        "method": method(consensus_numbers(round_, member)),
    }
    return render_page(request, "reports/consensus/consensus.html", context)


def _turns(round_: Round, found: ChangedVotes, book: ShownCodebook) -> list[dict[str, Any]]:
    """Each change as a row of the table: the two categories, how often, and examples of issues."""
    shown = found.turns[:TURNS]
    ids = {issue for turn in shown for issue in turn.issues[:ISSUES]}
    known = Issue.objects.select_related("repository").only("number", "repository__path").in_bulk(ids)
    colours = hues(book)
    names = {state.code: state.title for state in (*book.states.values(), *found.former.states.values())}
    page = reverse("disagreements", args=[round_.pk])

    def chip(code: str) -> dict[str, str]:
        if not code:
            return {
                "code": pgettext("label without a category", "open"),
                "hue": "",
                "name": _("a category that the volunteer proposes"),
            }
        return {"code": code, "hue": colours.get(code, ""), "name": names[code]}

    def row(turn: CategoryChange) -> dict[str, Any]:
        pair = urlencode({"pair": f"{turn.before} {turn.after}"}) if turn.before else ""
        is_former = not {turn.before, turn.after} <= {*book.by_code, ""}
        return {
            "before": chip(turn.before),
            "after": chip(turn.after),
            "count": turn.count,
            "issues": [
                {"url": f"{page}?issue={id_}", "text": f"{known[id_].repository.path} {known[id_]}"}
                for id_ in turn.issues[:ISSUES]
            ],
            "more": max(len(turn.issues) - ISSUES, 0),
            "url": f"{page}?{pair}" if pair and not is_former else "",
        }

    return [row(turn) for turn in shown]
