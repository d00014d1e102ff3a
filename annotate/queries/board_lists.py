"""Who sorts a board apart, who is yet to do it, and below what its piles can stand."""

from collections.abc import Sequence

from annotate.models import Board, Sorting
from annotate.rules import may_sort
from studies.models import Membership
from taxonomy.drafting import drafted
from taxonomy.models import Level


def sortings_apart(board: Board) -> list[Sorting]:
    """The sortings of those who sort, or sorted, apart, with their members."""
    found = Sorting.objects.filter(board=board, member__isnull=False)
    return list(found.select_related("member").order_by("pk"))


def to_sort_apart(seats: Sequence[Membership]) -> list[Sorting]:
    """The sortings of these seats that are not done, on boards that are sorted apart. One query."""
    own = Sorting.objects.filter(member__in=seats, done_at=None, board__phase=Board.Phase.APART)
    found = own.select_related("board__taxonomy__study", "member").order_by("pk")
    return [each for each in found if may_sort(each.member, each.board)]


def themes_of(board: Board) -> list[dict[str, str]]:
    """Code and name of each theme of the draft, below which a sub-theme can stand. Four queries."""
    draft = drafted(board.taxonomy).draft
    return [{"code": each.code, "name": each.name} for each in draft if draft.level(each.key) == Level.THEME]
