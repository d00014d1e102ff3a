"""Agreement by round, for the rounds of the study with the same taxonomy."""

from collections.abc import Iterator
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy, gettext_noop

from reports.agreement_report import AgreementReport, level_name
from reports.pictures.dots import draw_rounds
from reports.pictures.kind import PictureKind, columns_of, first_rows
from reports.sections.chart_rows import HEADLINE, group_row, kappa_axis
from reports.sections.columns import GROUP_NUMBERS, KIND, ROUND, Column, group_cells
from reports.sections.section import Card, PageQuery, Section
from reports.sentences.numbers import doubts

NOTHING_AT_LEVEL = gettext_noop("the taxonomy version has no categories at this level")


def _rows(report: AgreementReport) -> Iterator[list[object]]:
    for one in report.rounds:
        cells = group_cells(one.agreement) if one.agreement else [*[None] * 8, NOTHING_AT_LEVEL]
        yield [one.round.name, one.round.kind, one.round.version.number, *cells, one.withheld]


def _card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any] | None:
    """All rounds on one axis, and the number of withheld issues of other rounds; None without another round.

    The `row` of a round is its row in the figure, None if its version has no category at this level.
    """
    if len(report.rounds) < 2:
        return None
    axis = kappa_axis(one.agreement for one in report.rounds if one.agreement)
    level = level_name(report.level)
    rows = [
        {
            "of": one,
            "url": f"{reverse('agreement', args=[one.round.pk])}?level={level}",
            "is_current": one.round.pk == report.round.pk,
            "row": one.agreement and group_row(axis, one.agreement),
        }
        for one in report.rounds
    ]
    withheld = sum(one.withheld for one in report.rounds if one.round.pk != report.round.pk)
    kappas = [one.agreement.coefficients[HEADLINE] for one in report.rounds if one.agreement]
    unsure = doubts(kappas)
    return {"rounds": {"axis": axis, "rows": rows, "withheld": withheld, "doubts": unsure}}


ROUNDS = Section(
    key="rounds",
    title=gettext_lazy("By round"),
    columns=(
        ROUND,
        KIND,
        Column("taxonomy_version", gettext_lazy("Taxonomy version")),
        *GROUP_NUMBERS,
        Column("withheld", gettext_lazy("Hidden")),
    ),
    rows=_rows,
    card=Card("reports/agreement/_rounds.html", _card),
    picture=PictureKind(
        title=gettext_lazy("Agreement by round"),
        value="fleiss_kappa",
        caption=gettext_lazy(
            "Fleiss’ kappa of each round with this taxonomy, with its 95 % interval, in the order of opening."
        ),
        part=columns_of("round", *(column.name for column in GROUP_NUMBERS)),
        choose=first_rows,
        draw=draw_rounds,
        least=2,
    ),
)
