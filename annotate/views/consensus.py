"""What became of a round in its meetings: who changed their mind, and agreement before and after."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from annotate import rules
from annotate import statements as say
from annotate.before_after import before_and_after
from annotate.minutes_text import method
from annotate.models import Round
from annotate.queries import minds as queries
from annotate.queries.categories import Codebook, codebook
from annotate.queries.minds import Minds, Turn
from annotate.queries.minutes import consensus_numbers
from annotate.queries.rounds import rounds_for
from annotate.views.before_after import line
from annotate.views.matrix import hues
from core.http import render_page, require
from ingest.models import Issue
from studies.pages import frame
from studies.queries import membership_of

TURNS = 30
"""So many changes from one category to another are shown, the most frequent; REST gives all."""
ISSUES = 12
"""So many issues stand behind each; the list of disagreements has the others."""
HEADLINE = "fleiss_kappa"


@require_safe
def consensus(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show who changed their mind between label and last ballot, and what that does to agreement."""
    round_ = get_object_or_404(rounds_for(request.user), pk=round_id)
    member = membership_of(request.user, round_.study)
    require(rules.may_see_disagreements(member, round_))
    found = queries.minds(round_, member)
    both = before_and_after(round_, member, found=found)
    rows = [line(both, key) for key in say.COEFFICIENTS]
    book = codebook(round_.version_id)
    context: dict[str, Any] = {
        **frame(round_.study, member, "agreement"),
        "round": round_,
        "both": both,
        "level": both.level.label,
        "rows": rows,
        "headline": next(row for row in rows if row.key == HEADLINE),
        "found": found,
        "turns": _turns(round_, found, book),
        "more_turns": max(len(found.turns) - TURNS, 0),
        "method": method(consensus_numbers(round_, member)),
    }
    return render_page(request, "annotate/consensus/consensus.html", context)


@dataclass(frozen=True)
class TurnRow:
    """One change as the table draws it: the two categories, how often, and issues to read it on."""

    before: Mapping[str, str]
    after: Mapping[str, str]
    count: int
    issues: Sequence[Mapping[str, str]]
    more: int
    url: str


def _turns(round_: Round, found: Minds, book: Codebook) -> list[TurnRow]:
    shown = found.turns[:TURNS]
    ids = {issue for turn in shown for issue in turn.issues[:ISSUES]}
    issues = Issue.objects.filter(pk__in=ids).select_related("repository").only("number", "repository__path")
    known = {issue.pk: issue for issue in issues}
    colours = hues(book)
    names = {state.code: state.name for state in book.states.values()}
    page = reverse("disagreements", args=[round_.pk])

    def chip(code: str) -> dict[str, str]:
        if not code:
            return {"code": _("open"), "hue": "", "name": _("a category of their own proposal")}
        return {"code": code, "hue": colours.get(code, ""), "name": names[code]}

    def row(turn: Turn) -> TurnRow:
        pair = urlencode({"pair": f"{turn.before} {turn.after}"}) if turn.before else ""
        return TurnRow(
            before=chip(turn.before),
            after=chip(turn.after),
            count=turn.count,
            issues=[
                {"url": f"{page}?issue={id_}", "text": f"{known[id_].repository.path} {known[id_]}"}
                for id_ in turn.issues[:ISSUES]
            ],
            more=max(len(turn.issues) - ISSUES, 0),
            url=f"{page}?{pair}" if pair else "",
        )

    return [row(turn) for turn in shown]
