"""One picture: what it says, and the rows it is drawn from, as people read them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotate import statements as say
from annotate.reports import LEVELS
from annotate.tables import Table, number

if TYPE_CHECKING:
    import altair as alt

Row = dict[str, Any]

DATA = "rows"
"""The name of the data that all layers are drawn from, where they name no other."""


class Drawing(NamedTuple):
    """A chart, and its data by name: put in last, since each step in making a chart copies it."""

    chart: "alt.LayerChart"
    datasets: dict[str, list[Row]]


HEADS = {
    "coefficient": gettext_lazy("Coefficient"),
    "type": gettext_lazy("Type"),
    "repository": gettext_lazy("Repository"),
    "year": gettext_lazy("Year"),
    "month": gettext_lazy("Month"),
    "round": gettext_lazy("Round"),
    "model": gettext_lazy("Model"),
    "level": gettext_lazy("Level"),
    "code": gettext_lazy("Code"),
    "name": gettext_lazy("Name"),
    "first": gettext_lazy("First"),
    "second": gettext_lazy("Second"),
    "issues": gettext_lazy("Issues"),
    "labels": gettext_lazy("Labels"),
    "share": gettext_lazy("Share"),
    "decided": gettext_lazy("Decided"),
    "decided_share": gettext_lazy("Share of decided"),
    "base": gettext_lazy("Of"),
    "value": gettext_lazy("Value"),
    "kappa": gettext_lazy("Kappa"),
    "agreement": gettext_lazy("Same as others"),
    "volunteers_agreement": gettext_lazy("Volunteers with each other"),
    "before": gettext_lazy("Independent labels"),
    "after": gettext_lazy("With the last ballots"),
    "percent_agreement": gettext_lazy("Agreement"),
    "fleiss_kappa": gettext_lazy("Fleiss’ kappa"),
    "gwet_ac1": gettext_lazy("Gwet’s AC1"),
    "cohen_kappa": gettext_lazy("Cohen’s kappa"),
    "se": gettext_lazy("Standard error"),
    "low": gettext_lazy("From"),
    "high": gettext_lazy("To"),
    "reason_after": gettext_lazy("Note on the ballots"),
    "reason": gettext_lazy("Undefined because"),
}


@dataclass(frozen=True)
class Picture:
    """What a picture says, the rows it is drawn from, and how many more there was no room for.

    `value` is the column that it draws.
    """

    name: str
    title: str
    caption: str
    value: str
    table: Table
    left: int

    @property
    def no_room(self) -> str:
        """What a picture leaves out, in words; "" where it has all."""
        text = ngettext(
            "%(n)s more had no room: the one with the fewest.",
            "%(n)s more had no room: those with the fewest.",
            self.left,
        )
        return text % {"n": f"{self.left:,}"} if self.left else ""

    @property
    def heads(self) -> list[str]:
        return [str(HEADS[name]) for name in self.table.columns]

    @property
    def rows(self) -> list[Row]:
        return [dict(zip(self.table.columns, row, strict=True)) for row in self.table.rows]

    @property
    def cells(self) -> list[list[tuple[str, bool]]]:
        """The table for people: each cell's text and whether it is a number; reasons for no value only."""
        return [
            [
                ("", False)
                if column == "reason" and row[self.value] is not None
                else (_text(column, cell), isinstance(cell, int | float))
                for column, cell in row.items()
            ]
            for row in self.rows
        ]


def _text(column: str, cell: object) -> str:
    if isinstance(cell, float):
        return number(cell)
    if isinstance(cell, int):
        return f"{cell:,}"
    text = str(cell or "")
    if column in {"type", "repository"} and text == "all":
        return _("All")
    if column.startswith("reason") and text:
        return _(text)
    return str(_SAID.get((column, text), text))


_SAID: dict[tuple[str, str], object] = {
    **{("coefficient", name): said for name, (said, _hint) in say.COEFFICIENTS.items()},
    **{("level", name): level.label for name, level in LEVELS.items()},
}
