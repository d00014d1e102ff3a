"""Planning a training from a pilot, with right labels for its issues."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from annotate.actions.rounds import create_round
from annotate.actions.training import set_answer
from consensus.errors import NotRevealed
from ingest.models import Issue
from rounds import errors
from rounds.errors import RoundRefused
from rounds.models import Round
from rounds.queries.blindness import withheld_issues
from rounds.queries.rounds import revealed
from rounds.rules import may_read_pilot
from studies.models import Membership
from taxonomy.models import Category, Version


@dataclass(frozen=True)
class RightLabel:
    """The right label of one issue, and why it is right."""

    issue_id: int
    category: Category
    explanation: str


@transaction.atomic
def plan_training(
    *,
    pilot: Round,
    by: Membership,
    name: str,
    version: Version,
    depth: int,
    members: Sequence[Membership],
    pass_mark: int,
    answers: Sequence[RightLabel],
) -> Round:
    """Plan a training with issues of a pilot whose labels are revealed, and set all of its right labels, or
    change nothing. Labels of the forge are hidden or shown as in the pilot. Raises NotAllowed, NotRevealed,
    what create_round raises, and what set_answer raises.
    """
    if not may_read_pilot(by, pilot):
        raise errors.NotAllowed
    if not answers:
        raise RoundRefused(_("No issue is chosen. Tick issues that show a category well."), field="issues")
    ids = [answer.issue_id for answer in answers]
    seen = revealed(pilot).exclude(pk__in=withheld_issues(pilot, by).values("pk"))
    if seen.filter(issue__in=ids).count() != len(set(ids)):
        raise NotRevealed
    training = create_round(
        study=pilot.study,
        by=by,
        kind=Round.Kind.TRAINING,
        name=name,
        version=version,
        depth=depth,
        issues=Issue.objects.filter(pk__in=ids).order_by("repository", "pk"),
        members=members,
        pass_mark=pass_mark,
        forge_labels=pilot.forge_labels,
        selection={"source": f"round:{pilot.pk}", "name": pilot.name, "chosen_by_hand": len(set(ids))},
    )
    issues = Issue.objects.in_bulk(ids)
    for answer in answers:
        set_answer(
            round_=training,
            issue=issues[answer.issue_id],
            category=answer.category,
            explanation=answer.explanation,
            by=by,
        )
    return training
