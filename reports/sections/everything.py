"""Every group with every coefficient, and the counts of what the report leaves out."""

from collections.abc import Iterator
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext_lazy

from reports.agreement_report import BY, AgreementReport
from reports.frozen.figures import Figure, FigureKey, KeyedFigures, estimate, group_name, plain
from reports.queries.label_tuples import REASONS
from reports.sections import columns
from reports.sections.section import JsonPart, Section
from reports.sentences.agreement import LEFT_OUT as LEFT_OUT_TEXTS
from reports.sentences.definitions import COEFFICIENTS


def _rows(report: AgreementReport) -> Iterator[list[object]]:
    for group in report.groups:
        found = group.agreement
        for name, coefficient in found.coefficients.items():
            of = group_name(group.key)
            yield [of, found.issues, found.raters, found.labels, name, *columns.estimate_cells(coefficient)]


def _groups(report: AgreementReport) -> list[dict[str, Any]]:
    return [
        *({"group": group.key, **group.agreement.as_dict()} for group in report.numbers.groups),
        *(one.as_dict() for one in report.rounds if one.agreement),
    ]


def _figures(groups: list[dict[str, Any]]) -> KeyedFigures:
    """The figures of all groups; groupings that frozen reports lack, such as by round, are left out."""
    for group in groups:
        if tuple(group["group"]) not in ((), *BY):
            continue
        of = group_name(group["group"])
        yield from plain("groups", of, group, "issues", "raters", "labels")
        for name, found in group["coefficients"].items():
            yield estimate("groups", of, name, found)
        for name, count in group["left_out"].items():
            # These counts change while a round continues, which is no change of the report.
            if name not in REASONS:
                yield FigureKey("left-out", of, name), Figure(count)
    for one in groups[0]["categories"]:
        # Frozen reports of before do not count issues by category.
        yield from plain("categories", one["code"], one, "labels", *({"issues"} & set(one)))
        yield estimate("categories", one["code"], "kappa", one, "kappa")


def _left_out(_report: AgreementReport, reason: str) -> str:
    return capfirst(LEFT_OUT_TEXTS[reason] % 2) if reason in LEFT_OUT_TEXTS else reason


EVERYTHING = Section(
    key="report",
    title=gettext_lazy("Every group and coefficient"),
    columns=(
        columns.GROUP,
        columns.ISSUES,
        columns.RATERS,
        columns.LABELS,
        columns.COEFFICIENT,
        *columns.ESTIMATE,
    ),
    rows=_rows,
    json=JsonPart(
        "groups",
        _groups,
        _figures,
        parts={
            "groups": gettext_lazy("Group %(of)s"),
            "left-out": gettext_lazy("Left out of %(of)s"),
            "categories": gettext_lazy("Category %(of)s"),
        },
        names={
            **{key: name for key, (name, _hint) in COEFFICIENTS.items()},
            "undecided_issues": gettext_lazy("Left out: issues without a decision"),
            "open_labels": gettext_lazy("Left out: open labels"),
            "second_look_labels": gettext_lazy("Left out: labels of a second look"),
            "labels_above_the_level": gettext_lazy("Left out: labels that stop above this level"),
        },
    ),
)
LEFT_OUT = Section(
    key="left-out",
    title=gettext_lazy("Left out"),
    columns=(
        columns.Column("reason", gettext_lazy("Note"), words=_left_out),
        columns.Column("count", gettext_lazy("Count")),
    ),
    rows=lambda report: report.overall.left_out.items(),
    in_document=False,
)
