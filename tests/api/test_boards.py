"""Boards over REST: made, sorted by a script, and written out as the file that they came from."""

from uuid import uuid4

import pytest

from boards.mapping import read_mapping
from boards.models import Board, Move
from tests.api.conftest import client_of
from tests.factories import add_label
from tests.long import only_long

FILE = 'rootcause,subcategory,symptoms\nName of C.1,Stops,"Crash,Hang"\nOwn,Slow,Slow\n'


def _made(world, member=None, **body):
    body = {"name": "Symptoms", "mapping": FILE} | body
    body = {name: value for name, value in body.items() if value is not None}
    address = f"/api/v1/taxonomies/{world.version.taxonomy_id}/boards/"
    return client_of(member or world.lead).post(address, body, format="json")


def _act(client, board: int, act: str, **body):
    return client.post(f"/api/v1/boards/{board}/acts/", {"act": act, **body}, format="json")


def test_a_file_becomes_a_board_and_the_file_again(world):
    answer = _made(world)
    assert answer.status_code == 201
    found = answer.json()
    assert found | {"id": 0, "made_at": ""} == {
        "id": 0,
        "name": "Symptoms",
        "phase": "together",
        "cards": 3,
        "sorted": 3,
        "piles": 2,
        "sorters": 0,
        "done": 0,
        "made_by": "R2",
        "made_at": "",
    }
    client = client_of(world.viewer)
    file = client.get(f"/api/v1/boards/{found['id']}/mapping.csv")
    assert file.text == FILE
    listed = client.get(f"/api/v1/taxonomies/{world.version.taxonomy_id}/boards/").json()
    assert listed == [found]


def test_labels_become_a_board(world):
    for issue, summaries in (
        (world.issues[0], ("It crashes", "it  crashes ")),
        (world.issues[1], ("Hangs", "")),
    ):
        for member, summary in zip((world.first, world.second), summaries, strict=True):
            add_label(world.round, issue, member, "C.1", summary=summary)
    add_label(world.round, world.issues[2], world.first, "C.1", summary="Not complete yet")
    made = _made(world, mapping=None, about="C")
    assert (made.status_code, made.json()["cards"]) == (201, 2)
    state = client_of(world.first).get(f"/api/v1/boards/{made.json()['id']}/state/").json()
    assert [(card["text"], card["labels"]) for card in state["cards"]] == [("It crashes", 2), ("Hangs", 1)]
    assert state["about"] == {"code": "C", "name": "Name of C"}
    assert _made(world, name="Other", mapping=None, about="A").status_code == 422


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"mapping": 'rootcause,subcategory,symptoms\nA,B,"x\n'}, 422, "Line 2: the quote at character 5"),
        ({"mapping": None}, 400, "Say what the cards are"),
        ({"about": "C"}, 400, "Say what the cards are"),
        ({"mapping": None, "about": "C.1.i"}, 400, "no type or theme"),
        ({"name": "  "}, 400, "blank"),
        ({"sorters": ["R3"], "with_piles": False}, 422, "at least two members"),
        ({"sorters": ["R3", "R4"]}, 422, "cannot start with piles"),
        ({"sorters": ["R3", "R99"], "with_piles": False}, 400, "R99"),
        ({"sorters": ["R3", "V1"], "with_piles": False}, 422, "volunteers"),
    ],
)
def test_a_board_that_cannot_be_is_refused(world, body, status, words):
    answer = _made(world, **body)
    assert (answer.status_code, words in answer.text) == (status, True)
    assert not Board.objects.exists()


def test_two_boards_of_a_taxonomy_have_two_names(world):
    assert _made(world).status_code == 201
    assert "with this name already exists" in _made(world, name="symptoms").json()["detail"]


def test_acts_answer_what_changed_and_a_clash_says_so(world):
    board = _made(world, with_piles=False).json()["id"]
    one, two = client_of(world.first), client_of(world.second)
    cards = [card["id"] for card in one.get(f"/api/v1/boards/{board}/state/").json()["cards"]]
    made = _act(one, board, "pile", name="Stops", cards=cards[:1], seen=0).json()
    pile = made["piles"][0]["id"]
    assert (made["revision"], [card["id"] for card in made["cards"]]) == (1, cards[:1])
    clash = _act(two, board, "move", cards=cards, to=None, aside=True, seen=0)
    assert (clash.status_code, clash.json()["code"]) == (409, "BoardClash")
    assert clash.json()["cards"][0]["pile"] == pile
    key = str(uuid4())
    for _time in range(2):
        assert _act(two, board, "move", cards=cards[1:], to=pile, seen=1, key=key).status_code == 200
    assert Move.objects.count() == 2
    assert one.get(f"/api/v1/boards/{board}/state/?since=2").status_code == 204
    assert [
        card["id"] for card in one.get(f"/api/v1/boards/{board}/state/?since=1").json()["cards"]
    ] == cards[1:]


def _sorted_by_script(client, taxonomy: int, data: bytes) -> bytes:
    """Make a board of the unsorted cards of a file, sort them as it does, and get its file: all by REST."""
    made = client.post(
        f"/api/v1/taxonomies/{taxonomy}/boards/",
        {"name": "By script", "mapping": data.decode(), "with_piles": False},
        format="json",
    ).json()
    state = client.get(f"/api/v1/boards/{made['id']}/state/").json()
    assert {card["pile"] for card in state["cards"]} == {None}
    assert state["piles"] == []
    cards, seen = iter(state["cards"]), state["revision"]
    for row in read_mapping(data):
        mine = [next(cards) for _text in row.symptoms]
        assert [card["text"] for card in mine] == list(row.symptoms)
        ids = [card["id"] for card in mine]
        moved = _act(client, made["id"], "pile", name=row.subcategory, cards=ids, seen=seen).json()
        assert len(moved["cards"]) == len(ids)
        pile = moved["piles"][-1]["id"]
        described = _act(
            client, made["id"], "describe", pile=pile, rootcause=row.rootcause, seen=moved["revision"]
        ).json()
        seen = described["revision"]
    return client.get(f"/api/v1/boards/{made['id']}/mapping.csv").content


@pytest.mark.slow
@only_long
def test_1586_cards_are_sorted_back_into_45_sub_themes_by_script(world, published):
    data = (published / "bug_symptoms.csv").read_bytes()
    assert _sorted_by_script(client_of(world.lead), world.version.taxonomy_id, data) == data
    board = Board.objects.get()
    assert (board.cards.count(), board.sortings.get().piles.count()) == (1586, 45)


@only_long
def test_297_intents_are_sorted_back_by_script(world, published):
    data = (published / "question_intents.csv").read_bytes()
    assert _sorted_by_script(client_of(world.lead), world.version.taxonomy_id, data) == data


@pytest.mark.slow
@only_long
def test_the_published_file_comes_out_as_it_went_in(world, published):
    text = (published / "bug_symptoms.csv").read_text()
    made = _made(world, mapping=text).json()
    assert (made["cards"], made["sorted"], made["piles"]) == (1586, 1586, 45)
    assert client_of(world.viewer).get(f"/api/v1/boards/{made['id']}/mapping.csv").text == text
