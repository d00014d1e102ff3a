"""The figures of the agreement page: estimates, rows and the axes they are drawn on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from annotate import statements as say
from annotate.agreement import Agreement, Bootstrap, CategoryKappa
from annotate.agreement.coefficients import LANDIS_KOCH
from annotate.figures import Axis, Whisker, bands, close_axis, whisker, whole_axis
from annotate.reports import AgreementReport, Group
from annotate.tables import COEFFICIENTS, number

HEADLINE = "fleiss_kappa"
DRAWN = 150.0
EDGE = 8.0
MARKS = ("circle", "square", "diamond")


@dataclass(frozen=True)
class Estimate:
    """A number for people: `text` and `interval`, or `why` it is undefined or has no interval.

    `resampled` is the interval by bootstrap, where it was asked for.
    """

    text: str
    interval: str
    why: str
    drawn: Whisker | None
    resampled: str = ""


@dataclass(frozen=True)
class Row:
    """A line of one of the tables. `place` is that of its type, from 0; -1 where types play no part."""

    key: str
    name: str
    hint: str = ""
    place: int = -1
    issues: int = 0
    labels: int = 0
    share: str = ""
    agreement: str = ""
    ac1: str = ""
    estimate: Estimate | None = None
    is_first: bool = False
    is_few: bool = False
    is_paradox: bool = False

    @property
    def mark(self) -> str:
        """Shape of the mark: hue and shape together tell the first three types apart."""
        return MARKS[self.place] if 0 <= self.place < len(MARKS) else MARKS[0]

    @property
    def css(self) -> str:
        if self.is_first and self.place < 0:
            return "ac"
        return f"f{'abc'[self.place]}" if 0 <= self.place < len(MARKS) else "d w"


@dataclass(frozen=True)
class Chart:
    """Rows on one axis."""

    axis: Axis
    rows: list[Row]
    all: Row | None = None
    reference: str = ""


def estimate(axis: Axis, value: float | None, low: float | None, high: float | None, reason: Any) -> Estimate:
    return Estimate(
        text=number(value),
        interval=say.span(low, high),
        why=say.undefined(reason) if value is None else "" if low is not None else say.no_interval(reason),
        drawn=whisker(axis, value, low, high),
    )


def headline(report: AgreementReport) -> dict[str, Any]:
    kappa = report.overall.coefficients[HEADLINE]
    told: dict[str, Any] = {
        "name": say.COEFFICIENTS[HEADLINE][0],
        "is_paradox": say.is_paradox(report.overall),
    }
    whole = Axis(0.0, 1.0, 0.2, 22, 614)
    shown = estimate(whole, kappa.value, kappa.low, kappa.high, kappa.reason)
    told |= {"estimate": shown, "axis": whole}
    if kappa.value is None:
        return told
    word = say.landis_koch_word(kappa.value)
    bounds = [(bound, say.landis_koch_word(bound)) for bound, _word in LANDIS_KOCH]
    told |= {"word": word, "bands": bands(whole, bounds, word), "degrees": report.overall.issues - 1}
    if kappa.low is not None and kappa.high is not None and kappa.low >= 0 and kappa.high - kappa.low < 0.2:
        lens = close_axis([kappa.low, kappa.high], whole.left, whole.right)
        told |= {
            "lens": lens,
            "lens_left": whole.x(lens.low),
            "lens_right": whole.x(lens.high),
            "close": whisker(lens, kappa.value, kappa.low, kappa.high),
        }
    return told


def coefficients(found: Agreement, resampled: Bootstrap | None = None) -> Chart:
    """All coefficients side by side; with `resampled` its intervals beside those by formula."""
    intervals = resampled.intervals if resampled else {}
    bounds: dict[str, tuple[float | None, float | None]] = {}
    for name in COEFFICIENTS:
        one, again = found.coefficients[name], intervals.get(name)
        bounds[name] = (
            (one.low, one.high) if one.low is not None or again is None else (again.low, again.high)
        )
    axis = close_axis(
        known((found.coefficients[name].value, *bounds[name]) for name in COEFFICIENTS),
        EDGE,
        DRAWN - EDGE,
        most=4,
    )
    rows = []
    for name in COEFFICIENTS:
        one, again = found.coefficients[name], intervals.get(name)
        rows.append(
            Row(
                key=name,
                name=str(say.COEFFICIENTS[name][0]),
                hint=str(say.COEFFICIENTS[name][1]),
                is_first=name == HEADLINE,
                estimate=replace(
                    estimate(axis, one.value, one.low, one.high, one.reason),
                    drawn=whisker(axis, one.value, *bounds[name]),
                    resampled=say.span(again.low, again.high) if again else "",
                ),
            )
        )
    return Chart(axis, rows)


def groups(report: AgreementReport, name: str) -> Chart:
    groups = report.by(name)
    kappas = [group.agreement.coefficients[HEADLINE] for group in (*groups, report.groups[0])]
    axis = close_axis(known((one.value, one.low, one.high) for one in kappas), EDGE, DRAWN - EDGE, most=4)
    return Chart(
        axis,
        [_group(report, axis, name, group) for group in groups],
        all=_group(report, axis, name, report.groups[0]),
    )


def _group(report: AgreementReport, axis: Axis, name: str, group: Group) -> Row:
    found = group.agreement
    kappa = found.coefficients[HEADLINE]
    key = group.key.get(name, "")
    place = place_of(report, key) if name == "type" and key else -1
    return Row(
        key=key if name == "type" else "",
        name=report.codebook.by_code[key].name if place >= 0 else key,
        place=place,
        issues=found.issues,
        labels=found.labels,
        share=percent(found.issues / report.overall.issues),
        agreement=number(found.coefficients["percent_agreement"].value),
        ac1=number(found.coefficients["gwet_ac1"].value),
        estimate=estimate(axis, kappa.value, kappa.low, kappa.high, kappa.reason),
        is_paradox=say.is_paradox(found),
    )


def percent(share: float) -> str:
    """A share from 0 to 1 for people, to a tenth of a percent."""
    return _("%(share)s\N{NO-BREAK SPACE}%%") % {"share": number(100 * share, 1)}


def categories(report: AgreementReport) -> Chart:
    found = report.overall.categories
    axis = whole_axis(known((one.kappa, one.low) for one in found), EDGE, DRAWN - EDGE)
    few = {one.code for one in say.few_labels(found)}
    kappa = report.overall.coefficients[HEADLINE].value
    rows: list[Row] = []
    for one in (one for one in found if one.labels):
        rows.append(
            Row(
                key=one.code,
                name=report.codebook.by_code[one.code].name,
                place=place_of(report, one.code),
                labels=one.labels,
                estimate=_category(axis, one),
                is_first=bool(rows) and rows[-1].key.split(".")[0] != one.code.split(".")[0],
                is_few=one.code in few,
            )
        )
    return Chart(axis, rows, reference=axis.x(kappa) if kappa is not None else "")


def _category(axis: Axis, one: CategoryKappa) -> Estimate:
    return estimate(axis, one.kappa, one.low, one.high, one.reason)


def place_of(report: AgreementReport, code: str) -> int:
    return report.codebook.hue(report.codebook.by_code[code].category_id)


def known(triples: Iterable[Sequence[float | None]]) -> list[float]:
    return [value for triple in triples for value in triple if value is not None]
