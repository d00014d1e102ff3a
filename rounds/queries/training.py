"""How far volunteers are in a training, from their own labels alone. The comparison of a whole team is in
reports.queries.calibration.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.db import connection

from ingest.models import Issue
from rounds.models import Answer, Round, RoundIssue, RoundVolunteer
from rounds.queries.blindness import seen_by
from rounds.queries.rounds import volunteers
from studies.models import Membership

# Maps the categories of each training's version to its depth, like ROLLED_UP in `categories`.
_DEEP = """
    deep AS (
        SELECT r.id AS round_id, s.category_id,
               CASE WHEN s.level <= r.depth THEN s.category_id
                    WHEN s.level = r.depth + 1 THEN s.parent_id
                    ELSE p.parent_id END AS at_depth
        FROM rounds_round r
        JOIN taxonomy_categorystate s ON s.version_id = r.version_id
        LEFT JOIN taxonomy_categorystate p ON p.version_id = s.version_id AND p.category_id = s.parent_id
        WHERE r.id = ANY(%(rounds)s)
    )
"""
_RESULTS = f"""
    WITH asked AS (SELECT * FROM unnest(%(rounds)s::bigint[], %(members)s::bigint[]) a (round_id, member_id)),
    {_DEEP}
    SELECT r.id, asked.member_id, r.pass_mark, count(a.id), count(l.id),
           count(*) FILTER (WHERE mine.at_depth = answer.at_depth),
           count(*) FILTER (WHERE a.given_by_id = asked.member_id)
    FROM asked
    JOIN rounds_round r ON r.id = asked.round_id
    LEFT JOIN rounds_answer a ON a.round_id = r.id
    LEFT JOIN rounds_label l
      ON l.round_id = a.round_id AND l.issue_id = a.issue_id AND l.volunteer_id = asked.member_id
    LEFT JOIN deep mine ON mine.round_id = r.id AND mine.category_id = l.category_id
    LEFT JOIN deep answer ON answer.round_id = r.id AND answer.category_id = a.category_id
    GROUP BY r.id, asked.member_id, r.pass_mark
"""

_MISSED = f"""
    WITH {_DEEP}
    SELECT a.issue_id, count(l.id), count(*) FILTER (WHERE mine.at_depth IS DISTINCT FROM answer.at_depth)
    FROM rounds_answer a
    JOIN rounds_label l ON l.round_id = a.round_id AND l.issue_id = a.issue_id AND NOT l.surplus
    LEFT JOIN deep mine ON mine.round_id = a.round_id AND mine.category_id = l.category_id
    JOIN deep answer ON answer.round_id = a.round_id AND answer.category_id = a.category_id
    WHERE a.round_id = ANY(%(rounds)s)
    GROUP BY a.issue_id
