"""The requests of an open board: its state, the changes since a revision, and acts, as JSON."""

import json

from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from boards import commands
from boards.actions.boards import note_mapping
from boards.mapping import write_mapping
from boards.models import Board
from boards.queries.boards import boards_for, mapping_of, state_of
from boards.queries.hidden import held_from
from boards.rules import may_read_board
from core.errors import DomainError
from core.http import require
from reports.file_responses import attached
from studies.models import Membership
from studies.pages import own_seat


@require_safe
def board_state(request: AuthedRequest, board_id: int) -> HttpResponse:
    """The content of the board; with `since` the changes after that revision, 204 without changes."""
    board, member = board_and_seat(request, board_id)
    found = state_of(board, member, since=commands.revision(request.GET.get("since")))
    return HttpResponse(status=204) if found is None else JsonResponse(found)


@require_POST
def act_on_board(request: AuthedRequest, board_id: int) -> HttpResponse:
    """Do one act. The answer has the changes since the revision `seen`, and `error` if the act was refused;
    then nothing was changed.
    """
    board, member = board_and_seat(request, board_id)
    try:
        body = json.loads(request.body)
    except ValueError:
        body = None
    try:
        commands.act(board, member, body)
    except DomainError as error:
        now = commands.after(board, member, body)
        return JsonResponse({**now, "error": str(error.message)}, status=error.status)
    return JsonResponse(commands.after(board, member, body))


@require_POST
def board_mapping(request: AuthedRequest, board_id: int) -> HttpResponse:
    """Send the mapping of the board as a file with the published layout; the audit notes it."""
    board, member = board_and_seat(request, board_id)
    text = write_mapping(mapping_of(board, member))
    note_mapping(board=board, by=member)
    return attached(text, f"{board.name}.csv", withheld=held_from([board], member))


def board_and_seat(request: AuthedRequest, board_id: int) -> tuple[Board, Membership]:
    """A board of one of this user's studies, and their seat in that study. Http404, PermissionDenied."""
    board = get_object_or_404(boards_for(request.user), pk=board_id)
    member = own_seat(request, board.taxonomy.study)
    require(
        may_read_board(member, board),
        _("You cannot open this board: members still sort alone, or your role does not allow access."),
    )
    return board, member
