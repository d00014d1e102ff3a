"""Cards: splitting a card with two symptoms, and merging cards. Both actions also raise what `hold_to_sort`
raises, BoardRefused for an empty or too long text, and StillApart.
"""

from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from boards.actions.locks import HeldSorting, hold_to_sort
from boards.actions.moves import lying_now, require_unmoved
from boards.actions.patches import GONE, Patch, Place, store
from boards.errors import BoardRefused, StillApart
from boards.models import Board, Card, CardLabel, Move
from studies.models import Membership

TEXT = 500
"""The most characters of a card."""


@transaction.atomic
def split_card(*, board: Board, member: Membership, card: int, texts: Sequence[str]) -> Move:
    """Replace a card by a card for each of these texts, in the same place; the old card goes out of play."""
    held = hold_to_sort(board, member)
    _require_common(held)
    if len(texts) < 2:
        raise BoardRefused(_("Write at least two texts to split a card. Nothing was changed."))
    [(source, place)] = _in_play(held, [card])
    sources = list(source.sources.values_list("label", flat=True))
    parts = _new_cards(held, [(text, source.labels, sources) for text in texts], source, split=True)
    patch = Patch({source.pk: (place, GONE)} | {part.pk: (GONE, place) for part in parts})
    return store(held.sorting, member, Move.Kind.SPLIT, patch, as_is=[part.pk for part in parts])


@transaction.atomic
def merge_cards(
    *,
    board: Board,
    member: Membership,
    cards: Sequence[int],
    text: str,
    seen: int,
    seen_at: Mapping[int, Place] | None = None,
) -> Move:
    """Replace these cards by one card in the place of the first; the old cards go out of play. Raises
    BoardClash if somebody has moved one of them since `seen`.
    """
    held = hold_to_sort(board, member)
    _require_common(held)
    require_unmoved(held, lying_now(held, cards), seen, seen_at or {})
    found = _in_play(held, list(dict.fromkeys(cards)))
    if len(found) < 2:
        raise BoardRefused(_("Select at least two cards to merge. Nothing was changed."))
    first, place = found[0]
    sources = sorted(set(CardLabel.objects.filter(card__in=cards).values_list("label", flat=True)))
    labels = len(sources) or sum(card.labels for card, _place in found)
    [made] = _new_cards(held, [(text, labels, sources)], first, split=False)
    Card.objects.filter(pk__in=[card.pk for card, _place in found]).update(merged_into=made)
    patch = Patch({card.pk: (lies, GONE) for card, lies in found} | {made.pk: (GONE, place)})
    return store(held.sorting, member, Move.Kind.MERGE, patch, as_is=[made.pk])


def _in_play(held: HeldSorting, cards: Sequence[int]) -> list[tuple[Card, Place]]:
    places = lying_now(held, cards)
    found = Card.objects.filter(board=held.board).in_bulk(cards)
    return [(found[card], places[card].place) for card in cards]


def _new_cards(
    held: HeldSorting, wanted: Sequence[tuple[str, int, Sequence[int]]], source: Card, *, split: bool
) -> list[Card]:
    """Make a card for each (text, number of labels, ids of labels), in the group of the source. Each text
    becomes one line.
    """
    texts = [" ".join(text.split()) for text, _labels, _sources in wanted]
    for text in texts:
        if not text:
            raise BoardRefused(_("The text of a card cannot be empty. Nothing was changed."))
        if len(text) > TEXT:
            raise BoardRefused(
                _("The text of a card has at most %(n)d characters. Nothing was changed.") % {"n": TEXT}
            )
    last = Card.objects.filter(board=held.board).aggregate(last=Max("number"))["last"] or 0
    made = Card.objects.bulk_create(
        Card(
            board=held.board,
            number=number,
            text=text,
            labels=labels,
            group=source.group,
            split_from=source if split else None,
        )
        for number, (text, (_text, labels, _sources)) in enumerate(
            zip(texts, wanted, strict=True), start=last + 1
        )
    )
    add_sources(made, [sources for _text, _labels, sources in wanted])
    return made


def add_sources(cards: Sequence[Card], sources: Iterable[Sequence[int]]) -> None:
    """Store the ids of the labels from which each of these cards comes."""
    pairs = [(card, label) for card, labels in zip(cards, sources, strict=True) for label in labels]
    CardLabel.objects.bulk_create((CardLabel(card=card, label_id=label) for card, label in pairs), 5_000)


def _require_common(held: HeldSorting) -> None:
    if held.sorting.member_id is not None:
        raise StillApart(_("You can split and merge cards only in the joint session. Nothing was changed."))
