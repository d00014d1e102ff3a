"""How far a volunteer's training is, and what they see of it: all of it their own, whatever others label.

What a team shows together is in annotate.queries.calibration.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.db import connection
from django.db.models import QuerySet

from annotate.models import Answer, Comment, Label, Round, RoundIssue, RoundVolunteer
from ingest.models import Issue
from studies.models import Membership
from taxonomy.models import CategoryState
from taxonomy.queries import Codebook, codebook

# `deep` rolls the categories of each training's version up to its depth, as ROLLED_UP of categories does.
_RESULTS = """
    WITH asked AS (SELECT * FROM unnest(%(rounds)s::bigint[], %(members)s::bigint[]) a (round_id, member_id)),
    deep AS (
        SELECT r.id AS round_id, s.category_id,
               CASE WHEN s.level <= r.depth THEN s.category_id
                    WHEN s.level = r.depth + 1 THEN s.parent_id
                    ELSE p.parent_id END AS at_depth
        FROM annotate_round r
        JOIN taxonomy_categorystate s ON s.version_id = r.version_id
        LEFT JOIN taxonomy_categorystate p ON p.version_id = s.version_id AND p.category_id = s.parent_id
        WHERE r.id = ANY(%(rounds)s)
    )
    SELECT r.id, asked.member_id, r.pass_mark, count(a.id), count(l.id),
           count(*) FILTER (WHERE mine.at_depth = answer.at_depth),
           count(*) FILTER (WHERE a.given_by_id = asked.member_id)
    FROM asked
    JOIN annotate_round r ON r.id = asked.round_id
    LEFT JOIN annotate_answer a ON a.round_id = r.id
    LEFT JOIN annotate_label l
      ON l.round_id = a.round_id AND l.issue_id = a.issue_id AND l.volunteer_id = asked.member_id
    LEFT JOIN deep mine ON mine.round_id = r.id AND mine.category_id = l.category_id
    LEFT JOIN deep answer ON answer.round_id = r.id AND answer.category_id = a.category_id
    GROUP BY r.id, asked.member_id, r.pass_mark
"""


@dataclass(frozen=True)
class TrainingResult:
    """A volunteer in a training round: `right` of `done` labels match the answer, of `total` answers.

    Compared at the round's depth; an open label matches nothing. `wrote`: so many answers are their own.
    """

    total: int
    done: int
    right: int
    pass_mark: int | None
    wrote: int = 0

    @property
    def percent(self) -> float:
        """Of all answers, 0 to 100."""
        return 100 * self.right / self.total if self.total else 0

    @property
    def needed(self) -> int:
        """So many have to be right to pass."""
        return -(-(self.pass_mark or 0) * self.total // 100)

    @property
    def is_finished(self) -> bool:
        return self.total > 0 and self.done == self.total

    @property
    def passed(self) -> bool:
        """All are labelled, and as many as the lead asks for are right."""
        return self.is_finished and (
            self.pass_mark is None or 100 * self.right >= self.pass_mark * self.total
        )

    @property
    def opens(self) -> bool:
        """Does it open the rounds that ask for this training: passed, or wrote right labels of it?"""
        return self.passed or self.wrote > 0


def training_results(asked: Collection[tuple[int, int]]) -> dict[tuple[int, int], TrainingResult]:
    """The results of pairs of a training and a member, by their ids. One query, none for no pair."""
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
    """The training that this volunteer has still to pass before the round opens to them, None without one.

    Whoever wrote right labels of that training needs none. No query where the round asks for none, or a lead
    let them in; one once it is passed, else two.
    """
    if round_.training_id is None or volunteer.admitted_at is not None:
        return None
    pair = (round_.training_id, volunteer.member_id)
    if training_results([pair])[pair].opens:
        return None
    return Round.objects.get(pk=round_.training_id)


# --- what a volunteer sees once they have labelled an issue of a training


@dataclass(frozen=True)
class AnswerView:
    """One's own label of a training issue beside the lead's, and what comes next.

    `own` is None for an open label. `own_at_depth` and `lead_at_depth` are what was compared. `comments` are
    the member's own. `opens` are the rounds that ask for this training and that the member labels in.
    """

    label: Label
    answer: Answer
    own: CategoryState | None
    own_hue: int
    own_at_depth: CategoryState | None
    lead: CategoryState
    lead_hue: int
    lead_at_depth: CategoryState
    comments: list[Comment]
    result: TrainingResult
    opens: list[Round]

    @property
    def is_right(self) -> bool:
        return self.own_at_depth is not None and (
            self.own_at_depth.category_id == self.lead_at_depth.category_id
        )

    @property
    def is_the_same(self) -> bool:
        """The same category, not only the same at the round's depth."""
        return self.own is not None and self.own.category_id == self.lead.category_id


