"""Moves on a board: what each does, what is refused, and how it is taken back."""

import pytest

from boards import errors
from boards.commands import act
from boards.models import Card, Move, Pile
from boards.queries.boards import state_of
from studies.models import Role
from tests import factories
from tests.kept import kept
from tests.long import only_long
from tests.worlds.board import BoardWorld, board_world, places

pytestmark = pytest.mark.django_db


@kept
def world() -> BoardWorld:
    return board_world()


def test_a_pile_is_made_with_cards_and_gets_a_number_where_it_has_no_name(world):
    crash, hang, _slow, _leak = world.cards
    world.act(world.one, "pile", name="", cards=[])
    world.act(world.one, "pile", name=" Stops   working ", cards=[crash, hang])
    state = world.act(world.one, "pile", cards=[])
    assert [pile["name"] for pile in state["piles"]] == ["Pile 1", "Stops working", "Pile 2"]
    assert places(world.board) == {
        "Crash": "Stops working",
        "Hang": "Stops working",
        "Slow": None,
        "Leak": None,
    }
    assert state["revision"] == 3


def test_cards_go_into_a_pile_aside_and_back(world):
    crash, hang, *_ = world.cards
    pile = world.pile("Stops")
    world.act(world.one, "move", cards=[crash, hang], to=pile)
    world.act(world.two, "move", cards=[hang], aside=True)
    assert (places(world.board)["Crash"], places(world.board)["Hang"]) == ("Stops", "aside")
    world.act(world.one, "move", cards=[crash, hang], to=None)
    assert set(places(world.board).values()) == {None}


def test_a_card_that_somebody_moved_since_stays_where_they_put_it(world):
    crash, hang, *_ = world.cards
    stops, other = world.pile("Stops"), world.pile("Other")
    seen = world.state()["revision"]
    world.act(world.two, "move", cards=[crash], to=stops)
    with pytest.raises(errors.BoardClash, match="has put “Crash” into “Stops”"):
        world.act(world.one, "move", cards=[crash, hang], to=other, seen=seen)
    with pytest.raises(errors.BoardClash):
        world.act(world.one, "move", cards=[crash], to=other, **{"from": {str(crash): None}})
    assert places(world.board) == {"Crash": "Stops", "Hang": None, "Slow": None, "Leak": None}
    world.act(world.one, "move", cards=[crash], to=other, seen=seen, **{"from": {str(crash): stops}})
    assert places(world.board)["Crash"] == "Other"


def test_two_who_put_a_card_into_the_same_pile_do_not_clash(world):
    stops = world.pile("Stops")
    seen = world.state()["revision"]
    world.act(world.two, "move", cards=[world.cards[0]], to=stops)
    world.act(world.one, "move", cards=[world.cards[0]], to=stops, seen=seen)
    assert places(world.board)["Crash"] == "Stops"
    assert world.state()["revision"] == seen + 1  # what lies there already is no move


def test_nothing_is_put_into_a_pile_that_is_gone(world):
    stops = world.pile("Stops", world.cards[0])
    world.act(world.two, "drop", pile=stops)
    with pytest.raises(errors.BoardClash, match="no longer exists"):
        world.act(world.one, "move", cards=[world.cards[1]], to=stops)
    for kind, fields in (
        ("describe", {"pile": stops, "name": "X"}),
        ("drop", {"pile": stops}),
        ("join", {"piles": [world.pile("Other"), stops]}),
        ("order", {"pile": stops, "position": 0}),
    ):
        with pytest.raises(errors.BoardClash):
            world.act(world.one, kind, **fields)


def test_a_pile_is_described_and_nothing_of_others_is_written_over(world):
    pile = world.pile("Stops")
    world.act(world.one, "describe", pile=pile, name="Halts", definition="It stops.", theme="C.1")
    [found] = world.state()["piles"]
    assert (found["name"], found["definition"], found["theme"]) == ("Halts", "It stops.", "C.1")
    assert found["rootcause"] == "Name of C.1"
    with pytest.raises(errors.BoardClash, match="Halts"):
        world.act(world.two, "describe", pile=pile, name="Ends", was={"name": "Stops"})
    world.act(
        world.two,
        "describe",
        pile=pile,
        name="Stops",
        definition="Mine.",
        was={"name": "Stops", "definition": "It stops."},
    )
    [found] = world.state()["piles"]
    assert (found["name"], found["definition"]) == ("Halts", "Mine.")
    world.act(world.two, "describe", pile=pile, theme=None)
    assert world.state()["piles"][0]["theme"] is None


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": " "}, "Enter a name for the pile"),
        ({"name": "x" * 201}, "200"),
        ({"theme": "C.99"}, "C.99"),
        ({"theme": "C"}, "does not have the theme C"),
        ({"theme": "C.1.i"}, "C.1.i"),
        ({"definition": "x" * 10_001}, "10000"),
        ({"name": "other"}, "already"),
        ({"name": 7}, "name"),
    ],
)
def test_a_description_that_does_not_do_is_refused(world, fields, words):
    pile = world.pile("Stops")
    world.pile("Other")
    with pytest.raises(errors.BoardRefused, match=words):
        world.act(world.one, "describe", pile=pile, **fields)


