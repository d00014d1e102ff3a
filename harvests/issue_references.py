"""Harvests fetched issues, too: these stay when the file that first brought them is taken back. A single
issue may go; the next selection of its harvest brings it back.
"""

from django.db.models import QuerySet
from django.utils.translation import ngettext

from core.templatetags.crosscheck import count
from harvests.models import HarvestedIssue
from ingest.models import Issue
from ingest.queries.references import forgets, refers


def register() -> None:
    refers("harvests.HarvestedIssue", _is_harvested, of_imports_only=True)
    forgets(_forget)


def _forget(issues: QuerySet[Issue]) -> None:
    HarvestedIssue.objects.filter(issue__in=issues.values("pk")).update(issue=None)


def _is_harvested(number: int, _name: str) -> str:
    told = ngettext("a harvest has kept %(n)s issue, too", "harvests have kept %(n)s issues, too", number)
    return told % {"n": count(number)}
