"""What pictures of rows have in common: the name at the left of each, and what is written at its end."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from annotate.pictures.picture import Row
from annotate.pictures.widths import Width

if TYPE_CHECKING:
    import altair as alt


def row_name(name: object, count: str) -> str:
    """A row's name, and what is written at its end: a tab stands between them."""
    return f"{' '.join(str(name).split())}\t{count}"


def left_axis(room: Width) -> "alt.Axis":
    import altair as alt  # noqa: PLC0415

    return alt.Axis(title=None, labelExpr="split(datum.label, '\\t')[0]", labelLimit=room.names, grid=False)


def right_axis(rows: Iterable[Row], title: str, room: Width) -> "alt.Axis":
    """What is written at the ends of rows, below its title, flush right."""
    import altair as alt  # noqa: PLC0415

    longest = max(len(text) for text in (title, *(row["row"].partition("\t")[2] for row in rows)))
    at_end = room.font * 0.6 * longest + 4
    return alt.Axis(
        title=title, labelExpr="split(datum.label, '\\t')[1]", grid=False, orient="right",
        labelAlign="right", labelPadding=at_end, titleAlign="right", titleAngle=0, titleX=at_end, titleY=-3,
    )  # fmt: skip
