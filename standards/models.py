"""What only people can say about a study: answers to items, the raters' backgrounds, and how to cite it."""

import pgtrigger
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core import clock
from studies.models import Membership, Study


class ItemAnswer(models.Model):
    """What an owner or lead wrote for one item of a set of standards. The row with the highest number counts;
    an empty text takes the answer back. Rows never change.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="standard_answers")
    standard = models.CharField(max_length=40, help_text="Key of the set")
    item = models.CharField(max_length=20, help_text="Number of the item in the set")
    number = models.PositiveIntegerField(help_text="From 1 on for each item")
    text = models.TextField(blank=True)
    does_not_apply = models.BooleanField(default=False)
    given_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    given_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ["standard", "item", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "standard", "item", "number"], name="an_answer_to_an_item_has_its_number"
            ),
            models.CheckConstraint(
                name="what_does_not_apply_has_a_reason", condition=Q(does_not_apply=False) | ~Q(text="")
            ),
        ]
        triggers = [
            pgtrigger.Protect(name="answers_to_items_stay", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"{self.standard} {self.item} ({self.number})"


class RaterBackground(models.Model):
    """What a volunteer wrote about themselves as a rater, and who may read it. They can delete it."""

    class Sharing(models.TextChoices):
        NOBODY = "nobody", _("nobody")
        SUMMARY = "summary", _("only in sums over all volunteers")
        PSEUDONYM = "pseudonym", _("everything, under my pseudonym")

    member = models.OneToOneField(Membership, models.CASCADE, related_name="rater_background")
    years = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Experience with software")
    experience = models.TextField(blank=True)
    training = models.TextField(blank=True)
    reflection = models.TextField(blank=True, help_text="On own biases, at the end of a round")
    sharing = models.CharField(max_length=12, choices=Sharing, default=Sharing.NOBODY)
    changed_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="sharing_of_a_background_is_known",
                condition=Q(sharing__in=["nobody", "summary", "pseudonym"]),
            ),
            models.CheckConstraint(name="a_rater_has_at_most_80_years", condition=Q(years__lte=80)),
        ]

    def __str__(self) -> str:
        return str(self.member_id)


class Citation(models.Model):
    """How to cite the package of a study: `authors` is [{"family", "given", "orcid"}] in their order."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="citation")
    title = models.CharField(max_length=300)
    authors = models.JSONField(default=list)
    licence = models.CharField(
        max_length=60, blank=True, help_text="Of labels and decisions: SPDX identifier"
    )
    doi = models.CharField(max_length=120, blank=True)
    revision = models.PositiveIntegerField(default=1, help_text="Grows with each change")
    changed_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [models.CheckConstraint(name="a_citation_has_a_title", condition=~Q(title=""))]

    def __str__(self) -> str:
        return self.title
