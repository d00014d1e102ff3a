"""The issues of an agreement report by repository, year and decided type, and their decisions."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from django.utils.translation import gettext_lazy

from consensus.queries.false_positives import false_positives
from drawing.axes import px
from ingest.queries.issues import repository_names
from reports.agreement_report import AgreementReport, computed_once, level_name
from reports.formats.tables import Table
from reports.frozen.figures import Figure, FigureKey, KeyedFigures, listed, plain
from reports.pictures import widths
from reports.pictures.bars import draw_distribution
from reports.pictures.cells import draw_years
from reports.pictures.kind import PictureKind, corner, heaviest
from reports.sections.chart_rows import named
from reports.sections.columns import CODE, ISSUES, LEVEL, NAME, REPOSITORY, SHARE, UNDECIDED, Column
from reports.sections.section import Card, JsonPart, PageQuery, Section
from reports.sentences.numbers import percent
from taxonomy.models import Level

UNKNOWN = "unknown"

Found = tuple[int, int | None, int, int]


@computed_once
def composition(report: AgreementReport) -> list[dict[str, Any]]:
    """Table I: a line per repository and a line for all, over the years and the decided types that occur.

    The keys are years, `UNKNOWN` last, and codes of types. `false_positives` counts further issues, which a
    screening excluded, also for repositories without other issues; None for a study without a screening, or
    a report without a reader. Five queries at most.
    """
    found = report.issues
    dropped = false_positives(report.round, report.reader) if report.reader else None
    years = sorted({year for _repository, year, _place, _count in found}, key=lambda year: year or 9999)
    types = _rolled_up(report, Level.TYPE)
    occur = set(types.values())
    known = [state for state in report.codebook.at_level(Level.TYPE) if state.category_id in occur]
    seen = {repository for repository, *_rest in found} | set(dropped or ())

    def line(name: str, rows: Iterable[Found], false: int | None) -> dict[str, Any]:
        by_year, by_type = Counter[int | None](), Counter[int | None]()
        for _repository, year, place, count in rows:
            by_year[year] += count
            by_type[types.get(place)] += count
        return {
            "repository": name,
            "issues": by_year.total(),
            "years": {str(year or UNKNOWN): by_year[year] for year in years},
            "types": {state.code: by_type[state.category_id] for state in known},
            "undecided": by_type[None],
            "false_positives": false,
        }

    lines = [
        line(name, [row for row in found if row[0] == pk], None if dropped is None else dropped[pk])
        for pk, name in repository_names(report.round.study_id).items()
        if pk in seen
    ]
    return [*lines, line("all", found, None if dropped is None else dropped.total())]


@computed_once
def distribution(report: AgreementReport) -> list[dict[str, Any]]:
    """The decided types that occur, then the decided themes, each in the order of the tree.

    `issues` have this category or one below it as decision, of `base` issues decided at its level or below.
    """
    answer = []
    for level in (Level.TYPE, Level.THEME):
        at, counted = _rolled_up(report, level), Counter[int]()
        for _repository, _year, place, count in report.issues:
            if place in at:
                counted[at[place]] += count
        base = counted.total()
        for state in report.codebook.at_level(level):
            if issues := counted[state.category_id]:
                one = {"level": level_name(level), "code": state.code, "issues": issues, "base": base}
                answer.append(one | {"share": issues / base})
    return answer


def _rolled_up(report: AgreementReport, level: Level) -> dict[int, int]:
    """For each decided place that occurs, the id of its ancestor at this level, if there is any."""
    book, above = report.codebook, report.codebook.rolled_up(level)
    places = {place for _repository, _year, place, _count in report.issues if place >= 0}
    found = {place: above.get(book.states[place].category_id) for place in places}
    return {place: category for place, category in found.items() if category is not None}


# --- what was labelled


def _issue_columns(report: AgreementReport) -> tuple[Column, ...]:
    whole = composition(report)[-1]
    heads = {UNKNOWN: gettext_lazy("Year unknown")}
    return (
        REPOSITORY,
        ISSUES,
        *(Column(f"year_{year}", heads.get(year, year)) for year in whole["years"]),
        *(Column(f"type_{code}", code) for code in whole["types"]),
        UNDECIDED,
        Column("false_positives", gettext_lazy("False positives")),
    )


def _issue_rows(report: AgreementReport) -> Iterator[list[object]]:
    for row in composition(report):
        name, issues, years, types, *rest = row.values()
        yield [name, issues, *years.values(), *types.values(), *rest]


def _issue_card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any]:
    lines = composition(report)
    types = [report.codebook.by_code[code] for code in lines[-1]["types"]]
    return {"composition": {"lines": lines, "whole": lines[-1], "types": types}}


def _issue_figures(rows: list[dict[str, Any]]) -> KeyedFigures:
    for row in rows:
        of = row["repository"]
        yield from plain("issues", of, row, "issues", "undecided")
        for what in ("years", "types"):
            for key, figure in row[what].items():
                yield FigureKey(what, f"{of}, {key}", "issues"), Figure(figure)


def _years(report: AgreementReport, _table: Table) -> Table:
    rows = (
        (row["repository"], "–" if year == UNKNOWN else year, issues)
        for row in composition(report)[:-1]
        for year, issues in row["years"].items()
        if issues
    )
    return Table.of(("repository", "year", "issues"), rows)


COMPOSITION = Section(
    key="issues",
    title=gettext_lazy("The issues"),
    columns=_issue_columns,
    rows=_issue_rows,
    card=Card("reports/agreement/_issues.html", _issue_card),
    picture=PictureKind(
        name="years",
        title=gettext_lazy("The issues by repository and year"),
        value="issues",
        caption=gettext_lazy("Issues of each repository, by the year in which they were opened."),
        part=_years,
        columns=(Column("year", gettext_lazy("Year")),),
        choose=corner(("repository",), "issues", lambda _room: widths.ROWS),
        draw=draw_years,
        least=2,
    ),
    json=JsonPart(
        "issues",
        composition,
        _issue_figures,
        parts={
            "issues": gettext_lazy("Repository %(of)s"),
            "years": gettext_lazy("By year: %(of)s"),
            "types": gettext_lazy("By decided type: %(of)s"),
        },
        names={"undecided": gettext_lazy("Issues without a decision")},
    ),
)


# --- what was decided


def _decision_rows(report: AgreementReport) -> Iterator[list[object]]:
    for one in distribution(report):
        name = report.codebook.by_code[one["code"]].name
        yield [one["level"], one["code"], name, one["issues"], one["base"], one["share"]]


def _themes_below_types(report: AgreementReport, table: Table) -> Table:
    book = report.codebook.by_code
    return Table(table.columns, tuple(sorted(table.rows, key=lambda row: book[str(row[1])].position)))


def _decision_card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any] | None:
    """The decided types, each followed by its themes; None if nothing is decided."""
    found = distribution(report)
    most = max((one["share"] for one in found), default=1.0)
    rows = [
        {
            **one,
            **named(report, one["code"]),
            "is_type": one["level"] == "type",
            "share": percent(one["share"]),
            "width": px(100 * one["share"] / most),
        }
        for one in sorted(found, key=lambda one: report.codebook.by_code[one["code"]].position)
    ]
    return {"decided": rows} if rows else None


DISTRIBUTION = Section(
    key="distribution",
    title=gettext_lazy("What was decided"),
    columns=(LEVEL, CODE, NAME, ISSUES, Column("base", gettext_lazy("Of")), SHARE),
    rows=_decision_rows,
    card=Card("reports/agreement/_decided.html", _decision_card, "right"),
    picture=PictureKind(
        title=gettext_lazy("What was decided"),
        value="share",
        caption=gettext_lazy(
            "Decided issues of each type (strong colour) and of each of its themes (pale colour)."
        ),
        part=_themes_below_types,
        choose=heaviest("issues"),
        draw=draw_distribution,
    ),
    json=JsonPart(
        "distribution",
        distribution,
        listed("decided", "issues", "share", of=lambda one: str(one["code"])),
        parts={"decided": gettext_lazy("Decided as %(of)s")},
    ),
)
