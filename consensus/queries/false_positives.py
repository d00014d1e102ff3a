"""The false positives beside a round: issues that a screening excluded and the round does not have."""

from collections import Counter
from functools import reduce
from operator import or_

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from consensus.models import Decision
from rounds.models import Round, RoundIssue
from rounds.queries.blindness import NOTHING, Reader
from rounds.queries.rounds import revealed
from taxonomy.queries.codebooks import Codebook, codebooks


def false_positives(round_: Round, reader: Reader) -> Counter[int] | None:
    """Repository id to its number of excluded issues; None without a screening. At most four queries."""
    found = excluded(round_, reader)
    if found is None:
        return None
    counted = found.values("issue__repository").annotate(issues=Count("issue", distinct=True))
    return Counter(dict(counted.values_list("issue__repository", "issues")))


def excluded(round_: Round, reader: Reader) -> QuerySet[Decision] | None:
    """The decisions of screenings that exclude an issue; None without a screening.

    Only standing decisions on revealed issues count. Issues of the round itself, and issues that are withheld
    from the reader, are left out.
    """
    screenings = Round.objects.filter(
        study=round_.study_id, kind=Round.Kind.SCREENING, opened_at__isnull=False, excludes__isnull=False
    ).exclude(pk=round_.pk)
    rounds = list(screenings)
    if not rounds:
        return None
    books = codebooks({one.version_id for one in rounds})
    excluding = reduce(
        or_, (Q(round=one, category__in=_excluding(one, books[one.version_id])) for one in rounds)
    )
    place = {"round": OuterRef("round"), "issue": OuterRef("issue")}
    shown = reduce(or_, map(revealed, rounds), NOTHING)
    blind = reader.withheld_issues(rounds)
    decisions = Decision.objects.filter(excluding, Exists(shown.filter(**place)), superseded_at=None)
    own = RoundIssue.objects.filter(round=round_, issue=OuterRef("issue"))
    return decisions.exclude(Exists(blind.filter(**place))).exclude(Exists(own))


def _excluding(screening: Round, book: Codebook) -> list[int]:
    return book.by_id.chosen_as(book.below(screening.excludes_id or 0))
