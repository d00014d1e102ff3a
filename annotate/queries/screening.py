"""What a screening kept and what it excluded."""

from django.db.models import Exists, OuterRef, QuerySet

from annotate.models import Round
from annotate.queries.categories import codebook
from annotate.queries.rounds import standing_decisions
from ingest.models import Issue


def kept_issues(round_: Round) -> QuerySet[Issue]:
    """The issues of a screening that stay: all but those that a standing, revealed decision excludes."""
    book = codebook(round_.version_id)
    top = book.states.get(round_.excludes_id or 0)
    excluding = book.below(top.code) if top else []
    out = standing_decisions(round_).filter(category__in=excluding, issue=OuterRef("pk"))
    return Issue.objects.filter(in_rounds__round=round_).exclude(Exists(out))
