"""The drift check: each volunteer compared with themselves, and all volunteers pooled."""

from collections.abc import Iterator
from operator import attrgetter
from typing import Any

from django.utils.translation import gettext_lazy

from reports.agreement_report import AgreementReport
from reports.frozen.figures import KeyedFigures, estimate, plain
from reports.sections.columns import (
    COHEN_KAPPA,
    HIGH,
    ISSUES,
    LOW,
    PERCENT_AGREEMENT,
    REASON,
    VOLUNTEER,
    Column,
)
from reports.sections.section import Card, JsonPart, PageQuery, Section
from reports.sentences.agreement import intra_left_out
from reports.sentences.limits import drift_check

_cells = attrgetter(
    "issues", "percent_agreement.value", "percent_agreement.low", "percent_agreement.high",
    "cohen_kappa.value", "cohen_kappa.low", "cohen_kappa.high",
)  # fmt: skip


def _rows(report: AgreementReport) -> Iterator[tuple[object, ...]]:
    """A row per volunteer and a row for all; no rows without second labels."""
    found = report.intra
    for one in (*found.raters, found.pooled) if found else ():
        why = one.cohen_kappa.reason or one.cohen_kappa.doubt
        yield one.rater or "all", *_cells(one), why and why.text


def _figures(found: dict[str, Any]) -> KeyedFigures:
    for one in (found["pooled"], *found["volunteers"]):
        of = one.get("volunteer", "all")
        yield from plain("intra-rater", of, one, "issues")
        for name in ("percent_agreement", "cohen_kappa"):
            yield estimate("intra-rater", of, name, one[name])


def _card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any] | None:
    """The drift check, with the pooled volunteers first; without second labels what was planned, None if
    nothing was.
    """
    if report.intra is None and report.repeats is None:
        return None
    return {
        "intra": [report.intra.pooled, *report.intra.raters] if report.intra else [],
        "intra_left_out": intra_left_out(report),
        "intra_planned": drift_check(report),
    }


INTRA_RATER = Section(
    key="intra-rater",
    title=gettext_lazy("Intra-rater agreement"),
    columns=(
        VOLUNTEER,
        ISSUES,
        PERCENT_AGREEMENT,
        LOW,
        HIGH,
        COHEN_KAPPA,
        Column("kappa_low", gettext_lazy("Kappa from")),
        Column("kappa_high", gettext_lazy("Kappa to")),
        REASON,
    ),
    rows=_rows,
    card=Card("reports/agreement/_intra.html", _card, "right"),
    json=JsonPart(
        "intra_rater",
        lambda report: report.intra and report.intra.as_dict(),
        _figures,
        parts={"intra-rater": gettext_lazy("Intra-rater, %(of)s")},
        names={"percent_agreement": gettext_lazy("Percent agreement")},
    ),
)
