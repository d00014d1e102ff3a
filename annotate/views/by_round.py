"""The rounds of a study side by side, as the agreement page draws them."""

from dataclasses import dataclass

from django.urls import reverse

from annotate import statements as say
from annotate.by_round import OfRound
from annotate.figures import Axis, close_axis
from annotate.reports import AgreementReport, level_name
from annotate.tables import number
from annotate.views import charts


@dataclass(frozen=True)
class RoundRow:
    """One round; `row` is what the figure draws of it, None where its version has nothing at this level."""

    of: OfRound
    url: str
    is_current: bool
    row: charts.Row | None


@dataclass(frozen=True)
class Rounds:
    axis: Axis
    rows: list[RoundRow]
    withheld: int


def by_round(report: AgreementReport) -> Rounds | None:
    """All rounds on one axis; None where there is no other one to compare with."""
    if len(report.rounds) < 2:
        return None
    kappas = [one.agreement.coefficients[charts.HEADLINE] for one in report.rounds if one.agreement]
    ends = charts.known((kappa.value, kappa.low, kappa.high) for kappa in kappas)
    axis = close_axis(ends, charts.EDGE, charts.DRAWN - charts.EDGE, most=4)
    level = level_name(report.level)
    return Rounds(
        axis,
        [
            RoundRow(
                of=one,
                url=f"{reverse('agreement', args=[one.round.pk])}?level={level}",
                is_current=one.round.pk == report.round.pk,
                row=_row(axis, one),
            )
            for one in report.rounds
        ],
        sum(one.withheld for one in report.rounds if one.round.pk != report.round.pk),
    )


def _row(axis: Axis, one: OfRound) -> charts.Row | None:
    found = one.agreement
    if found is None:
        return None
    kappa = found.coefficients[charts.HEADLINE]
    return charts.Row(
        key=str(one.round.pk),
        name=one.round.name,
        issues=found.issues,
        labels=found.labels,
        agreement=number(found.coefficients["percent_agreement"].value),
        ac1=number(found.coefficients["gwet_ac1"].value),
        estimate=charts.estimate(axis, kappa.value, kappa.low, kappa.high, kappa.reason),
        is_paradox=say.is_paradox(found),
    )
