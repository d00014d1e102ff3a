"""The pictures of an agreement report as Vega-Lite specifications: on the page, and as files for a paper.

Data are the rows of `annotate.tables`. What people have named is data and never part of an expression.
Shapes, positions and written numbers say everything, so that nothing is lost in black and white.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _
from django.utils.translation import pgettext as _p

from annotate import statements as say
from annotate.errors import NothingToDraw
from annotate.figures import Axis, close_axis, heat_step, whole_axis
from annotate.reports import AgreementReport, Numbers
from annotate.tables import TABLES, Table, number

if TYPE_CHECKING:
    import altair as alt

Row = dict[str, Any]


@dataclass(frozen=True)
class Width:
    """A width to draw for, and what there is room for; `points` in print, pixels on a screen.

    `names` is the most that a row's name may take; `beside` the same in a heat map, 0 for codes alone.
    """

    points: int
    font: float
    step: float
    names: int
    beside: int
    raters: int
    categories: int


WIDTHS = {
    "column": Width(241, font=7, step=11, names=84, beside=0, raters=14, categories=10),
    "page": Width(496, font=8, step=13, names=210, beside=126, raters=28, categories=18),
    "screen": Width(560, font=12, step=24, names=230, beside=200, raters=28, categories=18),
    "phone": Width(330, font=12, step=24, names=110, beside=0, raters=28, categories=18),
}
"""8.5 cm, a column of a two-column paper; 17.5 cm, both of its columns; and what the page stretches."""

ROWS = 55
"""What fits below each other on a sheet."""

KINDS = ("first", "second", "third", "further", "all")
SHAPES = ("circle", "square", "diamond", "triangle-up", "circle")
"""What a type is drawn as, by its place in the tree; the page gives each its hue too."""

GREYS = ("#f4f4f4", "#dedede", "#c6c6c6", "#a8a8a8", "#616161", "#404040", "#1f1f1f")
INKS = ("#000000",) * 4 + ("#ffffff",) * 3
"""Steps of heat, and the ink that is read on each."""

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
INK, GRID = "#000000", "#d9d9d9"


@dataclass(frozen=True)
class Picture:
    """What a picture says, the rows it is drawn from, and how many more there was no room for."""

    name: str
    title: str
    caption: str
    table: Table
    left: int

    @property
    def heads(self) -> list[str]:
        return [str(HEADS[name]) for name in self.table.columns]

    @property
    def cells(self) -> list[list[tuple[str, bool]]]:
        """The table for people: each cell's text and whether it is a number; reasons for no value only."""
        value = VALUES[self.name]
        return [
            [
                ("", False)
                if column == "reason" and row[value] is not None
                else (_text(column, cell), isinstance(cell, int | float))
                for column, cell in row.items()
            ]
            for row in self.rows
        ]

    @property
    def rows(self) -> list[Row]:
        return [dict(zip(self.table.columns, row, strict=True)) for row in self.table.rows]


TITLES = {
    "coefficients": gettext_lazy("Coefficients side by side"),
    "types": gettext_lazy("Agreement by decided type"),
    "repositories": gettext_lazy("Agreement by repository"),
    "pairs": gettext_lazy("Agreement by pair of volunteers"),
    "categories": gettext_lazy("Agreement by category"),
    "confusion": gettext_lazy("Categories side by side on one issue"),
}


HEADS = {
    "coefficient": gettext_lazy("Coefficient"),
    "type": gettext_lazy("Type"),
    "repository": gettext_lazy("Repository"),
    "code": gettext_lazy("Code"),
    "name": gettext_lazy("Name"),
    "first": gettext_lazy("First"),
    "second": gettext_lazy("Second"),
    "issues": gettext_lazy("Issues"),
    "labels": gettext_lazy("Labels"),
    "value": gettext_lazy("Value"),
    "kappa": gettext_lazy("Kappa"),
    "percent_agreement": gettext_lazy("Agreement"),
    "fleiss_kappa": gettext_lazy("Fleiss’ kappa"),
    "gwet_ac1": gettext_lazy("Gwet’s AC1"),
    "cohen_kappa": gettext_lazy("Cohen’s kappa"),
    "se": gettext_lazy("Standard error"),
    "low": gettext_lazy("From"),
    "high": gettext_lazy("To"),
    "reason": gettext_lazy("Undefined because"),
}


