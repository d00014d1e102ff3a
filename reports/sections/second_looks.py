"""Agreement after second looks: of labels given after the reveal, which is why it has a name of its own."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext_lazy

from reports.agreement_report import AgreementReport
from reports.frozen.figures import Figure, FigureKey, KeyedFigures, plain
from reports.queries.second_looks import agreement_after
from reports.sections.columns import COEFFICIENT, REASON, Column, reasons
from reports.sections.section import Card, JsonPart, PageQuery, Section
from reports.sentences.definitions import COEFFICIENTS

SHOWN = ("fleiss_kappa", "percent_agreement", "krippendorff_alpha", "gwet_ac1")
NOTE = gettext_lazy(
    "After a new version of the taxonomy, volunteers gave these labels again. By then, they had seen the"
    " labels of others, so these numbers are not independent. Report the agreement of the first labels."
)


def _rows(report: AgreementReport) -> Iterator[list[object]]:
    """A row per coefficient; no rows without labels of a second look."""
    after = agreement_after(report)
    if after is None:
        return
    for name in COEFFICIENTS:
        first, now = report.overall.coefficients[name], after.coefficients[name]
        yield [
            name,
            first.value,
            first.reason and first.reason.text,
            now.value,
            now.reason and now.reason.text,
        ]


def _card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any] | None:
    """The few coefficients that the page shows; None without labels of a second look."""
    after = agreement_after(report)
    if after is None:
        return None
    lines = [
        {
            "name": COEFFICIENTS[name][0],
            "first": report.overall.coefficients[name],
            "now": after.coefficients[name],
        }
        for name in SHOWN
    ]
    return {"second_looks": {"lines": lines, "note": NOTE}}


def _value(report: AgreementReport) -> dict[str, Any] | None:
    """Labels that know of each other are no sample of independent labels: no errors and no intervals."""
    after = agreement_after(report)
    if after is None:
        return None
    found = after.as_dict()["coefficients"]
    return {
        "labels": report.again,
        "issues": report.looked_at_again,
        "coefficients": {
            name: {"value": one["value"], "reason": one["reason"]} for name, one in found.items()
        },
    }


def _figures(found: dict[str, Any]) -> KeyedFigures:
    yield from plain("second-look", "all", found, "labels", "issues")
    for name, one in found["coefficients"].items():
        yield FigureKey("second-look", "all", name), Figure(one["value"])


SECOND_LOOKS = Section(
    key="second-looks",
    title=gettext_lazy("Agreement after second looks"),
    columns=(
        COEFFICIENT,
        Column("first_labels", gettext_lazy("First labels")),
        REASON,
        Column("now", gettext_lazy("After second looks, not independent")),
        Column("reason_now", gettext_lazy("Note on the labels after second looks"), words=reasons),
    ),
    rows=_rows,
    note=NOTE,
    card=Card("reports/agreement/_second_looks.html", _card),
    json=JsonPart(
        "second_look",
        _value,
        _figures,
        parts={"second-look": gettext_lazy("After second looks")},
        names={
            **{key: name for key, (name, _hint) in COEFFICIENTS.items()},
            "labels": gettext_lazy("Labels of a second look"),
        },
    ),
)
