"""The last guard of what boards promise is the database: each named constraint refuses raw SQL by its name."""

import pytest
from django.db import DatabaseError, connection, transaction

from boards.models import Card, Pile
from tests.worlds.board import board_world

pytestmark = pytest.mark.django_db

BOARD = """INSERT INTO boards_board (taxonomy_id, name, phase, made_by_id, made_at, closed_at)
    VALUES (%(taxonomy)s, {name}, {phase}, %(lead)s, now(), {closed})"""
SORTING = """INSERT INTO boards_sorting (board_id, member_id, revision, began, done_at)
    VALUES (%(board)s, {member}, 0, 0, {done})"""
CARD = """INSERT INTO boards_card (board_id, number, text, labels, in_play)
    VALUES (%(board)s, {number}, {text}, 0, true)"""
PILE = """INSERT INTO boards_pile (sorting_id, number, name, definition, rootcause, position, in_play)
    VALUES (%(sorting)s, {number}, {name}, '', '', 0, true)"""
PLACEMENT = """INSERT INTO boards_placement (board_id, sorting_id, card_id, pile_id, aside, revision)
    VALUES ({board}, {sorting}, {card}, {pile}, {aside}, 1)"""
MOVE = """INSERT INTO boards_move (sorting_id, number, member_id, kind, cards, piles, moved_at, undone)
    VALUES (%(sorting)s, {number}, %(lead)s, '{kind}', '{{}}', '{{}}', now(), {undone})"""


def _board(name="'New'", phase="'together'", closed="NULL"):
    return BOARD.format(name=name, phase=phase, closed=closed)


def _placement(board="%(board)s", sorting="%(sorting)s", card="%(free)s", pile="NULL", aside="false"):
    return PLACEMENT.format(board=board, sorting=sorting, card=card, pile=pile, aside=aside)


def _move(number=7, kind="move", undone="NULL"):
    return MOVE.format(number=number, kind=kind, undone=undone)


BROKEN = {
    "board_name_is_unique_in_a_taxonomy": _board("'SYMPTOMS'"),
    "a_board_is_named": _board("''"),
    "a_closed_board_says_when": _board(phase="'closed'"),
    "one_sorting_per_member_and_board": SORTING.format(member="NULL", done="NULL"),
    "the_common_sorting_is_never_done": "UPDATE boards_sorting SET done_at = now() WHERE id = %(sorting)s",
    "card_has_its_number": CARD.format(number=1, text="'x'"),
    "a_card_says_something": CARD.format(number=99, text="''"),
    "a_label_stands_once_behind_a_card": "INSERT INTO boards_cardlabel (card_id, label_id)"
    " VALUES (%(card)s, 1), (%(card)s, 1)",
    "a_card_stays_as_it_came": "UPDATE boards_card SET text = 'Other' WHERE id = %(card)s",
    "pile_name_is_unique_below_its_theme": PILE.format(number=9, name="'STOPS'"),
    "pile_has_its_number": PILE.format(number=1, name="'Other'"),
    "a_pile_is_named": PILE.format(number=9, name="''"),
    "a_card_lies_in_one_place": _placement(card="%(card)s"),
    "what_is_aside_is_in_no_pile": _placement(pile="%(pile)s", aside="true"),
    "placement_is_in_a_sorting_of_its_board": _placement(sorting="%(elsewhere)s"),
    "placement_is_of_a_card_of_its_board": _placement(card="%(foreign)s"),
    "placement_is_in_a_pile_of_its_sorting": _placement(pile="%(foreign_pile)s"),
    "move_has_its_number": _move(number=1),
    "a_move_is_taken_back_later": _move(undone=7),
    "some_moves_are_for_good": _move(kind="make", undone=8),
    "a_move_stays_as_it_was_made": "UPDATE boards_move SET kind = 'drop' WHERE sorting_id = %(sorting)s",
}

TRIGGERS = {"a_card_stays_as_it_came", "a_move_stays_as_it_was_made"}
# Hold the primary key: only targets for foreign keys of two columns, which are broken.
NOT_BITTEN = {"card_has_its_board", "pile_has_its_sorting", "sorting_has_its_board"}


@pytest.fixture
def ids():
    world, other = board_world(), board_world()
    pile = world.pile("Stops", world.cards[0])
    foreign_pile = other.pile("Stops")
    return {
        "taxonomy": world.version.taxonomy_id,
        "lead": world.lead.pk,
        "board": world.board.pk,
        "sorting": world.board.sortings.get().pk,
        "card": world.cards[0],
        "free": world.cards[1],
        "pile": pile,
        "elsewhere": other.board.sortings.get().pk,
        "foreign": other.cards[0],
        "foreign_pile": foreign_pile,
    }


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.slow(cases=10)
def test_the_database_refuses_what_would_break_a_promise(ids, name):
    statements = f"{BROKEN[name]}; SET CONSTRAINTS ALL IMMEDIATE"
    with pytest.raises(DatabaseError) as refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statements, ids)
    assert name in str(refused.value) or "Cannot update" in str(refused.value)


def test_what_is_right_goes_in(ids):
    with connection.cursor() as cursor:
        for statement in (
            _board(),
            CARD.format(number=99, text="'x'"),
            PILE.format(number=9, name="'Other'"),
            _placement(pile="%(pile)s"),
            _move(),
            "UPDATE boards_card SET in_play = false WHERE id = %(card)s",
            "UPDATE boards_pile SET in_play = false WHERE id = %(pile)s",
            "UPDATE boards_move SET undone = 99 WHERE sorting_id = %(sorting)s AND number = 1",
            PILE.format(number=10, name="'STOPS'"),
        ):
            cursor.execute(statement, ids)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert (Card.objects.filter(number=99).count(), Pile.objects.filter(name="STOPS").count()) == (1, 1)
