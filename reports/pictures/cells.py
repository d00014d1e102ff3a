"""Heat maps: a cell for each pair of names with its number; larger numbers are darker."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from drawing.axes import heat_step
from reports.agreement_report import AgreementReport
from reports.formats.tables import number
from reports.pictures.picture import DATA, Drawing, Picture, Row
from reports.pictures.widths import GREYS, INKS, Width

Names = Sequence[tuple[str, str]]
"""The names of one side in their order, each with its written text."""


def draw_pairs(names: Sequence[str], found: Picture, room: Width) -> Drawing:
    """The lower triangle of a square: of two volunteers, the earlier in `names` is across, the later down."""
    rows = [row for row in found.rows if row["cohen_kappa"] is not None]
    named = {name for row in found.rows for name in (row["first"], row["second"])}
    texts = [number(row["cohen_kappa"], 2).replace("0.", ".", 1) for row in rows]
    return _triangle(rows, texts, [(name, name) for name in names if name in named], found, room)


def draw_confusion(report: AgreementReport, found: Picture, room: Width) -> Drawing:
    named = {code for row in found.rows for code in (row["first"], row["second"])}
    order = [one for one in _coded(report, room) if one[0] in named]
    return _triangle(found.rows, [str(row["issues"]) for row in found.rows], order, found, room)


def draw_over_time(report: AgreementReport, found: Picture, room: Width) -> Drawing:
    """Months across, categories down; a cell has the percentage of the month's labels."""
    rows = found.rows
    codes, months = {row["code"] for row in rows}, sorted({row["month"] for row in rows})
    cells = [
        row
        | {
            "across": row["month"],
            "down": row["code"],
            "text": number(100 * row["share"], 0),
            "said": _month_said(row),
        }
        for row in rows
        if row["share"] is not None
    ]
    down = [one for one in _coded(report, room) if one[0] in codes]
    return _cells(cells, [(month, month) for month in months], down, found, room)


def draw_years(_report: AgreementReport, found: Picture, room: Width) -> Drawing:
    """Years across, repositories down; a cell has the number of issues."""
    cells = [
        row
        | {
            "across": row["year"],
            "down": row["repository"],
            "text": f"{row['issues']:,}",
            "said": ngettext(
                "%(repository)s, %(year)s: %(n)s issue",
                "%(repository)s, %(year)s: %(n)s issues",
                row["issues"],
            )
            % {"repository": row["repository"], "year": row["year"], "n": f"{row['issues']:,}"},
        }
        for row in found.rows
    ]
    across = list(dict.fromkeys(sorted(row["year"] for row in found.rows)))
    down = list(dict.fromkeys(row["repository"] for row in found.rows))
    return _cells(cells, [(one, one) for one in across], [(one, one) for one in down], found, room)


def _coded(report: AgreementReport, room: Width) -> Names:
    """The categories in the order of the tree, with names if there is room for names."""
    return [
        (one.code, f"{one.code} {report.codebook.by_code[one.code].title}" if room.beside else one.code)
        for one in report.overall.categories
    ]


def _triangle(
    rows: Sequence[Row], texts: Sequence[str], order: Names, found: Picture, room: Width
) -> Drawing:
    places = {name: place for place, (name, _title) in enumerate(order)}
    cells = [
        row
        | {
            "across": min(row["first"], row["second"], key=places.__getitem__),
            "down": max(row["first"], row["second"], key=places.__getitem__),
            "text": text,
            "said": _pair_said(row, found.name),
        }
        for row, text in zip(rows, texts, strict=True)
    ]
    return _cells(cells, [(name, name) for name, _title in order[:-1]], order[1:], found, room)


def _cells(cells: Sequence[Row], across: Names, down: Names, found: Picture, room: Width) -> Drawing:
    """The heat map; `cells` have names `across` and `down`, a `text`, and a description `said`."""
    import altair as alt

    low, high = (pick((cell[found.value] for cell in cells), default=0) for pick in (min, max))
    titles = dict(down)
    data = [
        cell | {"down": titles[cell["down"]], "heat": heat_step(cell[found.value], low, high)}
        for cell in cells
    ]
    angle = -45 if max(len(name) for name, _title in across) > 5 else 0
    x = alt.X(
        "across:N", sort=None, scale=alt.Scale(domain=[name for name, _title in across]),
        axis=alt.Axis(title=None, labelAngle=angle, labelLimit=60, labelOverlap=False),
    )  # fmt: skip
    limit = room.beside or (room.names if max(len(title) for _name, title in down) > 8 else 60)
    y = alt.Y(
        "down:N", sort=None, scale=alt.Scale(domain=[title for _name, title in down]),
        axis=alt.Axis(title=None, labelLimit=limit),
    )  # fmt: skip
    steps = list(range(1, len(GREYS) + 1))
    heat = alt.Color("heat:O", scale=alt.Scale(domain=steps, range=GREYS), legend=None)
    ink = alt.Color("heat:O", scale=alt.Scale(domain=steps, range=INKS), legend=None)
    base = alt.Chart(alt.NamedData(DATA)).encode(x=x, y=y)
    rects = base.mark_rect(stroke="white", strokeWidth=1).encode(
        color=heat, description="said:N", tooltip="said:N"
    )
    numbers = base.mark_text(aria=False, tooltip=None, fontSize=room.font - 0.5).encode(
        text="text:N", color=ink
    )
    layers = alt.layer(rects.properties(name="cells"), numbers.properties(name="numbers"))
    chart = layers.resolve_scale(color="independent").properties(height={"step": room.step + 3})
    return Drawing(chart, {DATA: data})


def _pair_said(row: Row, name: str) -> str:
    said = {"first": row["first"], "second": row["second"], "issues": f"{row['issues']:,}"}
    if name == "confusion":
        return (
            ngettext(
                "%(first)s and %(second)s: together on %(issues)s issue",
                "%(first)s and %(second)s: together on %(issues)s issues",
                row["issues"],
            )
            % said
        )
    return _("%(first)s and %(second)s: %(kappa)s over %(issues)s issues") % (
        said | {"kappa": number(row["cohen_kappa"])}
    )


def _month_said(row: Row) -> str:
    said = {
        "code": row["code"],
        "month": row["month"],
        "share": number(100 * row["share"], 1),
        "labels": f"{row['labels']:,}",
        "decided": f"{row['decided']:,}",
    }
    text = _("%(code)s in %(month)s: %(share)s %% of the labels (%(labels)s), decided for %(decided)s issues")
    return text % said
