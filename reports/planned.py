"""Which number of a report was fixed beforehand: a room above knows the plan, and registers itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from core.once import once_a_page
from reports.agreement_report import LEVELS, AgreementReport, computed_once, level_name
from reports.sentences.definitions import COEFFICIENTS
from rounds.models import Round

PLANNED, EXPLORATORY = "planned", "exploratory"


@dataclass(frozen=True)
class Planned:
    """What a version of the protocol fixed for a round. `level` and `coefficient` are "" where it fixed none.
    `is_before`: the version was frozen before the round was opened.
    """

    version: int
    level: str
    coefficient: str
    is_before: bool
    url: str


Find = Callable[[Round], Planned | None]
_finders: list[Find] = []


def register(find: Find) -> None:
    """Register what finds the plan of a round."""
    _finders.append(find)


@once_a_page
def planned_of(round_: Round) -> Planned | None:
    """What was fixed for a main round; None for others, and without a frozen protocol. One query."""
    if round_.kind != Round.Kind.MAIN or round_.is_imported:
        return None
    return next((found for find in _finders if (found := find(round_))), None)


@computed_once
def planned_in(report: AgreementReport) -> Planned | None:
    """`planned_of` the round of this report, asked once."""
    return planned_of(report.round)


def mark(report: AgreementReport, coefficient: str, planned: Planned | None) -> str:
    """Was this coefficient of all issues planned at the level of the report? "" without a protocol."""
    if planned is None:
        return ""
    level = level_name(report.level)
    is_planned = planned.is_before and (planned.level, planned.coefficient) == (level, coefficient)
    return PLANNED if is_planned and not report.without_coached else EXPLORATORY


def in_words(mark_: str) -> str:
    return {
        PLANNED: pgettext("number of a report", "planned"),
        EXPLORATORY: pgettext("number of a report", "exploratory"),
    }.get(mark_, "")


def as_dict(report: AgreementReport) -> dict[str, Any]:
    """For the JSON: the protocol, and the mark of each coefficient of all issues; {} without a protocol."""
    planned = planned_in(report)
    if planned is None:
        return {}
    return {
        "protocol": {
            "version": planned.version,
            "frozen_before_opening": planned.is_before,
            "level": planned.level or None,
            "coefficient": planned.coefficient or None,
            "marks": {name: mark(report, name, planned) for name in COEFFICIENTS},
        }
    }


def sentence(report: AgreementReport, planned: Planned | None) -> str:
    """What was fixed beforehand; "" for a round that no protocol is about."""
    if planned is None:
        if report.round.kind != Round.Kind.MAIN or report.round.is_imported:
            return ""
        return _("Nothing was fixed beforehand: the study has no frozen protocol.")
    if not planned.level or not planned.coefficient:
        return _("Protocol version %(n)s names no number to report first. All numbers are exploratory.") % {
            "n": planned.version
        }
    named = {
        "n": planned.version,
        "coefficient": COEFFICIENTS[planned.coefficient][0],
        "level": LEVELS[planned.level].label,
    }
    told = _("Protocol version %(n)s names %(coefficient)s at the %(level)s level.") % named
    if not planned.is_before:
        late = _("This version was frozen after the round was opened. All numbers are exploratory.")
        return f"{told} {late}"
    if mark(report, planned.coefficient, planned) == PLANNED:
        return f"{told} {_('All other numbers are exploratory.')}"
    return f"{told} {_('All numbers of this report are exploratory.')}"
