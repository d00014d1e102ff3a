"""When each volunteer dissented alone in their order of labelling: it shows tiredness and learning."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agreement import MISSING, Stretch, dissents_by_place, lone_dissents
from drawing.axes import px
from reports.agreement_report import AgreementReport, computed_once
from reports.level_agreement import places_at
from reports.queries.labelling_order import ways
from reports.sections.columns import ISSUES, SHARE, VOLUNTEER, Column
from reports.sections.section import Card, PageQuery, Section
from reports.sentences.numbers import percent

TENTHS = 10
WIDTH, HEIGHT, GAP = 14.0, 28.0, 2.0


@dataclass(frozen=True)
class VolunteerWay:
    """The tenths of one volunteer's labels in order, or of all volunteers together (`volunteer` "")."""

    volunteer: str
    labels: int
    stretches: tuple[Stretch, ...]

    @property
    def issues(self) -> int:
        """How many of the volunteer's issues all others, two or more, agree on."""
        return sum(stretch.issues for stretch in self.stretches)

    @property
    def alone(self) -> int:
        return sum(stretch.alone for stretch in self.stretches)


@computed_once
def dissents(report: AgreementReport) -> tuple[VolunteerWay, ...]:
    """How often each volunteer dissented alone in each tenth of their labels, in the order of columns; then
    all volunteers together. () without labels on complete, revealed issues.

    Labels are in the order of submission, over the issues that the report counts. It takes about a second for
    a full study, so the page shows it on request. Two queries.
    """
    found = ways(report.round, report.codebook, report.blind, had_looks=report.had_looks)
    codes = np.append(places_at(report.codebook, report.level), np.int32(MISSING))[found.codes]
    base, alone = lone_dissents(codes)
    answer = []
    for column, volunteer in enumerate(found.volunteers):
        order, at = found.order[:, column], base[:, column]
        labels = int((order != MISSING).sum())
        if labels:
            stretches = dissents_by_place(order[at], alone[at, column], of=labels, parts=TENTHS)
            answer.append(VolunteerWay(volunteer, labels, stretches))
    if not answer:
        return ()
    everybody = tuple(
        Stretch(sum(one.issues for one in tenth), sum(one.alone for one in tenth))
        for tenth in zip(*(way.stretches for way in answer), strict=True)
    )
    return (*answer, VolunteerWay("", sum(way.labels for way in answer), everybody))


def _rows(report: AgreementReport) -> Iterator[list[object]]:
    for way in dissents(report):
        for tenth, one in enumerate(way.stretches, start=1):
            yield [way.volunteer or "all", tenth, one.issues, one.alone, _share(one)]


def _card(report: AgreementReport, asked: PageQuery) -> dict[str, Any]:
    """`dissents`: a row of bars per volunteer and a row for all; None unless the address requests them."""
    if asked.get("dissents") != "yes":
        return {"dissents": None}
    found = dissents(report)
    most = max((_share(one) or 0.0 for way in found for one in way.stretches), default=0.0) or 1.0
    return {"dissents": [_card_row(way, most) for way in found]}


def _card_row(way: VolunteerWay, most: float) -> dict[str, Any]:
    return {
        "name": way.volunteer or _("All"),
        "is_all": not way.volunteer,
        "labels": way.labels,
        "alone": way.alone,
        "issues": way.issues,
        "share": _text(Stretch(way.issues, way.alone)),
        "first": _text(way.stretches[0]),
        "last": _text(way.stretches[-1]),
        "said": ", ".join(_text(stretch) for stretch in way.stretches),
        "bars": [_bar(at, stretch, most) for at, stretch in enumerate(way.stretches)],
    }


def _bar(at: int, stretch: Stretch, most: float) -> dict[str, str]:
    """The bar of a tenth: one unit high without a dissent, no height without an issue."""
    share = _share(stretch)
    height = 0.0 if share is None else max(1.0, share / most * HEIGHT)
    return {
        "x": px(at * (WIDTH + GAP)),
        "y": px(HEIGHT - height),
        "width": px(WIDTH),
        "height": px(height),
        "said": _("%(alone)s of %(issues)s")
        % {"alone": f"{stretch.alone:,}", "issues": f"{stretch.issues:,}"},
    }


def _share(stretch: Stretch) -> float | None:
    return stretch.alone / stretch.issues if stretch.issues else None


def _text(stretch: Stretch) -> str:
    share = _share(stretch)
    return "–" if share is None else percent(share)


DISSENTS = Section(
    key="dissents",
    title=gettext_lazy("When one volunteer differed from all others, by tenth of labels"),
    columns=(
        VOLUNTEER,
        Column("tenth", gettext_lazy("Tenth")),
        ISSUES,
        Column("alone", gettext_lazy("Alone")),
        SHARE,
    ),
    rows=_rows,
    card=Card("reports/agreement/_dissents.html", _card),
)
