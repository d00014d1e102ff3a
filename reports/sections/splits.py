"""How the labels of an issue split, most agreement first: 7, 6:1, 5:2, …"""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agreement import Split
from agreement import splits as splits_of
from drawing.axes import px
from reports.agreement_report import AgreementReport, computed_of_labels
from reports.frozen.figures import listed
from reports.sections.columns import ISSUES, SHARE, Column
from reports.sections.section import Card, JsonPart, PageQuery, Section
from reports.sentences.numbers import percent

SHOWN = 12
"""The number of splits with their own row on the page; the others share a row."""


@computed_of_labels
def splits(report: AgreementReport) -> tuple[Split, ...]:
    return splits_of(report.numbers.patterns)


def _rows(report: AgreementReport) -> Iterator[list[object]]:
    return ([":".join(map(str, split.sizes)), split.issues, split.share] for split in splits(report))


def _as_list(report: AgreementReport) -> list[dict[str, Any]]:
    return [
        {"sizes": list(split.sizes), "issues": split.issues, "share": split.share} for split in splits(report)
    ]


def _card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any]:
    found = splits(report)
    shown, rest = found[:SHOWN], found[SHOWN:]
    most = max((split.share for split in found), default=1.0)
    rows = [
        {
            "text": " : ".join(map(str, split.sizes)),
            "is_unanimous": len(split.sizes) == 1,
            "issues": split.issues,
            "share": percent(split.share),
            "width": px(100 * split.share / most),
        }
        for split in shown
    ]
    if rest:
        share = sum(split.share for split in rest)
        rows.append(
            {
                "text": _("others"),
                "issues": sum(split.issues for split in rest),
                "share": percent(share),
                "width": px(100 * min(share / most, 1.0)),
            }
        )
    return {"splits": rows}


SPLITS = Section(
    key="splits",
    title=gettext_lazy("How labels split"),
    columns=(Column("split", gettext_lazy("Split")), ISSUES, SHARE),
    rows=_rows,
    card=Card("reports/agreement/_splits.html", _card, "right"),
    json=JsonPart(
        "splits",
        _as_list,
        listed("splits", "issues", "share", of=lambda one: ":".join(map(str, one["sizes"]))),
        parts={"splits": gettext_lazy("Split %(of)s")},
    ),
)
