"""Trees of categories, published in immutable versions."""

import uuid

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from core import clock
from studies.models import Study
from taxonomy.tree.drafts import KINDS
from taxonomy.tree.hues import HUES
from taxonomy.tree.nodes import TEXTS, text_in


class Level(models.IntegerChoices):
    """The three levels of a taxonomy, and the depths at which labels are compared."""

    TYPE = 1, _("type")
    THEME = 2, _("theme")
    SUB_THEME = 3, _("sub-theme")


class Taxonomy(models.Model):
    """A tree of categories by which a study labels, through all its versions."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="taxonomies")
    name = models.CharField(_("name"), max_length=120)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    origin = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        related_name="derived",
        help_text="The taxonomy of the pilot from whose labels this one was drafted",
    )
    by_majority = models.BooleanField(
        default=False,
        db_default=False,
        help_text="More than half of the ballots accept a proposal; else only all. A new category needs all",
    )

    class Meta:
        verbose_name_plural = "taxonomies"
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="taxonomy_name_is_unique_in_a_study")
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("taxonomy", args=[self.pk])


class Version(models.Model):
    """One state of a taxonomy: a draft until `published_at` is set, immutable from then on."""

    taxonomy = models.ForeignKey(Taxonomy, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=clock.now, editable=False)
    published_at = models.DateTimeField(null=True)
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    note = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["taxonomy", "number"], name="version_number_is_unique_in_a_taxonomy"
            ),
            models.UniqueConstraint(
                fields=["taxonomy"], name="one_draft_per_taxonomy", condition=Q(published_at=None)
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="published_version_stays",
                operation=pgtrigger.Update | pgtrigger.Delete,
                condition=pgtrigger.Q(old__published_at__isnull=False),
            ),
            pgtrigger.Trigger(
                name="what_nobody_voted_on_has_a_reason",
                when=pgtrigger.Before,
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(new__published_at__isnull=False, old__published_at__isnull=True),
                func="""
                PERFORM 1 FROM taxonomy_unvoted u WHERE u.version_id = NEW.id AND btrim(NEW.note) = '';
                IF FOUND THEN
                    RAISE EXCEPTION 'a reason is missing' USING ERRCODE = 'restrict_violation';
                END IF;
                RETURN NEW;
                """,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.taxonomy} v{self.number}"


class Category(models.Model):
    """The identity of a category, which survives renames, moves and new codes. Labels point to it."""

    taxonomy = models.ForeignKey(Taxonomy, models.CASCADE, related_name="categories")
    key = models.UUIDField(default=uuid.uuid4, unique=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name_plural = "categories"

    def __str__(self) -> str:
        return str(self.key)


def _stays_once_published(name: str, unless: str = "") -> pgtrigger.Trigger:
    """Rows of a published version never change. `unless` is SQL before the check that may allow a change. The
    text, including its spaces, is that of the migrations.
    """
    return pgtrigger.Trigger(
        name=name,
        when=pgtrigger.Before,
        operation=pgtrigger.Insert | pgtrigger.Update | pgtrigger.Delete,
        declare=[("version", "bigint")],
        func=f"""{unless}
                version := CASE WHEN TG_OP = 'INSERT' THEN NEW.version_id ELSE OLD.version_id END;
                PERFORM 1 FROM taxonomy_version v WHERE v.id = version AND v.published_at IS NOT NULL;
                IF FOUND THEN
                    RAISE EXCEPTION 'a published version is immutable' USING ERRCODE = 'restrict_violation';
                END IF;
                RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
                """,
    )


class CategoryState(models.Model):
    """One category in one version: code, name, place in the tree, texts, and name and texts in Chinese, empty
    where they are not translated. Code and identity are the same in both languages.
    """

    version = models.ForeignKey(Version, models.CASCADE, related_name="states")
    category = models.ForeignKey(Category, models.PROTECT, related_name="states")
    parent = models.ForeignKey(Category, models.PROTECT, null=True, related_name="+")
    level = models.PositiveSmallIntegerField(choices=Level)
    code = models.CharField(max_length=32)
    name = models.CharField(max_length=200)
    position = models.PositiveIntegerField(help_text="Place in the tree read from top to bottom")
    definition = models.TextField(blank=True)
    includes = models.TextField(blank=True)
    excludes = models.TextField(blank=True)
    examples = models.TextField(blank=True)
    name_zh = models.CharField(max_length=200, blank=True, default="", db_default="")
    definition_zh = models.TextField(blank=True, default="", db_default="")
    includes_zh = models.TextField(blank=True, default="", db_default="")
    excludes_zh = models.TextField(blank=True, default="", db_default="")
    examples_zh = models.TextField(blank=True, default="", db_default="")
    hue = models.PositiveSmallIntegerField(
        null=True, help_text="A type's own colour; empty: that of its place"
    )

    class Meta:
        ordering = ["version", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["version", "category"], name="category_has_one_state_per_version"
            ),
            models.UniqueConstraint(fields=["version", "code"], name="code_is_unique_in_a_version"),
            models.UniqueConstraint(fields=["version", "position"], name="position_is_unique_in_a_version"),
            models.CheckConstraint(name="three_levels_at_most", condition=Q(level__in=Level.values)),
            models.CheckConstraint(
                name="types_have_no_parent_and_others_have",
                condition=Q(level=Level.TYPE, parent=None) | Q(level__gt=Level.TYPE, parent__isnull=False),
            ),
            models.CheckConstraint(
                name="only_types_have_a_colour", condition=Q(hue=None) | Q(level=Level.TYPE, hue__lt=HUES)
            ),
        ]
        triggers = [_stays_once_published("published_states_stay")]

    def __str__(self) -> str:
        return f"{self.code} {self.name}"

    @property
    def title(self) -> str:
        """The name in the reader's language."""
        return self.said("name")

    def said(self, name: str) -> str:
        """The text `name` in the reader's language, the study's own where that is not translated."""
        return text_in(self, name, get_language())

    @property
    def explained(self) -> dict[str, str]:
        """Definition, includes, excludes and examples in the reader's language."""
        return {name: self.said(name) for name in TEXTS}


