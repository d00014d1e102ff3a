"""What the pages of boards list: the boards of a taxonomy, what a new one could be of, who sorts apart."""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Prefetch, QuerySet
from django.db.models.functions import Lower

from accounts.models import User
from annotate.models import Board, Sorting
from annotate.queries.board_labels import labels_about
from annotate.queries.boards import boards_for
from studies.models import Membership
from taxonomy.drafting import drafted
from taxonomy.models import Category, CategoryState, Level, Taxonomy
from taxonomy.queries import published_version


@dataclass(frozen=True)
class Material:
    """What a board of a category would be made of: so many labels with a summary, so many different ones."""

    labels: int
    cards: int


def boards_of(user: User | AnonymousUser, taxonomy: Taxonomy) -> QuerySet[Board]:
    """The boards of a taxonomy, the newest first, with `seats`: who sorts apart. Two queries."""
    seats = Sorting.objects.filter(member__isnull=False).select_related("member").order_by("pk")
    found = boards_for(user).filter(taxonomy=taxonomy).order_by("-pk")
    return found.prefetch_related(Prefetch("sortings", seats, to_attr="seats"))


def sortings_apart(board: Board) -> list[Sorting]:
    """The sortings of those who sort, or sorted, apart, with their members."""
    found = Sorting.objects.filter(board=board, member__isnull=False)
    return list(found.select_related("member").order_by("pk"))


def themes_of(board: Board) -> list[dict[str, str]]:
    """Code and name of each theme of the draft, below which a sub-theme can stand. Four queries."""
    draft = drafted(board.taxonomy).draft
    return [{"code": each.code, "name": each.name} for each in draft if draft.level(each.key) == Level.THEME]


def categories_for_boards(taxonomy: Taxonomy) -> list[CategoryState]:
    """The types and themes of the published version, in its order. Two queries."""
    version = published_version(taxonomy)
    found = CategoryState.objects.filter(version=version, level__lt=Level.SUB_THEME)
    return list(found.select_related("category").order_by("position")) if version else []


def material(taxonomy: Taxonomy, about: Category, member: Membership | None) -> Material:
    """What a board of this category would be made of, for this member. Five small queries.

    Summaries that differ only in spaces count as two here, and become one card.
    """
    found = labels_about(taxonomy, about, member).aggregate(
        labels=Count("pk"), cards=Count(Lower("summary"), distinct=True)
    )
    return Material(found["labels"], found["cards"])