"""


@dataclass(frozen=True)
class TrainingResult:
    """A volunteer in a training round: `right` of `done` labels match one of the `total` answers. Labels are
    compared at the round's depth; an open label matches nothing. `wrote` counts the answers that this
    volunteer gave as a lead.
    """

    total: int
    done: int
    right: int
    pass_mark: int | None
    wrote: int = 0

    @property
    def percent(self) -> float:
        """The share of right labels among all answers, 0 to 100."""
        return 100 * self.right / self.total if self.total else 0

    @property
    def needed(self) -> int:
        """How many labels must be right to pass."""
        return -(-(self.pass_mark or 0) * self.total // 100)

    @property
    def is_finished(self) -> bool:
        return self.total > 0 and self.done == self.total

    @property
    def passed(self) -> bool:
        """Has the volunteer labelled every issue, and enough of them right?"""
        return self.is_finished and self.right >= self.needed

    @property
    def opens(self) -> bool:
        """May the volunteer label in rounds that ask for this training: passed it, or wrote answers?"""
        return self.passed or self.wrote > 0


def training_results(asked: Collection[tuple[int, int]]) -> dict[tuple[int, int], TrainingResult]:
    """The results of these pairs of a training's id and a member's id. One query, none without pairs."""
    if not asked:
        return {}
    rounds, members = zip(*asked, strict=True)
    with connection.cursor() as cursor:
        cursor.execute(_RESULTS, {"rounds": list(rounds), "members": list(members)})
        rows = cursor.fetchall()
    return {
        (round_, member): TrainingResult(total=total, done=done, right=right, pass_mark=mark, wrote=wrote)
        for round_, member, mark, total, done, right, wrote in rows
    }


def training_result(round_: Round, member: Membership) -> TrainingResult:
    """How far the member is in a training round. One query."""
    return training_results([(round_.pk, member.pk)])[round_.pk, member.pk]


def training_to_pass(round_: Round, volunteer: RoundVolunteer) -> Round | None:
    """The training that this volunteer must pass before labelling in the round, None without one.

    A member who wrote right labels of that training may label at once. No query if the round asks for no
    training or a lead let the volunteer in; one if the volunteer may label, else two.
    """
    if round_.training_id is None or volunteer.admitted_at is not None:
        return None
    pair = (round_.training_id, volunteer.member_id)
    if training_results([pair])[pair].opens:
        return None
    return Round.objects.get(pk=round_.training_id)


@dataclass(frozen=True)
class AnswerLine:
    """One issue of a training at its position, from 1, and its right label, None until a lead gives it."""

    issue: Issue
    position: int
    answer: Answer | None


def answer_lines(
    round_: Round, *, after: int = 0, limit: int = 50, only: Issue | None = None
) -> list[AnswerLine]:
    """The issues of a training at positions above `after`, in order, with their answers; `only` this one
    issue. Two queries. For leads who do not label in the training: the lines show every right label.
    """
    places = (
        RoundIssue.objects.filter(round=round_, position__gt=after)
        .select_related("issue__repository", "issue__current")
        .defer("issue__current__body", "issue__current__comments", "issue__current__labels")
        .order_by("position")
    )
    if only is not None:
        places = places.filter(issue=only)
    shown = list(places[:limit])
    given = Answer.objects.filter(round=round_, issue__in=[place.issue_id for place in shown])
    answers = {answer.issue_id: answer for answer in given.select_related("given_by")}
    return [AnswerLine(place.issue, place.position, answers.get(place.issue_id)) for place in shown]


def answers_given(round_: Round) -> tuple[int, int]:
    """How many issues of a training have a right label, and how many issues it has. Two queries."""
    return Answer.objects.filter(round=round_).count(), RoundIssue.objects.filter(round=round_).count()


@dataclass(frozen=True)
class MissedIssue:
    """An issue of a training: `wrong` of its `labels` do not match the answer."""

    issue: Issue
    labels: int
    wrong: int


@dataclass(frozen=True)
class TrainingWatch:
    """How a training goes, for a lead: the result of each volunteer who was not taken out, in the order of
    their columns, and the issues that most labels get wrong. Numbers only: no label is in it.
    """

    results: list[tuple[RoundVolunteer, TrainingResult]]
    missed: list[MissedIssue]

    @property
    def not_passed(self) -> list[RoundVolunteer]:
        """Those who have labelled every issue, and too few right."""
        return [one for one, result in self.results if result.is_finished and not result.opens]


MOST_MISSED = 8


def training_watch(round_: Round, member: Membership) -> TrainingWatch:
    """How an opened training goes, for a lead who may watch it (`rules.may_watch_training`). Issues that the
    lead has yet to label in another round are not among the missed ones. At most six queries.
    """
    seats = list(volunteers(round_).filter(left_at=None))
    results = training_results([(round_.pk, seat.member_id) for seat in seats])
    with connection.cursor() as cursor:
        cursor.execute(_MISSED, {"rounds": [round_.pk]})
        counted = {issue: (labels, wrong) for issue, labels, wrong in cursor.fetchall() if wrong}
    places = seen_by(RoundIssue.objects.filter(round=round_, issue__in=counted), round_, member)
    shown = places.select_related("issue__repository", "issue__current").defer(
        "issue__current__body", "issue__current__comments", "issue__current__labels"
    )
    missed = [MissedIssue(place.issue, *counted[place.issue_id]) for place in shown.order_by("position")]
    return TrainingWatch(
        results=[(seat, results[round_.pk, seat.member_id]) for seat in seats],
        missed=sorted(missed, key=lambda one: -one.wrong)[:MOST_MISSED],
    )
