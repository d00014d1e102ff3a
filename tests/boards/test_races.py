"""Several people on one board at the same moment: real threads, real transactions, a real PostgreSQL."""

# ruff: noqa: B023 - the threads end before the loop goes on

from collections import Counter

import pytest

from boards import errors
from boards.actions.moves import drop_pile, make_pile, move_cards, undo_move
from boards.actions.phases import begin_together, close_board, finish_sorting
from boards.commands import act
from boards.models import Board, Move, Pile, Placement, Sorting
from tests.long import only_long, sampled
from tests.races import at_once
from tests.worlds.board import board_world, places

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def _promises_hold(board: Board) -> None:
    """What is true after anything at all has happened: the moves, one after the other, give what lies there."""
    for sorting in Sorting.objects.filter(board=board):
        numbers = list(Move.objects.filter(sorting=sorting).values_list("number", flat=True))
        assert numbers == sorted(set(numbers))
        assert sorting.revision >= max(numbers, default=0)
        lies: dict[int, object] = {}
        for move in Move.objects.filter(sorting=sorting).order_by("number"):
            for card, (before, after) in move.cards.items():
                assert lies.get(int(card)) == before
                lies[int(card)] = after
        stored = Placement.objects.filter(sorting=sorting)
        found = {each.card_id: "aside" if each.aside else each.pile_id for each in stored}
        assert {card: place for card, place in found.items() if place} == {
            card: place for card, place in lies.items() if place
        }
        assert not stored.filter(pile__in_play=False).exists()


def test_two_people_move_the_same_card_and_one_is_told():
    world = board_world([f"Card {number}" for number in range(sampled(50, 20))])
    one, two = world.pile("One"), world.pile("Two")
    for card in world.cards:
        seen = world.state()["revision"]
        results = at_once(
            lambda: move_cards(board=world.board, member=world.one, cards=[card], to=one, seen=seen),
            lambda: move_cards(board=world.board, member=world.two, cards=[card], to=two, seen=seen),
        )
        assert sorted(type(result).__name__ for result in results) == ["BoardClash", "Move"]
        [won] = [result for result in results if isinstance(result, Move)]
        assert Placement.objects.get(card=card).pile_id == (one if won.member == world.one else two)
    _promises_hold(world.board)


def test_two_people_move_two_cards_and_both_stay():
    world = board_world([f"Card {number}" for number in range(sampled(50, 20))])
    one, two = world.pile("One"), world.pile("Two")
    cards = world.cards
    seen = world.state()["revision"]
    for first, second in zip(cards[::2], cards[1::2], strict=True):
        results = at_once(
            lambda: move_cards(board=world.board, member=world.one, cards=[first], to=one, seen=seen),
            lambda: move_cards(board=world.board, member=world.two, cards=[second], to=two, seen=seen),
        )
        assert [type(result) for result in results] == [Move, Move]
    assert Counter(places(world.board).values()) == {"One": len(cards) / 2, "Two": len(cards) / 2}
    assert world.state()["revision"] == len(cards) + 2
    _promises_hold(world.board)


@only_long
def test_a_pile_is_dropped_while_a_card_comes_into_it():
    world = board_world()
    card = world.cards[0]
    for number in range(sampled(20, 8)):
        pile = world.pile(f"Pile {number}")
        seen = world.state()["revision"]
        dropped, moved = at_once(
            lambda: drop_pile(board=world.board, member=world.one, pile=pile, seen=seen),
            lambda: move_cards(board=world.board, member=world.two, cards=[card], to=pile, seen=seen),
        )
        assert isinstance(dropped, Move) != isinstance(moved, Move)
        assert isinstance(dropped, errors.BoardClash) or isinstance(moved, errors.BoardClash)
        _promises_hold(world.board)
        if isinstance(moved, Move):
            world.act(world.two, "undo")


def test_two_piles_of_one_name_are_made_at_once():
    world = board_world()
    for number in range(10):
        results = at_once(
            *(
                lambda member=member: make_pile(
                    board=world.board, member=member, name=f"Stops {number}", cards=[], seen=0
                )
                for member in (world.one, world.two)
            )
        )
        assert sorted(type(result).__name__ for result in results) == ["BoardRefused", "Move"]
    assert Pile.objects.count() == 10


def test_an_act_that_is_sent_twice_at_once_is_done_once():
    world = board_world()
    body = {"act": "pile", "name": "", "cards": [], "seen": 0, "key": "6f1c7c0e-8f3f-4f5e-9d29-2c5b0a9fb001"}
    assert at_once(*[lambda: act(world.board, world.one, body)] * 4) == [None] * 4
    assert Move.objects.count() == 1


@only_long
def test_the_joint_session_begins_while_people_still_sort():
    for _time in range(sampled(10, 4)):
        world = board_world(apart=True)
        for member in (world.one, world.two):
            world.pile("Stops", *world.cards[:2], by=member)
        results = at_once(
            lambda: begin_together(board=world.board, by=world.lead),
            lambda: finish_sorting(board=world.board, member=world.one),
            lambda: finish_sorting(board=world.board, member=world.two),
            lambda: move_cards(board=world.board, member=world.one, cards=[world.cards[0]], to=None, seen=1),
        )
        assert results[0] is None
        assert all(isinstance(each, (type(None), Move, errors.NotApart, errors.SortingDone, errors.BoardClash))
                   for each in results)  # fmt: skip
        together = {text for text, pile in places(world.board).items() if pile}
        assert together in ({"Crash", "Hang"}, set())
        world.board.delete()


def test_a_board_is_closed_while_people_sort():
    world = board_world()
    pile = world.pile("Stops")
    results = at_once(
        lambda: close_board(board=world.board, by=world.lead),
        lambda: move_cards(board=world.board, member=world.one, cards=[world.cards[0]], to=pile, seen=9),
        lambda: undo_move(board=world.board, member=world.one),
    )
    assert results[0] is None
    assert Board.objects.get().phase == "closed"
    _promises_hold(world.board)
