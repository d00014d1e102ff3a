"""The coefficients of the independent labels, and of the labels with the last ballots."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.utils.translation import gettext_lazy

from reports.agreement_report import AgreementReport, computed_once
from reports.pictures.dots import draw_before_and_after
from reports.pictures.kind import PictureKind
from reports.queries.before_after import BeforeAfter, before_after_of_report
from reports.sections.columns import COEFFICIENT, HIGH, LOW, REASON, Column, estimate_cells, reasons
from reports.sections.section import Card, PageQuery, Section
from reports.sentences.definitions import BALLOTS_KNOW, COEFFICIENTS

SHOWN = ("fleiss_kappa", "percent_agreement", "gwet_ac1")

before_and_after = computed_once(before_after_of_report)


def _rows(report: AgreementReport) -> Iterator[list[object]]:
    """A row per coefficient; no rows before a vote."""
    both = before_and_after(report)
    if both is None:
        return
    for name in COEFFICIENTS:
        value, _se, low, high, reason = estimate_cells(both.before.coefficients[name])
        after, *_interval, why = estimate_cells(both.after.coefficients[name])
        yield [name, value, low, high, reason, after, why if after is None else None]


def _card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any] | None:
    """The few coefficients that the page shows; None if nobody voted."""
    both = before_and_after(report)
    if both is None:
        return None
    return {"consensus": {"both": both, "lines": before_after_rows(both, SHOWN), "caveat": BALLOTS_KNOW}}


def before_after_rows(both: BeforeAfter, names: Iterable[str]) -> list[dict[str, Any]]:
    """These coefficients before and after, for a table of the page."""
    return [
        {
            "name": COEFFICIENTS[name][0],
            "before": both.before.coefficients[name],
            "after": both.after.coefficients[name],
        }
        for name in names
    ]


CONSENSUS = Section(
    key="consensus",
    title=gettext_lazy("Before and after consensus"),
    columns=(
        COEFFICIENT,
        Column("before", gettext_lazy("Independent labels")),
        LOW,
        HIGH,
        REASON,
        Column("after", gettext_lazy("With the last ballots")),
        Column("reason_after", gettext_lazy("Note on the ballots"), words=reasons),
    ),
    rows=_rows,
    note=BALLOTS_KNOW,
    card=Card("reports/agreement/_consensus.html", _card),
    picture=PictureKind(
        title=gettext_lazy("Agreement before and after consensus"),
        value="before",
        caption=gettext_lazy(
            "Each coefficient of the independent labels with its 95 % interval (dots), and with the last"
            " ballots in them (open diamonds)."
        ),
        more=lambda _report: str(BALLOTS_KNOW),
        draw=draw_before_and_after,
    ),
)
