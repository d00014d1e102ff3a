"""Pairs of volunteers and categories: kappas of pairs, categories side by side, labels against decisions."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from numpy.typing import NDArray

from agreement import against_decision, clustered, confusion
from agreement.pairs import square
from drawing.axes import heat_step
from reports.agreement_report import AgreementReport, computed_of_labels
from reports.formats.tables import number
from reports.frozen.figures import listed
from reports.pictures.cells import draw_confusion, draw_pairs
from reports.pictures.kind import PictureKind, corner
from reports.sections.chart_rows import known, named
from reports.sections.columns import (
    COHEN_KAPPA,
    FIRST,
    ISSUES,
    LABELS,
    PERCENT_AGREEMENT,
    REASON,
    SECOND,
    Column,
)
from reports.sections.section import Card, JsonPart, PageQuery, Section
from reports.sentences import numbers as say

SHOWN = 12
"""The number of pairs of categories on the page; the files have all pairs."""


def _pairs(report: AgreementReport) -> list[dict[str, Any]]:
    return [
        {
            "first": report.columns[pair.first],
            "second": report.columns[pair.second],
            "issues": pair.issues,
            "differ": pair.differ,
            **pair.as_dict(),
        }
        for pair in report.overall.pairs
    ]


@computed_of_labels
def side_by_side(report: AgreementReport) -> list[str]:
    """The compared volunteers, in an order that puts volunteers who agree next to each other."""
    return [report.columns[column] for column in clustered(report.overall.pairs)]


def _confusion(report: AgreementReport) -> list[dict[str, Any]]:
    """The number of issues in which two categories were both chosen, each pair once, most issues first."""
    return _most_first(report, np.triu(confusion(report.numbers.patterns), 1), ("first", "second", "issues"))


@computed_of_labels
def decision_table(report: AgreementReport) -> NDArray[np.int64]:
    """[q, q] the labels of the row's category on issues that were decided as the column's category."""
    return against_decision(report.numbers.patterns, report.numbers.decided)


def _against_decision(report: AgreementReport) -> list[dict[str, Any]]:
    """The number of labels of one category on issues decided as another category, most labels first."""
    table = decision_table(report)
    return _most_first(report, table - np.diag(np.diag(table)), ("label", "decision", "labels"))


def _most_first(
    report: AgreementReport, table: NDArray[np.int64], names: tuple[str, str, str]
) -> list[dict[str, Any]]:
    """The cells above 0 of a square table of categories, largest first, then in the order of the tree."""
    codes = [category.code for category in report.overall.categories]
    found = [(codes[row], codes[column], int(table[row, column])) for row, column in np.argwhere(table)]
    return [dict(zip(names, one, strict=True)) for one in sorted(found, key=lambda one: -one[2])]


def _pair_categories(report: AgreementReport) -> Iterator[tuple[object, ...]]:
    """How many issues each pair of volunteers labelled with which two categories, most issues first."""
    codes = [category.code for category in report.overall.categories]
    for pair in report.overall.pairs:
        table = square(report.numbers.patterns, pair.first, pair.second)
        apart = [(codes[row], codes[column], int(table[row, column])) for row, column in np.argwhere(table)]
        names = report.columns[pair.first], report.columns[pair.second]
        for one, other, issues in sorted(apart, key=lambda cell: -cell[2]):
            if one != other:
                yield *names, one, other, issues


def _names(pair: Mapping[str, Any]) -> str:
    return f"{pair['first']}, {pair['second']}"


# --- cards


def _pairs_card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any]:
    """Cohen's kappas as a square table; None if columns are not volunteers, or there is no pair.

    A cell has the kappa without its leading zero, its heat, and the same in words.
    """
    found = report.overall.pairs
    if not found:
        return {"pairs": None}
    kappas = known([(pair.kappa,) for pair in found])
    low, high = min(kappas, default=0.0), max(kappas, default=0.0)
    cells: dict[tuple[object, object], dict[str, Any]] = {}
    for pair in found:
        said = {
            "first": report.columns[pair.first],
            "second": report.columns[pair.second],
            "issues": f"{pair.issues:,}",
            "differ": f"{pair.differ:,}",
        }
        if pair.kappa is None:
            title = _("%(first)s and %(second)s: ") % said + say.undefined(pair.reason)
            cell: dict[str, Any] = {"text": "–", "title": title}
        else:
            said |= {"kappa": number(pair.kappa)}
            title = _(
                "%(first)s and %(second)s: %(kappa)s, different labels on %(differ)s of %(issues)s issues"
            )
            title %= said
            cell = {"text": _short(pair.kappa), "heat": heat_step(pair.kappa, low, high), "title": title}
        first, second = said["first"], said["second"]
        cells[first, second] = cells[second, first] = cell
    names = side_by_side(report)
    return {
        "pairs": {
            "names": names,
            "rows": [(row, [cells.get((row, column)) for column in names]) for row in names],
            "low": _short(low),
            "high": _short(high),
            "mean": number(report.overall.coefficients["light_kappa"].value),
        }
    }


def _short(value: float) -> str:
    text = number(value)
    return text[1:] if text.startswith("0.") else text.replace("−0.", "−.")


def pair_categories_as_list(report: AgreementReport) -> list[dict[str, Any]]:
    """As in JSON: for each pair of volunteers the issues with these two labels."""
    names = ("first", "second", "first_label", "second_label", "issues")
    return [dict(zip(names, row, strict=True)) for row in _pair_categories(report)]


def _confusion_card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any]:
    page = reverse("disagreements", args=[report.round.pk])
    rows = []
    for one in _confusion(report)[:SHOWN]:
        codes = (one["first"], one["second"])
        chosen = urlencode({"pair": " ".join(codes)})
        pair = [named(report, code) for code in codes]
        rows.append({"pair": pair, "issues": one["issues"], "url": f"{page}?{chosen}"})
    return {"confused": rows}


def _against_decision_card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any]:
    return {
        "overruled": [
            {"pair": [named(report, one[name]) for name in ("label", "decision")], "labels": one["labels"]}
            for one in _against_decision(report)[:SHOWN]
        ]
    }


PAIRS = Section(
    key="pairs",
    title=gettext_lazy("By pair of volunteers"),
    columns=(
        FIRST,
        SECOND,
        ISSUES,
        Column("differ", gettext_lazy("Different labels")),
        PERCENT_AGREEMENT,
        COHEN_KAPPA,
        REASON,
    ),
    rows=lambda report: (pair.values() for pair in _pairs(report)),
    card=Card("reports/agreement/_pairs.html", _pairs_card, "left"),
    picture=PictureKind(
        title=gettext_lazy("Agreement by pair of volunteers"),
        value="cohen_kappa",
        caption=gettext_lazy(
            "Cohen’s kappa of each pair of volunteers, over the issues that both labelled. Volunteers who"
            " agree are next to each other."
        ),
        choose=corner(("first", "second"), "issues", lambda room: room.raters),
        draw=lambda report, found, room: draw_pairs(side_by_side(report), found, room),
    ),
    json=JsonPart(
        "pairs",
        _pairs,
        listed("pairs", "issues", "differ", "percent_agreement", "cohen_kappa", of=_names),
        parts={"pairs": gettext_lazy("Pair %(of)s")},
        names={"percent_agreement": gettext_lazy("Percent agreement")},
    ),
)
PAIR_CATEGORIES = Section(
    key="pair-categories",
    title=gettext_lazy("Different labels by pair of volunteers"),
    columns=(
        FIRST,
        SECOND,
        Column("first_label", gettext_lazy("Label of the first")),
        Column("second_label", gettext_lazy("Label of the second")),
        ISSUES,
    ),
    rows=_pair_categories,
    in_document=False,
)
CONFUSION = Section(
    key="confusion",
    title=gettext_lazy("Categories chosen for the same issue"),
    columns=(FIRST, SECOND, ISSUES),
    rows=lambda report: (pair.values() for pair in _confusion(report)),
    card=Card("reports/agreement/_confused.html", _confusion_card, "left"),
    picture=PictureKind(
        title=gettext_lazy("Categories chosen for the same issue"),
        value="issues",
        caption=gettext_lazy("Number of issues for which both categories were chosen."),
        choose=corner(("first", "second"), "issues", lambda room: room.categories),
        draw=draw_confusion,
    ),
    json=JsonPart(
        "confusion",
        _confusion,
        listed("confusion", "issues", of=_names),
        parts={"confusion": gettext_lazy("Both chosen: %(of)s")},
    ),
)
AGAINST_DECISION = Section(
    key="against-decision",
    title=gettext_lazy("Labels that differ from the decision"),
    columns=(Column("label", gettext_lazy("Label")), Column("decision", gettext_lazy("Decision")), LABELS),
    rows=lambda report: (pair.values() for pair in _against_decision(report)),
    card=Card("reports/agreement/_overruled.html", _against_decision_card, "left"),
    json=JsonPart(
        "against_decision",
        _against_decision,
        listed("against-decision", "labels", of=lambda one: f"{one['label']}, {one['decision']}"),
        parts={"against-decision": gettext_lazy("Overruled: %(of)s")},
    ),
)