def answer_view(round_: Round, issue: Issue, member: Membership) -> AnswerView | None:
    """What the member sees of an issue of a training that they have labelled; None before they have.

    Nothing in it is another volunteer's. Six queries at most.
    """
    label = (
        Label.objects.filter(round=round_, issue=issue, volunteer=member).select_related("proposal").first()
    )
    answer = Answer.objects.filter(round=round_, issue=issue).first() if label else None
    if label is None or answer is None:
        return None
    book = codebook(round_.version_id)
    result = training_result(round_, member)
    return AnswerView(
        label=label,
        answer=answer,
        own=book.by_id[label.category_id] if label.category_id else None,
        own_hue=book.hue(label.category_id) if label.category_id else 0,
        own_at_depth=at_depth(book, label.category_id, round_.depth) if label.category_id else None,
        lead=book.by_id[answer.category_id],
        lead_hue=book.hue(answer.category_id),
        lead_at_depth=at_depth(book, answer.category_id, round_.depth),
        comments=own_comments(round_, issue, member),
        result=result,
        opens=list(opened_by(round_, member)) if result.is_finished else [],
    )


def own_comments(round_: Round, issue: Issue, member: Membership) -> list[Comment]:
    """What the member said about an issue of a training, oldest first."""
    return list(Comment.objects.filter(round=round_, issue=issue, author=member).order_by("id"))


def opened_by(training: Round, member: Membership) -> QuerySet[Round]:
    """The rounds, not closed yet, that ask for this training and that the member labels in."""
    mine = RoundVolunteer.objects.filter(member=member, left_at=None).values("round")
    return Round.objects.filter(training=training, pk__in=mine, closed_at=None).order_by("pk")


def at_depth(book: Codebook, category_id: int, depth: int) -> CategoryState:
    """The category that a label counts as: its ancestor at this level, or itself where it stops above."""
    return book.ancestor(category_id, depth) or book.by_id[category_id]


# --- what stands before a round


@dataclass(frozen=True)
class Standing:
    """How one volunteer stands in a round that gives them no turn.

    `removed`: taken out of it. `training`: to be passed first, with `first`, the result in it, and whether
    they can label in it now. `result`: their own in this round, where it is a training, with `opens`.
    """

    removed: bool = False
    training: Round | None = None
    first: TrainingResult | None = None
    may_train: bool = False
    result: TrainingResult | None = None
    opens: tuple[Round, ...] = ()


def standing(round_: Round, member: Membership) -> Standing:
    """How the member stands in a round: for the page that has no turn to show. Six queries at most."""
    volunteer = (
        RoundVolunteer.objects.filter(round=round_, member=member)
        .select_related("member__study", "member__user")
        .first()
    )
    if volunteer is None:
        return Standing()
    if volunteer.left_at is not None:
        return Standing(removed=True)
    if round_.kind == Round.Kind.TRAINING:
        if round_.opened_at is None:
            return Standing()
        result = training_result(round_, member)
        return Standing(result=result, opens=tuple(opened_by(round_, member)) if result.passed else ())
    training = training_to_pass(round_, volunteer)
    if training is None:
        return Standing()
    takes_part = RoundVolunteer.objects.filter(round=training, member=member, left_at=None).exists()
    return Standing(
        training=training,
        first=training_result(training, member),
        may_train=takes_part and training.is_open,
    )


# --- what a lead fills in before a training opens


@dataclass(frozen=True)
class AnswerLine:
    """One issue of a training, and its right label so far: None before it is given."""

    issue: Issue
    answer: Answer | None


def answer_lines(round_: Round, *, after: int = 0, limit: int = 50) -> list[AnswerLine]:
    """The issues of a training in the round's order, those at positions above `after`, with their answers.

    Two queries. For leads who do not label in it: this shows every right label.
    """
    places = (
        RoundIssue.objects.filter(round=round_, position__gt=after)
        .select_related("issue__repository", "issue__current")
        .defer("issue__current__body", "issue__current__comments", "issue__current__labels")
        .order_by("position")[:limit]
    )
    issues = [place.issue for place in places]
    given = Answer.objects.filter(round=round_, issue__in=issues).select_related("given_by")
    answers = {answer.issue_id: answer for answer in given}
    return [AnswerLine(issue, answers.get(issue.pk)) for issue in issues]


def answer_line(round_: Round, issue_id: int) -> AnswerLine | None:
    """One issue of a training with its right label; None where it is not in the round. Two queries."""
    issue = (
        Issue.objects.filter(in_rounds__round=round_, pk=issue_id)
        .select_related("repository", "current")
        .first()
    )
    if issue is None:
        return None
    answer = Answer.objects.filter(round=round_, issue=issue).select_related("given_by").first()
    return AnswerLine(issue, answer)


def answers_given(round_: Round) -> tuple[int, int]:
    """How many issues of a training have their right label, and how many issues it has. Two queries."""
    return Answer.objects.filter(round=round_).count(), RoundIssue.objects.filter(round=round_).count()


def position_of(round_: Round, issue: Issue) -> int:
    """The place of an issue in the round's order, from 1."""
    return RoundIssue.objects.get(round=round_, issue=issue).position
