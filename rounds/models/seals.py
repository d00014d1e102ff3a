"""The chain of a round: seals, each over its events and the seal before (docs/decisions/0061)."""

from django.db import models
from django.db.models import Q

from core.sql.append_only import AppendOnly
from rounds.models.rounds import Round
from studies.models import Study

FIRST = "0" * 64
"""What the first seal of a round names as the one before."""


class Seal(models.Model):
    """One link of the chain of a round: a numbered block of events, bound to the block before by its digest.

    `digest` covers the number, the previous digest, the moment, the reason, the count and the digest of the
    events (`rounds.seals.canonical`). Append-only. No key holds its round: a seal that is being made must not
    wait for a round that somebody is closing, nor keep them from it.
    """

    class Why(models.TextChoices):
        REGULAR = "regular"
        FIRST = "first"
        IMPORTED = "imported"
        CLOSE = "close"
        MINUTES = "minutes"
        FREEZE = "freeze"
        PACKAGE = "package"

    study = models.ForeignKey(Study, models.DO_NOTHING, related_name="+", db_constraint=False)
    round = models.ForeignKey(
        Round, models.DO_NOTHING, related_name="seals", db_constraint=False, db_index=False
    )
    number = models.PositiveIntegerField(help_text="1 for the first seal of a round, and so on")
    previous = models.CharField(max_length=64, help_text="Digest of the seal before; zeros for the first")
    at = models.DateTimeField(help_text="Never before the seal before, whatever the clock says")
    why = models.CharField(
        max_length=16,
        choices=Why,
        help_text="first: its events are sealed from then on, their order before is not",
    )
    events = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "number"], name="seals_of_a_round_are_numbered"),
            models.UniqueConstraint(fields=["round", "previous"], name="a_chain_does_not_fork"),
            models.CheckConstraint(name="a_seal_covers_something", condition=Q(number__gte=1, events__gte=1)),
        ]
        triggers = [AppendOnly()]

    def __str__(self) -> str:
        return f"seal {self.number} of {self.round_id}"


class SealedEvent(models.Model):
    """One event that a seal covers: which row, and the digest of its salt and its content then.

    The salt keeps a digest from telling what it was made of: contents are few and can be guessed. `seal` has
    no key in the database, since the events are stored first.
    """

    seal = models.ForeignKey(
        Seal, models.DO_NOTHING, related_name="covered", db_constraint=False, db_index=False
    )
    place = models.PositiveIntegerField()
    kind = models.CharField(max_length=16)
    key = models.BigIntegerField(help_text="Of the row")
    salt = models.UUIDField()
    digest = models.BinaryField(max_length=32)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["seal", "place"], name="sealed_events_are_in_order")]
        indexes = [models.Index(fields=["kind", "key"], name="sealed_events_by_row")]
        triggers = [AppendOnly()]

    def __str__(self) -> str:
        return f"{self.kind} {self.key} in {self.seal_id}"
