"""What a round waits for: the rounds of earlier stages of its study that are still open."""

from rounds.models import Round

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
