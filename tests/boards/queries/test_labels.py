"""Which summaries become cards, and from whom they are kept."""

import pytest
from django.utils import timezone

from boards import errors
from boards.actions.boards import start_board
from boards.commands import act
from boards.models import Card, Move
from boards.queries.boards import boards_of, mapping_of, state_of
from boards.queries.labels import card_counts, summaries_about
from rounds.models import Round, RoundIssue
from taxonomy.queries.drafts import drafted
from tests import factories
from tests.worlds.pages import cost
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db


def _labelled(rows, **fields) -> tuple[World, Round]:
    """An issue per row: code and summary of each volunteer, None for one who has yet to label."""
    world = small_world(issues=len(rows), members=len(rows[0]))
    round_ = world.round(**fields)
    for issue, row in zip(world.issues, rows, strict=True):
        for member, said in zip(world.members, row, strict=True):
            if said:
                world.submit(round_, issue, member, said[0], summary=said[1])
    return world, round_


def _texts(world: World, code: str, member=None) -> list[str]:
    return list(summaries_about(world.version.taxonomy, world.category(code), member or world.lead))


def _board(world: World, code: str = "C", **fields):
    about = world.category(code)
    return start_board(
        taxonomy=world.version.taxonomy, name=f"About {code}", about=about, by=world.lead, **fields
    )


def test_cards_are_the_summaries_of_a_category_and_of_all_below_it():
    world, _round = _labelled(
        [
            [("C.1", "Crash"), ("C.2", "Hang")],
            [("C.1.i", "crash "), ("A.1", "How to?")],
            [("C", "  Leak   of memory"), ("C.1", "")],
        ],
        depth=1,
    )
    assert _texts(world, "C") == ["Crash", "Hang", "Leak of memory"]
    assert _texts(world, "C.1") == ["Crash"]
    assert _texts(world, "A") == ["How to?"]
    assert _texts(world, "B") == []
    board = _board(world)
    assert list(Card.objects.filter(board=board).order_by("number").values_list("text", "labels")) == [
        ("Crash", 2),
        ("Hang", 1),
        ("Leak of memory", 1),
    ]
    assert {count.state.code: count.cards for count in card_counts(world.version, world.lead) if count.cards} == {
        "A": 1, "A.1": 1, "C": 3, "C.1": 1, "C.2": 1,
    }  # fmt: skip


def test_what_is_not_complete_gives_no_card():
    world, _round = _labelled([[("C.1", "Crash"), ("C.1", "Abort")], [("C.1", "Secret"), None]])
    assert _texts(world, "C") == ["Crash", "Abort"]


def test_what_is_revealed_at_the_close_gives_cards_then():
    world, round_ = _labelled(
        [[("C.1", "Crash"), ("C.1", "Abort")], [("C.1", "Alone"), None]], reveal=Round.Reveal.ROUND_CLOSED
    )
    assert _texts(world, "C") == []
    with pytest.raises(errors.BoardRefused):
        _board(world)
    Round.objects.filter(pk=round_.pk).update(closed_at=timezone.now())
    assert _texts(world, "C") == ["Crash", "Abort"]


def test_a_screening_and_a_training_give_none():
    world, round_ = _labelled([[("C.1", "Crash"), ("C.1", "Abort")]])
    for kind, fields in (("screening", {"excludes": world.category("C")}), ("training", {"pass_mark": 50})):
        Round.objects.filter(pk=round_.pk).update(kind=kind, excludes=None, pass_mark=None)
        Round.objects.filter(pk=round_.pk).update(**fields)
        assert _texts(world, "C") == []


def test_who_makes_a_board_gets_nothing_that_is_kept_from_them():
    world, _round = _labelled([[("C.1", "Crash"), ("C.1", "Abort")], [("C.1", "Hang"), ("C.1", "Stop")]])
    world.waits_for(world.lead, world.issues[0])
    assert _texts(world, "C") == ["Hang", "Stop"]
    assert {count.state.code: count.cards for count in card_counts(world.version, world.lead)}["C"] == 2
    assert _texts(world, "C", world.members[0]) == ["Crash", "Abort", "Hang", "Stop"]


