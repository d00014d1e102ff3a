"""Who labelled in a round without a passed training, because a lead let them in."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, Max, OuterRef

from rounds.models import Label, PastAdmission, Round, RoundVolunteer
from rounds.queries.blindness import NOTHING, WithheldIssues
from rounds.queries.rounds import revealed
from rounds.queries.training import training_results


@dataclass(frozen=True)
class Admission:
    """One time that a volunteer was let in; `volunteer` and `by` are pseudonyms. `reason` is "" if nobody was
    asked. `until`: when a lead took it back.
    """

    volunteer: str
    at: datetime
    by: str
    reason: str
    until: datetime | None = None


@dataclass(frozen=True)
class Admissions:
    """The admissions `let_in` under which volunteers gave revealed labels in a round, in the order of the
    volunteers' columns; `of` all volunteers who have such labels.
    """

    let_in: tuple[Admission, ...] = ()
    of: int = 0

    @property
    def volunteers(self) -> list[str]:
        """The pseudonyms, each once."""
        return list(dict.fromkeys(one.volunteer for one in self.let_in))


NOBODY = Admissions()


def admissions(round_: Round, *, blind: WithheldIssues = NOTHING) -> Admissions:
    """Who labelled complete, revealed issues without a passed training; `blind` issues do not count. An
    admission that was taken back counts if a label was given under it.

    Volunteers who had passed a training that is closed, when a lead let them in, are not named. No query if
    the round asks for no training, else two; two more if somebody was let in and the training is closed.
    """
    if round_.training_id is None:
        return NOBODY
    issues = revealed(round_).filter(completed_at__isnull=False, issue=OuterRef("issue"))
    issues = issues if blind.query.is_empty() else issues.exclude(pk__in=blind.values("pk"))
    labels = Label.objects.filter(Exists(issues), round=round_, surplus=False)
    found = RoundVolunteer.objects.filter(Exists(labels.filter(volunteer=OuterRef("member"))), round=round_)
    seats = list(found.select_related("member", "admitted_by").order_by("column"))
    under_it = labels.filter(
        volunteer=OuterRef("seat__member"),
        submitted_at__range=(OuterRef("admitted_at"), OuterRef("taken_back_at")),
    )
    past = PastAdmission.objects.filter(Exists(under_it), seat__round=round_)
    given = [*past.select_related("seat__member", "admitted_by").order_by("admitted_at")]
    given += [
        PastAdmission(seat=seat, admitted_at=seat.admitted_at, admitted_by=seat.admitted_by,
                      admitted_reason=seat.admitted_reason)
        for seat in seats if seat.admitted_at and seat.admitted_by
    ]  # fmt: skip
    passed = _passed_before(round_, given)
    return Admissions(
        tuple(
            Admission(
                one.seat.member.pseudonym,
                one.admitted_at,
                one.admitted_by.pseudonym,
                one.admitted_reason,
                one.taken_back_at,
            )
            for one in sorted(given, key=lambda one: one.seat.column)
            if one not in passed
        ),
        len(seats),
    )


def _passed_before(round_: Round, given: Sequence[PastAdmission]) -> list[PastAdmission]:
    """The admissions of members who had passed the training of the round by then. While it is not closed,
    nobody may learn who passed.
    """
    training = round_.training
    if not given or training is None or training.closed_at is None:
        return []
    members = {one.seat.member_id for one in given}
    results = training_results([(training.pk, member) for member in members])
    last = dict(
        Label.objects.filter(round=training, volunteer__in=members)
        .order_by()
        .values_list("volunteer")
        .annotate(last=Max("submitted_at"))
    )
    return [
        one
        for one in given
        if results[training.pk, one.seat.member_id].passed and last[one.seat.member_id] <= one.admitted_at
    ]
