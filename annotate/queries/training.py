"""How far a volunteer's training is. Everything here is their own: it depends on nobody else's label."""

from dataclasses import dataclass

from django.db import connection

from annotate.models import Round, RoundVolunteer
from annotate.queries.categories import ROLLED_UP
from studies.models import Membership

_RESULT = f"""
    WITH deep AS ({ROLLED_UP})
    SELECT count(*), count(l.id), count(*) FILTER (WHERE mine.at_depth = answer.at_depth)
    FROM annotate_answer a
    LEFT JOIN annotate_label l
      ON l.round_id = a.round_id AND l.issue_id = a.issue_id AND l.volunteer_id = %(member)s
    LEFT JOIN deep mine ON mine.category_id = l.category_id
    LEFT JOIN deep answer ON answer.category_id = a.category_id
    WHERE a.round_id = %(round)s
"""


@dataclass(frozen=True)
class TrainingResult:
    """A volunteer in a training round: `right` of `done` labels match the answer, of `total` answers.

    Compared at the round's depth; an open label matches nothing.
    """

    total: int
    done: int
    right: int
    pass_mark: int | None

    @property
    def percent(self) -> float:
        """Of all answers, 0 to 100."""
        return 100 * self.right / self.total if self.total else 0

    @property
    def is_finished(self) -> bool:
        return self.total > 0 and self.done == self.total

    @property
    def passed(self) -> bool:
        """All are labelled, and as many as the lead asks for are right."""
        return self.is_finished and (
            self.pass_mark is None or 100 * self.right >= self.pass_mark * self.total
        )


def training_result(round_: Round, member: Membership) -> TrainingResult:
    """How far the member is in a training round. One query."""
    with connection.cursor() as cursor:
        cursor.execute(
            _RESULT,
            {"round": round_.pk, "member": member.pk, "version": round_.version_id, "depth": round_.depth},
        )
        total, done, right = cursor.fetchone()
    return TrainingResult(total=total, done=done, right=right, pass_mark=round_.pass_mark)


def training_to_pass(round_: Round, volunteer: RoundVolunteer) -> Round | None:
    """The training that this volunteer has still to pass before the round opens to them, None without one.

    No query where the round asks for none, or a lead let them in.
    """
    if round_.training_id is None or volunteer.admitted_at is not None:
        return None
    training = Round.objects.get(pk=round_.training_id)
    return None if training_result(training, volunteer.member).passed else training
