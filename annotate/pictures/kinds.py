"""The pictures there are: each one's table, what of it there is room for, its caption, and what draws it."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from django.utils.translation import get_language, gettext_lazy

from annotate import over_time_words
from annotate import statements as say
from annotate.errors import NothingToDraw
from annotate.models import Round
from annotate.pictures import bars, cells, dots, widths
from annotate.pictures.picture import Drawing, Picture, Row
from annotate.pictures.widths import FONT, GRID, INK, WIDTHS, Width
from annotate.reports import AgreementReport, Numbers
from annotate.tables import TABLES, Table

if TYPE_CHECKING:
    import altair as alt
    from django_stubs_ext import StrPromise

Choice = tuple[Table, int]
"""What there is room for, and how many names had none."""

Choose = Callable[[Table, Width], Choice]


@dataclass(frozen=True)
class Kind:
    """One picture: `value` is the column of its table that it draws, `least` how many rows must have one.

    `more` goes on with the caption. `choose` takes what there is room for. `ends_with_all`: the last row is
    that of all issues.
    """

    title: "StrPromise"
    value: str
    caption: "StrPromise"
    table: Callable[[AgreementReport], Table]
    choose: Choose
    draw: Callable[[AgreementReport, Picture, Width], Drawing]
    more: Callable[[AgreementReport], str] = lambda _report: ""
    least: int = 1
    ends_with_all: bool = False


def _everything(table: Table, _room: Width) -> Choice:
    return table, 0


def _first_rows(table: Table, _room: Width) -> Choice:
    return Table(table.columns, table.rows[: widths.ROWS]), max(0, len(table.rows) - widths.ROWS)


def _most(weight: str) -> Choose:
    """The rows that fit on a sheet, those with the most issues or labels, in their order."""

    def choose(table: Table, _room: Width) -> Choice:
        most = widths.ROWS
        if len(table.rows) <= most:
            return table, 0
        at = table.columns.index(weight)
        heaviest = sorted(range(len(table.rows)), key=lambda row: -int(str(table.rows[row][at])))[:most]
        return Table.of(table.columns, (table.rows[row] for row in sorted(heaviest))), len(table.rows) - most

    return choose


def _corner(columns: tuple[str, ...], weight: str, most: Callable[[Width], int]) -> Choose:
    """Of a table of cells those whose names, in these columns, occur with the most issues or labels."""

    def choose(table: Table, room: Width) -> Choice:
        weights: Counter[object] = Counter()
        named, at = [table.columns.index(name) for name in columns], table.columns.index(weight)
        for row in table.rows:
            for place in named:
                weights[row[place]] += int(str(row[at]))
        kept = {name for name, _weight in weights.most_common(most(room))}
        rows = (row for row in table.rows if all(row[place] in kept for place in named))
        return Table.of(table.columns, rows), len(weights) - len(kept)

    return choose


def _part(name: str, columns: tuple[str, ...]) -> Callable[[AgreementReport], Table]:
    """Some columns of a table of the report."""

    def part(report: AgreementReport) -> Table:
        table = TABLES[name](report)
        places = [table.columns.index(column) for column in columns]
        return Table.of(columns, ([row[place] for place in places] for row in table.rows))

    return part


def _over_time(report: AgreementReport) -> Table:
    """The table of months where there are several, of the most frequent categories."""
    table = TABLES["over-time"](report)
    frequent = {report.overall.categories[place].code for place in report.periods.frequent}
    rows = [row for row in table.rows if row[1] in frequent]
    return Table(table.columns, tuple(rows) if len(report.periods.names) > 1 else ())


def _years(report: AgreementReport) -> Table:
    """How many issues of each repository are of each year: a row for each that has any."""
    found = report.composition
    rows = (
        (line.repository, str(year or "–"), issues)
        for line in found.lines
        for year, issues in zip(found.years, line.years, strict=True)
        if issues
    )
    return Table.of(("repository", "year", "issues"), rows)


def _distribution(report: AgreementReport) -> Table:
    """What was decided, the themes of each type below it."""
    table, book = TABLES["distribution"](report), report.codebook.by_code
    return Table(table.columns, tuple(sorted(table.rows, key=lambda row: book[str(row[1])].position)))


_GROUP = ("issues", "labels", "percent_agreement", "fleiss_kappa", "se", "low", "high", "gwet_ac1", "reason")

KINDS = {
    "coefficients": Kind(
        title=gettext_lazy("Coefficients side by side"),
        value="value",
        caption=gettext_lazy("Each coefficient of all issues with its 95 % interval."),
        table=TABLES["coefficients"],
        choose=_everything,
        draw=dots.coefficients,
    ),
    "types": Kind(
        title=gettext_lazy("Agreement by decided type"),
        value="fleiss_kappa",
        caption=gettext_lazy(
            "Fleiss’ kappa with its 95 % interval of the issues that were decided as each type."
        ),
        table=TABLES["types"],
        choose=_most("issues"),
        draw=dots.types,
        ends_with_all=True,
    ),
    "repositories": Kind(
        title=gettext_lazy("Agreement by repository"),
        value="fleiss_kappa",
        caption=gettext_lazy("Fleiss’ kappa with its 95 % interval of the issues of each repository."),
        table=TABLES["repositories"],
        choose=_most("issues"),
        draw=dots.repositories,
        ends_with_all=True,
    ),
    "rounds": Kind(
        title=gettext_lazy("Agreement by round"),
        value="fleiss_kappa",
        caption=gettext_lazy(
            "Fleiss’ kappa with its 95 % interval of each round of the study with this taxonomy, in the order"
            " in which they were opened."
        ),
        table=_part("rounds", ("round", *_GROUP)),
        choose=_first_rows,
        draw=dots.rounds,
        least=2,
    ),
    "consensus": Kind(
        title=gettext_lazy("Agreement before and after consensus"),
        value="before",
        caption=gettext_lazy(
            "Each coefficient of the independent labels with its 95 % interval (dots), and with the last"
            " ballots in them (open diamonds)."
        ),
        more=lambda _report: str(say.BALLOTS_KNOW),
        table=TABLES["consensus"],
        choose=_everything,
        draw=dots.before_and_after,
    ),
    "models": Kind(
        title=gettext_lazy("Models against volunteers"),
        value="agreement",
        caption=gettext_lazy(
            "The share of the volunteers’ labels that equal those of each model, with its 95 % interval"
            " (dots), and of those that equal each other on the same issues (open diamonds)."
        ),
        table=_part(
            "models", ("model", "labels", "agreement", "low", "high", "volunteers_agreement", "reason")
        ),
        choose=_most("labels"),
        draw=dots.models,
    ),
    "pairs": Kind(
        title=gettext_lazy("Agreement by pair of volunteers"),
        value="cohen_kappa",
        caption=gettext_lazy(
            "Cohen’s kappa of every two volunteers, over the issues that both labelled; those who agree stand"
            " side by side."
        ),
        table=TABLES["pairs"],
        choose=_corner(("first", "second"), "issues", lambda room: room.raters),
        draw=cells.pairs,
    ),
    "categories": Kind(
        title=gettext_lazy("Agreement by category"),
        value="kappa",
        caption=gettext_lazy(
            "Kappa of each category against all others with its 95 % interval, and the number of labels"
            " behind it; the dashed line is Fleiss’ kappa of all categories."
            " *: few labels, the value says little."
        ),
        table=TABLES["categories"],
        choose=_most("labels"),
        draw=dots.categories,
    ),
    "confusion": Kind(
        title=gettext_lazy("Categories side by side on one issue"),
        value="issues",
        caption=gettext_lazy("On how many issues two categories were both chosen."),
        table=TABLES["confusion"],
        choose=_corner(("first", "second"), "issues", lambda room: room.categories),
        draw=cells.confusion,
    ),
    "years": Kind(
        title=gettext_lazy("The issues by repository and year"),
        value="issues",
        caption=gettext_lazy("How many issues of each repository were opened in each year."),
        table=_years,
        choose=_corner(("repository",), "issues", lambda _room: widths.ROWS),
        draw=cells.years,
        least=2,
    ),
    "distribution": Kind(
        title=gettext_lazy("What was decided"),
        value="share",
        caption=gettext_lazy(
            "How many of the decided issues each type (strong) and each of its themes (pale) was decided for."
        ),
        table=_distribution,
        choose=_most("issues"),
        draw=bars.distribution,
    ),
    "over-time": Kind(
        title=gettext_lazy("Labels over time"),
        value="share",
        caption=gettext_lazy(
            "Of the labels of each month, by which its issues became complete, the percentage of each of the"
            " most frequent categories."
        ),
        more=lambda report: " ".join(over_time_words.change(report.periods.change)),
        table=_over_time,
        choose=_corner(("month",), "labels", lambda room: room.months),
        draw=cells.over_time,
    ),
}
"""The pictures by name, in their order."""

TITLES = {name: kind.title for name, kind in KINDS.items()}


def pictures(report: AgreementReport) -> list[Picture]:
    """The pictures that this report has something for, as the page draws them."""
    found = [picture(report, name, "screen") for name in KINDS]
    return [one for one in found if _can_be_drawn(one)]


def picture(report: AgreementReport, name: str, width: str) -> Picture:
    """One picture by its name in `KINDS` at a width of `WIDTHS`.

    Where there is no room for all, the rows with the most labels or issues are chosen, in their order.
    """
    kind = KINDS[name]
    chosen, left = kind.choose(kind.table(report), WIDTHS[width])
    caption = " ".join(filter(None, (str(kind.caption), kind.more(report) if chosen.rows else "")))
    return Picture(name, str(kind.title), caption, kind.value, chosen, left)


def _can_be_drawn(found: Picture) -> bool:
    """Have enough rows a value, beside the row of all issues that ends the tables of groups?"""
    kind = KINDS[found.name]
    rows = found.rows[:-1] if kind.ends_with_all else found.rows
    return sum(row[kind.value] is not None for row in rows) >= kind.least


def specification(report: AgreementReport, name: str, width: str) -> Row:
    """The picture as Vega-Lite, with its data.

    Raises NothingToDraw where no value is defined. Values that are undefined have no mark.
    """
    from altair.utils.schemapi import debug_mode  # noqa: PLC0415

    found = picture(report, name, width)
    if not _can_be_drawn(found):
        raise NothingToDraw
    # Most of the time went into checking each part against the schema: tests do that, once for each picture.
    with debug_mode(arg=False):
        chart, datasets = KINDS[name].draw(report, found, WIDTHS[width])
        spec = _finished(chart, found, report.round, WIDTHS[width]).to_dict(validate=False)
    return spec | {"datasets": datasets}


def _finished(chart: "alt.LayerChart", found: Picture, round_: Round, room: Width) -> "alt.LayerChart":
    """The chart with its description, width, letters and inks."""
    import altair as alt  # noqa: PLC0415

    told = " ".join(filter(None, (found.caption, found.no_room)))
    if room.is_print and found.no_room:
        # A file goes out without its page: it says itself what it lacks.
        said = alt.TitleParams(
            found.no_room, orient="bottom", anchor="start", frame="bounds", fontSize=room.font,
            fontWeight="normal", color=INK, offset=6,
        )  # fmt: skip
        chart = chart.properties(title=said)
    plain = {"domain": False, "ticks": False, "titleFontWeight": "normal", "titlePadding": 4}
    sizes = {"labelFontSize": room.font, "titleFontSize": room.font, "labelColor": INK, "titleColor": INK}
    return chart.properties(
        name=found.name,
        description=f"{found.title}: {round_.study.name}, {round_.name}. {told}",
        width=room.points,
        autosize={"type": "fit-x", "contains": "padding"},
        padding=2,
        background="white",
    ).configure(
        font=FONT,
        axis={**plain, **sizes, "gridColor": GRID, "labelPadding": 3},
        text={"fontSize": room.font},
        view={"stroke": None},
    )


@dataclass(frozen=True)
class _Asked:
    """What pictures are made of; the report itself is no part of what tells two apart."""

    numbers: Numbers
    tables: tuple[Table, ...]
    level: int
    names: tuple[str, str]
    language: str | None
    width: str
    report: AgreementReport = field(compare=False)


def specifications(report: AgreementReport, width: str) -> str:
    """The specifications of all pictures of the page by name, as JSON; kept while what they are made of
    stays: the labels, and what the report reads of other rounds, votes and models for who asks.
    """
    names = (report.round.study.name, report.round.name)
    tables = tuple(KINDS[name].table(report) for name in ("rounds", "consensus", "models", "years"))
    return _specifications(_Asked(report.numbers, tables, report.level, names, get_language(), width, report))


@lru_cache(maxsize=16)
def _specifications(asked: _Asked) -> str:
    found = pictures(asked.report)
    return json.dumps({one.name: specification(asked.report, one.name, asked.width) for one in found})