def _text(column: str, cell: object) -> str:
    if isinstance(cell, float):
        return number(cell)
    if isinstance(cell, int):
        return f"{cell:,}"
    if column == "coefficient":
        return str(say.COEFFICIENTS[str(cell)][0])
    if column in {"type", "repository"} and cell == "all":
        return _("All")
    if column == "reason" and cell:
        return _(str(cell))
    return str(cell or "")


def pictures(report: AgreementReport) -> list[Picture]:
    """The pictures that this report has something for, as the page draws them."""
    found = [picture(report, name, "screen") for name in TITLES]
    return [one for one in found if _can_be_drawn(one)]


def picture(report: AgreementReport, name: str, width: str) -> Picture:
    """One picture by its name in `TITLES` at a width of `WIDTHS`.

    Where there is no room for all, the rows with the most labels or issues are chosen, in their order.
    """
    table, room = TABLES[name](report), WIDTHS[width]
    if name in {"pairs", "confusion"}:
        most = room.raters if name == "pairs" else room.categories
        chosen, left = _corner(table, most)
    else:
        chosen, left = _first(table, ROWS, weight="labels" if name == "categories" else "issues")
    return Picture(name, str(TITLES[name]), _caption(name), chosen, left)


def _first(table: Table, most: int, *, weight: str) -> tuple[Table, int]:
    if len(table.rows) <= most:
        return table, 0
    at = table.columns.index(weight)
    heaviest = sorted(range(len(table.rows)), key=lambda row: -int(str(table.rows[row][at])))[:most]
    return Table.of(table.columns, (table.rows[row] for row in sorted(heaviest))), len(table.rows) - most


def _corner(table: Table, most: int) -> tuple[Table, int]:
    """Of a table of pairs what is among the `most` names that occur with the most issues."""
    weights: Counter[object] = Counter()
    at = table.columns.index("issues")
    for row in table.rows:
        for name in row[:2]:
            weights[name] += int(str(row[at]))
    kept = {name for name, _weight in weights.most_common(most)}
    rows = (row for row in table.rows if row[0] in kept and row[1] in kept)
    return Table.of(table.columns, rows), len(weights) - len(kept)


def _can_be_drawn(found: Picture) -> bool:
    """Has anything a value, beside the row of all issues that ends the tables of groups?"""
    rows = found.rows[:-1] if found.name in {"types", "repositories"} else found.rows
    return any(row[VALUES[found.name]] is not None for row in rows)


VALUES = {
    "coefficients": "value",
    "categories": "kappa",
    "types": "fleiss_kappa",
    "repositories": "fleiss_kappa",
    "pairs": "cohen_kappa",
    "confusion": "issues",
}
"""The column of its table that a picture draws."""


def _caption(name: str) -> str:
    captions = {
        "coefficients": _("Each coefficient of all issues with its 95 % interval."),
        "categories": _(
            "Kappa of each category against all others with its 95 % interval, and the number of labels"
            " behind it; the dashed line is Fleiss’ kappa of all categories."
            " *: few labels, the value says little."
        ),
        "types": _("Fleiss’ kappa with its 95 % interval of the issues that were decided as each type."),
        "repositories": _("Fleiss’ kappa with its 95 % interval of the issues of each repository."),
        "pairs": _(
            "Cohen’s kappa of every two volunteers, over the issues that both labelled;"
            " those who agree stand side by side."
        ),
        "confusion": _("On how many issues two categories were both chosen."),
    }
    return captions[name]