_SOMEBODY_LEAVES = """
                IF TG_OP = 'UPDATE' AND OLD.undone_at IS NOT DISTINCT FROM NEW.undone_at THEN
                    RETURN NEW;  -- who made it may leave
                END IF;"""


class Change(models.Model):
    """One act in a draft, kept for ever: the draft is the published version with its changes applied in the
    order of their numbers. An undone change (`undone_at`) does not count until it is redone.
    """

    version = models.ForeignKey(Version, models.CASCADE, related_name="changes")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=16)
    key = models.UUIDField(help_text="The identity of the category that it is about")
    values = models.JSONField(default=dict, help_text="As taxonomy.tree.drafts.Change says")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(default=clock.now, editable=False)
    undone_at = models.DateTimeField(null=True)
    loaded = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Came with the preset, file or text that the draft began from. No Undo takes it back",
    )

    class Meta:
        ordering = ["version", "number"]
        constraints = [
            models.UniqueConstraint(fields=["version", "number"], name="change_has_its_number"),
            models.CheckConstraint(name="change_is_of_a_known_kind", condition=Q(kind__in=KINDS)),
        ]
        triggers = [
            _stays_once_published("changes_of_a_published_version_stay", unless=_SOMEBODY_LEAVES),
            pgtrigger.Protect(
                name="a_change_stays_as_it_was_made",
                operation=pgtrigger.Update,
                condition=pgtrigger.AnyChange(
                    "version", "number", "kind", "key", "values", "made_at", "loaded"
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version} {self.number}: {self.kind}"


class Remap(models.Model):
    """The fate of one category between two versions; a split has a row for each part."""

    class Kind(models.TextChoices):
        SAME = "same", _("same")
        RENAMED = "renamed", _("renamed")
        MOVED = "moved", _("moved")
        MERGED = "merged", _("merged")
        SPLIT = "split", _("split")
        RETIRED = "retired", _("retired")

    from_version = models.ForeignKey(Version, models.PROTECT, related_name="remaps_out")
    to_version = models.ForeignKey(Version, models.PROTECT, related_name="remaps_in")
    source = models.ForeignKey(Category, models.PROTECT, related_name="+")
    target = models.ForeignKey(Category, models.PROTECT, null=True, related_name="+")
    kind = models.CharField(max_length=16, choices=Kind)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["from_version", "to_version", "source", "target"],
                name="remap_is_said_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                name="only_retired_categories_have_no_target",
                condition=Q(kind="retired", target=None) | (~Q(kind="retired") & Q(target__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source_id} {self.kind} {self.target_id}"


class Unvoted(models.Model):
    """A category that a version added, or split off from `source`, though no accepted proposal did, when
    volunteers had labelled by the taxonomy. The note of the version is the reason.
    """

    version = models.ForeignKey(Version, models.CASCADE, related_name="unvoted")
    category = models.ForeignKey(Category, models.PROTECT, related_name="+")
    source = models.ForeignKey(Category, models.PROTECT, null=True, related_name="+")

    class Meta:
        verbose_name_plural = "unvoted"
        constraints = [
            models.UniqueConstraint(fields=["category"], name="category_is_new_without_a_vote_once")
        ]
        triggers = [_stays_once_published("what_nobody_voted_on_stays_so")]

    def __str__(self) -> str:
        return f"{self.category_id} without a vote in {self.version_id}"


class Gone(models.Model):
    """What a choice of `category` counts as in this version, if it was made before version `since`, which
    merged, split or retired the category, and not before `after`, for which another row holds.

    `became` is the category that took it over as a whole, empty after a split or retirement. A split category
    may still exist as a smaller one. It is empty, too, for a category whose labels are asked for again, since
    new ones came beside it. `last` is its state in the last version before `since`.
    """

    version = models.ForeignKey(Version, models.CASCADE, related_name="gone")
    category = models.ForeignKey(Category, models.PROTECT, related_name="+")
    after = models.ForeignKey(Version, models.PROTECT, null=True, related_name="+")
    since = models.ForeignKey(Version, models.PROTECT, related_name="+")
    became = models.ForeignKey(Category, models.PROTECT, null=True, related_name="+")
    last = models.ForeignKey(CategoryState, models.PROTECT, related_name="+")

    class Meta:
        verbose_name_plural = "gone"
        constraints = [
            models.UniqueConstraint(
                fields=["version", "category", "since"], name="category_goes_once_in_a_version"
            ),
            models.CheckConstraint(
                name="what_goes_was_there_before", condition=Q(since__gt=models.F("after"))
            ),
        ]
        triggers = [_stays_once_published("what_is_gone_stays_so")]

    def __str__(self) -> str:
        return f"{self.category_id} gone in {self.version_id}"
