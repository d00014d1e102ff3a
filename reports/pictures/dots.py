"""Values with their intervals as dots, a row for each; a row can have a second value beside the dot."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import pgettext as _p

from drawing.axes import Axis, close_axis, whole_axis
from reports.agreement_report import AgreementReport
from reports.formats.tables import number
from reports.pictures.picture import DATA, Drawing, Picture, Row, left_axis, right_axis, row_name
from reports.pictures.widths import INK, Width
from reports.sentences.agreement import few_issues
from reports.sentences.definitions import COEFFICIENTS
from reports.sentences.numbers import span

KINDS = ("first", "second", "third", "further", "all")
SHAPES = ("circle", "square", "diamond", "triangle-up", "circle")
"""The mark of a type by its place in the tree; the page also gives each type a hue."""


def draw_coefficients(_report: AgreementReport, found: Picture, room: Width) -> Drawing:
    rows = [_row(row, COEFFICIENTS[row["coefficient"]][0], number(row["value"])) for row in found.rows]
    return _dots(rows, found, room, close=True, title=_("Agreement, 95 % interval"), count=_("Value"))


def draw_categories(report: AgreementReport, found: Picture, room: Width) -> Drawing:
    few = {one.code for one in few_issues(report.overall.categories)}
    rows = [
        _row(row, f"{row['code']} {row['name']}", f"{row['labels']:,}{'*' * (row['code'] in few)}")
        | _kind(report, row["code"])
        for row in found.rows
        if row["labels"]
    ]
    kappa = report.overall.coefficients["fleiss_kappa"].value
    title = _("Kappa of the category, 95 % interval")
    return _dots(rows, found, room, close=False, title=title, count=_("Labels"), reference=kappa)


def draw_types(report: AgreementReport, found: Picture, room: Width) -> Drawing:
    names = report.codebook.by_code
    rows = [
        _row(row, f"{row['type']} {names[row['type']].title}", row["issues"]) | _kind(report, row["type"])
        for row in found.rows[:-1]
    ]
    return _groups([*rows, _whole(found)], found, room)


def draw_repositories(_report: AgreementReport, found: Picture, room: Width) -> Drawing:
    rows = [_row(row, row["repository"], row["issues"]) for row in found.rows[:-1]]
    return _groups([*rows, _whole(found)], found, room)


def draw_rounds(_report: AgreementReport, found: Picture, room: Width) -> Drawing:
    rows = [_row(row, row["round"], row["issues"] or 0) for row in found.rows]
    return _groups(rows, found, room)


def draw_before_and_after(_report: AgreementReport, found: Picture, room: Width) -> Drawing:
    rows = [
        _row(
            row,
            COEFFICIENTS[row["coefficient"]][0],
            f"{number(row['before']) or '–'} → {number(row['after']) or '–'}",
        )
        for row in found.rows
    ]
    title = _("Agreement, 95 % interval")
    return _dots(rows, found, room, close=True, title=title, count=_("Before → after"), beside="after")


def draw_models(_report: AgreementReport, found: Picture, room: Width) -> Drawing:
    rows = [_row(row, row["model"], row["labels"]) for row in found.rows]
    title = _("Labels in common, 95 % interval")
    return _dots(rows, found, room, close=True, title=title, count=_("Labels"), beside="volunteers_agreement")


def _groups(rows: Sequence[Row], found: Picture, room: Width) -> Drawing:
    return _dots(rows, found, room, close=True, title=_("Fleiss’ kappa, 95 % interval"), count=_("Issues"))


def _whole(found: Picture) -> Row:
    return _row(found.rows[-1], _("All"), found.rows[-1]["issues"])


def _row(row: Row, name: object, count: int | str) -> Row:
    return row | {"row": row_name(name, count if isinstance(count, str) else f"{count:,}")}


def _kind(report: AgreementReport, code: str) -> Row:
    place = report.codebook.hue(report.codebook.by_code[code].category_id)
    return {"kind": KINDS[min(place, KINDS.index("further"))]}


def _dots(
    rows: Sequence[Row],
    found: Picture,
    room: Width,
    *,
    close: bool,
    title: str,
    count: str,
    reference: float | None = None,
    beside: str = "",
) -> Drawing:
    """Draw `rows`; each has its `row_name` as `row` and can have a `kind` of KINDS. `beside`: the column of
    the second value, drawn open. `reference`: the value of a dashed line.
    """
    import altair as alt

    field = found.value
    drawn: list[Row] = [
        {"kind": "all"} | row | {"said": _said(row, field, count, beside)}
        for row in rows
        if row[field] is not None
    ]
    spans = (field, "low", "high", *([beside] if beside else []))
    values = [row[key] for row in drawn for key in spans if row[key] is not None]
    axis = (close_axis if close else whole_axis)(values, 0, 1)
    scale = alt.Scale(domain=[axis.low, axis.high], clamp=True, nice=False, zero=False)
    ticks = _ticks(axis)
    digits = max(len(f"{tick:.6f}".rstrip("0").partition(".")[2]) for tick in ticks)
    x_axis = alt.Axis(title=title, values=ticks, format=f".{digits}f", grid=True, labelFlush=False)
    names = alt.Scale(domain=[row["row"] for row in rows])

    def x(name: str) -> alt.X:
        return alt.X(f"{name}:Q", scale=scale, axis=x_axis)

    def y(axis: alt.Axis | None) -> alt.Y:
        return alt.Y("row:N", sort=None, scale=names, axis=axis)

    kinds = alt.Scale(domain=KINDS, range=(INK,) * len(KINDS))
    color = alt.Color("kind:N", scale=kinds, legend=None)
    base = alt.Chart(alt.NamedData(DATA)).encode(y=y(None))
    whisker = base.mark_rule(aria=False, strokeWidth=1).encode(
        x=x("low"), x2="high:Q", y=y(left_axis(room)), color=color
    )
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=KINDS, range=SHAPES), legend=None)
    dot = base.mark_point(filled=True, size=room.step * 3, opacity=1).encode(
        x=x(field), color=color, shape=shape, description="said:N", tooltip="said:N"
    )
    ends = base.mark_point(opacity=0, aria=False, tooltip=None).encode(y=y(right_axis(rows, count, room)))
    layers = [whisker.properties(name="whiskers"), dot.properties(name="dots"), ends]
    if beside:
        second = base.mark_point(aria=False, shape="diamond", size=room.step * 4, strokeWidth=1, opacity=1)
        second = second.encode(x=x(beside), color=color, tooltip="said:N")
        layers.insert(1, second.properties(name="besides"))
    datasets = {DATA: drawn}
    if reference is not None:
        line = alt.Chart(alt.NamedData("reference")).mark_rule(
            aria=False, strokeDash=[2, 2], strokeWidth=0.75
        )
        layers.insert(0, line.encode(x=x("all")))
        datasets["reference"] = [{"all": reference}]
    chart = alt.layer(*layers).resolve_axis(y="independent").properties(height={"step": room.step})
    return Drawing(chart, datasets)


def _said(row: Row, field: str, count: str, beside: str) -> str:
    """A mark in words, for readers who hover over it or reach it with the keyboard."""
    interval = span(row["low"], row["high"])
    said = {
        "name": row["row"].partition("\t")[0],
        "value": f"{number(row[field])} ({interval})" if interval else number(row[field]),
    }
    if beside == "after":
        return _p("mark", "%(name)s: %(value)s; with the last ballots %(second)s") % (
            said | {"second": number(row[beside]) or _("undefined")}
        )
    if beside:
        return _p("mark", "%(name)s: %(value)s; between volunteers %(second)s") % (
            said | {"second": number(row[beside]) or _("undefined")}
        )
    if found := row.get("labels" if "kappa" in row else "issues"):
        return _p("mark", "%(name)s: %(value)s. %(what)s: %(count)s") % (
            said | {"what": count, "count": f"{found:,}"}
        )
    return _p("mark", "%(name)s: %(value)s") % said


def _ticks(axis: Axis) -> list[float]:
    steps = round((axis.high - axis.low) / axis.step)
    return [round(axis.low + at * axis.step, 6) for at in range(steps + 1)]
