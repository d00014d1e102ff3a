"""The kappa of each category against all others, with the labels behind it."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext_lazy

from agreement import Coefficient, Reason
from agreement.intervals.doubts import ENOUGH_OF_CATEGORY, FEWEST_OF_CATEGORY
from drawing.axes import whisker, whole_axis
from reports.agreement_report import AgreementReport
from reports.pictures.dots import draw_categories
from reports.pictures.kind import PictureKind, heaviest
from reports.sections.chart_rows import DRAWN, EDGE, HEADLINE, Chart, ChartRow, known, place_of
from reports.sections.columns import CODE, HIGH, ISSUES, KAPPA, LABELS, LOW, NAME, REASON, SE
from reports.sections.section import Card, PageQuery, Section
from reports.sentences import numbers as say
from reports.sentences.agreement import few_issues


def _rows(report: AgreementReport) -> Iterator[list[object]]:
    for found in report.overall.categories:
        name, why = report.codebook.by_code[found.code].name, found.reason or found.doubt
        numbers = (found.labels, found.issues, found.kappa, found.se, found.low, found.high)
        yield [found.code, name, *numbers, why and why.text]


def _card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any]:
    found = report.overall.categories
    return {
        "categories": _chart(report),
        "few": few_issues(found),
        "bounds": {"none": FEWEST_OF_CATEGORY, "few": ENOUGH_OF_CATEGORY},
        "unused": [one for one in found if not one.labels],
        "unused_why": say.undefined(Reason.CATEGORY_UNUSED),
    }


def _chart(report: AgreementReport) -> Chart:
    found = report.overall.categories
    axis = whole_axis(known((one.kappa, one.low) for one in found), EDGE, DRAWN - EDGE)
    few = {one.code for one in few_issues(found)}
    kappa = report.overall.coefficients[HEADLINE].value
    rows: list[ChartRow] = []
    for one in (one for one in found if one.labels):
        rows.append(
            ChartRow(
                Coefficient(one.kappa, one.se, one.low, one.high, one.reason, one.doubt),
                whisker(axis, one.kappa, one.low, one.high),
                key=one.code,
                name=report.codebook.by_code[one.code].title,
                place=place_of(report, one.code),
                labels=one.labels,
                issues=one.issues,
                is_first=bool(rows) and rows[-1].key.split(".")[0] != one.code.split(".")[0],
                is_few=one.code in few,
            )
        )
    return Chart(axis, rows, reference=axis.x(kappa) if kappa is not None else "")


CATEGORIES = Section(
    key="categories",
    title=gettext_lazy("By category"),
    columns=(CODE, NAME, LABELS, ISSUES, KAPPA, SE, LOW, HIGH, REASON),
    rows=_rows,
    card=Card("reports/agreement/_categories.html", _card, "left"),
    picture=PictureKind(
        title=gettext_lazy("Agreement by category"),
        value="kappa",
        caption=gettext_lazy(
            "Kappa of each category against all others, with its 95 % interval and its number of labels."
            " The dashed line is Fleiss’ kappa of all categories. *: fewer than ten issues have the category,"
            " so the value is uncertain."
        ),
        choose=heaviest("labels"),
        draw=draw_categories,
    ),
)
