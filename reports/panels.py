"""What this room adds to pages of other rooms: the false positives among the issues that keywords found."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from core import panels
from ingest.models import KeywordList, KeywordListVersion
from reports.queries.keyword_false_positives import keyword_false_positives
from rounds.queries.blindness import Reader
from studies.models import Membership, Study
from studies.rules import may_read_revealed


def register() -> None:
    panels.register("keyword_list", false_positives)


def false_positives(
    request: HttpRequest,
    *,
    study: Study,
    membership: Membership | None,
    keyword_list: KeywordList,
    version: KeywordListVersion,
) -> str:
    """The terms of a version by their false positives, highest rates first; "" without a screening."""
    found = keyword_false_positives(version, Reader(membership)) if may_read_revealed(membership) else None
    if found is None:
        return ""
    terms = [one for one in found.terms if one.decided]
    context = {
        "study": study,
        "list": keyword_list,
        "version": version,
        "found": found,
        "terms": sorted(terms, key=lambda one: (-one.excluded / one.decided, -one.decided)),
    }
    return render_to_string("reports/screening/_keywords.html", context, request)
