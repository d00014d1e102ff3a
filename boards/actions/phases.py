"""From sorting apart to sorting together and to a closed board; and from a pile to a sub-theme."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from agreement.sortings import put_together_by_all
from boards.actions.locks import hold_board, hold_to_sort
from boards.actions.moves import NAME, require_pile
from boards.actions.patches import Patch, raise_all, store
from boards.errors import BoardRefused, NotApart, NotYourBoard, StillApart
from boards.models import Board, Move, Pile, Placement, Sorting
from boards.queries.agreement import sorted_apart
from boards.queries.hidden import shown_to_all
from boards.rules import may_make_board, may_sort
from core import clock
from rounds.errors import NotAllowed
from studies.actions import record
from studies.models import Membership
from taxonomy import actions as taxonomies
from taxonomy.queries.drafts import drafted
from taxonomy.rules import may_edit_taxonomies
from taxonomy.tree import drafts

EXAMPLES = 5
"""The most cards of a pile that become examples of its sub-theme."""


@transaction.atomic
def finish_sorting(*, board: Board, member: Membership, done: bool = True) -> None:
    """Mark the member's own sorting as done, or as not done. Raises BoardClosed, NotApart, NotYourBoard."""
    held = hold_board(board)
    if held.phase != Board.Phase.APART:
        raise NotApart
    own = Sorting.objects.filter(board=held, member=member)
    if not may_sort(member, held) or not own.exists():
        raise NotYourBoard
    if own.filter(done_at__isnull=done).update(done_at=clock.now() if done else None):
        raise_all(held.pk)


@transaction.atomic
def begin_together(*, board: Board, by: Membership) -> None:
    """End the sorting apart, even if not everybody is done. The common sorting begins with the cards that
    everybody sorted the same way. Raises NotAllowed if the member does not lead, NotApart, BoardClosed.
    """
    held = hold_board(board)
    _require_lead(by, held)
    if held.phase != Board.Phase.APART:
        raise NotApart
    common = Sorting.objects.get(board=held, member=None)
    last = Sorting.objects.filter(board=held).aggregate(last=Max("revision"))["last"] or 0
    number = last + 1
    _begin_with(held, common, number)
    Sorting.objects.filter(pk=common.pk).update(revision=number, began=number)
    held.phase = Board.Phase.TOGETHER
    held.save(update_fields=["phase"])
    record(held.taxonomy.study, "boards.together", by.user, name=held.name)


def _begin_with(board: Board, common: Sorting, number: int) -> None:
    """Make common piles of cards that everybody put together; leave aside the cards that everybody left
    aside. Members who have sorted nothing, for example because they left the study, are not counted.
    """
    sortings = [each for each in sorted_apart(board) if each.piles or each.aside]
    theirs = Pile.objects.filter(sorting__board=board, in_play=True).in_bulk()
    piles: list[Pile] = []
    placed: list[Placement] = []
    at = {"board": board, "sorting": common, "revision": number}
    taken: set[str] = set()
    for place, cards in enumerate(put_together_by_all([each.piles for each in sortings])):
        sources = [theirs[each.piles[cards[0]]] for each in sortings]
        pile = _common(sources, taken)
        pile.sorting, pile.number, pile.position = common, place + 1, place
        piles.append(pile)
        placed += [Placement(card_id=card, pile=pile, **at) for card in cards]
    Pile.objects.bulk_create(piles)
    aside = set.intersection(*(each.aside for each in sortings)) if sortings else set()
    placed += [Placement(card_id=card, aside=True, **at) for card in sorted(aside)]
    Placement.objects.bulk_create(placed)


def _common(sources: Sequence[Pile], taken: set[str]) -> Pile:
    """A pile with the names of all sources, their first definition, and their theme if they agree on one. Its
    name is added to `taken`.
    """
    names: dict[str, str] = {}
    for pile in sources:
        names.setdefault(pile.name.lower(), pile.name)
    theirs = name = " / ".join(names.values())[: NAME - 8]
    number = 1
    while name.lower() in taken:
        number += 1
        name = f"{theirs} ({number})"
    taken.add(name.lower())
    themes = {pile.theme for pile in sources if pile.theme}
    return Pile(
        name=name,
        definition=next((pile.definition for pile in sources if pile.definition), ""),
        theme=themes.pop() if len(themes) == 1 else None,
    )


@transaction.atomic
def close_board(*, board: Board, by: Membership) -> None:
    """End the sorting: the piles stay unchanged. Raises NotAllowed, StillApart, BoardClosed."""
    held = hold_board(board)
    _require_lead(by, held)
    if held.phase == Board.Phase.APART:
        raise StillApart
    held.phase, held.closed_at = Board.Phase.CLOSED, clock.now()
    held.save(update_fields=["phase", "closed_at"])
    raise_all(held.pk)
    record(held.taxonomy.study, "boards.closed", by.user, name=held.name)


@transaction.atomic
def make_sub_theme(*, board: Board, member: Membership, pile: int) -> Move:
    """Add a pile to the draft of the taxonomy as a sub-theme below its theme. Its examples are cards that are
    hidden from no member. Raises BoardRefused, NotAllowed if the member may not change the draft, StillApart,
    what hold_to_sort raises, and what the draft refuses.
    """
    held = hold_to_sort(board, member)
    if held.sorting.member_id is not None:
        raise StillApart
    if not may_edit_taxonomies(member):
        raise NotAllowed
    found = require_pile(held, pile)
    draft = drafted(held.board.taxonomy).draft
    if found.made and str(found.made) in draft:
        code = draft[str(found.made)].code
        raise BoardRefused(
            _("“%(name)s” is already %(code)s in the draft. Nothing was changed.")
            % {"name": found.name, "code": code}
        )
    if str(found.theme) not in draft:
        raise BoardRefused(
            _("Choose a theme for “%(name)s” first. Nothing was changed.") % {"name": found.name}
        )
    cards = shown_to_all(board).filter(placements__pile=found).order_by("-labels", "number")
    acted = taxonomies.act(
        taxonomy=held.board.taxonomy,
        kind=drafts.ADD,
        key=None,
        values={
            "parent": str(found.theme),
            "name": found.name,
            "definition": found.definition,
            "examples": "\n".join(cards.values_list("text", flat=True)[:EXAMPLES]),
        },
        by=member.user,
    )
    assert acted.change is not None  # noqa: S101 - what is added is a change
    patch = Patch(piles={found.pk: {"made": (found.made and str(found.made), str(acted.change.key))}})
    return store(held.sorting, member, Move.Kind.MAKE, patch)


def _require_lead(by: Membership, board: Board) -> None:
    if not may_make_board(by, board.taxonomy.study):
        raise NotAllowed
