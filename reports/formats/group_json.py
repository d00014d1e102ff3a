"""One group of an agreement report as JSON: everything that the report says of all issues, for this group."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from django.db.models import Q
from django.utils import translation

from agreement import Bootstrap
from ingest.queries.issues import repository_names
from reports.agreement_report import AgreementReport, numbers_of
from reports.errors import NoSuchGroup
from reports.formats.json_report import of_report
from reports.level_agreement import choosable_at
from reports.sections.coefficients import resampled
from reports.sections.independence import signs_as_list
from reports.sections.probable import probable_as_dict
from reports.sections.registry import JSON_PARTS
from rounds.models import RoundIssue
from rounds.queries.blindness import WithheldIssues
from taxonomy.models import Level

GROUPED_BY = ("type", "category", "repository", "month")
"""What a group has in common: one of these, or several at once."""
PARTS = ("splits", "pairs", "confusion", "against_decision", "volunteers")
ON_REQUEST = ("bootstrap", "signs", "probable")
"""Parts that take seconds in a large study."""


def group_report(report: AgreementReport, key: Mapping[str, str]) -> AgreementReport:
    """The report of one of its groups alone. The report is `by=[list(key)]`; the key {} has all issues.
    NoSuchGroup for a group without issues.
    """
    group = next((group for group in report.numbers.groups if group.key == dict(key)), None)
    if group is None:
        raise NoSuchGroup
    found, chosen = report.numbers.labels, group.rows
    part = replace(
        found,
        codes=found.codes[chosen],
        counts=found.counts[chosen],
        decided=found.decided[chosen],
        repositories=found.repositories[chosen],
        months=found.months[chosen],
        edition=None,
    )
    categories, q = report.numbers.patterns.categories, choosable_at(found, report.level)
    alone = replace(group, rows=...)
    return replace(
        report,
        numbers=numbers_of(part, report.numbers.places, categories, q, (alone,)),
        blind=report.blind | _others(report, key),
    )


def _others(report: AgreementReport, key: Mapping[str, str]) -> WithheldIssues:
    """The issues of the round that are not in the group."""
    book, within = report.codebook, Q()
    for name, value in key.items():
        if name == "repository":
            names = repository_names(report.round.study_id)
            within &= Q(issue__repository__in=[pk for pk, called in names.items() if called == value])
        elif name == "month":
            start = np.datetime64(value, "M")
            first, end = (f"{month.astype('datetime64[D]')}T00:00:00Z" for month in (start, start + 1))
            within &= Q(
                Q(first_revealed_at__gte=first, first_revealed_at__lt=end)
                | Q(first_revealed_at=None, completed_at__gte=first, completed_at__lt=end)
            )
        else:
            above = book.rolled_up(Level.TYPE if name == "type" else report.level)
            top = book.by_code[value].category_id
            within &= Q(decided__in=[category for category, at in above.items() if at == top])
    every = RoundIssue.objects.filter(round=report.round)
    return every.exclude(pk__in=every.filter(within).values("pk"))


@translation.override("en")
def group_as_dict(report: AgreementReport, key: Mapping[str, str], more: Collection[str]) -> dict[str, Any]:
    """The numbers of a group at full precision. `more` names parts of ON_REQUEST."""
    found = group_report(report, key)
    parts = {part.key: part for part in JSON_PARTS}
    answer = {
        **of_report(report),
        "group": dict(key),
        **found.overall.as_dict(),
        **{name: parts[name].value(found) for name in PARTS},
    }
    if "bootstrap" in more:
        answer["bootstrap"] = _bootstrap(resampled(found))
    if "signs" in more:
        answer["signs"] = signs_as_list(found)
    if "probable" in more:
        answer["probable"] = probable_as_dict(found)
    return answer


def _bootstrap(found: Bootstrap) -> dict[str, Any]:
    return {
        "seed": found.seed,
        "replicates": found.replicates,
        "intervals": {name: interval and vars(interval) for name, interval in found.intervals.items()},
    }
