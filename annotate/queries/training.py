"""What a volunteer sees of a training: answers, comments, and their standing."""

from dataclasses import dataclass

from django.db.models import QuerySet

from consensus.models import Comment
from ingest.models import Issue
from rounds.models import Answer, Label, Round, RoundVolunteer
from rounds.queries.blindness import seen_by
from rounds.queries.training import TrainingResult, training_result, training_to_pass
from studies.models import Membership
from taxonomy.models import CategoryState
from taxonomy.queries.codebooks import Codebook, codebook


@dataclass(frozen=True)
class AnswerView:
    """The member's own label of a training issue beside the lead's, and what comes next. `own` is None for an
    open label. `own_at_depth` and `lead_at_depth` are the compared categories. `comments` are the member's
    own. `opens` are the member's rounds that require this training.
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
        """Are both categories the same, not only at the round's depth?"""
        return self.own is not None and self.own.category_id == self.lead.category_id


def answer_view(round_: Round, issue: Issue, member: Membership) -> AnswerView | None:
    """What the member sees of a labelled issue of a training; None before the member has labelled it. It
    contains nothing of another volunteer. Six queries at most.
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
        comments=list(Comment.objects.filter(round=round_, issue=issue, author=member).order_by("id")),
        result=result,
        opens=list(opened_by(round_, member)) if result.is_finished else [],
    )


def opened_by(training: Round, member: Membership) -> QuerySet[Round]:
    """The member's rounds that require this training and are not closed."""
    mine = RoundVolunteer.objects.filter(member=member, left_at=None).values("round")
    return Round.objects.filter(training=training, pk__in=mine, closed_at=None).order_by("pk")


def at_depth(book: Codebook, category_id: int, depth: int) -> CategoryState:
    """The category that a label counts as: its ancestor at this level, or itself above this level."""
    return book.ancestor(category_id, depth) or book.by_id[category_id]


MOST_QUESTIONS = 20


def questions(round_: Round, member: Membership) -> list[Comment]:
    """The latest comments of volunteers on right labels of a training, for a lead who may watch it; none on
    issues that the lead has yet to label in another round. Two queries at most.
    """
    asked = seen_by(Comment.objects.filter(round=round_).exclude(author=member), round_, member)
    shown = asked.select_related("author__user", "issue__repository", "issue__current")
    shown = shown.defer("issue__current__body", "issue__current__comments", "issue__current__labels")
    return list(shown.order_by("-id")[:MOST_QUESTIONS])


@dataclass(frozen=True)
class VolunteerStanding:
    """Why a round gives one volunteer no turn. `removed`: the volunteer was taken out. `training` is to be
    passed first; `first` is the result in it, and `may_train` tells whether the volunteer can label in it
    now. `result`: the volunteer's own result in this round if it is a training, with the rounds in `opens`.
    """

    removed: bool = False
    training: Round | None = None
    first: TrainingResult | None = None
    may_train: bool = False
    result: TrainingResult | None = None
    opens: tuple[Round, ...] = ()


def standing(round_: Round, member: Membership) -> VolunteerStanding:
    """The member's standing in a round, for the page that has no turn to show. Six queries at most."""
    volunteer = (
        RoundVolunteer.objects.filter(round=round_, member=member)
        .select_related("member__study", "member__user")
        .first()
    )
    if volunteer is None:
        return VolunteerStanding()
    if volunteer.left_at is not None:
        return VolunteerStanding(removed=True)
    if round_.kind == Round.Kind.TRAINING:
        if round_.opened_at is None:
            return VolunteerStanding()
        result = training_result(round_, member)
        return VolunteerStanding(
            result=result, opens=tuple(opened_by(round_, member)) if result.passed else ()
        )
    training = training_to_pass(round_, volunteer)
    if training is None:
        return VolunteerStanding()
    takes_part = RoundVolunteer.objects.filter(round=training, member=member, left_at=None).exists()
    return VolunteerStanding(
        training=training, first=training_result(training, member), may_train=takes_part and training.is_open
    )
