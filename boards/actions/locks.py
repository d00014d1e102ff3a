"""The locks of a board, always taken in this order: board, sorting, then the taxonomy for a new sub-theme.

A move shares a lock on the board (FOR SHARE), so that a change of phase waits for it or is seen by it, and
locks its sorting alone. Moves of one sorting take turns; people who sort apart never wait for each other.
"""

from dataclasses import dataclass

from django.db.models import Q

from boards.errors import BoardClosed, NotYourBoard, SortingDone
from boards.models import Board, Sorting
from boards.rules import may_sort
from studies.models import Membership


@dataclass(frozen=True)
class HeldSorting:
    """A locked board as it is now, and the sorting that this member changes, locked for this transaction."""

    board: Board
    sorting: Sorting
    member: Membership


def hold_to_sort(board: Board, member: Membership) -> HeldSorting:
    """Lock the board and the member's sorting. Raises NotYourBoard, BoardClosed, SortingDone."""
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
    """Lock the board alone, so that no move is under way, and return it as it is now. Raises BoardClosed."""
    held = Board.objects.select_for_update(no_key=True).get(pk=board.pk)
    held.taxonomy = board.taxonomy
    if held.phase == Board.Phase.CLOSED:
        raise BoardClosed
    return held
