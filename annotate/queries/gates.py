"""What a round waits for: the rounds of earlier stages that are still open, and at last for its close."""

from collections.abc import Collection

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotate.models import Repeat
from rounds.models import Assignment, Round, RoundIssue, RoundVolunteer
from rounds.queries.rounds import once_revealed
from studies.rules import LABELLING

BEFORE: dict[str, tuple[str, ...]] = {
    Round.Kind.PILOT: (Round.Kind.SCREENING,),
    Round.Kind.TRAINING: (Round.Kind.SCREENING, Round.Kind.PILOT),
    Round.Kind.MAIN: (Round.Kind.SCREENING, Round.Kind.PILOT, Round.Kind.TRAINING),
}
"""Kind of a round to the kinds of rounds whose results it should have."""


def unfinished_before(round_: Round) -> list[Round]:
    """The open rounds of earlier stages, by stage. Opened now, the round would not have their results: what a
    screening excludes, the taxonomy that a pilot changes. A training that lets its volunteers into this round
    one by one is not among them. At most one query.
    """
    kinds = BEFORE.get(round_.kind, ())
    if not kinds:
        return []
    earlier = Round.objects.filter(
        study=round_.study_id, kind__in=kinds, opened_at__isnull=False, closed_at=None
    )
    found = earlier.exclude(pk=round_.training_id) if round_.training_id else earlier
    return sorted(found.order_by("opened_at", "pk"), key=lambda one: kinds.index(one.kind))


def rounds_to_close(studies: Collection[int]) -> list[tuple[Round, int]]:
    """The open rounds of these studies in which nobody has anything left to label, and their number of
    issues; the newest comes first. One query.

    It follows from the number of labels that leads see of each volunteer. Of a round that reveals labels only
    at its end, it does not tell which issues are complete.
    """
    of_round = {"round": OuterRef("pk")}
    unrevealed = Q(reveal=Round.Reveal.ROUND_CLOSED)
    to_come = _not_repeated().filter(**of_round)
    found = (
        Round.objects.filter(study__in=studies, opened_at__isnull=False, closed_at=None)
        .exclude(kind=Round.Kind.LOOK)  # closes by itself
        .filter(
            Exists(Assignment.objects.filter(**of_round)),
            ~Exists(Assignment.objects.filter(**of_round, submitted_at=None)),
            unrevealed | ~Exists(RoundIssue.objects.filter(**of_round, completed_at=None)),
            # An issue that is revealed does not come to anybody again.
            ~unrevealed | ~Exists(to_come),
        )
    )
    counted = found.annotate(issues=Count("round_issues")).select_related("study")
    return [(round_, round_.issues) for round_ in counted.order_by("-opened_at", "-pk")]


def repeats_awaited(round_: Round) -> int:
    """How many labels the drift check of an open round still waits for, whether they are due yet or not. One
    query, none without a drift check.
    """
    if not round_.drift_percent or not round_.is_open:
        return 0
    lost = once_revealed(round_).filter(issue=OuterRef("issue"))
    return _not_repeated().filter(~Exists(lost), round=round_).count()


def _not_repeated() -> QuerySet[Repeat]:
    """The issues that come again to a volunteer who can still label, and have no second label."""
    active = RoundVolunteer.objects.filter(
        round=OuterRef("round"),
        member=OuterRef("volunteer"),
        left_at=None,
        # Whoever can no longer label is given no issue again.
        member__left_at=None,
        member__role__in=LABELLING,
    )
    return Repeat.objects.filter(Exists(active), submitted_at=None)
