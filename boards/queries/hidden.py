"""Cards that a member may not see now, because their labels are still blind for the member."""

from collections.abc import Collection

from django.db.models import Exists, OuterRef, Q, QuerySet

from boards.models import Board, Card, CardLabel
from rounds.models import Round, RoundIssue
from rounds.queries.blindness import withheld_issues_in
from studies.models import Membership

COUNTED = (Round.Kind.PILOT, Round.Kind.MAIN)
"""The kinds of rounds whose labels give cards. A screening asks another question; a training is no result."""


def behind_hidden(taxonomy_id: int, members: Collection[Membership]) -> QuerySet[CardLabel]:
    """The labels behind cards that one of these members may not see now: labels of an issue that the member
    has yet to label in another round, or that lacks labels again. Two small queries.
    """
    same = {"round": OuterRef("label__round"), "issue": OuterRef("label__issue")}
    hidden = Q(Exists(RoundIssue.objects.filter(**same, completed_at=None, round__closed_at=None)))
    rounds = Round.objects.filter(version__taxonomy=taxonomy_id, opened_at__isnull=False)
    blind = withheld_issues_in(rounds, members)
    if not blind.query.is_empty():
        hidden |= Q(Exists(blind.filter(**same)))
    return CardLabel.objects.filter(hidden)


def hidden_cards(board: Board, member: Membership, cards: QuerySet[Card]) -> set[int]:
    """The ids of those of `cards` that this member may not see now. No query for a board of a file."""
    if board.about_id is None:
        return set()
    behind = behind_hidden(board.taxonomy_id, [member]).filter(card__in=cards.values("pk"))
    return set(behind.values_list("card", flat=True))


def held_from(boards: Collection[Board], member: Membership) -> int:
    """How many issues that may give cards to boards of these taxonomies are withheld from this member. They
    count whatever their labels are, since a number of cards would reveal something. 0 for boards of files.
    """
    taxonomies = {board.taxonomy_id for board in boards if board.about_id}
    if not taxonomies:
        return 0
    rounds = Round.objects.filter(version__taxonomy__in=taxonomies, kind__in=COUNTED, opened_at__isnull=False)
    blind = withheld_issues_in(rounds, [member]).filter(completed_at__isnull=False)
    return blind.order_by().values("issue").distinct().count()


def shown_to_all(board: Board) -> QuerySet[Card]:
    """The cards in play that are hidden from no member, so that they may be quoted elsewhere."""
    members = list(Membership.objects.filter(study=board.taxonomy.study_id, left_at=None))
    behind = behind_hidden(board.taxonomy_id, members).filter(card=OuterRef("pk"))
    return Card.objects.filter(~Exists(behind), board=board, in_play=True)
