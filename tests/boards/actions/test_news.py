"""What labels have come to say since a board began: counted for who leads, brought onto it, and kept from others."""

import pytest
from django.db import IntegrityError, transaction

from boards import errors
from boards.actions.boards import start_board
from boards.commands import act
from boards.models import Board, Card, Move
from boards.queries.boards import mapping_of, state_of
from rounds.errors import NotAllowed
from rounds.models import Round
from studies.models import Event
from tests.kept import kept
from tests.long import only_long
from tests.worlds.board import board_world, places
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db

FIRST = ("Crash at start", "Leak of memory"), ("Slow loading", "Wrong sum")


@kept
def begun() -> tuple[World, Round, Board]:
    """A board of four cards, of two issues of four."""
    world = small_world(issues=4, members=2)
    round_ = world.round()
    for issue, said in zip(world.issues, FIRST, strict=False):
        _say(world, round_, issue, *said)
    about = world.category("C")
    taxonomy = world.version.taxonomy
    return world, round_, start_board(taxonomy=taxonomy, name="All", about=about, by=world.lead)


def _say(world: World, round_: Round, issue, *said: str) -> None:
    for member, summary in zip(world.members, said, strict=True):
        world.submit(round_, issue, member, "C.1", summary=summary)


def _bring(world: World, board: Board, by=None) -> None:
    act(board, by or world.lead, {"act": "bring"})


def _texts(board: Board, member) -> list[str]:
    return [card["text"] for card in state_of(board, member)["cards"]]


@only_long
def test_what_is_new_comes_onto_the_board_to_be_sorted(begun):
    world, round_, board = begun
    assert state_of(board, world.lead)["news"] == 0
    dies = {"act": "pile", "name": "Dies", "cards": [_card("Crash at start")], "seen": 0}
    act(board, world.members[0], dies)
    _say(world, round_, world.issues[2], "crash  at START", "Crash at start up")
    _say(world, round_, world.issues[3], "Crash at start up", "Odd colours")
    assert [state_of(board, each)["news"] for each in (world.lead, world.members[0])] == [2, 0]
    _bring(world, board)
    assert places(board) == {
        "Crash at start": "Dies",
        "Leak of memory": None,
        "Slow loading": None,
        "Wrong sum": None,
        "Crash at start up": None,
        "Odd colours": None,
    }
    found = state_of(board, world.members[0], since=1)
    # The card that is like a new one is in its group now, and lies where it lay.
    told = {
        card["text"]: (card["labels"], card["group"], card["pile"] is not None) for card in found["cards"]
    }
    assert told == {
        "Crash at start": (1, 1, True),
        "Crash at start up": (2, 1, False),
        "Odd colours": (1, None, False),
    }
    assert state_of(board, world.lead)["news"] == 0
    assert Event.objects.filter(verb="boards.brought").get().detail == {"name": "All", "cards": 2}


def _card(text: str) -> int:
    return Card.objects.get(text=text).pk


def test_what_was_split_or_merged_does_not_come_again(begun):
    world, round_, board = begun
    act(board, world.lead, {"act": "split", "card": _card("Crash at start"), "texts": ["Crash", "At start"]})
    merged = [_card("Leak of memory"), _card("Slow loading")]
    act(board, world.lead, {"act": "merge", "cards": merged, "text": "Slow leak", "seen": 1})
    assert state_of(board, world.lead)["news"] == 0
    _say(world, round_, world.issues[2], "Crash at start", "Slow leak")
    assert state_of(board, world.lead)["news"] == 0
    with pytest.raises(errors.BoardRefused, match="The board already has all summaries"):
        _bring(world, board)


def test_what_is_kept_from_who_brings_does_not_come_and_says_nothing(begun):
    """Neither what is held back nor, of what is not, that a card that is hidden says the same."""
    world, round_, board = begun
    _say(world, round_, world.issues[2], "Odd colours", "Stripes")
    _say(world, round_, world.issues[3], "Odd shapes", "Leak of memory")
    world.waits_for(world.lead, world.issues[0], world.issues[2])
    assert state_of(board, world.lead)["news"] == 2
    _bring(world, board)
    assert _texts(board, world.lead) == ["Slow loading", "Wrong sum", "Odd shapes", "Leak of memory"]
    assert _texts(board, world.members[0]).count("Leak of memory") == 2


def test_who_still_has_to_label_an_issue_sees_no_new_card_of_it(begun):
    world, round_, board = begun
    _say(world, round_, world.issues[2], "Odd colours", "Stripes")
    reader = world.members[0]
    world.waits_for(reader, world.issues[2])
    _bring(world, board)
    assert [card["text"] for card in state_of(board, reader, since=0)["cards"]] == []
    assert _texts(board, reader) == [text for said in FIRST for text in said]
    assert "Stripes" in _texts(board, world.lead)
    act(board, world.lead, {"act": "pile", "cards": [_card("Stripes")], "seen": 9})
    assert mapping_of(board, reader)[0].symptoms == ()


def test_only_who_leads_brings_cards_and_not_while_they_are_sorted_apart(begun):
    world, round_, board = begun
    _say(world, round_, world.issues[2], "Odd colours", "Stripes")
    with pytest.raises(NotAllowed):
        _bring(world, board, world.members[0])
    whole = {"taxonomy": world.version.taxonomy, "about": world.category("C"), "by": world.lead}
    apart = start_board(name="Apart", sorters=world.members, **whole)
    _say(world, round_, world.issues[3], "Hot", "Cold")
    assert state_of(apart, world.lead)["news"] == 0
    with pytest.raises(errors.StillApart):
        _bring(world, apart)
    act(board, world.lead, {"act": "close"})
    with pytest.raises(errors.BoardClosed):
        _bring(world, board)
    of_file = board_world()
    with pytest.raises(errors.BoardRefused):
        of_file.act(of_file.lead, "bring")


def test_a_board_is_not_filled_beyond_what_it_holds(begun, monkeypatch):
    world, round_, board = begun
    _say(world, round_, world.issues[2], "Odd colours", "Stripes")
    monkeypatch.setattr("boards.actions.news.MAX_SUMMARIES", 5)
    with pytest.raises(errors.BoardRefused, match="2 new cards are too many: a board has at most 5 cards"):
        _bring(world, board)
    monkeypatch.setattr("boards.actions.news.MAX_SUMMARIES", 6)
    _bring(world, board)
    assert len(_texts(board, world.lead)) == 6


def test_what_was_brought_is_not_taken_back(begun):
    world, round_, board = begun
    _say(world, round_, world.issues[2], "Odd colours", "Stripes")
    _bring(world, board)
    with pytest.raises(errors.NothingToTakeBack):
        act(board, world.lead, {"act": "undo"})
    with pytest.raises(IntegrityError, match="some_moves_are_for_good"), transaction.atomic():
        Move.objects.update(undone=9)
