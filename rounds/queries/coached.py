"""Issues that volunteers were coached on: a pilot discusses issues, a training shows right labels."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from core.once import once_a_page
from rounds.models import Round, RoundIssue
from rounds.queries.rounds import reveals_complete_issues
from taxonomy.models import Taxonomy

COACHING = (Round.Kind.PILOT, Round.Kind.TRAINING)
"""The kinds of rounds whose issues volunteers are coached on."""

CoachedIssues = QuerySet[RoundIssue]
NOTHING: CoachedIssues = RoundIssue.objects.none()


@dataclass(frozen=True)
class Coaching:
    """A pilot or training, and how many issues of another round volunteers were coached on in it."""

    round: Round
    issues: int


def rounds_of(taxonomy: Taxonomy | int, kinds: Iterable[str]) -> QuerySet[Round]:
    """The rounds of these kinds, of a taxonomy and of those from whose pilots it was drafted; planned,
    open or closed.
    """
    of = Q(pk=taxonomy) | Q(derived=taxonomy) | Q(derived__derived=taxonomy)
    before = Taxonomy.objects.filter(of).values("pk")
    return Round.objects.filter(version__taxonomy__in=before, kind__in=kinds).order_by("pk")


def coaching_rounds(taxonomy: Taxonomy | int) -> QuerySet[Round]:
    """The pilots and trainings of a taxonomy, as in `rounds_of`."""
    return rounds_of(taxonomy, COACHING)


def coached_issues(round_: Round) -> CoachedIssues:
    """The issues of a round that volunteers were coached on: each is also in a pilot or training of the same
    taxonomy that was opened before the issue had all of its labels in this round.

    This depends on what happened, not on what a plan left out. A training and a second look have no such
    issues: their labels count in no statistic. One small query finds the pilots and trainings. Without any,
    the result is empty and needs no query: `.query.is_empty()` is true.
    """
    coaching = _coaching(round_)
    if not coaching:
        return NOTHING
    return RoundIssue.objects.filter(_also_in(coaching, round_), round=round_)


def coached_in_report(round_: Round, blind: QuerySet[RoundIssue]) -> tuple[CoachedIssues, CoachedIssues]:
    """The coached issues that a report can leave out, and those that it counts otherwise: complete, revealed
    and not `blind`.
    """
    coached = coached_issues(round_) if reveals_complete_issues(round_) else NOTHING
    return coached, coached.filter(completed_at__isnull=False).exclude(pk__in=blind.values("pk"))


def coached_issues_in(rounds: Iterable[Round]) -> CoachedIssues:
    """`coached_issues` of several rounds. At most one small query a round."""
    return reduce(or_, map(coached_issues, rounds), NOTHING)


def coached_in(round_: Round, coaching: Round) -> CoachedIssues:
    """The issues of a round that volunteers were coached on in this pilot or training."""
    return RoundIssue.objects.filter(_also_in([coaching], round_), round=round_)


def coached_by(round_: Round) -> list[Coaching]:
    """The pilots and trainings that coached on issues of this round. At most two queries."""
    coaching = _coaching(round_)
    if not coaching:
        return []
    counts = {f"of_{one.pk}": Count("pk", filter=_also_in([one], round_)) for one in coaching}
    found = RoundIssue.objects.filter(round=round_).aggregate(**counts)
    return [Coaching(one, found[f"of_{one.pk}"]) for one in coaching if found[f"of_{one.pk}"]]


@once_a_page
def _coaching(round_: Round) -> list[Round]:
    """The pilots and trainings that can have coached; for a plan also those that are plans themselves."""
    if round_.kind in Round.APART:
        return []
    found = coaching_rounds(round_.version.taxonomy_id).exclude(pk=round_.pk)
    return list(found if round_.opened_at is None else found.filter(opened_at__isnull=False))


def _also_in(coaching: Iterable[Round], round_: Round) -> Q:
    found = RoundIssue.objects.filter(round__in=[one.pk for one in coaching], issue=OuterRef("issue"))
    # While a round hides which issues are complete, no number may depend on that.
    if not reveals_complete_issues(round_):
        return Q(Exists(found))
    before = found.filter(round__opened_at__lt=OuterRef("completed_at"))
    return Q(Exists(found), completed_at=None) | Q(Exists(before))
