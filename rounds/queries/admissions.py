"""Who labelled in a round without a passed training, because a lead let them in."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, Max, OuterRef

from rounds.models import Label, Round, RoundVolunteer
from rounds.queries.blindness import NOTHING, WithheldIssues
from rounds.queries.rounds import revealed
from rounds.queries.training import training_results


@dataclass(frozen=True)
class Admission:
    """A volunteer who was let in; `volunteer` and `by` are pseudonyms. `reason` is "" if nobody was asked."""

    volunteer: str
    at: datetime
    by: str
    reason: str


@dataclass(frozen=True)
class Admissions:
    """The volunteers who were `let_in` and have revealed labels in a round, `of` all who have such labels."""

    let_in: tuple[Admission, ...] = ()
    of: int = 0


NOBODY = Admissions()


def admissions(round_: Round, *, blind: WithheldIssues = NOTHING) -> Admissions:
    """Who labelled complete, revealed issues without a passed training; `blind` issues do not count.

    Volunteers who had passed a training that is closed, when a lead let them in, are not named. No query if
    the round asks for no training, else one; two more if somebody was let in and the training is closed.
    """
    if round_.training_id is None:
        return NOBODY
    issues = revealed(round_).filter(completed_at__isnull=False, issue=OuterRef("issue"))
    issues = issues if blind.query.is_empty() else issues.exclude(pk__in=blind.values("pk"))
    labels = Label.objects.filter(round=round_, volunteer=OuterRef("member"), surplus=False)
    found = RoundVolunteer.objects.filter(Exists(labels.filter(Exists(issues))), round=round_)
    seats = list(found.select_related("member", "admitted_by").order_by("column"))
    let_in = [seat for seat in seats if seat.admitted_at is not None]
    passed = _passed_before(round_, let_in)
    return Admissions(
        tuple(
            Admission(
                seat.member.pseudonym, seat.admitted_at, seat.admitted_by.pseudonym, seat.admitted_reason
            )
            for seat in let_in
            if seat.admitted_at and seat.admitted_by and seat.member_id not in passed
        ),
        len(seats),
    )


def _passed_before(round_: Round, let_in: list[RoundVolunteer]) -> set[int]:
    """The ids of members who had passed the training of the round when they were let in. While it is not
    closed, nobody may learn who passed.
    """
    training = round_.training
    if not let_in or training is None or training.closed_at is None:
        return set()
    members = [seat.member_id for seat in let_in]
    results = training_results([(training.pk, member) for member in members])
    last = dict(
        Label.objects.filter(round=training, volunteer__in=members)
        .order_by()
        .values_list("volunteer")
        .annotate(last=Max("submitted_at"))
    )
    return {
        seat.member_id
        for seat in let_in
        if seat.admitted_at
        and results[training.pk, seat.member_id].passed
        and last[seat.member_id] <= seat.admitted_at
    }
