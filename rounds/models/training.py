"""Training: the right labels of its issues."""

import pgtrigger
from django.db import models
from django.db.models import Q

from core import clock
from ingest.models import Issue
from rounds.models.rounds import Round
from studies.models import Membership
from taxonomy.models import Category


class Answer(models.Model):
    """The right label of one issue of a training round, with an explanation; a lead gives both.

    A volunteer sees them after labelling the issue. Nobody can change them once the round is open.
    (round, issue) refers to a key of RoundIssue: a composite foreign key that the migration adds.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="answers")
    issue = models.ForeignKey(Issue, models.PROTECT, related_name="+")
    category = models.ForeignKey(Category, models.PROTECT, related_name="+")
    explanation = models.TextField()
    given_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    given_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "issue"], name="an_issue_has_one_answer_in_a_round"),
            models.CheckConstraint(name="an_answer_is_explained", condition=~Q(explanation="")),
        ]
        triggers = [
            pgtrigger.Trigger(
                name="answers_stay_once_the_round_is_open",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert | pgtrigger.Update | pgtrigger.Delete,
                func="""
                IF TG_OP <> 'INSERT' AND EXISTS (
                    SELECT FROM rounds_round r WHERE r.id = OLD.round_id AND r.opened_at IS NOT NULL
                ) OR TG_OP <> 'DELETE' AND EXISTS (
                    SELECT FROM rounds_round r WHERE r.id = NEW.round_id AND r.opened_at IS NOT NULL
                ) THEN
                    RAISE EXCEPTION 'an answer stays as it is once its round is open'
                        USING ERRCODE = 'restrict_violation';
                END IF;
                IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
                RETURN NEW;
                """,
            )
        ]

    def __str__(self) -> str:
        return f"{self.issue_id}: {self.category_id}"
