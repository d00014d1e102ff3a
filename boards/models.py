"""Boards, on which summaries are sorted into sub-themes from the bottom up."""

import pgtrigger
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from core import clock
from rounds.models.labels import Label
from studies.models import Membership
from taxonomy.models import Category, Taxonomy


class Board(models.Model):
    """Cards to be sorted into piles: by several people apart, if wanted, and then together."""

    class Phase(models.TextChoices):
        APART = "apart", _("sorting alone")
        TOGETHER = "together", _("joint session")
        CLOSED = "closed", _("closed")

    taxonomy = models.ForeignKey(Taxonomy, models.CASCADE, related_name="boards")
    about = models.ForeignKey(
        Category,
        models.PROTECT,
        null=True,
        related_name="+",
        help_text="The theme or type whose labels gave the cards; empty for cards of a file",
    )
    name = models.CharField(_("name"), max_length=120)
    phase = models.CharField(max_length=16, choices=Phase, default=Phase.TOGETHER)
    made_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=clock.now, editable=False)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint("taxonomy", Lower("name"), name="board_name_is_unique_in_a_taxonomy"),
            models.CheckConstraint(name="a_board_is_named", condition=~Q(name="")),
            models.CheckConstraint(
                name="a_closed_board_says_when",
                condition=Q(phase="closed", closed_at__isnull=False)
                | Q(phase__in=["apart", "together"], closed_at=None),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("board", args=[self.pk])


class Sorting(models.Model):
    """One way to sort the cards of a board: the sorting of one member, made apart, or the common sorting,
    with `member` empty. `revision` is the number of its last move.
    """

    board = models.ForeignKey(Board, models.CASCADE, related_name="sortings")
    member = models.ForeignKey(Membership, models.PROTECT, null=True, related_name="+")
    revision = models.PositiveIntegerField(default=0)
    began = models.PositiveIntegerField(
        default=0, help_text="A screen that shows an earlier revision gets the whole sorting, not the changes"
    )
    done_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["board", "member"], name="one_sorting_per_member_and_board", nulls_distinct=False
            ),
            models.UniqueConstraint(fields=["id", "board"], name="sorting_has_its_board"),
            models.CheckConstraint(
                name="the_common_sorting_is_never_done", condition=Q(member__isnull=False) | Q(done_at=None)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.board_id} by {self.member_id or 'all'}"


class Card(models.Model):
    """One summary on a board. Equal summaries of several labels are one card; each summary of a file is its
    own card. A card that was split or merged stays as a row, out of play. The text never changes.
    """

    board = models.ForeignKey(Board, models.CASCADE, related_name="cards")
    number = models.PositiveIntegerField(help_text="In the order of their coming")
    text = models.CharField(max_length=500)
    labels = models.PositiveIntegerField(
        default=0, help_text="How many labels have this summary; 0 for a card of a file"
    )
    group = models.PositiveIntegerField(
        null=True,
        help_text="The same for cards that were nearly equal when they came; empty for a card like no other",
    )
    split_from = models.ForeignKey("self", models.DO_NOTHING, null=True, related_name="parts")
    merged_into = models.ForeignKey(
        "self", models.DO_NOTHING, null=True, related_name="merged", help_text="By its last merge, if any"
    )
    in_play = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["board", "number"], name="card_has_its_number"),
            models.UniqueConstraint(fields=["id", "board"], name="card_has_its_board"),
            models.CheckConstraint(name="a_card_says_something", condition=~Q(text="")),
        ]
        triggers = [
            pgtrigger.Protect(
                name="a_card_stays_as_it_came",
                operation=pgtrigger.Update,
                condition=pgtrigger.AnyChange("board", "number", "text", "labels", "split_from"),
            )
        ]

    def __str__(self) -> str:
        return self.text


class CardLabel(models.Model):
    """A label from which a card comes. Members who may not see the label yet do not see the card."""

    card = models.ForeignKey(Card, models.CASCADE, related_name="sources")
    label = models.ForeignKey(Label, models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["card", "label"], name="a_label_stands_once_behind_a_card")
        ]

    def __str__(self) -> str:
        return f"{self.label_id} behind {self.card_id}"


