"""The false positives among the issues that the terms of a keyword list found, as a file."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from core.numbers import number_asked
from ingest.queries.keyword_lists import lists_for, versions_of
from reports.file_responses import attached
from reports.formats.tables import Table, as_csv
from reports.queries.keyword_false_positives import FalsePositives, keyword_false_positives
from rounds.queries.blindness import Reader
from studies.pages import study_of
from studies.rules import may_read_revealed

COLUMNS = ("term", "kind", "screened", "false_positives", "rate", "low", "high")


@require_safe
def keyword_false_positives_csv(request: AuthedRequest, slug: str, list_id: int) -> HttpResponse:
    """Send a row for each term of a version, and one for all. Http404 without a screening."""
    study, member = study_of(request, slug, may_read_revealed)
    shown = get_object_or_404(lists_for(request.user).filter(study=study), pk=list_id)
    number = number_asked(request.GET, "version", digits=6)
    versions = versions_of(shown)
    version = get_object_or_404(versions, number=number) if number else versions[0]
    found = keyword_false_positives(version, Reader(member))
    if found is None:
        raise Http404
    text = as_csv(Table.of(COLUMNS, map(_cells, (*found.terms, found.whole))))
    name = f"{slugify(shown.name) or 'keywords'}-{version.number}-false-positives.csv"
    return attached(text, name, withheld=found.withheld)


def _cells(one: FalsePositives) -> tuple[object, ...]:
    rate = one.rate
    estimates = (rate.value, rate.low, rate.high) if rate else (None, None, None)
    term = (one.term.text, one.term.kind) if one.term else ("", "all")
    return (*term, one.decided, one.excluded, *estimates)
