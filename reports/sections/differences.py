"""Differences that a report invites to read: each with its interval, and corrected for how many there are."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from django.utils.translation import gettext_lazy

from agreement import Agreement, Coefficient, Difference, adjusted, between
from reports.agreement_report import AgreementReport, computed_once
from reports.frozen.figures import KeyedFigures, estimate, plain
from reports.queries.by_guideline import kappa_by_guideline
from reports.sections import columns
from reports.sections.section import Card, JsonPart, PageQuery, Section
from reports.sections.volunteers import effects, volunteers
from reports.sentences.numbers import doubts

MOST = 20
"""Repositories with the most issues, which are compared with each other: 190 pairs."""
SHOWN = 15
"""Pairs of repositories on the page, the smallest p first; the files have all of them."""


@dataclass(frozen=True)
class Compared:
    """Fleiss' kappa of `first` less that of `second`: names of volunteers, repositories, rounds or
    versions of the guideline ("v2").

    `kind` "volunteers": the kappa of all without the volunteer `first`, less that of all, whose `second` is
    "all". `issues` of both; for volunteers the issues of all are the same issues.
    """

    kind: str
    first: str
    second: str
    issues: tuple[int, int]
    found: Difference


@computed_once
def differences(report: AgreementReport) -> tuple[Compared, ...]:
    """Each volunteer left out, repositories two by two, this round against each other round, and issues
    labelled by one version of the guideline against those of the version before.

    Holm's correction is for each of the four by itself. The queries of `kappa_by_guideline`.
    """
    return (*_volunteers(report), *_repositories(report), *_rounds(report), *_guidelines(report))


def _volunteers(report: AgreementReport) -> Iterator[Compared]:
    found, issues = effects(report), report.overall.issues
    for one in volunteers(report):
        yield Compared("volunteers", report.columns[one.column], "all", (issues, issues), found[one.column])


def _repositories(report: AgreementReport) -> list[Compared]:
    named = [_kappa(group.key["repository"], group.agreement) for group in report.by("repository")]
    most = sorted(named, key=lambda each: (-each[1], each[0]))[:MOST]
    return _apart("repositories", list(combinations(most, 2)))


def _rounds(report: AgreementReport) -> list[Compared]:
    own = _kappa(report.round.name, report.overall)
    others = [
        _kappa(one.round.name, one.agreement)
        for one in report.rounds
        if one.agreement and one.round.pk != report.round.pk
    ]
    return _apart("rounds", [(own, other) for other in others])


def _guidelines(report: AgreementReport) -> list[Compared]:
    found = [(f"v{number}", *one) for number, one in kappa_by_guideline(report).items()]
    return _apart("guidelines", [(after, before) for before, after in pairwise(found)])


Named = tuple[str, int, Coefficient]
"""A group of issues: its name, its number of issues, and Fleiss' kappa."""


def _kappa(name: str, found: Agreement) -> Named:
    return name, found.issues, found.coefficients["fleiss_kappa"]


def _apart(kind: str, pairs: list[tuple[Named, Named]]) -> list[Compared]:
    found = adjusted([between(one[2], other[2], (one[1], other[1])) for one, other in pairs])
    return [
        Compared(kind, one[0], other[0], (one[1], other[1]), difference)
        for (one, other), difference in zip(pairs, found, strict=True)
    ]


def _rows(report: AgreementReport) -> Iterator[list[object]]:
    for one in differences(report):
        found = one.found
        why = found.reason or found.doubt
        numbers = (found.value, found.se, found.low, found.high, found.p, found.adjusted)
        yield [one.kind, one.first, one.second, *one.issues, *numbers, why and why.text]


def _as_list(report: AgreementReport) -> list[dict[str, Any]]:
    return [
        {
            "comparison": one.kind,
            "first": one.first,
            "second": one.second,
            "first_issues": one.issues[0],
            "second_issues": one.issues[1],
            **one.found.as_dict(),
        }
        for one in differences(report)
    ]


def _figures(found: list[dict[str, Any]]) -> KeyedFigures:
    """The figures of all differences but those of rounds, which frozen reports do not read."""
    for one in found:
        if one["comparison"] != "rounds":
            of = f"{one['first']} − {one['second']}"
            yield estimate("differences", of, "difference", one)
            yield from plain("differences", of, one, "adjusted")


def _card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any] | None:
    """Rounds, guidelines and repositories; volunteers have their difference in their own card."""
    found = differences(report)
    rounds = [one for one in found if one.kind == "rounds"]
    guidelines = [one for one in found if one.kind == "guidelines"]
    pairs = sorted(
        (one for one in found if one.kind == "repositories"),
        key=lambda one: (one.found.p is None, one.found.p or 0.0),
    )
    if not rounds and not guidelines and not pairs:
        return None
    return {
        "differences": {
            "rounds": rounds,
            "guidelines": guidelines,
            "repositories": pairs[:SHOWN],
            "doubts": doubts(one.found for one in (*rounds, *guidelines, *pairs[:SHOWN])),
            "more": len(pairs[SHOWN:]),
            "pairs": len(pairs),
        }
    }


_KIND = columns.translated(
    {
        "volunteers": gettext_lazy("Without the volunteer"),
        "repositories": gettext_lazy("Repositories"),
        "rounds": gettext_lazy("Rounds"),
        "guidelines": gettext_lazy("Versions of the guideline"),
    }
)
DIFFERENCES = Section(
    key="differences",
    title=gettext_lazy("Differences"),
    columns=(
        columns.Column("comparison", gettext_lazy("Compared"), words=_KIND),
        columns.Column("first", gettext_lazy("First")),
        columns.Column("second", gettext_lazy("Second"), words=columns.ALL_OR_NAME),
        columns.Column("first_issues", gettext_lazy("Issues of first")),
        columns.Column("second_issues", gettext_lazy("Issues of second")),
        columns.Column("difference", gettext_lazy("Difference of κ")),
        columns.SE,
        columns.LOW,
        columns.HIGH,
        columns.P,
        columns.ADJUSTED,
        columns.REASON,
    ),
    rows=_rows,
    note=gettext_lazy(
        "Fleiss’ kappa of the first less that of the second. A volunteer: the kappa of all without this"
        " volunteer, less that of all, paired by issue. Repositories, rounds and versions of the"
        " guideline are separate groups of issues. p is corrected by Holm. Each kind of comparison is"
        " corrected by itself."
    ),
    card=Card("reports/agreement/_differences.html", _card),
    json=JsonPart(
        "differences",
        _as_list,
        _figures,
        parts={"differences": gettext_lazy("Difference %(of)s")},
        names={
            "difference": gettext_lazy("Difference of κ"),
            "adjusted": gettext_lazy("p, corrected (Holm)"),
        },
    ),
)
