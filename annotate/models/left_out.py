"""What a round leaves out of its source of issues: the issues of other rounds, and of samples."""

import pgtrigger
from django.db import models
from django.db.models import F, Q

from annotate.models.samples import Sample
from rounds.models import Round, RoundIssue

_IS_LEFT_OUT = """
    EXISTS (
        SELECT FROM rounds_roundissue o WHERE o.round_id = {left}.other_id AND o.issue_id = {issue}.issue_id
    ) OR EXISTS (
        SELECT FROM annotate_sampleissue s
        WHERE s.sample_id = {left}.sample_id AND s.issue_id = {issue}.issue_id
    )
"""
_REFUSED = (
    "RAISE EXCEPTION 'a round takes in no issue that it leaves out' USING ERRCODE = 'restrict_violation';"
)


class LeftOut(models.Model):
    """Another round or a sample whose issues a round left out when it was planned. `issues` counts those that
    its source had.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="left_out")
    other = models.ForeignKey(Round, models.CASCADE, null=True, related_name="+")
    sample = models.ForeignKey(Sample, models.CASCADE, null=True, related_name="+")
    issues = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "other"], name="a_round_is_left_out_once"),
            models.UniqueConstraint(fields=["round", "sample"], name="a_sample_is_left_out_once"),
            models.CheckConstraint(
                name="left_out_is_a_round_or_a_sample",
                condition=Q(other=None, sample__isnull=False) | Q(other__isnull=False, sample=None),
            ),
            models.CheckConstraint(
                name="a_round_does_not_leave_itself_out", condition=Q(other=None) | ~Q(other=F("round"))
            ),
        ]
        triggers = [
            pgtrigger.Trigger(
                name="what_is_left_out_is_not_there",
                when=pgtrigger.After,
                operation=pgtrigger.Insert | pgtrigger.Update,
                func=f"""
                IF EXISTS (
                    SELECT FROM rounds_roundissue i
                    WHERE i.round_id = NEW.round_id AND ({_IS_LEFT_OUT.format(left="NEW", issue="i")})
                ) THEN
                    {_REFUSED}
                END IF;
                RETURN NULL;
                """,
            )
        ]

    def __str__(self) -> str:
        return f"{self.value} left out of {self.round_id}"

    @property
    def value(self) -> str:
        """As in annotate.queries.left_out."""
        return f"round:{self.other_id}" if self.other_id else f"sample:{self.sample_id}"

    @property
    def name(self) -> str:
        """The name of the round or sample."""
        return str(self.other or self.sample)


class PlannedIssue(RoundIssue):
    """A `RoundIssue` that its round does not leave out: the trigger of this room holds it."""

    class Meta:
        proxy = True
        triggers = [
            pgtrigger.Trigger(
                name="what_is_left_out_stays_out",
                when=pgtrigger.After,
                operation=pgtrigger.Insert,
                level=pgtrigger.Statement,
                referencing=pgtrigger.Referencing(new="added"),
                func=f"""
                IF EXISTS (
                    SELECT FROM annotate_leftout l JOIN added i ON i.round_id = l.round_id
                    WHERE {_IS_LEFT_OUT.format(left="l", issue="i")}
                ) THEN
                    {_REFUSED}
                END IF;
                RETURN NULL;
                """,
            )
        ]
