"""Moves taken back, and done again: each person their own, as long as nobody has gone on from there."""

from django.db import transaction

from annotate.actions.board_locks import hold_to_sort
from annotate.actions.board_patches import Patch, require_as_it_was, store
from annotate.board_errors import NothingToDoAgain, NothingToTakeBack
from annotate.models import Board, Move
from annotate.queries.boards import redoable, undoable
from studies.models import Membership


@transaction.atomic
def undo_move(*, board: Board, member: Membership) -> Move:
    """Take back this member's last move. Raises NothingToTakeBack, BuiltOn where somebody went on."""
    held = hold_to_sort(board, member)
    last = undoable(held.sorting, member).first()
    if last is None:
        raise NothingToTakeBack
    patch = Patch.of(last).turned_round()
    require_as_it_was(held.sorting, patch)
    made = store(held.sorting, member, Move.Kind.UNDO, patch)
    Move.objects.filter(pk=last.pk).update(undone=made.number)
    return made


@transaction.atomic
def redo_move(*, board: Board, member: Membership) -> Move:
    """Do again what this member took back, if they made no move since. Raises NothingToDoAgain, BuiltOn."""
    held = hold_to_sort(board, member)
    undone = redoable(held.sorting, member).first()
    if undone is None:
        raise NothingToDoAgain
    patch = Patch.of(undone)
    require_as_it_was(held.sorting, patch)
    made = store(held.sorting, member, Move.Kind.REDO, patch)
    Move.objects.filter(pk=undone.pk).update(undone=None)
    return made
