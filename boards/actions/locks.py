"""The locks of a board, always taken in this order: board, sorting, then the taxonomy for a new sub-theme.

A move holds the board as it is (FOR SHARE), so that what changes its phase waits for it or is seen by it, and
its sorting for itself: moves of one sorting take turns, those of people who sort apart do not wait.
"""

from dataclasses import dataclass

from django.db.models import Q

from boards.errors import BoardClosed, NotYourBoard, SortingDone
from boards.models import Board, Sorting
from boards.rules import may_sort
from studies.models import Membership


@dataclass(frozen=True)
class HeldSorting:
    """A board as it is now, and the sorting that this member changes, for this transaction alone."""

    board: Board
    sorting: Sorting
    member: Membership


def hold_to_sort(board: Board, member: Membership) -> HeldSorting:
    """Raises NotYourBoard for who does not sort here, BoardClosed, SortingDone."""
    held: Board = Board.objects.raw("SELECT * FROM boards_board WHERE id = %s FOR SHARE", [board.pk])[0]
    held.taxonomy = board.taxonomy
    if held.phase == Board.Phase.CLOSED:
        raise BoardClosed
    if not may_sort(member, held):
        raise NotYourBoard
    whose = Q(member=member) if held.phase == Board.Phase.APART else Q(member=None)
    sorting = Sorting.objects.select_for_update(no_key=True).filter(whose, board=held).first()
    if sorting is None:
        raise NotYourBoard
    if sorting.done_at is not None:
        raise SortingDone
    return HeldSorting(held, sorting, member)


def hold_board(board: Board) -> Board:
    """The board as it is now, for this transaction alone: no move is under way. Raises BoardClosed."""
    held = Board.objects.select_for_update(no_key=True).get(pk=board.pk)
    held.taxonomy = board.taxonomy
    if held.phase == Board.Phase.CLOSED:
        raise BoardClosed
    return held
