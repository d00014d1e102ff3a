"""How the training rounds of a study went: who is as the lead, kappa, unclear definitions, comments."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from annotate import statements as say
from annotate.figures import Axis, whole_axis
from annotate.queries.calibration import Calibration, Departure, Seat, calibrations
from annotate.reports import agreement_report
from annotate.rules import may_create_round
from annotate.tables import number
from annotate.views.round_builder import study_of
from core.http import render_page, require
from studies.models import Membership
from studies.rules import may_read_revealed

UNCLEAR = 12
LEFT, RIGHT, TOP, STEP = 150.0, 620.0, 10, 34


@require_safe
def training(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show each training round of a study: who matches the lead, and where the team departs from them."""
    study, member = study_of(request, slug)
    require(may_read_revealed(member))
    found = calibrations(study, member) if member else []
    columns = [_column(one) for one in found]
    context = {
        "study": study,
        "membership": member,
        "columns": columns,
        "withheld": sum(one.held.count() for one in found),
        "people": _people(found),
        "figure": _figure(columns),
        "may_plan": may_create_round(member, study),
    }
    return render_page(request, "annotate/training/training.html", context)


@dataclass(frozen=True)
class Column:
    """One training, and the Fleiss kappa of its revealed issues with its interval, or why there is none."""

    found: Calibration
    kappa: str
    interval: str
    why: str

    @property
    def unclear(self) -> list[Departure]:
        """The categories where somebody departs from the lead, the most departures first."""
        return [one for one in self.found.departures if one.wrong][:UNCLEAR]


def _column(found: Calibration) -> Column:
    if not found.revealed:
        return Column(found, "", "", "")
    kappa = agreement_report(found.round, held=found.held).overall.coefficients["fleiss_kappa"]
    if kappa.value is None:
        return Column(found, "", "", say.undefined(kappa.reason))
    return Column(found, number(kappa.value), say.span(kappa.low, kappa.high), "")


@dataclass(frozen=True)
class Person:
    """One volunteer over the trainings: a seat per column, None where they did not take part."""

    member: Membership
    seats: list[Seat | None]


def _people(found: Sequence[Calibration]) -> list[Person]:
    members = {seat.volunteer.member_id: seat.volunteer.member for one in found for seat in one.seats}
    places = [{seat.volunteer.member_id: seat for seat in one.seats} for one in found]
    return [Person(members[id_], [place.get(id_) for place in places]) for id_ in sorted(members)]


@dataclass(frozen=True)
class Strip:
    """One training in the figure: a dot per volunteer, the team's share and the pass mark as marks."""

    name: str
    y: int
    dots: list[str]
    team: str
    mark: str


@dataclass(frozen=True)
class Figure:
    axis: Axis
    strips: list[Strip]
    height: int


def _is_drawn(column: Column) -> bool:
    return any(seat.labels for seat in column.found.seats)


def _figure(columns: Sequence[Column]) -> Figure | None:
    """The shares as the lead, a strip per training; None where there is nothing to draw."""
    axis = whole_axis([], LEFT, RIGHT)
    strips = [
        Strip(
            name=column.found.round.name,
            y=TOP + STEP // 2 + at * STEP,
            dots=[axis.x(seat.right / seat.labels) for seat in column.found.seats if seat.labels],
            team=axis.x(column.found.right / column.found.labels) if column.found.labels else "",
            mark=axis.x(column.found.round.pass_mark / 100) if column.found.round.pass_mark else "",
        )
        for at, column in enumerate(column for column in columns if _is_drawn(column))
    ]
    if not strips:
        return None
    return Figure(axis, strips, TOP + len(strips) * STEP)
