"""The guide of the interviews of a study, its parts and its questions."""

import pgtrigger
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from core import clock
from studies.models import Membership, Study
from taxonomy.models import Category, Level, Taxonomy


class Audience(models.Model):
    """A group of participants, such as users or developers. `prefix` begins the pseudonyms of its members."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="audiences")
    name = models.CharField(_("name"), max_length=80)
    prefix = models.CharField(_("prefix of pseudonyms"), max_length=4)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="audience_name_is_unique_in_a_study"),
            models.UniqueConstraint(fields=["study", "prefix"], name="audience_prefix_is_unique_in_a_study"),
            models.UniqueConstraint(fields=["id", "study"], name="audience_has_its_study"),
            models.CheckConstraint(name="an_audience_is_named", condition=~Q(name="")),
            models.CheckConstraint(
                name="a_prefix_is_capital_letters", condition=Q(prefix__regex=r"^[A-Z]{1,4}$")
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Guide(models.Model):
    """One version of the guide, as Markdown. Its parts and questions are read from the text when it is
    published, and nothing of it changes afterwards.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="guides")
    number = models.PositiveIntegerField()
    text = models.TextField()
    note = models.CharField(max_length=500, blank=True, help_text="What changed and why, in a sentence")
    published_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    published_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="guide_has_its_number"),
            models.CheckConstraint(name="a_guide_has_a_text", condition=~Q(text="")),
        ]
        triggers = [pgtrigger.Protect(name="a_guide_stays_as_published", operation=pgtrigger.Update)]

    def __str__(self) -> str:
        return str(_("Guide, version %(number)s")) % {"number": self.number}

    def get_absolute_url(self) -> str:
        return reverse("guide", args=[self.pk])


class Part(models.Model):
    """A part of a guide; `minutes` is what it may take, empty where the guide does not say."""

    guide = models.ForeignKey(Guide, models.CASCADE, related_name="parts")
    position = models.PositiveSmallIntegerField()
    title = models.CharField(max_length=300)
    objective = models.TextField(blank=True)
    minutes = models.PositiveSmallIntegerField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["guide", "position"], name="part_has_its_position"),
        ]

    def __str__(self) -> str:
        return self.title


class Question(models.Model):
    """A question of a part, to one audience or to all. A ranking question asks to put categories of a
    taxonomy in order: those at `level` below `under` (all of the level if empty), the first `top` or all.
    """

    part = models.ForeignKey(Part, models.CASCADE, related_name="questions")
    position = models.PositiveSmallIntegerField()
    audience = models.ForeignKey(Audience, models.PROTECT, null=True, related_name="questions")
    text = models.TextField()
    is_ranking = models.BooleanField(default=False)
    taxonomy = models.ForeignKey(Taxonomy, models.PROTECT, null=True, related_name="+")
    level = models.PositiveSmallIntegerField(choices=Level, null=True)
    under = models.ForeignKey(Category, models.PROTECT, null=True, related_name="+")
    top = models.PositiveSmallIntegerField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["part", "position"], name="question_has_its_position"),
            models.CheckConstraint(
                name="only_a_ranking_question_ranks_categories",
                condition=Q(is_ranking=True, taxonomy__isnull=False, level__isnull=False)
                | Q(is_ranking=False, taxonomy=None, level=None, under=None, top=None),
            ),
            models.CheckConstraint(name="a_ranking_has_a_first_place", condition=Q(top=None) | Q(top__gte=1)),
        ]

    def __str__(self) -> str:
        return self.text

    @property
    def reference(self) -> str:
        """Its name in files: the version of the guide, the part and the place there, both from 1."""
        return f"{self.part.guide.number}.{self.part.position + 1}.{self.position + 1}"
