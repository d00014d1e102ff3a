"""Sorting apart, then together, then no more; and piles that become sub-themes."""

import pytest

from boards import errors
from boards.models import Board, Sorting
from boards.queries.agreement import agreement_of
from boards.queries.boards import boards_of, state_of
from rounds.errors import NotAllowed
from studies.models import Event, Role
from taxonomy.queries.drafts import drafted
from tests import factories
from tests.long import only_long
from tests.worlds.board import BoardWorld, board_world, places

pytestmark = pytest.mark.django_db

TEXTS = ("Crash", "Abort", "Hang", "Slow", "Leak", "Odd")


def _sorted_apart(**fields) -> BoardWorld:
    """R1: Crash Abort Hang | Slow, Leak aside. R2: Crash Abort | Hang Slow, Leak aside. Nobody has Odd."""
    world = board_world(TEXTS, apart=True, **fields)
    crash, abort, hang, slow, leak, _odd = world.cards
    world.pile("Stops", crash, abort, hang, by=world.one)
    world.pile("Speed", slow, by=world.one)
    world.pile("Ends", crash, abort, by=world.two)
    world.pile("Waits", hang, slow, by=world.two)
    for member in (world.one, world.two):
        world.act(member, "move", cards=[leak], aside=True)
    return world


def test_apart_nobody_sees_what_another_does_not_even_that_they_do():
    world = board_world(apart=True)
    before = [world.state(member) for member in (world.two, world.lead)]
    pile = world.pile("Stops", world.cards[0], by=world.one)
    assert [world.state(member) for member in (world.two, world.lead)] == before
    assert state_of(world.board, world.two, since=before[0]["revision"]) is None
    assert [pile["name"] for pile in world.state(world.one)["piles"]] == ["Stops"]
    assert before[1]["can_edit"] is False
    assert before[0]["sorters"] == [{"who": "R1", "done": False}, {"who": "R2", "done": False}]
    with pytest.raises(errors.BoardClash):
        world.act(world.two, "move", cards=[world.cards[1]], to=pile)
    assert boards_of(world.version.taxonomy, world.lead)[0].piles == 0


def test_apart_only_who_was_asked_sorts_and_cards_stay_as_they_are():
    world = board_world(apart=True)
    other = factories.make_member(world.study)
    for member in (other, world.lead):
        with pytest.raises(errors.NotYourBoard):
            world.act(member, "pile", cards=[])
        with pytest.raises(errors.NotYourBoard):
            world.act(member, "done")
    for kind, fields in (("split", {"card": world.cards[0], "texts": ["a", "b"]}),
                         ("merge", {"cards": world.cards[:2], "text": "c"})):  # fmt: skip
        with pytest.raises(errors.StillApart):
            world.act(world.one, kind, **fields)
    with pytest.raises(errors.StillApart):
        world.act(world.lead, "close")


def test_both_make_a_pile_of_one_name_and_take_back_their_own():
    world = board_world(apart=True)
    world.pile("Stops", world.cards[0], by=world.one)
    world.pile("Stops", world.cards[1], by=world.two)
    world.act(world.one, "undo")
    assert places(world.board, world.one)["Crash"] is None
    assert places(world.board, world.two)["Hang"] == "Stops"


def test_who_is_done_says_so_to_all_and_sorts_on_only_after_taking_it_back():
    world = board_world(apart=True)
    seen = world.state(world.two)["revision"]
    world.act(world.one, "done")
    found = state_of(world.board, world.two, since=seen)
    assert found["sorters"] == [{"who": "R1", "done": True}, {"who": "R2", "done": False}]
    assert (found["cards"], world.state(world.one)["can_edit"]) == ([], False)
    with pytest.raises(errors.SortingDone):
        world.act(world.one, "pile", cards=[])
    world.act(world.one, "done", done=False)
    assert world.pile("Stops", by=world.one)
    before = world.state(world.one)["revision"]
    assert world.act(world.one, "done", done=False)["revision"] == before


@only_long
def test_together_begins_with_what_all_put_together():
    world = _sorted_apart()
    seen = world.state(world.one)["revision"]
    state = world.act(world.lead, "together")
    assert places(world.board) == {
        "Crash": "Stops / Ends",
        "Abort": "Stops / Ends",
        "Hang": None,
        "Slow": None,
        "Leak": "aside",
        "Odd": None,
    }
    assert (state["phase"], state["can_edit"]) == ("together", True)
    had = {card["text"]: card["had"] for card in state["cards"] if "had" in card}
    assert had == {
        "Hang": [{"who": "R1", "pile": "Stops"}, {"who": "R2", "pile": "Waits"}],
        "Slow": [{"who": "R1", "pile": "Speed"}, {"who": "R2", "pile": "Waits"}],
        "Odd": [],
    }
    found = state_of(world.board, world.one, since=seen)
    assert (found["whole"], len(found["cards"])) == (True, 6)
    assert not found["can_undo"]
    with pytest.raises(errors.NotApart):
        world.act(world.lead, "together")
    with pytest.raises(errors.NotApart):
        world.act(world.one, "done")