def test_joined_piles_are_one(world):
    crash, hang, slow, _leak = world.cards
    one, two, three = world.pile("One", crash), world.pile("Two", hang), world.pile("Three", slow)
    state = world.act(world.one, "join", piles=[two, one, three])
    assert [pile["name"] for pile in state["piles"]] == ["Two"]
    assert places(world.board) == {"Crash": "Two", "Hang": "Two", "Slow": "Two", "Leak": None}
    with pytest.raises(errors.BoardRefused):
        world.act(world.one, "join", piles=[two, two])


def test_a_pile_is_not_dropped_over_a_card_that_came_since(world):
    pile = world.pile("Stops", world.cards[0])
    seen = world.state()["revision"]
    world.act(world.two, "move", cards=[world.cards[1]], to=pile)
    with pytest.raises(errors.BoardClash, match="Stops"):
        world.act(world.one, "drop", pile=pile, seen=seen)
    state = world.act(world.one, "drop", pile=pile)
    assert state["piles"] == []
    assert set(places(world.board).values()) == {None}


def test_piles_are_put_in_order(world):
    one, two, three = (world.pile(name) for name in ("One", "Two", "Three"))
    state = world.act(world.one, "order", pile=three, position=0)
    assert [pile["id"] for pile in state["piles"]] == [three, one, two]
    assert [pile["position"] for pile in state["piles"]] == [0, 1, 2]
    state = world.act(world.one, "order", pile=three, position=99)
    assert [pile["id"] for pile in state["piles"]] == [one, two, three]


def test_a_card_with_two_symptoms_is_split_where_it_lies(world):
    crash = world.cards[0]
    pile = world.pile("Stops", crash)
    world.act(world.one, "split", card=crash, texts=["Crash at start", " Crash at end "])
    assert places(world.board) == {
        "Hang": None,
        "Slow": None,
        "Leak": None,
        "Crash at start": "Stops",
        "Crash at end": "Stops",
    }
    with pytest.raises(errors.BoardClash):
        world.act(world.two, "move", cards=[crash], to=pile)
    with pytest.raises(errors.BoardClash):
        world.act(world.two, "split", card=crash, texts=["a", "b"])
    for texts in (["one"], ["one", " "], ["one", "x" * 501]):
        with pytest.raises(errors.BoardRefused):
            world.act(world.two, "split", card=world.cards[1], texts=texts)
    world.act(world.one, "undo")
    assert places(world.board)["Crash"] == "Stops"
    assert len(world.state()["cards"]) == 4
    world.act(world.one, "redo")
    assert len(world.state()["cards"]) == 5


def test_merged_cards_are_one_where_the_first_lay(world):
    crash, hang, *_ = world.cards
    world.pile("Stops", crash)
    state = world.act(world.one, "merge", cards=[crash, hang], text="Crash or hang")
    assert places(world.board) == {"Slow": None, "Leak": None, "Crash or hang": "Stops"}
    assert state["cards"][-1]["text"] == "Crash or hang"
    assert set(Card.objects.filter(merged_into__text="Crash or hang").values_list("pk", flat=True)) == {
        crash,
        hang,
    }
    world.act(world.one, "undo")
    assert places(world.board) == {"Crash": "Stops", "Hang": None, "Slow": None, "Leak": None}
    with pytest.raises(errors.BoardRefused):
        world.act(world.one, "merge", cards=[crash, crash], text="x")


def test_everyone_takes_back_their_own_moves_in_turn(world):
    crash, hang, slow, _leak = world.cards
    stops = world.pile("Stops", crash)
    world.act(world.two, "move", cards=[hang], to=stops)
    world.act(world.one, "move", cards=[slow], to=stops)
    world.act(world.one, "undo")
    assert places(world.board) == {"Crash": "Stops", "Hang": "Stops", "Slow": None, "Leak": None}
    with pytest.raises(errors.BuiltOn):
        world.act(world.one, "undo")  # the pile holds a card of R2 now
    world.act(world.two, "undo")
    state = world.act(world.one, "undo")
    assert (state["piles"], set(places(world.board).values())) == ([], {None})
    assert (state["can_undo"], state["can_redo"]) == (False, True)
    world.act(world.one, "redo")
    state = world.act(world.one, "redo")
    assert places(world.board) == {"Crash": "Stops", "Hang": None, "Slow": "Stops", "Leak": None}
    assert (state["can_undo"], state["can_redo"]) == (True, False)
    with pytest.raises(errors.NothingToDoAgain):
        world.act(world.one, "redo")
    assert world.state(world.two)["can_redo"]


