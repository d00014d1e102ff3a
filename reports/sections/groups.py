"""Agreement inside groups of issues: by decided type, by repository, by month of the last label."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy

from reports.agreement_report import AgreementReport, Group
from reports.formats.tables import Table
from reports.pictures.dots import draw_repositories, draw_types
from reports.pictures.kind import PictureKind, heaviest
from reports.sections import columns
from reports.sections.chart_rows import Chart, ChartRow, group_row, kappa_axis, place_of
from reports.sections.section import Card, PageQuery, Section
from reports.sentences import agreement as say
from reports.sentences.numbers import percent
from reports.sentences.types import groups_and_whole, why_types_differ

if TYPE_CHECKING:
    from drawing.axes import Axis


def _rows(name: str, report: AgreementReport) -> Iterator[list[object]]:
    has_no_times = name == "month" and report.round.is_imported
    groups = (*(() if has_no_times else report.by(name)), report.groups[0])
    return ([group.key.get(name, "all"), *columns.group_cells(group.agreement)] for group in groups)


def _type_rows(report: AgreementReport) -> Iterator[list[object]]:
    """The types and all issues; last all issues at the level of types, where the sentence below names it."""
    yield from _rows("type", report)
    if found := groups_and_whole(report):
        yield [columns.TYPES_ALONE, *columns.group_cells(found.alone)]


def _without_types_alone(_report: AgreementReport, table: Table) -> Table:
    return Table.of(table.columns, (row for row in table.rows if row[0] != columns.TYPES_ALONE))


def _chart(report: AgreementReport, name: str) -> Chart:
    groups, whole = report.by(name), report.groups[0]
    axis = kappa_axis(group.agreement for group in (*groups, whole))
    return Chart(
        axis,
        [_chart_row(report, axis, name, group) for group in groups],
        all=_chart_row(report, axis, name, whole),
    )


def _chart_row(report: AgreementReport, axis: "Axis", name: str, group: Group) -> ChartRow:
    found, key = group.agreement, group.key.get(name, "")
    is_type = name == "type" and bool(key)
    return group_row(
        axis,
        found,
        key=key if name == "type" else "",
        name=report.codebook.by_code[key].title if is_type else key,
        place=place_of(report, key) if is_type else -1,
        share=percent(found.issues / report.overall.issues),
    )


def _types_card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any]:
    return {
        "types": _chart(report, "type"),
        "undecided": say.undecided(report),
        "types_differ": why_types_differ(report),
    }


def _repositories_card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any]:
    return {
        "repositories": _chart(report, "repository"),
        "paradoxes": [group for group in report.groups if say.is_paradox(group.agreement)],
    }


def _months_card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any] | None:
    return {"months": _chart(report, "month")} if len(report.by("month")) > 1 else None


TYPES = Section(
    key="types",
    title=gettext_lazy("By type of the decision"),
    columns=(columns.TYPE, *columns.GROUP_NUMBERS),
    rows=_type_rows,
    remark=why_types_differ,
    card=Card("reports/agreement/_types.html", _types_card, "right"),
    picture=PictureKind(
        title=gettext_lazy("Agreement by decided type"),
        value="fleiss_kappa",
        caption=gettext_lazy(
            "Fleiss’ kappa of the issues that were decided as each type, with its 95 % interval."
        ),
        choose=heaviest("issues"),
        part=_without_types_alone,
        draw=draw_types,
        ends_with_all=True,
    ),
)
REPOSITORIES = Section(
    key="repositories",
    title=gettext_lazy("By repository"),
    columns=(columns.REPOSITORY, *columns.GROUP_NUMBERS),
    rows=partial(_rows, "repository"),
    card=Card("reports/agreement/_repositories.html", _repositories_card, "right"),
    picture=PictureKind(
        title=gettext_lazy("Agreement by repository"),
        value="fleiss_kappa",
        caption=gettext_lazy("Fleiss’ kappa of the issues of each repository, with its 95 % interval."),
        choose=heaviest("issues"),
        draw=draw_repositories,
        ends_with_all=True,
    ),
)
MONTHS = Section(
    key="months",
    title=gettext_lazy("By month"),
    columns=(columns.MONTH, *columns.GROUP_NUMBERS),
    rows=partial(_rows, "month"),
    card=Card("reports/agreement/_months.html", _months_card, "right"),
)
