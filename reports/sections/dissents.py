"""When each volunteer dissented alone in their order of labelling: it shows tiredness and learning."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agreement import MISSING, Stretch, Trend, dissents_by_place, lone_dissents, share, trend
from agreement.intervals.resampling import holm
from drawing.axes import px
from reports.agreement_report import AgreementReport, computed_once
from reports.level_agreement import places_at
from reports.queries.labelling_order import ways
from reports.sections.columns import ADJUSTED, HIGH, ISSUES, LOW, REASON, SHARE, VOLUNTEER, Column, P
from reports.sections.section import Card, PageQuery, Section
from reports.sentences.numbers import p_value, percent, span

TENTHS = 10
WIDTH, HEIGHT, GAP = 14.0, 28.0, 2.0


@dataclass(frozen=True)
class VolunteerWay:
    """The tenths of one volunteer's labels in order, or of all volunteers together (`volunteer` "")."""

    volunteer: str
    labels: int
    stretches: tuple[Stretch, ...]

    @property
    def issues(self) -> int:
        """How many of the volunteer's issues all others, two or more, agree on."""
        return sum(stretch.issues for stretch in self.stretches)

    @property
    def alone(self) -> int:
        return sum(stretch.alone for stretch in self.stretches)


@computed_once
def dissents(report: AgreementReport) -> tuple[VolunteerWay, ...]:
    """How often each volunteer dissented alone in each tenth of their labels, in the order of columns; then
    all volunteers together. () without labels on complete, revealed issues.

    Labels are in the order of submission, over the issues that the report counts. It takes about a second for
    a full study, so the page shows it on request. () for imported labels too: the order of a file is not
    time. Two queries.
    """
    if report.round.is_imported:
        return ()
    found = ways(report.round, report.codebook, report.blind, had_looks=report.had_looks)
    codes = np.append(places_at(report.codebook, report.level), np.int32(MISSING))[found.codes]
    base, alone = lone_dissents(codes)
    answer = []
    for column, volunteer in enumerate(found.volunteers):
        order, at = found.order[:, column], base[:, column]
        labels = int((order != MISSING).sum())
        if labels:
            stretches = dissents_by_place(order[at], alone[at, column], of=labels, parts=TENTHS)
            answer.append(VolunteerWay(volunteer, labels, stretches))
    if not answer:
        return ()
    everybody = tuple(
        Stretch(sum(one.issues for one in tenth), sum(one.alone for one in tenth))
        for tenth in zip(*(way.stretches for way in answer), strict=True)
    )
    return (*answer, VolunteerWay("", sum(way.labels for way in answer), everybody))


def _rows(report: AgreementReport) -> Iterator[list[object]]:
    for way in dissents(report):
        for tenth, one in enumerate(way.stretches, start=1):
            interval = share(one.alone, one.issues) if one.issues else None
            bounds = (interval.low, interval.high) if interval else (None, None)
            yield [way.volunteer or "all", tenth, one.issues, one.alone, _share(one), *bounds]


def trends(report: AgreementReport) -> list[tuple[VolunteerWay, Trend, float | None]]:
    """For each volunteer whether the share of lone dissents has a trend, with p corrected for all volunteers;
    then one test for all of them, each compared with themselves.
    """
    *each, everybody = dissents(report) or (None,)
    if everybody is None:
        return []
    found = [trend([_parts(way)]) for way in each]
    adjusted = iter(holm([one.p for one in found if one.p is not None]))
    return [
        *(
            (way, one, next(adjusted) if one.p is not None else None)
            for way, one in zip(each, found, strict=True)
        ),
        (everybody, trend([_parts(way) for way in each]), None),
    ]


def dissents_as_list(report: AgreementReport) -> list[dict[str, Any]]:
    """As in JSON: each volunteer, and last "all", with the tenths."""
    return [
        {
            "volunteer": way.volunteer or "all",
            "labels": way.labels,
            "tenths": [{"issues": one.issues, "alone": one.alone} for one in way.stretches],
        }
        for way in dissents(report)
    ]


def trends_as_list(report: AgreementReport) -> list[dict[str, Any]]:
    """As in JSON: the test of each volunteer, and last that of all."""
    names = ("volunteer", "issues", "alone", "z", "p", "adjusted", "reason")
    return [dict(zip(names, row, strict=True)) for row in _trend_rows(report)]