def specification(report: AgreementReport, name: str, width: str) -> Row:
    """The picture as Vega-Lite, with its data.

    Raises NothingToDraw where no value is defined. Values that are undefined have no mark.
    """
    found = picture(report, name, width)
    if not _can_be_drawn(found):
        raise NothingToDraw
    room = WIDTHS[width]
    chart = DRAWN[name](report, found, room)
    said = f"{found.title}: {report.round.study.name}, {report.round.name}. {found.caption}"
    chart = chart.properties(
        name=name,
        description=said,
        width=room.points,
        autosize={"type": "fit-x", "contains": "padding"},
        padding=2,
        background="white",
    )
    return _configured(chart, room).to_dict()


@dataclass(frozen=True)
class _Asked:
    """What pictures are made of; the report itself is no part of what tells two apart."""

    numbers: Numbers
    level: int
    names: tuple[str, str]
    language: str | None
    width: str
    report: AgreementReport = field(compare=False)


def specifications(report: AgreementReport, width: str) -> str:
    """The specifications of all pictures of the page by name, as JSON; kept while labels and names stay."""
    names = (report.round.study.name, report.round.name)
    return _specifications(_Asked(report.numbers, report.level, names, get_language(), width, report))


@lru_cache(maxsize=16)
def _specifications(asked: _Asked) -> str:
    found = pictures(asked.report)
    return json.dumps({one.name: specification(asked.report, one.name, asked.width) for one in found})


def _configured(chart: "alt.LayerChart", room: Width) -> "alt.LayerChart":
    plain = {"domain": False, "ticks": False, "titleFontWeight": "normal", "titlePadding": 4}
    sizes = {"labelFontSize": room.font, "titleFontSize": room.font, "labelColor": INK, "titleColor": INK}
    return chart.configure(
        font=FONT,
        axis={**plain, **sizes, "gridColor": GRID, "labelPadding": 3},
        text={"fontSize": room.font},
        view={"stroke": None},
    )


# --- dots with intervals


def _coefficients(_report: AgreementReport, found: Picture, room: Width) -> "alt.LayerChart":
    rows = [
        row | {"row": _row(say.COEFFICIENTS[row["coefficient"]][0], number(row["value"])), "kind": "all"}
        for row in found.rows
    ]
    return _dots(rows, found, room, close=True, title=_("Agreement, 95 % interval"), count=_("Value"))


def _categories(report: AgreementReport, found: Picture, room: Width) -> "alt.LayerChart":
    few = {one.code for one in say.few_labels(report.overall.categories)}
    rows = [
        row
        | {
            "row": _row(f"{row['code']} {row['name']}", f"{row['labels']:,}{'*' * (row['code'] in few)}"),
            "kind": _kind(report, row["code"]),
        }
        for row in found.rows
        if row["labels"]
    ]
    kappa = report.overall.coefficients["fleiss_kappa"].value
    title = _("Kappa of the category, 95 % interval")
    return _dots(rows, found, room, close=False, title=title, count=_("Labels"), reference=kappa)


def _types(report: AgreementReport, found: Picture, room: Width) -> "alt.LayerChart":
    return _groups(report, found, room, "type")


def _repositories(report: AgreementReport, found: Picture, room: Width) -> "alt.LayerChart":
    return _groups(report, found, room, "repository")


def _groups(report: AgreementReport, found: Picture, room: Width, by: str) -> "alt.LayerChart":
    *groups, whole = found.rows
    rows = []
    for row in groups:
        key, kind = row[by], "all"
        if by == "type":
            key, kind = f"{key} {report.codebook.by_code[key].name}", _kind(report, key)
        rows.append(row | {"row": _row(key, f"{row['issues']:,}"), "kind": kind})
    rows.append(whole | {"row": _row(_("All"), f"{whole['issues']:,}"), "kind": "all"})
    return _dots(rows, found, room, close=True, title=_("Fleiss’ kappa, 95 % interval"), count=_("Issues"))


def _row(name: object, count: str) -> str:
    """A row's name, and what is written at its end: a tab stands between them."""
    return f"{' '.join(str(name).split())}\t{count}"


def _kind(report: AgreementReport, code: str) -> str:
    place = report.codebook.hue(report.codebook.by_code[code].category_id)
    return KINDS[min(place, KINDS.index("further"))]


