"""Boards at their edges: what is sent that fits nothing, what stands for longer than its theme, who sorts nothing."""

import pytest

from boards import errors
from boards.actions.boards import start_board, start_board_from_mapping
from boards.mapping import MAX_SUMMARIES, SubTheme, read_mapping, write_mapping
from boards.models import Card, Pile
from boards.queries.agreement import agreement_of
from boards.queries.boards import mapping_of, state_of
from rounds.models import Round, RoundIssue
from taxonomy.tree.drafts import RETIRE
from tests.annotate.actions.test_version_upgrade import change, labelled_world, publication
from tests.worlds.board import board_world, places
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db


def test_a_card_that_somebody_moved_since_is_not_merged_away_from_there():
    world = board_world()
    crash, hang, slow, _leak = world.cards
    stops = world.pile("Stops")
    seen = world.state()["revision"]
    world.act(world.two, "move", cards=[hang], to=stops)
    for shown in ({}, {"from": {str(crash): None, str(hang): None}}):
        with pytest.raises(errors.BoardClash, match="has put “Hang” into “Stops”"):
            world.act(world.one, "merge", cards=[crash, hang], text="Stops", seen=seen, **shown)
    assert places(world.board) == {"Crash": None, "Hang": "Stops", "Slow": None, "Leak": None}
    where = {str(hang): stops, str(crash): None}
    world.act(world.one, "merge", cards=[hang, crash], text="Stops", seen=seen, **{"from": where})
    assert places(world.board) == {"Stops": "Stops", "Slow": None, "Leak": None}
    world.act(world.two, "merge", cards=world.cards[2:4], text="Slow leak", seen=seen)
    assert Card.objects.get(pk=slow).in_play is False


def test_a_card_is_one_line_whatever_is_typed_and_so_its_file_can_be_read():
    world = board_world()
    crash, hang, slow, leak = world.cards
    world.act(world.one, "split", card=crash, texts=["It\nstops", "  A \t crash\r\n"])
    world.act(world.one, "merge", cards=[slow, leak], text="Slow\nand it leaks")
    world.pile("All", hang, *world.cards[4:])
    rows = mapping_of(world.board, world.one)
    assert rows == [SubTheme("", "All", ("Hang", "It stops", "A crash", "Slow and it leaks"))]
    assert read_mapping(write_mapping(rows).encode()) == rows


def test_a_new_name_leaves_the_theme_as_the_file_says_it():
    world = board_world(with_piles=True)
    [pile] = world.state()["piles"]
    assert (pile["theme"], pile["rootcause"]) == (None, "Cause")
    shown = {"name": "Sub", "definition": "", "theme": ""}
    named = {"pile": pile["id"], "name": "Stops", "definition": "It does.", "theme": None}
    world.act(world.one, "describe", **named, was=shown)
    [pile] = world.state()["piles"]
    assert (pile["name"], pile["rootcause"]) == ("Stops", "Cause")
    world.act(world.one, "describe", pile=pile["id"], theme="C.1")
    [pile] = world.state()["piles"]
    assert (pile["theme"], pile["rootcause"]) == ("C.1", "Name of C.1")
    world.act(world.one, "undo")
    assert world.state()["piles"][0]["rootcause"] == "Cause"
    world.act(world.one, "describe", pile=pile["id"], theme=None, rootcause="")
    assert world.state()["piles"][0]["rootcause"] == ""


def test_a_pile_whose_theme_is_gone_is_given_another():
    world = board_world()
    pile = world.pile("Stops")
    world.act(world.one, "describe", pile=pile, theme="C.1")
    change(world, RETIRE, "C.1")
    [found] = world.state()["piles"]
    assert (found["theme"], found["rootcause"]) == (None, "")
    shown = {"name": "Stops", "definition": "", "theme": ""}
    world.act(world.one, "describe", pile=pile, name="Ends", definition="", theme=None, was=shown)
    assert world.state()["piles"][0]["name"] == "Ends"
    world.act(world.one, "describe", pile=pile, name="Ends", theme="C.2", was=shown | {"name": "Ends"})
    assert world.state()["piles"][0]["theme"] == "C.2"
    world.act(world.one, "undo")
    assert world.state()["piles"][0]["theme"] is None


