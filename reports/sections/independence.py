"""Whether labels look independent: what was enforced, and the signs that a search found."""

from collections.abc import Iterator
from typing import Any

from django.utils import translation
from django.utils.translation import gettext_lazy

from agreement import Sign
from ingest.models import Issue
from reports.agreement_report import AgreementReport
from reports.frozen.figures import KeyedFigures, plain
from reports.queries.independence import leading_volunteers, suspicions
from reports.sections.columns import ISSUES, REPOSITORY, Column, P
from reports.sections.section import JsonPart, Section
from reports.sentences.independence import sign_of_dependence
from reports.sentences.numbers import probability
from rounds.models import Round

NOTE = gettext_lazy(
    "A sign is a reason to look closer, not a proof: labels, or decisions, do not look independent. In"
    " simulations, fewer than 1 in 1,000 reports had a false sign if volunteers erred independently within"
    " each category. One very skilled volunteer, issues sorted by topic, or volunteers who know different"
    " areas of one category can also give a sign."
)
"""How to read a sign."""


@translation.override("en")
def _in_english(sign: Sign, report: AgreementReport) -> str:
    return sign_of_dependence(sign, report.columns)


def _in_words(report: AgreementReport, text: str) -> str:
    """The sentence of a cell in the reader's language."""
    found = (sign for sign, _first in suspicions(report) if _in_english(sign, report) == text)
    return next((sign_of_dependence(sign, report.columns) for sign in found), text)


def _rows(report: AgreementReport) -> Iterator[list[object]]:
    for sign, _first in suspicions(report):
        yield [sign.part, _in_english(sign, report), sign.issues, sign.p, sign.adjusted]


def _as_dict(report: AgreementReport) -> dict[str, Any]:
    """What was enforced, and the signs. `found` and `signs` are None if columns are not volunteers."""
    imported = report.round.is_imported
    return {
        "labels": "imported" if imported else "blind",
        "hidden_until": None if imported else Round.Reveal(report.round.reveal).value,
        "led_the_study": [] if imported else leading_volunteers(report),
        "found": len(suspicions(report)) if report.columns else None,
        "signs": signs_as_list(report),
    }


def signs_as_list(report: AgreementReport) -> list[dict[str, Any]] | None:
    """The signs, with the address of the first issue of a run; None if columns are not volunteers."""
    if not report.columns:
        return None
    signs = suspicions(report)
    urls = dict(
        Issue.objects.filter(pk__in=[first for _sign, first in signs if first]).values_list("pk", "url")
    )
    return [
        {
            "repository": sign.part,
            "sign": sign.kind.name.lower(),
            "text": _in_english(sign, report),
            "volunteers": [report.columns[rater] for rater in sign.raters],
            "issues": sign.issues,
            "observed": sign.observed,
            "reference": sign.reference,
            "differing": sign.differing,
            "first_issue": urls[first] if first else None,
            "p": sign.p,
            "adjusted": sign.adjusted,
        }
        for sign, first in signs
    ]


def _figures(found: dict[str, Any]) -> KeyedFigures:
    yield from plain("independence", "all", found, "found")


INDEPENDENCE = Section(
    key="independence",
    title=gettext_lazy("Signs of dependence"),
    columns=(
        REPOSITORY,
        Column("sign", gettext_lazy("Sign"), words=_in_words),
        ISSUES,
        P,
        Column("adjusted", gettext_lazy("p after Holm"), digits=probability),
    ),
    rows=_rows,
    note=NOTE,
    json=JsonPart(
        "independence",
        _as_dict,
        _figures,
        parts={"independence": gettext_lazy("Independence, %(of)s")},
        names={"found": gettext_lazy("Signs of dependence")},
    ),
)
