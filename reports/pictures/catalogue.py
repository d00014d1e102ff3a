"""The pictures of an agreement report as Vega-Lite specifications: on the page, and as files for a paper.

The data are the rows of the sections' tables. Names given by people are data, never part of an expression.
Shapes, positions and written numbers carry all information, so black and white loses nothing.
"""

import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from django.utils.translation import get_language

from reports.agreement_report import AgreementReport, Numbers
from reports.errors import NothingToDraw
from reports.formats.tables import Table
from reports.pictures.picture import Picture, Row
from reports.pictures.widths import FONT, GRID, INK, WIDTHS, Width
from reports.sections.registry import PICTURE_SECTIONS
from rounds.models import Round

if TYPE_CHECKING:
    import altair as alt

PICTURES = {
    kind.name or section.key: (section, kind) for section in PICTURE_SECTIONS if (kind := section.picture)
}
"""The sections with their pictures, by the name of the picture and in the order of the pictures."""


def pictures(report: AgreementReport) -> list[Picture]:
    """The pictures that this report has enough data for, as the page draws them."""
    found = [picture(report, name, "screen") for name in PICTURES]
    return [one for one in found if _can_be_drawn(one)]


def picture(report: AgreementReport, name: str, width: str) -> Picture:
    """One picture by its name at a width of `WIDTHS`.

    If not all rows fit, it shows the rows with the most labels or issues, in their order.
    """
    section, kind = PICTURES[name]
    chosen, left = kind.choose(kind.part(report, section.table(report)), WIDTHS[width])
    caption = " ".join(filter(None, (str(kind.caption), kind.more(report) if chosen.rows else "")))
    known = {column.name: column for column in (*section.columns_of(report), *kind.columns)}
    columns = tuple(known[column] for column in chosen.columns)
    return Picture(name, str(kind.title), caption, kind.value, chosen, left, columns, report)


def _can_be_drawn(found: Picture) -> bool:
    """Whether enough rows have a value; the row of all issues at the end of a table does not count."""
    _section, kind = PICTURES[found.name]
    rows = found.rows[:-1] if kind.ends_with_all else found.rows
    return sum(row[kind.value] is not None for row in rows) >= kind.least


def specification(report: AgreementReport, name: str, width: str) -> Row:
    """The picture as Vega-Lite, with its data; undefined values have no mark.

    Raises NothingToDraw if too few values are defined.
    """
    from altair.utils.schemapi import debug_mode

    _section, kind = PICTURES[name]
    found = picture(report, name, width)
    if not _can_be_drawn(found):
        raise NothingToDraw
    # To check each part against the schema took most of the time: tests check each picture once instead.
    with debug_mode(arg=False):
        chart, datasets = kind.draw(report, found, WIDTHS[width])
        spec = _finished(chart, found, report.round, WIDTHS[width]).to_dict(validate=False)
    return spec | {"datasets": datasets}


def _finished(chart: "alt.LayerChart", found: Picture, round_: Round, room: Width) -> "alt.LayerChart":
    import altair as alt

    told = " ".join(filter(None, (found.caption, found.no_room)))
    if room.is_print and found.no_room:
        # A file is read without its page, so the file itself states what it leaves out.
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
class _MadeOf:
    """The sources of pictures, as a key for the cache; the report itself is not part of the key."""

    numbers: Numbers
    tables: tuple[Table, ...]
    level: int
    names: tuple[str, str]
    language: str | None
    width: str
    report: AgreementReport = field(compare=False)


def specifications(report: AgreementReport, width: str) -> str:
    """The specifications of all pictures of the page by name, as JSON; cached until the labels change, or the
    other rounds, votes and models that this reader sees.
    """
    names = (report.round.study.name, report.round.name)
    tables = tuple(kind.part(report, section.table(report)) for section, kind in PICTURES.values())
    return _specifications(
        _MadeOf(report.numbers, tables, report.level, names, get_language(), width, report)
    )


@lru_cache(maxsize=16)
def _specifications(asked: _MadeOf) -> str:
    found = pictures(asked.report)
    return json.dumps({one.name: specification(asked.report, one.name, asked.width) for one in found})