def test_how_many_there_were_to_sort_is_the_same_after_cards_were_merged_twice():
    world = board_world(apart=True)
    crash, hang, *_ = world.cards
    for member in (world.one, world.two):
        world.pile("Stops", crash, hang, by=member)
    world.act(world.lead, "together")
    before = agreement_of(world.board, world.lead)
    assert before.cards == 4
    for _time in range(2):
        world.act(world.one, "merge", cards=[crash, hang], text="Stops")
        world.act(world.one, "undo")
    world.act(world.one, "merge", cards=[crash, hang], text="Stops")
    assert agreement_of(world.board, world.lead) == before


def test_who_sorted_nothing_parts_nothing_that_the_others_put_together():
    """Somebody who left, or never began, has no pile: the joint session begins with those of the others."""
    world = board_world(apart=True)
    crash, hang, slow, _leak = world.cards
    world.pile("Stops", crash, hang, by=world.one)
    world.act(world.one, "move", cards=[slow], aside=True)
    world.act(world.lead, "together")
    assert places(world.board) == {"Crash": "Stops", "Hang": "Stops", "Slow": "aside", "Leak": None}


def test_common_piles_get_names_that_nobody_has_given():
    world = board_world(("A", "B", "C", "D", "E", "F"), apart=True)
    for name, theme, cards in (
        ("Other", "C.1", world.cards[:2]),
        ("Other (2)", "C.2", world.cards[2:4]),
        ("Other", "C.2", world.cards[4:]),
    ):
        for member in (world.one, world.two):
            pile = world.pile("New", *cards, by=member)
            world.act(member, "describe", pile=pile, theme=theme, name=name)
    for member in (world.one, world.two):
        for pile in world.state(member)["piles"]:
            if pile["name"] == "Other (2)":
                world.act(member, "describe", pile=pile["id"], theme="C.3")
        world.act(member, "describe", pile=world.state(member)["piles"][1]["id"], theme="C.2")
    state = world.act(world.lead, "together")
    piles = [(pile["name"], pile["theme"]) for pile in state["piles"]]
    assert piles == [("Other", "C.1"), ("Other (2)", "C.2"), ("Other (3)", "C.2")]


def test_a_numbered_name_is_free_in_any_case():
    world = board_world()
    world.pile("pile 1")
    world.act(world.one, "pile", name="", cards=[])
    assert [pile["name"] for pile in world.state()["piles"]] == ["pile 1", "Pile 2"]


def test_no_board_has_more_cards_than_a_file_may_hold(monkeypatch):
    world, _round = labelled_world(small_world(issues=5, members=3))
    about = world.category("C")
    monkeypatch.setattr("boards.actions.boards.MAX_SUMMARIES", 3)
    with pytest.raises(errors.BoardRefused, match=r"10 .* at most 3"):
        start_board(taxonomy=world.version.taxonomy, name="All", about=about, by=world.lead)
    assert MAX_SUMMARIES == 5_000


def test_what_was_said_in_a_second_look_is_hidden_while_another_is_under_way():
    """An issue that lacks a label for the second time takes along what was said in its first second look."""
    world, round_ = labelled_world(small_world(issues=5, members=3))
    fourth = world.issues[3]
    change(world, RETIRE, "C.9")
    world.version = publication(world)
    look = Round.objects.get(of=round_)
    for member in world.members[1:]:
        world.submit(look, fourth, member, "C.10", summary=f"Anew by {member}")
    assert RoundIssue.objects.get(round=round_, issue=fourth).completed_at
    board = start_board(taxonomy=world.version.taxonomy, name="All", about=world.category("C"), by=world.lead)
    texts = [card["text"] for card in state_of(board, world.lead)["cards"]]
    assert [text for text in texts if text.startswith("Anew")] == [
        f"Anew by {member}" for member in world.members[1:]
    ]
    change(world, RETIRE, "B.1")
    world.version = publication(world)
    assert RoundIssue.objects.get(round=round_, issue=fourth).completed_at is None
    texts = [card["text"] for card in state_of(board, world.lead)["cards"]]
    assert [text for text in texts if text.startswith("Anew")] == []


def test_a_file_with_two_spellings_of_one_theme_is_two_piles():
    world = board_world()
    rows = [SubTheme("Name of C.1", "Stops", ("a",)), SubTheme("name of c.1", "Ends", ("b",))]
    board = start_board_from_mapping(taxonomy=world.version.taxonomy, name="Two", rows=rows, by=world.lead)
    assert write_mapping(mapping_of(board, world.lead)) == write_mapping(rows)
    assert len(set(Pile.objects.filter(sorting__board=board).values_list("theme", flat=True))) == 1
