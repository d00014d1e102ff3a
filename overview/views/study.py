"""The overview of a study: its stages, what waits for the reader, its people by counts, the last events."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from annotate.queries.model_labels import models_of
from consensus.queries.meetings import own_meetings, recent_meetings
from core.http import is_fragment, render_page
from core.templatetags.crosscheck import count
from drawing.axes import bars
from harvests.queries.reports import unfinished_harvest
from ingest.rules import may_import
from overview.queries import overview as queries
from overview.queries.overview import Person
from overview.views.between import between_stages
from overview.views.stages import Facts, percent, stages
from overview.views.waits import next_steps, waits_for, with_meetings
from rounds.queries.rounds import RoundLine, current_round, round_lines
from rounds.queries.volunteers import slot_count
from standards.files import unmet_items
from studies import audit
from studies.models import Membership, Study
from studies.pages import frame, study_of
from studies.queries import active, events
from studies.rules import may_lead, may_manage_people, may_read_audit, may_read_revealed, may_see_people

RECENT = 6


@require_safe
def study(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the overview of a study, or the imports that run in it."""
    found, member = study_of(request, slug, may_see_people)
    context = frame(found, member, "study")
    if may_import(member):
        context["running"] = queries.running_imports(found)
    if not (is_fragment(request) and request.headers.get("HX-Target") == "running"):
        context |= _overview(found, member)
    return render_page(request, "overview/study.html", context, partials=["running"])


def _overview(found: Study, member: Membership) -> dict[str, Any]:
    lines = round_lines(found, member)
    front = current_round(line.round for line in lines)
    current = next((line for line in lines if line.round == front), None)
    counts = queries.study_counts(found, front)
    people = queries.people(found, front)
    slots = slot_count(front) if front else 0
    labels = sum(person.labels or 0 for person in people)
    seats = [member]
    waiting = active(seats)
    settled = queries.consensus((line.round for line in lines), seats)
    leads = may_lead(member)
    unsettled = queries.unsettled((line.round for line in lines), settled) if leads and waiting else []
    waits = waits_for(waiting, queries.own_rounds(waiting), unsettled) + between_stages(waiting)
    if leads and waiting:
        waits = next_steps(found, lines, counts) + waits
    context: dict[str, Any] = {
        "lines": lines,
        "current": current,
        "counts": counts,
        "stages": stages(
            Facts(found, member, lines, current, counts, settled, labels, slots, unfinished_harvest(found))
        ),
        "waits": with_meetings(waits, own_meetings(waiting)),
        "meetings": recent_meetings(found, member) if may_read_revealed(member) else [],
        "people": _rows(people, member, current),
        "sum": {
            "labels": labels,
            "slots": slots,
            "share": percent(labels, slots) if slots else "",
            "week": sum(person.week for person in people),
        },
        "models": models_of(found, front),
        "may_manage_people": may_manage_people(member) and not found.is_read_only,
    }
    if leads and not found.is_read_only and any(line.round.is_open for line in lines):
        context["unmet"] = unmet_items(found, member)
    if may_read_audit(member):
        context["events"] = [audit.line(event) for event in events(found)[:RECENT]]
    if may_import(member):
        context["imports"] = queries.recent_imports(found)
    return context


def _rows(people: Sequence[Person], reader: Membership, current: RoundLine | None) -> list[dict[str, Any]]:
    """The people for the template: their share of the round in words, the bars of the last seven days."""
    most = max((day for person in people for day in person.days), default=0)
    issues = current.issues if current else 0
    return [
        {
            "person": person,
            "is_me": person.member.pk == reader.pk,
            "share": percent(person.labels, issues) if issues and person.labels is not None else "",
            "bars": bars(person.days, most, width=12, height=20),
            "days": ", ".join(count(day) for day in person.days),
        }
        for person in people
    ]
