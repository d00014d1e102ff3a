"""The results of a study's training rounds: matches with the lead, kappa, unclear definitions, comments."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from core.http import render_page, require
from drawing.axes import whole_axis
from reports.agreement_report import agreement_report
from reports.queries.calibration import Calibration, calibrations
from rounds.rules import may_create_round
from studies.pages import study_of
from studies.rules import may_read_revealed

UNCLEAR = 12
LEFT, RIGHT, TOP, STEP = 150.0, 620.0, 10, 34


@require_safe
def training(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show each training round of a study: who matches the lead, and where the team differs from the lead."""
    study, member = study_of(request, slug)
    require(may_read_revealed(member))
    found = calibrations(study, member) if member else []
    context = {
        "study": study,
        "membership": member,
        "columns": [_column(one) for one in found],
        "withheld": sum(one.blind.count() for one in found),
        "people": _people(found),
        "figure": _figure(found),
        "may_plan": may_create_round(member, study),
    }
    return render_page(request, "reports/training/training.html", context)


def _column(found: Calibration) -> dict[str, Any]:
    """One training, the kappa of its revealed issues, and the categories that differ most from the lead."""
    kappa = None
    if found.revealed:
        kappa = agreement_report(found.round, blind=found.blind).overall.coefficients["fleiss_kappa"]
    return {
        "found": found,
        "kappa": kappa,
        "unclear": [one for one in found.departures if one.wrong][:UNCLEAR],
    }


def _people(found: Sequence[Calibration]) -> list[dict[str, Any]]:
    members = {seat.volunteer.member_id: seat.volunteer.member for one in found for seat in one.seats}
    places = [{seat.volunteer.member_id: seat for seat in one.seats} for one in found]
    return [
        {"member": members[id_], "seats": [place.get(id_) for place in places]} for id_ in sorted(members)
    ]


def _figure(found: Sequence[Calibration]) -> dict[str, Any] | None:
    """A strip per training with shares of right labels: a dot per volunteer, the team's, and the pass mark.

    None if there are no labels.
    """
    axis = whole_axis([], LEFT, RIGHT)
    drawn = [one for one in found if any(seat.labels for seat in one.seats)]
    strips = [
        {
            "name": one.round.name,
            "y": TOP + STEP // 2 + at * STEP,
            "dots": [axis.x(seat.right / seat.labels) for seat in one.seats if seat.labels],
            "team": axis.x(one.right / one.labels) if one.labels else "",
            "mark": axis.x(one.round.pass_mark / 100) if one.round.pass_mark else "",
        }
        for at, one in enumerate(drawn)
    ]
    return {"axis": axis, "strips": strips, "height": TOP + len(strips) * STEP} if strips else None