def _parts(way: VolunteerWay) -> list[tuple[int, int]]:
    return [(one.issues, one.alone) for one in way.stretches]


def _trend_rows(report: AgreementReport) -> Iterator[list[object]]:
    for way, found, adjusted in trends(report):
        reason = found.reason and found.reason.text
        yield [way.volunteer or "all", way.issues, way.alone, found.z, found.p, adjusted, reason]


def _card(report: AgreementReport, asked: PageQuery) -> dict[str, Any]:
    """`dissents`: a row of bars per volunteer and a row for all; None unless the address requests them."""
    if report.round.is_imported or asked.get("dissents") != "yes":
        return {"dissents": None, "has_no_times": report.round.is_imported}
    found = dissents(report)
    most = max((_share(one) or 0.0 for way in found for one in way.stretches), default=0.0) or 1.0
    rows = [_card_row(way, most) for way in found]
    return {
        "dissents": [
            row | {"trend": _said(one, adjusted)}
            for row, (_way, one, adjusted) in zip(rows, trends(report), strict=True)
        ]
    }


def _said(found: Trend, adjusted: float | None) -> str:
    """The direction of a trend with its p; "–" if it is undefined."""
    if found.z is None or found.p is None:
        return "–"
    p = found.p if adjusted is None else adjusted
    direction = _("rises") if found.z > 0 else _("falls")
    return f"{direction}, {p_value(p)}"


def _card_row(way: VolunteerWay, most: float) -> dict[str, Any]:
    return {
        "name": way.volunteer or _("All"),
        "is_all": not way.volunteer,
        "labels": way.labels,
        "alone": way.alone,
        "issues": way.issues,
        "share": _text(Stretch(way.issues, way.alone)),
        "first": _text(way.stretches[0]),
        "first_span": _span(way.stretches[0]),
        "last": _text(way.stretches[-1]),
        "last_span": _span(way.stretches[-1]),
        "said": ", ".join(_text(stretch) for stretch in way.stretches),
        "bars": [_bar(at, stretch, most) for at, stretch in enumerate(way.stretches)],
    }


def _bar(at: int, stretch: Stretch, most: float) -> dict[str, str]:
    """The bar of a tenth: one unit high without a dissent, no height without an issue."""
    share = _share(stretch)
    height = 0.0 if share is None else max(1.0, share / most * HEIGHT)
    return {
        "x": px(at * (WIDTH + GAP)),
        "y": px(HEIGHT - height),
        "width": px(WIDTH),
        "height": px(height),
        "said": _("%(alone)s of %(issues)s")
        % {"alone": f"{stretch.alone:,}", "issues": f"{stretch.issues:,}"},
    }


def _share(stretch: Stretch) -> float | None:
    return stretch.alone / stretch.issues if stretch.issues else None


def _span(stretch: Stretch) -> str:
    """Wilson's interval in percent, with the number of issues."""
    if not stretch.issues:
        return ""
    found = share(stretch.alone, stretch.issues)
    said = {"n": f"{stretch.issues:,}"}
    if found.low is None or found.high is None:
        return ""
    return span(100 * found.low, 100 * found.high, 1) + " " + _("(of %(n)s)") % said


def _text(stretch: Stretch) -> str:
    share = _share(stretch)
    return "–" if share is None else percent(share)


DISSENTS = Section(
    key="dissents",
    title=gettext_lazy("When one volunteer differed from all others, by tenth of labels"),
    columns=(
        VOLUNTEER,
        Column("tenth", gettext_lazy("Tenth")),
        ISSUES,
        Column("alone", gettext_lazy("Alone")),
        SHARE,
        LOW,
        HIGH,
    ),
    rows=_rows,
    card=Card("reports/agreement/_dissents.html", _card),
)
DISSENTS_TREND = Section(
    key="dissents-trend",
    title=gettext_lazy("Test: does the share of lone labels rise or fall over the tenths?"),
    columns=(
        VOLUNTEER,
        ISSUES,
        Column("alone", gettext_lazy("Alone")),
        Column("z", "z"),
        P,
        ADJUSTED,
        REASON,
    ),
    rows=_trend_rows,
    note=gettext_lazy(
        "Cochran–Armitage test for a trend (Cochran 1954; Armitage 1955), two-sided; z above 0 is a rise. The"
        " last row is one test for all, in which each volunteer is compared with themselves (Mantel 1963)."
    ),
)
