"""How similarly the members sorted the cards of a board while they sorted apart."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

from agreement.sortings import SortedAlike, SortingAgreement, sorting_agreement
from boards.models import Board, Move, Placement, Sorting
from boards.queries.hidden import hidden_cards
from studies.models import Membership


@dataclass
class SortingApart:
    """How one member sorted the cards apart: the pile of each card by its id, and the cards left aside."""

    who: str
    is_done: bool
    piles: dict[int, int] = field(default_factory=dict)
    aside: set[int] = field(default_factory=set)

    @property
    def made(self) -> int:
        """The number of piles."""
        return len(set(self.piles.values()))


@dataclass(frozen=True)
class PairAlike:
    """Two members, by their pseudonyms, and how similarly they sorted."""

    first: str
    second: str
    alike: SortedAlike

    @property
    def either(self) -> int:
        """The number of card pairs that at least one of the two put together."""
        return self.alike.together + self.alike.first + self.alike.second


@dataclass(frozen=True)
class BoardAgreement:
    """The members who sorted apart, as a `whole` and pair by pair. `cards`: the number of cards to sort that
    the reader may see.
    """

    sorters: list[SortingApart]
    cards: int
    pairs: list[PairAlike]
    whole: SortingAgreement

    @property
    def names(self) -> list[str]:
        return [sorter.who for sorter in self.sorters]


def sorted_apart(board: Board) -> list[SortingApart]:
    """The sorting of each member who sorts apart, in the order in which they were asked. Two queries."""
    sortings = Sorting.objects.filter(board=board, member__isnull=False).select_related("member")
    found = {
        sorting.pk: SortingApart(sorting.member.pseudonym, sorting.done_at is not None)  # type: ignore[union-attr]
        for sorting in sortings.order_by("pk")
    }
    placed = Placement.objects.filter(sorting__in=found).order_by("card__number")
    for sorting, card, pile, aside in placed.values_list("sorting", "card", "pile", "aside"):
        if aside:
            found[sorting].aside.add(card)
        elif pile is not None:
            found[sorting].piles[card] = pile
    return list(found.values())


def agreement_of(board: Board, member: Membership) -> BoardAgreement | None:
    """How similarly the members sorted the cards that this member may see. None while they still sort, and
    for a board that was never sorted apart. A fixed number of queries.
    """
    if board.phase == Board.Phase.APART:
        return None
    sorters = sorted_apart(board)
    if not sorters:
        return None
    came = board.cards.exclude(pk__in=_came_later(board))
    cards = set(came.values_list("pk", flat=True)) - hidden_cards(board, member, came)
    for sorter in sorters:
        sorter.piles = {card: pile for card, pile in sorter.piles.items() if card in cards}
        sorter.aside &= cards
    whole = sorting_agreement([sorter.piles for sorter in sorters])
    pairs = [PairAlike(sorters[pair.one].who, sorters[pair.other].who, pair.alike) for pair in whole.pairs]
    return BoardAgreement(sorters, len(cards), pairs, whole)


def _came_later(board: Board) -> set[int]:
    """The cards that came after the sorting apart, by splits, merges and news. One query."""
    kinds = (Move.Kind.SPLIT, Move.Kind.MERGE, Move.Kind.BRING)
    moves = Move.objects.filter(sorting__board=board, sorting__member=None, kind__in=kinds)
    return {
        int(card)
        for cards in moves.values_list("cards", flat=True)
        for card, (before, _after) in cards.items()
        if before == "gone"
    }


def had_where(board: Board, cards: Collection[int]) -> dict[int, list[dict[str, str]]]:
    """Card id to the members who sorted it apart, each with the name of the pile. One query."""
    found: dict[int, list[dict[str, str]]] = defaultdict(list)
    placed = Placement.objects.filter(
        board=board, card__in=cards, sorting__member__isnull=False, pile__isnull=False
    )
    rows = placed.order_by("sorting").values_list("card", "sorting__member__pseudonym", "pile__name")
    for card, who, pile in rows:
        found[card].append({"who": who, "pile": pile})
    return found