def test_nothing_is_done_again_after_another_move_of_ones_own(world):
    world.pile("One")
    with pytest.raises(errors.NothingToTakeBack):
        world.act(world.two, "undo")
    world.act(world.one, "undo")
    world.pile("Two")
    assert not world.state()["can_redo"]
    with pytest.raises(errors.NothingToDoAgain):
        world.act(world.one, "redo")
    world.act(world.one, "undo")
    assert world.act(world.one, "redo")["piles"][0]["name"] == "Two"


def test_a_card_that_was_moved_on_is_not_taken_back(world):
    stops, other = world.pile("Stops", by=world.two), world.pile("Other", by=world.two)
    world.act(world.one, "move", cards=[world.cards[0]], to=stops)
    world.act(world.two, "move", cards=[world.cards[0]], to=other)
    with pytest.raises(errors.BuiltOn):
        world.act(world.one, "undo")
    assert places(world.board)["Crash"] == "Other"


@only_long
def test_each_kind_of_move_is_taken_back_and_done_again(world):
    crash, hang, slow, leak = world.cards
    one, two = world.pile("One", crash), world.pile("Two", hang)

    def seen():
        state = world.state()
        return state["cards"], state["piles"]

    for kind, fields in (
        ("move", {"cards": [slow], "to": one}),
        ("move", {"cards": [crash], "aside": True}),
        ("pile", {"name": "Three", "cards": [leak, hang]}),
        ("describe", {"pile": one, "name": "First", "definition": "D", "theme": "A.1"}),
        ("join", {"piles": [two, one]}),
        ("drop", {"pile": one}),
        ("order", {"pile": two, "position": 0}),
        ("split", {"card": hang, "texts": ["Hang at start", "Hang at end"]}),
        ("merge", {"cards": [hang, leak], "text": "Hang or leak"}),
    ):
        before = seen()
        world.act(world.one, kind, **fields)
        after = seen()
        assert after != before, kind
        world.act(world.one, "undo")
        assert seen() == before, kind
        world.act(world.one, "redo")
        assert seen() == after, kind
        world.act(world.one, "undo")


def test_a_dropped_pile_does_not_come_back_beside_another_of_its_name(world):
    stops = world.pile("Stops", world.cards[0])
    world.act(world.one, "drop", pile=stops)
    world.pile("Stops", by=world.two)
    with pytest.raises(errors.BuiltOn, match="Stops"):
        world.act(world.one, "undo")
    assert Pile.objects.filter(in_play=True).count() == 1


def test_a_viewer_a_stranger_and_who_left_sort_nothing(world):
    viewer = factories.make_member(world.study, Role.VIEWER)
    stranger = factories.make_member(factories.make_study())
    for member in (viewer, stranger):
        with pytest.raises(errors.NotYourBoard):
            world.act(member, "pile", name="Mine", cards=[], seen=0)
    assert not world.state(viewer)["can_edit"]
    assert world.state(world.lead)["can_edit"]


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {},
        {"act": "burn"},
        {"act": "move"},
        {"act": "move", "cards": ["1"], "to": None, "seen": 0},
        {"act": "move", "cards": [1], "to": "x", "seen": 0},
        {"act": "move", "cards": [1], "to": None},
        {"act": "move", "cards": [1], "to": None, "seen": 0, "from": {"a": 1}},
        {"act": "move", "cards": [1], "to": None, "seen": 0, "from": [1]},
        {"act": "describe", "pile": True},
        {"act": "describe", "pile": 1, "was": "x"},
        {"act": "pile", "name": "a\0b", "cards": [], "seen": 0},
        {"act": "split", "card": 1, "texts": "ab"},
        {"act": "order", "pile": 1, "position": -1},
        {"act": "drop", "pile": 2**40, "seen": 1},
        {"act": ["move"]},
        {"act": {"move": 1}},
        {"act": "join"},
        {"act": "join", "piles": []},
        {"act": "pile", "name": "\ud800", "cards": [], "seen": 0},
        {"act": "move", "cards": [], "to": None, "seen": 0, "from": {"9" * 5000: None}},
        {"act": "move", "cards": [], "to": None, "seen": 0, "from": {"²": None}},
    ],
)
@pytest.mark.slow(cases=10)
def test_what_is_no_act_is_refused(body):
    world = board_world()
    with pytest.raises(errors.BoardRefused):
        act(world.board, world.one, body)
    assert not Move.objects.exists()


def test_since_a_revision_there_is_only_what_changed(world):
    crash, hang, slow, leak = world.cards
    pile = world.pile("Stops", crash)
    assert state_of(world.board, world.one, since=1) is None
    world.act(world.two, "move", cards=[hang], to=pile)
    world.act(world.two, "merge", cards=[slow, leak], text="Slow leak")
    found = state_of(world.board, world.one, since=1)
    assert [(card["text"], card["pile"]) for card in found["cards"]] == [("Hang", pile), ("Slow leak", None)]
    assert sorted(found["gone"]) == [slow, leak]
    assert found["revision"] == 3
    assert [each["id"] for each in found["piles"]] == [pile]
    found = state_of(world.board, world.one, since=99)
    assert (len(found["cards"]), found["whole"]) == (3, True)
