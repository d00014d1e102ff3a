"""The changes of a move as data that can be inverted, so that every move is undone in the same way. The place
of a card is the id of a pile, "aside", "gone" (out of play), or None: not sorted yet.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from django.db.models import F, FilteredRelation, Max, Q, Value
from django.db.models.functions import Lower
from django.utils.translation import gettext as _

from boards.errors import BuiltOn
from boards.models import Card, Move, Pile, Placement, Sorting
from studies.models import Membership

ASIDE: Literal["aside"] = "aside"
GONE: Literal["gone"] = "gone"
Place = int | Literal["aside", "gone"] | None
FIELDS = ("name", "definition", "theme", "rootcause", "position", "made", "in_play")


@dataclass
class Patch:
    """`cards`: (old place, new place) by id. `piles`: (old value, new value) of each changed field, by id."""

    cards: dict[int, tuple[Place, Place]] = field(default_factory=dict)
    piles: dict[int, dict[str, tuple[Any, Any]]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.cards or self.piles)

    @classmethod
    def of(cls, move: Move) -> "Patch":
        """The changes of a stored move."""
        return cls(
            {int(card): (before, after) for card, (before, after) in move.cards.items()},
            {
                int(pile): {name: (before, after) for name, (before, after) in fields.items()}
                for pile, fields in move.piles.items()
            },
        )

    def turned_round(self) -> "Patch":
        """The patch that undoes this patch."""
        return Patch(
            {card: (after, before) for card, (before, after) in self.cards.items()},
            {
                pile: {name: (after, before) for name, (before, after) in fields.items()}
                for pile, fields in self.piles.items()
            },
        )


@dataclass(frozen=True)
class CardPlace:
    """The place of a card, and the number of the move that put it there; 0 without a move."""

    place: Place
    since: int


def lying(sorting: Sorting, cards: Collection[int]) -> dict[int, CardPlace]:
    """The places of these cards of the sorting's board. One query."""
    rows = (
        Card.objects.filter(board=sorting.board_id, pk__in=cards)
        .annotate(here=FilteredRelation("placements", condition=Q(placements__sorting=sorting)))
        .values_list("pk", "in_play", "here__pile", "here__aside", "here__revision")
    )
    return {
        pk: CardPlace(GONE if not in_play else ASIDE if aside else pile, since or 0)
        for pk, in_play, pile, aside, since in rows
    }


def piles_of(sorting: Sorting, piles: Collection[int]) -> dict[int, Pile]:
    """These piles of the sorting, in play or not. One query."""
    return Pile.objects.filter(sorting=sorting).in_bulk(piles)


def store(
    sorting: Sorting, member: Membership, kind: str, patch: Patch, *, as_is: Collection[int] = ()
) -> Move:
    """Store a patch as the next move of a locked sorting, and make its changes. `as_is`: cards in the patch
    that were made for it, and are in play already.
    """
    number = sorting.revision + 1
    move = Move.objects.create(
        sorting=sorting,
        number=number,
        member=member,
        kind=kind,
        cards={str(card): places for card, places in patch.cards.items()},
        piles={
            str(pile): {name: [plain(one) for one in both] for name, both in fields.items()}
            for pile, fields in patch.piles.items()
        },
    )
    _place(sorting, patch.cards, number, as_is)
    _describe(patch.piles)
    Sorting.objects.filter(pk=sorting.pk).update(revision=number)
    sorting.revision = number
    return move


def plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def _place(
    sorting: Sorting, cards: Mapping[int, tuple[Place, Place]], number: int, as_is: Collection[int]
) -> None:
    Placement.objects.bulk_create(
        (
            Placement(
                board_id=sorting.board_id,
                sorting=sorting,
                card_id=card,
                pile_id=place if isinstance(place, int) else None,
                aside=place == ASIDE,
                revision=number,
            )
            for card, (_before, place) in cards.items()
        ),
        update_conflicts=True,
        unique_fields=["card", "sorting"],
        update_fields=["pile", "aside", "revision"],
    )
    lost = [card for card, (_before, after) in cards.items() if after == GONE]
    back = [card for card, (before, _after) in cards.items() if before == GONE and card not in as_is]
    for changed, in_play in ((lost, False), (back, True)):
        if changed:
            Card.objects.filter(pk__in=changed).update(in_play=in_play)


def _describe(piles: Mapping[int, Mapping[str, tuple[Any, Any]]]) -> None:
    # Piles that go out of play come first, so that their names are free.
    for pile, fields in sorted(piles.items(), key=lambda one: one[1].get("in_play", (False, False))[1]):
        Pile.objects.filter(pk=pile).update(**{name: after for name, (_before, after) in fields.items()})


def require_as_it_was(sorting: Sorting, patch: Patch) -> None:
    """Raises BuiltOn if the state before the patch is no longer there, or if the patch would lose cards."""
    found = lying(sorting, patch.cards)
    if any(found[card].place != before for card, (before, _after) in patch.cards.items()):
        raise BuiltOn
    into = {after for _before, after in patch.cards.values() if isinstance(after, int)}
    piles = piles_of(sorting, {*patch.piles, *into})
    for pk, fields in patch.piles.items():
        if any(plain(getattr(piles[pk], name)) != before for name, (before, _after) in fields.items()):
            raise BuiltOn
        for name, (_before, after) in fields.items():
            setattr(piles[pk], name, after)
    if not all(piles[pk].in_play for pk in into):
        raise BuiltOn
    gone = [pk for pk in patch.piles if not piles[pk].in_play]
    others = Placement.objects.filter(sorting=sorting, pile__in=gone).exclude(card__in=patch.cards)
    if gone and others.exists():
        raise BuiltOn
    for pk in patch.piles:
        if piles[pk].in_play and is_taken(sorting, piles[pk]):
            raise BuiltOn(
                _("Another pile now has the name “%(name)s”. Nothing was changed.") % {"name": piles[pk].name}
            )


def is_taken(sorting: Sorting, pile: Pile) -> bool:
    """Is another pile with this name in play below the same theme?"""
    others = Pile.objects.filter(
        sorting=sorting, in_play=True, theme=pile.theme, rootcause=pile.rootcause
    ).exclude(pk=pile.pk)
    return others.annotate(lower=Lower("name")).filter(lower=Lower(Value(pile.name))).exists()


def next_places(sorting: Sorting) -> dict[str, int]:
    """The `number` and the `position` of the next pile."""
    piles = Pile.objects.filter(sorting=sorting)
    last = piles.aggregate(number=Max("number"), position=Max("position", filter=Q(in_play=True)))
    position = last["position"]
    return {"number": (last["number"] or 0) + 1, "position": 0 if position is None else position + 1}


def raise_all(board_id: int) -> None:
    """Raise the revision of every sorting of a locked board, so that every screen asks for the changes."""
    Sorting.objects.filter(board=board_id).update(revision=F("revision") + 1)
