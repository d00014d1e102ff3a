"""An open board asks for what changed, and sends acts: as JSON."""

import json
from uuid import uuid4

import pytest
from django.urls import reverse

from boards.mapping import SubTheme
from boards.models import Card, Move
from studies.models import Event
from tests.kept import kept
from tests.worlds.board import BoardWorld, board_world, places
from tests.worlds.pages import client as signed_in
from tests.worlds.pages import cost

pytestmark = pytest.mark.django_db


@kept
def world() -> BoardWorld:
    return board_world()


def _state(world: BoardWorld, member, since=None):
    address = reverse("board_state", args=[world.board.pk])
    return signed_in(member).get(address if since is None else f"{address}?since={since}")


def _act(world: BoardWorld, member, kind: str, **fields):
    body = {"act": kind, "seen": 0, **fields}
    address = reverse("act_on_board", args=[world.board.pk])
    return signed_in(member).post(address, json.dumps(body), content_type="application/json")


def test_the_state_says_all_that_a_page_shows():
    world = board_world(("Crash at start", "Crash at the start", "Slow"))
    first, second, slow = world.cards
    world.pile("Stops", first)
    found = _state(world, world.one).json()
    pile = found["piles"][0]["id"]
    card = {"labels": 0, "pile": None, "aside": False}
    assert found == {
        "revision": 1, "phase": "together", "can_edit": True, "may_lead": False, "you": "R1", "about": None,
        "whole": True, "news": 0,
        "cards": [
            {**card, "id": first, "text": "Crash at start", "pile": pile, "group": 1},
            {**card, "id": second, "text": "Crash at the start", "group": 1},
            {**card, "id": slow, "text": "Slow", "group": None},
        ],
        "piles": [
            {
                "id": pile, "number": 1, "name": "Stops", "definition": "", "theme": None, "rootcause": "",
                "made": None, "position": 0,
            }
        ],
        "sorters": [], "can_undo": True, "can_redo": False,
    }  # fmt: skip
    assert _state(world, world.lead).json()["may_lead"]


def test_nothing_new_is_204(world):
    world.pile("Stops")
    answer = _state(world, world.one, since=1)
    assert (answer.status_code, answer.content) == (204, b"")
    assert _state(world, world.one, since=0).status_code == 200
    assert _state(world, world.one, since="x").json()["whole"]


def test_an_act_answers_what_changed_since_what_was_seen(world):
    crash, hang, *_ = world.cards
    made = _act(world, world.one, "pile", name="Stops", cards=[crash]).json()
    assert (made["revision"], [card["id"] for card in made["cards"]]) == (1, [crash])
    seen = _act(world, world.two, "move", cards=[hang], to=made["piles"][0]["id"], seen=0).json()
    assert [card["id"] for card in seen["cards"]] == [crash, hang]


def test_a_clash_says_what_is_there_and_changes_nothing(world):
    crash = world.cards[0]
    pile = world.pile("Stops", crash)
    answer = _act(world, world.two, "move", cards=[crash], aside=True, seen=0)
    assert answer.status_code == 409
    assert "“Crash” into “Stops”" in answer.json()["error"]
    assert answer.json()["cards"][0]["pile"] == pile
    assert places(world.board)["Crash"] == "Stops"


def test_what_is_no_act_is_said_as_json(world):
    assert _act(world, world.one, "burn").status_code == 422
    address = reverse("act_on_board", args=[world.board.pk])
    answer = signed_in(world.one).post(address, "{", content_type="application/json")
    assert (answer.status_code, "error" in answer.json()) == (422, True)


def test_the_same_act_sent_twice_is_done_once(world):
    key = str(uuid4())
    for _time in range(2):
        answer = _act(world, world.one, "pile", name="Stops", cards=[], key=key)
        assert (answer.status_code, answer.json()["revision"]) == (200, 1)
    assert Move.objects.count() == 1
    key = str(uuid4())
    assert _act(world, world.one, "pile", name="Stops", key=key).status_code == 422
    world.act(world.one, "undo")
    assert _act(world, world.one, "pile", name="Stops", key=key).status_code == 200
    assert _act(world, world.one, "pile", name="Stops", key="x").status_code == 422


def test_the_file_of_a_board_is_what_it_maps(world):
    crash, hang, slow, leak = world.cards
    world.pile("Speed", slow, leak)
    stops = world.pile("Stops, or ends", hang, crash)
    world.act(world.one, "describe", pile=stops, theme="C.1")
    address = reverse("board_mapping", args=[world.board.pk])
    answer = signed_in(world.one).post(address)
    assert answer.content.decode() == (
        'rootcause,subcategory,symptoms\n,Speed,"Slow,Leak"\nName of C.1,"Stops、 or ends","Crash,Hang"\n'
    )
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Crosscheck-Withheld"] == "0"
    assert Event.objects.filter(verb="boards.downloaded").get().detail == {"name": "Symptoms"}


def test_a_state_and_a_move_cost_the_same_for_one_card_and_for_three():
    def costs(many: int) -> tuple[int, int, int]:
        world = board_world([f"Card {number} of all" for number in range(many)])
        piles = [world.pile(f"Pile of {number}", card) for number, card in enumerate(world.cards)]
        client = signed_in(world.one)
        address = reverse("board_state", args=[world.board.pk])
        client.get(address)
        body = json.dumps({"act": "move", "cards": world.cards, "aside": True, "seen": len(piles)})
        act = reverse("act_on_board", args=[world.board.pk])
        return (
            cost(lambda: client.get(address)),
            cost(lambda: client.get(f"{address}?since={len(piles)}")),
            cost(lambda: client.post(act, body, content_type="application/json")),
        )

    assert costs(1) == costs(3) == (13, 5, 24)


def test_the_cards_of_a_file_with_piles_lie_in_them(world):
    from boards.actions.boards import start_board_from_mapping

    board = start_board_from_mapping(
        taxonomy=world.version.taxonomy,
        name="Sorted",
        rows=[
            SubTheme("Name of C.1", "Name of C.1.i", ("Crash", "Hang")),
            SubTheme("Own", "Mine", ("Crash",)),
        ],
        by=world.lead,
    )
    one, two = _state(BoardWorld(**{**world.__dict__, "board": board}), world.one).json()["piles"]
    assert (one["theme"], one["made"], one["rootcause"]) == ("C.1", "C.1.i", "Name of C.1")
    assert one["definition"] == "Definition of C.1.i"
    assert (two["theme"], two["made"], two["rootcause"]) == (None, None, "Own")
    assert Card.objects.filter(board=board, text="Crash").count() == 2
