"""Who sorts a board apart, and below what its piles can stand."""

from annotate.models import Board, Sorting
from taxonomy.drafting import drafted
from taxonomy.models import Level


def sortings_apart(board: Board) -> list[Sorting]:
    """The sortings of those who sort, or sorted, apart, with their members."""
    found = Sorting.objects.filter(board=board, member__isnull=False)
    return list(found.select_related("member").order_by("pk"))


def themes_of(board: Board) -> list[dict[str, str]]:
    """Code and name of each theme of the draft, below which a sub-theme can stand. Four queries."""
    draft = drafted(board.taxonomy).draft
    return [{"code": each.code, "name": each.name} for each in draft if draft.level(each.key) == Level.THEME]
