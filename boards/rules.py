"""Who may make, read and sort boards."""

from boards.models import Board
from rounds.rules import is_of, may_be_volunteer, may_create_round
from studies import rules as studies_rules
from studies.models import Membership, Study


def may_make_board(member: Membership | None, study: Study) -> bool:
    """May this member make and close boards, start sorting together, and make sub-themes? Owner and leads."""
    return may_create_round(member, study)


def may_read_board(member: Membership | None, board: Board) -> bool:
    """May this member see the board? Owner, leads and volunteers; a viewer once it is sorted together."""
    if not is_of(member, board.taxonomy.study_id) or not studies_rules.may_see_people(member):
        return False
    return board.phase != Board.Phase.APART or may_sort(member, board)


def may_sort(member: Membership | None, board: Board) -> bool:
    """May this member sort cards of the board? Owner, leads, volunteers; apart, a sorting is needed too."""
    return may_be_volunteer(member, board.taxonomy.study)