class Pile(models.Model):
    """Cards that somebody put together, to become a sub-theme. A dropped pile stays as a row, out of play.
    `theme` and `made` are keys of categories, in the draft or published: the theme above the pile, and the
    sub-theme made of it. `rootcause` is the theme as a file or a member wrote it, if not as the category.
    """

    sorting = models.ForeignKey(Sorting, models.CASCADE, related_name="piles")
    number = models.PositiveIntegerField(help_text="In the order of their coming, never given again")
    name = models.CharField(max_length=200)
    definition = models.TextField(blank=True)
    theme = models.UUIDField(null=True)
    rootcause = models.CharField(max_length=200, blank=True)
    position = models.PositiveIntegerField()
    made = models.UUIDField(null=True)
    in_play = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "sorting",
                "theme",
                "rootcause",
                Lower("name"),
                name="pile_name_is_unique_below_its_theme",
                condition=Q(in_play=True),
                nulls_distinct=False,
            ),
            models.UniqueConstraint(fields=["sorting", "number"], name="pile_has_its_number"),
            models.UniqueConstraint(fields=["id", "sorting"], name="pile_has_its_sorting"),
            models.CheckConstraint(name="a_pile_is_named", condition=~Q(name="")),
        ]

    def __str__(self) -> str:
        return self.name


class Placement(models.Model):
    """The place of a card in a sorting: in a pile, left aside, or unsorted; a card without a row is unsorted
    too. `revision`: the number of the move that put it there. A migration adds composite foreign keys: card
    and sorting are of one board, the pile is of that sorting.
    """

    board = models.ForeignKey(Board, models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    sorting = models.ForeignKey(
        Sorting, models.CASCADE, related_name="placements", db_constraint=False, db_index=False
    )
    card = models.ForeignKey(
        Card, models.CASCADE, related_name="placements", db_constraint=False, db_index=False
    )
    pile = models.ForeignKey(Pile, models.CASCADE, null=True, related_name="placements", db_constraint=False)
    aside = models.BooleanField(default=False)
    revision = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["card", "sorting"], name="a_card_lies_in_one_place"),
            models.CheckConstraint(
                name="what_is_aside_is_in_no_pile", condition=Q(pile=None) | Q(aside=False)
            ),
        ]
        indexes = [models.Index(fields=["sorting", "revision"], name="placements_since")]

    def __str__(self) -> str:
        return f"{self.card_id} in {self.sorting_id}"


class Move(models.Model):
    """One act on a board, kept for ever. `number` is the revision of the sorting after it. `cards` and
    `piles` are its changes, as in boards.actions.patches. `undone`: the number of the move by which its
    author took it back, empty while the act counts.
    """

    class Kind(models.TextChoices):
        MOVE = "move", _("moved")
        PILE = "pile", _("new pile")
        DESCRIBE = "describe", _("described")
        JOIN = "join", _("joined")
        DROP = "drop", _("dissolved")
        ORDER = "order", _("moved to another place")
        SPLIT = "split", _("split")
        MERGE = "merge", _("merged")
        MAKE = "make", _("made a sub-theme")
        BRING = "bring", _("added new cards")
        UNDO = "undo", _("undone")
        REDO = "redo", _("redone")

    sorting = models.ForeignKey(Sorting, models.CASCADE, related_name="moves", db_index=False)
    number = models.PositiveIntegerField()
    member = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=16, choices=Kind)
    cards = models.JSONField(default=dict)
    piles = models.JSONField(default=dict)
    moved_at = models.DateTimeField(default=clock.now, editable=False)
    undone = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["sorting", "number"]
        constraints = [
            models.UniqueConstraint(fields=["sorting", "number"], name="move_has_its_number"),
            models.CheckConstraint(
                name="a_move_is_taken_back_later", condition=Q(undone=None) | Q(undone__gt=F("number"))
            ),
            models.CheckConstraint(
                name="some_moves_are_for_good",
                condition=Q(undone=None) | ~Q(kind__in=["make", "bring", "undo", "redo"]),
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="a_move_stays_as_it_was_made",
                operation=pgtrigger.Update,
                condition=pgtrigger.AnyChange(
                    "sorting", "number", "member", "kind", "cards", "piles", "moved_at"
                ),
            )
        ]

    def __str__(self) -> str:
        return f"{self.sorting_id} {self.number}: {self.kind}"