def test_piles_that_all_call_the_same_keep_their_name_and_two_of_one_name_are_told_apart():
    world = board_world(apart=True)
    crash, hang, slow, leak = world.cards
    for member in (world.one, world.two):
        world.pile("Stops", crash, hang, by=member)
    world.pile("Speed", slow, leak, by=world.one)
    world.pile("speed", slow, leak, by=world.two)
    state = world.act(world.lead, "together")
    assert [pile["name"] for pile in state["piles"]] == ["Stops", "Speed"]


def test_who_does_not_lead_begins_and_ends_nothing():
    world = _sorted_apart()
    for kind in ("together", "close"):
        with pytest.raises(NotAllowed):
            world.act(world.one, kind)
    world.act(world.lead, "together")
    with pytest.raises(NotAllowed):
        world.act(world.one, "close")


def test_how_alike_they_sorted_is_shown_once_they_sort_together():
    """Crash, Abort, Hang, Slow lie in a pile of both: 110 | 1 against 11 | 00, so of 6 pairs 1 is together in
    both, 2 only for R1, 1 only for R2: (1 - 3 x 2 / 6) / (5/2 - 1) = 0, and 1 of 4 shared.
    """
    world = _sorted_apart()
    assert agreement_of(world.board, world.lead) is None
    assert agreement_of(board_world().board, world.lead) is None  # nobody sorted apart there
    world.act(world.lead, "together")
    found = agreement_of(world.board, world.lead)
    [pair] = found.pairs
    assert (pair.first, pair.second, pair.alike.cards, pair.alike.left_out) == ("R1", "R2", 4, 0)
    assert (pair.alike.together, pair.alike.first, pair.alike.second, pair.alike.apart) == (1, 2, 1, 2)
    assert (found.whole.mean, pair.alike.shared, found.cards) == (0.0, 0.25, 6)
    assert [len(sorter.aside) for sorter in found.sorters] == [1, 1]
    world.act(world.one, "split", card=world.cards[0], texts=["One", "Two"])
    world.act(world.one, "merge", cards=world.cards[1:3], text="One of two")
    assert agreement_of(world.board, world.lead) == found


def test_a_viewer_sees_a_board_once_it_is_sorted_together():
    world = board_world(apart=True)
    viewer = factories.make_member(world.study, Role.VIEWER)
    assert boards_of(world.version.taxonomy, viewer) == []
    world.act(world.lead, "together")
    assert [line.sorters for line in boards_of(world.version.taxonomy, viewer)] == [2]


def test_a_closed_board_stays():
    world = board_world()
    pile = world.pile("Stops", world.cards[0])
    seen = world.state()["revision"]
    state = world.act(world.lead, "close")
    assert (state["phase"], state["can_edit"], state["may_lead"], state["can_undo"]) == (
        "closed",
        False,
        False,
        False,
    )
    assert state_of(world.board, world.one, since=seen)["phase"] == "closed"
    for member, kind, fields in (
        (world.one, "move", {"cards": [world.cards[0]], "aside": True}),
        (world.one, "undo", {}),
        (world.lead, "make", {"pile": pile}),
        (world.lead, "close", {}),
        (world.lead, "together", {}),
    ):
        with pytest.raises(errors.BoardClosed):
            world.act(member, kind, **fields)
    assert list(Event.objects.order_by("pk").values_list("verb", flat=True)) == [
        "boards.made",
        "boards.closed",
    ]


def test_a_pile_becomes_a_sub_theme_of_the_draft():
    world = board_world(("Crash", "Abort", "Hang", "Stop", "Break", "Fail"))
    pile = world.pile("Stops", *world.cards)
    with pytest.raises(errors.BoardRefused, match="Choose a theme for “Stops” first"):
        world.act(world.lead, "make", pile=pile)
    world.act(world.one, "describe", pile=pile, theme="C.1", definition="It stops.")
    with pytest.raises(NotAllowed):
        world.act(world.one, "make", pile=pile)
    state = world.act(world.lead, "make", pile=pile)
    assert state["piles"][0]["made"] == "C.1.ii"
    draft = drafted(world.version.taxonomy).draft
    [made] = [entry for entry in draft if entry.code == "C.1.ii"]
    assert (made.name, made.definition, draft[made.parent].code) == ("Stops", "It stops.", "C.1")
    assert made.examples == "Crash\nAbort\nHang\nStop\nBreak"
    with pytest.raises(errors.BoardRefused, match=r"is already C\.1\.ii"):
        world.act(world.lead, "make", pile=pile)
    assert not state["can_undo"]


def test_a_sub_theme_that_was_taken_back_in_the_draft_is_made_again():
    from taxonomy import actions

    world = board_world()
    pile = world.pile("Stops", world.cards[0])
    world.act(world.one, "describe", pile=pile, theme="C.1")
    world.act(world.lead, "make", pile=pile)
    actions.undo(taxonomy=world.version.taxonomy, by=world.lead.user)
    assert world.state()["piles"][0]["made"] is None
    assert world.act(world.lead, "make", pile=pile)["piles"][0]["made"] == "C.1.ii"


def test_what_the_draft_refuses_leaves_the_pile_as_it_was():
    from taxonomy.errors import ChangeRefused

    world = board_world()
    pile = world.pile("Name of C.1.i", world.cards[0])
    world.act(world.one, "describe", pile=pile, theme="C.1")
    before = world.state()
    with pytest.raises(ChangeRefused):
        world.act(world.lead, "make", pile=pile)
    assert world.state() == before
    assert Board.objects.count() == 1
    assert Sorting.objects.count() == 1