def test_who_still_has_to_label_an_issue_sees_no_card_of_it():
    """Whatever others do with it: the card is not in the state, its number in no count, its text in no file."""
    world, _round = _labelled([[("C.1", "Crash"), ("C.1", "Hang")], [("C.1", "hang"), ("C.1", "Slow")]])
    board = _board(world)
    reader = world.members[0]
    assert [card["text"] for card in state_of(board, reader)["cards"]] == ["Crash", "Hang", "Slow"]
    world.waits_for(reader, world.issues[0])
    # Hang is said of an issue that is held back, too.
    assert [card["text"] for card in state_of(board, reader)["cards"]] == ["Slow"]
    assert [card["text"] for card in state_of(board, world.lead)["cards"]] == ["Crash", "Hang", "Slow"]
    cards = list(Card.objects.filter(board=board).order_by("number").values_list("pk", flat=True))
    act(board, world.lead, {"act": "pile", "name": "All", "cards": cards, "seen": 0})
    assert [card["text"] for card in state_of(board, reader, since=0)["cards"]] == ["Slow"]
    act(board, world.lead, {"act": "split", "card": cards[0], "texts": ["Crash one", "Crash two"]})
    act(board, world.lead, {"act": "merge", "cards": cards[1:], "text": "Hang or slow", "seen": 2})
    assert state_of(board, reader)["cards"] == []
    found = state_of(board, reader, since=1)
    assert (found["cards"], found["gone"]) == ([], [cards[2]])
    assert mapping_of(board, reader)[0].symptoms == ()
    assert mapping_of(board, world.lead)[0].symptoms == ("Crash one", "Crash two", "Hang or slow")
    [line] = boards_of(world.version.taxonomy, reader)
    assert (line.cards, line.sorted) == (0, 0)
    [line] = boards_of(world.version.taxonomy, world.lead)
    assert (line.cards, line.sorted) == (3, 3)


def test_nothing_is_said_of_a_card_that_is_hidden_by_trying_to_move_it():
    world, _round = _labelled([[("C.1", "Crash"), ("C.1", "Hang")], [("C.1", "Slow"), ("C.1", "Leak")]])
    board = _board(world)
    reader = world.members[0]
    world.waits_for(reader, world.issues[0])
    crash = Card.objects.get(text="Crash").pk
    act(board, world.lead, {"act": "pile", "name": "Stops", "cards": [crash], "seen": 0})
    for body in (
        {"act": "move", "cards": [crash], "aside": True, "seen": 0},
        {"act": "pile", "cards": [crash], "seen": 0},
        {"act": "split", "card": crash, "texts": ["One", "Two"]},
        {"act": "merge", "cards": [crash, Card.objects.get(text="Slow").pk], "text": "Both", "seen": 0},
    ):
        with pytest.raises(errors.BoardClash, match=r"^A card no longer exists"):
            act(board, reader, body)
    assert Move.objects.count() == 1


def test_a_sub_theme_quotes_no_card_that_somebody_may_not_see_yet():
    world, _round = _labelled([[("C.1", "Crash"), ("C.1", "Hang")], [("C.1", "Slow"), ("C.1", "Leak")]])
    board = _board(world, "C.1")
    world.waits_for(world.members[0], world.issues[0])
    cards = list(Card.objects.filter(board=board).values_list("pk", flat=True))
    act(board, world.lead, {"act": "pile", "name": "All", "cards": cards, "seen": 0})
    [pile] = state_of(board, world.lead)["piles"]
    act(board, world.lead, {"act": "make", "pile": pile["id"]})
    made = [entry for entry in drafted(world.version.taxonomy).draft if entry.name == "All"]
    assert [entry.examples for entry in made] == ["Slow\nLeak"]


def test_an_issue_that_lacks_labels_again_takes_its_cards_along():
    world, round_ = _labelled([[("C.1", "Crash"), ("C.1", "Hang")], [("C.1", "Slow"), ("C.1", "Leak")]])
    board = _board(world)
    RoundIssue.objects.filter(round=round_, issue=world.issues[0]).update(completed_at=None)
    assert [card["text"] for card in state_of(board, world.lead)["cards"]] == ["Slow", "Leak"]


def test_a_category_that_was_below_another_in_an_earlier_version_still_is():
    world, _round = _labelled([[("C.1", "Crash"), ("C.2", "Hang")]])
    newer = factories.make_version(world.study, ["C"], taxonomy=world.version.taxonomy)
    assert card_counts(newer, world.lead)[0].cards == 0
    assert _texts(world, "C") == ["Crash", "Hang"]


def test_a_theme_is_the_theme_of_new_piles_and_a_type_is_none():
    world, _round = _labelled([[("C.1", "Crash"), ("C.2", "Hang")]])
    for code, theme in (("C.1", "C.1"), ("C", None)):
        board = _board(world, code)
        act(board, world.lead, {"act": "pile", "name": "Stops", "cards": [], "seen": 0})
        state = state_of(board, world.lead)
        assert (state["about"]["code"], state["piles"][0]["theme"]) == (code, theme)


def test_cards_cost_the_same_queries_for_one_label_and_for_three():
    def costs(issues: int) -> tuple[int, ...]:
        world, _round = _labelled([[("C.1", f"Crash {place}"), ("C.1", "Hang")] for place in range(issues)])
        board = _board(world)
        world.waits_for(world.members[0], *world.issues)
        return (
            cost(lambda: card_counts(world.version, world.lead)),
            cost(lambda: state_of(board, world.lead)),
            cost(lambda: state_of(board, world.members[0])),
            cost(lambda: boards_of(world.version.taxonomy, world.members[0])),
            cost(lambda: mapping_of(board, world.members[0])),
        )

    assert costs(1) == costs(3)
