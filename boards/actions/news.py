"""New summaries of labels, brought onto a board that has begun."""

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from boards.actions.cards import add_sources
from boards.actions.locks import hold_board
from boards.actions.patches import GONE, Patch, Place, lying, store
from boards.errors import BoardRefused, StillApart
from boards.mapping import MAX_SUMMARIES
from boards.models import Board, Card, Move, Sorting
from boards.queries.hidden import hidden_cards
from boards.queries.labels import new_summaries
from boards.rules import may_make_board
from consensus.likeness import stars
from core.templatetags.crosscheck import count
from rounds.errors import NotAllowed
from studies.actions import record
from studies.models import Membership


@transaction.atomic
def bring_cards(*, board: Board, member: Membership) -> Move:
    """Add an unsorted card for each new summary of labels; nearly equal cards get a common group. A summary
    that a card shows already gives no card, and that card keeps its first number of labels. Raises NotAllowed
    if the member does not lead, BoardClosed, StillApart, BoardRefused without a new summary and with more
    than MAX_SUMMARIES cards.
    """
    held = hold_board(board)
    if not may_make_board(member, held.taxonomy.study):
        raise NotAllowed
    if held.phase == Board.Phase.APART:
        raise StillApart
    new = new_summaries(held, member)
    there = Card.objects.filter(board=held, in_play=True)
    if not new:
        raise BoardRefused(_("The board already has all summaries. Nothing was changed."))
    if there.count() + len(new) > MAX_SUMMARIES:
        raise BoardRefused(
            _("%(n)s new cards are too many: a board has at most %(most)s cards. Nothing was changed.")
            % {"n": count(len(new)), "most": count(MAX_SUMMARIES)}
        )
    last = Card.objects.filter(board=held).aggregate(number=Max("number"), group=Max("group"))
    made = [
        Card(board=held, number=number, text=text, labels=len(labels))
        for number, (text, labels) in enumerate(new.items(), start=(last["number"] or 0) + 1)
    ]
    joined = _group(list(there.exclude(pk__in=hidden_cards(held, member, there))), made, last["group"] or 0)
    Card.objects.bulk_create(made, batch_size=5_000)
    Card.objects.bulk_update(joined, ["group"], batch_size=1_000)
    add_sources(made, new.values())
    sorting = Sorting.objects.get(board=held, member=None)
    # Cards that joined a group are in the move too, in their old places, so that every screen is told.
    cards: dict[int, tuple[Place, Place]] = {
        pk: (lies.place, lies.place) for pk, lies in lying(sorting, [card.pk for card in joined]).items()
    }
    patch = Patch(cards | {card.pk: (GONE, None) for card in made})
    move = store(sorting, member, Move.Kind.BRING, patch, as_is=[card.pk for card in made])
    record(held.taxonomy.study, "boards.brought", member.user, name=held.name, cards=len(made))
    return move


def _group(there: list[Card], new: list[Card], last: int) -> list[Card]:
    """Put each new card into the group of the cards that are nearly equal to it, or into a new group with a
    number after `last`. Returns the old cards that had no group and now have one.
    """
    joined = []
    cards = [*there, *new]
    for star in stars([card.text for card in cards]):
        members = [cards[place] for place in star.members]
        if len(members) < 2 or max(star.members) < len(there):
            continue
        group = next((card.group for card in members if card.group is not None), None)
        if group is None:
            last += 1
            group = last
        for place, card in zip(star.members, members, strict=True):
            if card.group is None:
                card.group = group
                joined += [card] if place < len(there) else []
    return joined
