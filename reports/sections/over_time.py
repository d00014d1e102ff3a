"""Labels over time: the labels and decisions of each month, and whether the decisions changed."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy

from agreement import MISSING, Periods, by_period
from drawing.axes import px
from reports.agreement_report import AgreementReport, computed_of_labels
from reports.formats.tables import Table
from reports.frozen.figures import Figure, FigureKey, KeyedFigures, plain
from reports.pictures.cells import draw_over_time
from reports.pictures.kind import PictureKind, corner
from reports.sections.chart_rows import named
from reports.sections.columns import CODE, DECIDED, DECIDED_ISSUES, LABELS, MONTH, REASON, SHARE, Column, P
from reports.sections.section import Card, JsonPart, PageQuery, Section
from reports.sentences.numbers import percent
from reports.sentences.over_time import change_sentences


@computed_of_labels
def periods(report: AgreementReport) -> Periods:
    """The labels and decisions of issues by the month (UTC) of their last label."""
    numbers, found = report.numbers, report.numbers.labels
    at_level = np.append(numbers.places, np.int32(MISSING))
    codes, decided = at_level[found.codes], at_level[found.decided]
    return by_period(found.months, codes, decided, found.counts, numbers.patterns.categories)


def _as_dict(report: AgreementReport) -> dict[str, Any]:
    found = periods(report)
    used = [place for place, labels in enumerate(found.labels.sum(axis=0)) if labels]
    codes = [category.code for category in report.overall.categories]
    return {
        "months": [
            {
                "month": name,
                "issues": int(found.issues[at]),
                "labels": int(found.labels[at].sum()),
                "categories": {
                    codes[place]: {
                        "labels": int(found.labels[at, place]),
                        "decided": int(found.decided[at, place]),
                    }
                    for place in used
                },
            }
            for at, name in enumerate(found.names)
        ],
        "change": _change(report),
    }


def _change(report: AgreementReport) -> dict[str, Any]:
    """The test of the decisions, over the most frequent categories and all others as one category."""
    found = periods(report).change
    return {
        "decided_issues": found.labels,
        "months": found.periods,
        "categories": found.categories,
        "chi2": found.chi2,
        "df": found.df,
        "p": found.p,
        "cramers_v": found.cramers_v,
        "smallest_expected": found.smallest,
        "reason": found.reason and found.reason.text,
    }


def _figures(found: dict[str, Any]) -> KeyedFigures:
    for month in found["months"]:
        yield from plain("over-time", month["month"], month, "issues", "labels")
        for code, one in month["categories"].items():
            yield from plain("over-time", f"{month['month']}, {code}", one, "labels", "decided")
    for name, figure in found["change"].items():
        if name != "reason":
            yield FigureKey("over-time-test", "all", name), Figure(figure)


def _rows(report: AgreementReport) -> Iterator[tuple[object, ...]]:
    """A row per month and category, with shares of the month. Imported labels have no times, and no rows."""
    if report.round.is_imported:
        return
    for month in _as_dict(report)["months"]:
        decided = sum(found["decided"] for found in month["categories"].values())
        for code, found in month["categories"].items():
            yield (
                month["month"],
                code,
                found["labels"],
                found["labels"] / month["labels"] if month["labels"] else None,
                found["decided"],
                found["decided"] / decided if decided else None,
            )


def _drawn(report: AgreementReport, table: Table) -> Table:
    """The rows of the most frequent categories; no rows for a single month."""
    found = periods(report)
    frequent = {report.overall.categories[place].code for place in found.frequent}
    rows = [row for row in table.rows if row[1] in frequent]
    return Table(table.columns, tuple(rows) if len(found.names) > 1 else ())


def _card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any] | None:
    """The shares of the frequent categories in each month, and the test in words; None for a single month.
    Imported labels have no times: `over_time` is None.
    """
    if report.round.is_imported:
        return {"over_time": None}
    found = periods(report)
    if len(found.names) < 2:
        return None
    counts = found.shown(found.labels)
    has_others = bool(counts[:, -1].any())
    counts = counts if has_others else counts[:, :-1]
    totals = found.labels.sum(axis=1)
    shares = counts / totals.clip(min=1)[:, None]
    most = float(shares.max(initial=0.0)) or 1.0
    return {
        "over_time": {
            "heads": [named(report, report.overall.categories[place].code) for place in found.frequent],
            "has_others": has_others,
            "rows": [
                {
                    "month": month,
                    "labels": int(totals[at]),
                    "cells": [
                        {"text": percent(share), "width": px(100 * share / most)}
                        for share in shares[at].tolist()
                    ],
                }
                for at, month in enumerate(found.names)
            ],
            "sentences": change_sentences(found.change),
        }
    }


OVER_TIME = Section(
    key="over-time",
    title=gettext_lazy("Labels and decisions by month"),
    columns=(
        MONTH, CODE, LABELS, SHARE, DECIDED, Column("decided_share", gettext_lazy("Share of decided")),
    ),
    rows=_rows,
    card=Card("reports/agreement/_over_time.html", _card),
    picture=PictureKind(
        title=gettext_lazy("Labels over time"),
        value="share",
        caption=gettext_lazy(
            "Share of the most frequent categories among the labels of each month. The month of an issue is"
            " the month of its last label."
        ),
        more=lambda report: " ".join(change_sentences(periods(report).change)),
        part=_drawn,
        choose=corner(("month",), "labels", lambda room: room.months),
        draw=draw_over_time,
    ),
    json=JsonPart(
        key="over_time",
        value=_as_dict,
        figures=_figures,
        parts={
            "over-time": gettext_lazy("Over time: %(of)s"),
            "over-time-test": gettext_lazy("Change over time"),
        },
        names={"decided": gettext_lazy("Decided issues")},
    ),
)  # fmt: skip
OVER_TIME_TEST = Section(
    key="over-time-test",
    title=gettext_lazy("Test: do decisions change over the months?"),
    columns=(
        DECIDED_ISSUES,
        Column("months", gettext_lazy("Months")),
        Column("categories", gettext_lazy("Categories")),
        Column("chi2", "χ²"),
        Column("df", gettext_lazy("Degrees of freedom")),
        P,
        Column("cramers_v", gettext_lazy("Cramér’s V")),
        Column("smallest_expected", gettext_lazy("Smallest expected number")),
        REASON,
    ),
    rows=lambda report: [] if report.round.is_imported else [_change(report).values()],
)