def _dots(
    rows: Sequence[Row],
    found: Picture,
    room: Width,
    *,
    close: bool,
    title: str,
    count: str,
    reference: float | None = None,
) -> "alt.LayerChart":
    import altair as alt  # noqa: PLC0415

    field = VALUES[found.name]
    drawn = [row | {"said": _said(row, field, count)} for row in rows if row[field] is not None]
    values = [row[key] for row in drawn for key in (field, "low", "high") if row[key] is not None]
    axis = (close_axis if close else whole_axis)(values, 0, 1)
    scale = alt.Scale(domain=[axis.low, axis.high], clamp=True, nice=False, zero=False)
    ticks = _ticks(axis)
    x_axis = alt.Axis(title=title, values=ticks, format=f".{_digits(ticks)}f", grid=True, labelFlush=False)
    names = alt.Scale(domain=[row["row"] for row in rows])

    def y(axis: alt.Axis | None) -> alt.Y:
        return alt.Y("row:N", sort=None, scale=names, axis=axis)

    left = alt.Axis(title=None, labelExpr="split(datum.label, '\\t')[0]", labelLimit=room.names, grid=False)
    longest = max(len(text) for text in (count, *(row["row"].partition("\t")[2] for row in rows)))
    at_end = room.font * 0.6 * longest + 4
    right = alt.Axis(
        title=count, labelExpr="split(datum.label, '\\t')[1]", grid=False, orient="right",
        labelAlign="right", labelPadding=at_end, titleAlign="right", titleAngle=0, titleX=at_end, titleY=-3,
    )  # fmt: skip
    kinds = alt.Scale(domain=KINDS, range=(INK,) * len(KINDS))
    color = alt.Color("kind:N", scale=kinds, legend=None)
    base = alt.Chart(alt.InlineData(values=drawn)).encode(y=y(None))
    whisker = base.mark_rule(aria=False, strokeWidth=1).encode(
        x=alt.X("low:Q", scale=scale, axis=x_axis), x2="high:Q", y=y(left), color=color
    )
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=KINDS, range=SHAPES), legend=None)
    dot = base.mark_point(filled=True, size=room.step * 3, opacity=1).encode(
        x=alt.X(f"{field}:Q", scale=scale, axis=x_axis),
        color=color, shape=shape, description="said:N", tooltip="said:N",
    )  # fmt: skip
    ends = base.mark_point(opacity=0, aria=False, tooltip=None).encode(y=y(right))
    layers = [whisker.properties(name="whiskers"), dot.properties(name="dots"), ends]
    if reference is not None:
        line = alt.Chart(alt.InlineData(values=[{"all": reference}])).mark_rule(
            aria=False, strokeDash=[2, 2], strokeWidth=0.75
        )
        layers.insert(0, line.encode(x=alt.X("all:Q", scale=scale, axis=x_axis)))
    return alt.layer(*layers).resolve_axis(y="independent").properties(height={"step": room.step})


def _said(row: Row, field: str, count: str) -> str:
    """A mark in words, for who hovers it or comes by with the keyboard."""
    name = row["row"].partition("\t")[0]
    span = say.span(row["low"], row["high"])
    value = f"{number(row[field])} ({span})" if span else number(row[field])
    if found := row.get("labels" if "kappa" in row else "issues"):
        return _p("mark", "%(name)s: %(value)s. %(what)s: %(count)s") % {
            "name": name, "value": value, "what": count, "count": f"{found:,}",
        }  # fmt: skip
    return _p("mark", "%(name)s: %(value)s") % {"name": name, "value": value}


def _ticks(axis: Axis) -> list[float]:
    steps = round((axis.high - axis.low) / axis.step)
    return [round(axis.low + at * axis.step, 6) for at in range(steps + 1)]


def _digits(ticks: Sequence[float]) -> int:
    return max(len(f"{tick:.6f}".rstrip("0").partition(".")[2]) for tick in ticks)


# --- heat maps


