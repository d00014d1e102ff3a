"""Training: the right labels of its issues, written before it opens, and the comments of its volunteers."""

from django.db import transaction
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotate.errors import AnswersStay, ExplanationMissing, ExplanationTooLong, LabelsInThisTraining
from annotate.rules import may_see_own_labels
from consensus.errors import CommentMissing, CommentTooLong, NotSeenYet
from consensus.models import Comment
from consensus.models.comments import COMMENT_LENGTH
from core import clock
from core.text.joining import listed
from ingest.models import Issue
from rounds import errors
from rounds.actions.locks import lock_round
from rounds.models import Answer, Label, Round, RoundIssue, RoundVolunteer
from rounds.queries.categories import codebook
from rounds.rules import may_open
from studies.models import Membership
from taxonomy.models import Category

EXPLANATION_LENGTH = 5000


@transaction.atomic
def set_answer(
    *, round_: Round, issue: Issue, category: Category, explanation: str, by: Membership
) -> Answer:
    """Set or replace the right label of an issue of a planned training round. A lead who is a volunteer of
    the training is refused, because nobody who knows the right labels may label in it. Raises NotAllowed,
    NotATraining, AnswersStay, LabelsInThisTraining, NotInTheRound, UnknownCategory, TooShallow,
    ExplanationMissing, ExplanationTooLong.
    """
    current = _hold_planned(round_, by)
    if not RoundIssue.objects.filter(round=current, issue=issue).exists():
        raise errors.NotInTheRound
    book = codebook(current.version_id)
    if category.pk not in book.states:
        raise errors.UnknownCategory
    if category.pk not in book.choosable(current.depth):
        raise errors.TooShallow
    explanation = explanation.strip()
    if not explanation:
        raise ExplanationMissing
    if len(explanation) > EXPLANATION_LENGTH:
        raise ExplanationTooLong
    answer, _made = Answer.objects.update_or_create(
        round=current,
        issue=issue,
        defaults={"category": category, "explanation": explanation, "given_by": by, "given_at": clock.now()},
    )
    return answer


@transaction.atomic
def remove_answer(*, round_: Round, issue: Issue, by: Membership) -> None:
    """Delete the right label of an issue, if it has one. Raises NotAllowed, NotATraining, AnswersStay,
    LabelsInThisTraining.
    """
    current = _hold_planned(round_, by)
    Answer.objects.filter(round=current, issue=issue).delete()


@transaction.atomic
def comment(*, round_: Round, issue: Issue, author: Membership, text: str) -> Comment:
    """Comment on an issue of a training. Only volunteers of the training may comment, after they have
    labelled the issue. Raises NotATraining, NotYourTurn, NotSeenYet, CommentMissing, CommentTooLong.
    """
    if round_.kind != Round.Kind.TRAINING:
        raise errors.NotATraining
    if not may_see_own_labels(author, round_):
        raise errors.NotYourTurn
    if not Label.objects.filter(round=round_, issue=issue, volunteer=author).exists():
        raise NotSeenYet
    text = text.replace("\x00", "\ufffd").strip()
    if not text:
        raise CommentMissing
    if len(text) > COMMENT_LENGTH:
        raise CommentTooLong(kept={"text": text})
    return Comment.objects.create(round=round_, issue=issue, author=author, text=text)


def require_answers(round_: Round) -> None:
    """Check that each issue of a training has a right label that no volunteer of the training wrote. Does
    nothing for rounds of other kinds. Call it in the transaction that opens the round, with the round locked.
    Raises RoundRefused, with what to do.
    """
    if round_.kind != Round.Kind.TRAINING:
        return
    issues = RoundIssue.objects.filter(round=round_).count()
    missing = issues - Answer.objects.filter(round=round_).count()
    if missing:
        raise errors.RoundRefused(
            ngettext(
                "%(missing)d of the %(issues)d issues has no right label yet. Add the right"
                " label with its explanation, then open the training.",
                "%(missing)d of the %(issues)d issues have no right label yet. Add the right"
                " labels with their explanations, then open the training.",
                missing,
            )
            % {"missing": missing, "issues": issues},
            field="answers",
        )
    authors = Answer.objects.filter(round=round_).values("given_by")
    knowing = RoundVolunteer.objects.filter(round=round_, left_at=None, member__in=authors)
    if who := [str(volunteer.member) for volunteer in knowing.select_related("member").order_by("column")]:
        raise errors.RoundRefused(
            _(
                "%(who)s wrote right labels of this training and cannot label in it. Let"
                " another lead write these right labels, or plan the training with other"
                " volunteers."
            )
            % {"who": listed(who)},
            field="members",
        )


def require_no_author(round_: Round, member: Membership) -> None:
    """Refuse a volunteer for a training whose right labels they wrote. Raises VolunteerRefused."""
    if Answer.objects.filter(round=round_, given_by=member).exists():
        raise errors.VolunteerRefused(
            _("%(who)s wrote right labels of this training and cannot label in it. Choose other volunteers.")
            % {"who": member},
            field="member",
        )


def _hold_planned(round_: Round, by: Membership) -> Round:
    """The round as it is now, locked until this transaction ends, if `by` may still change its answers."""
    current = lock_round(round_)
    if not may_open(by, current):
        raise errors.NotAllowed
    if current.kind != Round.Kind.TRAINING:
        raise errors.NotATraining
    if current.opened_at is not None:
        raise AnswersStay
    if RoundVolunteer.objects.filter(round=current, member=by, left_at=None).exists():
        raise LabelsInThisTraining
    return current