def _pairs(report: AgreementReport, found: Picture, room: Width) -> "alt.LayerChart":
    rows = [row for row in found.rows if row["cohen_kappa"] is not None]
    named = {name for row in found.rows for name in (row["first"], row["second"])}
    names = [name for name in (report.columns[column] for column in report.side_by_side) if name in named]
    order = [(name, name) for name in names]
    texts = [number(row["cohen_kappa"], 2).replace("0.", ".", 1).replace("-", "−") for row in rows]
    return _heat(rows, texts, order, found, room)


def _confusion(report: AgreementReport, found: Picture, room: Width) -> "alt.LayerChart":
    named = {code for row in found.rows for code in (row["first"], row["second"])}
    order = [
        (one.code, f"{one.code} {report.codebook.by_code[one.code].name}" if room.beside else one.code)
        for one in report.overall.categories
        if one.code in named
    ]
    return _heat(found.rows, [str(row["issues"]) for row in found.rows], order, found, room)


def _heat(
    rows: Sequence[Row], texts: Sequence[str], order: Sequence[tuple[str, str]], found: Picture, room: Width
) -> "alt.LayerChart":
    """The lower triangle of a square: the earlier of two names across, the later one down."""
    import altair as alt  # noqa: PLC0415

    field, titles = VALUES[found.name], dict(order)
    places = {name: place for place, name in enumerate(titles)}
    low, high = min(row[field] for row in rows), max(row[field] for row in rows)
    cells = [
        row
        | {
            "across": min(row["first"], row["second"], key=places.__getitem__),
            "down": titles[max(row["first"], row["second"], key=places.__getitem__)],
            "text": text,
            "heat": heat_step(row[field], low, high),
            "said": _cell_said(row, found.name),
        }
        for row, text in zip(rows, texts, strict=True)
    ]
    angle = -45 if max(len(name) for name, _title in order) > 5 else 0
    across = alt.X(
        "across:N", sort=None, scale=alt.Scale(domain=[name for name, _title in order[:-1]]),
        axis=alt.Axis(title=None, labelAngle=angle, labelLimit=60, labelOverlap=False),
    )  # fmt: skip
    down = alt.Y(
        "down:N", sort=None, scale=alt.Scale(domain=[title for _name, title in order[1:]]),
        axis=alt.Axis(title=None, labelLimit=room.beside or 60),
    )  # fmt: skip
    steps = list(range(1, len(GREYS) + 1))
    heat = alt.Color("heat:O", scale=alt.Scale(domain=steps, range=GREYS), legend=None)
    ink = alt.Color("heat:O", scale=alt.Scale(domain=steps, range=INKS), legend=None)
    base = alt.Chart(alt.InlineData(values=cells)).encode(x=across, y=down)
    rects = base.mark_rect(stroke="white", strokeWidth=1).encode(
        color=heat, description="said:N", tooltip="said:N"
    )
    numbers = base.mark_text(aria=False, tooltip=None, fontSize=room.font - 0.5).encode(
        text="text:N", color=ink
    )
    return (
        alt.layer(rects.properties(name="cells"), numbers.properties(name="numbers"))
        .resolve_scale(color="independent")
        .properties(height={"step": room.step + 3})
    )


def _cell_said(row: Row, name: str) -> str:
    said = {"first": row["first"], "second": row["second"], "issues": f"{row['issues']:,}"}
    if name == "confusion":
        return (
            ngettext(
                "%(first)s and %(second)s: side by side on %(issues)s issue",
                "%(first)s and %(second)s: side by side on %(issues)s issues",
                row["issues"],
            )
            % said
        )
    return _("%(first)s and %(second)s: %(kappa)s over %(issues)s issues") % (
        said | {"kappa": number(row["cohen_kappa"])}
    )


DRAWN: dict[str, Callable[[AgreementReport, Picture, Width], "alt.LayerChart"]] = {
    "coefficients": _coefficients,
    "categories": _categories,
    "types": _types,
    "repositories": _repositories,
    "pairs": _pairs,
    "confusion": _confusion,
}
