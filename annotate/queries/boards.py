"""Boards that a user may see, and what lies where on one: all of it, or what changed since a revision."""

from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, FilteredRelation, Max, OuterRef, Q, QuerySet

from accounts.models import User
from annotate.models import Board, Card, CardLabel, Move, Pile, Round, RoundIssue, Sorting
from annotate.queries.withheld import held_back_in
from annotate.rules import may_sort
from studies.models import Membership
from studies.queries import studies_for
from taxonomy.drafting import drafted

FOR_GOOD = (Move.Kind.MAKE, Move.Kind.UNDO, Move.Kind.REDO)


def boards_for(user: User | AnonymousUser) -> QuerySet[Board]:
    """The boards of the studies that this user is a member of."""
    found = Board.objects.filter(taxonomy__study__in=studies_for(user))
    return found.select_related("taxonomy__study", "about", "made_by")


def sorting_of(board: Board, member: Membership | None) -> Sorting | None:
    """What this member sees of a board: the common sorting, or their own while it is sorted apart."""
    whose = Q(member=member) if board.phase == Board.Phase.APART else Q(member=None)
    return Sorting.objects.filter(whose, board=board).first() if member else None


def undoable(sorting: Sorting, member: Membership) -> QuerySet[Move]:
    """The moves of a member that count and can be taken back, the last first."""
    own = Move.objects.filter(sorting=sorting, member=member, undone=None)
    return own.exclude(kind__in=FOR_GOOD).order_by("-number")


def redoable(sorting: Sorting, member: Membership) -> QuerySet[Move]:
    """What a member took back since their last move, the last taken back first.

    What was done again is a move that counts, and came before what is still taken back.
    """
    own = Move.objects.filter(sorting=sorting, member=member)
    later = own.filter(undone=None, number__gt=OuterRef("undone")).exclude(kind__in=FOR_GOOD)
    return own.filter(~Exists(later), undone__isnull=False).order_by("-undone")


def hidden_cards(board: Board, member: Membership, cards: QuerySet[Card]) -> set[int]:
    """The ids of those of these cards that this member may not see now: behind them is a label of an issue
    that they have yet to label in another round, or that lacks labels again. Three queries at most, none for
    a board of a file.
    """
    if board.about_id is None:
        return set()
    same = {"round": OuterRef("label__round"), "issue": OuterRef("label__issue")}
    hidden = Q(Exists(RoundIssue.objects.filter(**same, completed_at=None, round__closed_at=None)))
    rounds = Round.objects.filter(version__taxonomy=board.taxonomy_id, opened_at__isnull=False)
    held = held_back_in(rounds, [member])
    if not held.query.is_empty():
        hidden |= Q(Exists(held.filter(**same)))
    behind = CardLabel.objects.filter(hidden, card__in=cards.values("pk"))
    return set(behind.values_list("card", flat=True))


def state_of(board: Board, member: Membership, *, since: int | None = None) -> dict[str, Any] | None:
    """What a board says to this member, as plain data; since a revision only what changed, None where nothing
    did. A fixed number of queries, one for who knows it all. See docs/rest.md for its shape.
    """
    sorting = sorting_of(board, member)
    if sorting is None:  # a lead who looks on while others sort apart
        sorting = Sorting(board=board, revision=_common_revision(board))
    if since == sorting.revision:
        return None
    is_whole = since is None or since < sorting.began or since > sorting.revision
    found: dict[str, Any] = {
        "revision": sorting.revision,
        "phase": board.phase,
        "can_edit": _can_edit(board, sorting, member),
        "you": member.pseudonym,
    }
    cards, gone = _cards(board, sorting, member, None if is_whole else since)
    codes = codes_of(board)
    if is_whole:
        about = codes.get(str(board.about.key)) if board.about else None
        found["about"] = {"code": about[0], "name": about[1]} if about else None
        found["whole"] = True
    else:
        found["gone"] = gone
    can_undo = sorting.pk is not None and undoable(sorting, member).exists()
    can_redo = sorting.pk is not None and redoable(sorting, member).exists()
    return found | {
        "cards": cards,
        "piles": _piles(sorting, codes),
        "sorters": [
            {"who": who, "done": done_at is not None}
            for who, done_at in Sorting.objects.filter(board=board, member__isnull=False)
            .order_by("pk")
            .values_list("member__pseudonym", "done_at")
        ],
        "can_undo": found["can_edit"] and can_undo,
        "can_redo": found["can_edit"] and can_redo,
    }


def _common_revision(board: Board) -> int:
    found = Sorting.objects.filter(board=board, member=None).aggregate(last=Max("revision"))
    return found["last"] or 0


def _can_edit(board: Board, sorting: Sorting, member: Membership) -> bool:
    if board.phase == Board.Phase.CLOSED or sorting.pk is None:
        return False
    return sorting.done_at is None and may_sort(member, board)


def _cards(
    board: Board, sorting: Sorting, member: Membership, since: int | None
) -> tuple[list[dict[str, Any]], list[int]]:
    """The cards in play, and the ids of those that left it; since a revision only what moved."""
    found = (
        Card.objects.filter(board=board)
        .annotate(here=FilteredRelation("placements", condition=Q(placements__sorting=sorting.pk)))
        .order_by("number")
    )
    found = found.filter(in_play=True) if since is None else found.filter(here__revision__gt=since)
    hidden = hidden_cards(board, member, found.order_by())
    rows = found.values_list(
        "pk", "text", "labels", "group", "in_play", "here__pile", "here__aside"
    ).iterator(chunk_size=5_000)
    cards, gone = [], []
    for pk, text, labels, group, in_play, pile, aside in rows:
        if pk in hidden:
            continue
        if not in_play:
            gone.append(pk)
            continue
        cards.append(
            {"id": pk, "text": text, "labels": labels, "pile": pile, "aside": bool(aside), "group": group}
        )
    return cards, gone


def _piles(sorting: Sorting, codes: dict[str, tuple[str, str]]) -> list[dict[str, Any]]:
    if sorting.pk is None:
        return []
    piles = Pile.objects.filter(sorting=sorting, in_play=True).order_by("position", "pk")
    return [
        {
            "id": pile.pk,
            "name": pile.name,
            "definition": pile.definition,
            "theme": codes[str(pile.theme)][0] if str(pile.theme) in codes else None,
            "rootcause": rootcause_of(pile, codes),
            "made": codes[str(pile.made)][0] if str(pile.made) in codes else None,
            "position": place,
        }
        for place, pile in enumerate(piles)
    ]


def rootcause_of(pile: Pile, codes: dict[str, tuple[str, str]]) -> str:
    """The name of the theme that a pile stands below: as its file says it, or as the draft does; or ""."""
    return pile.rootcause or codes.get(str(pile.theme), ("", ""))[1]


def codes_of(board: Board) -> dict[str, tuple[str, str]]:
    """Code and name of every category of the draft of the board's taxonomy, by identity. Four queries."""
    return {entry.key: (entry.code, entry.name) for entry in drafted(board.taxonomy).draft}


def sorted_cards(sorting: Sorting, hidden: Collection[int]) -> list[tuple[int, str]]:
    """Pile and text of each card that lies in one and is not hidden, in the order of the cards."""
    rows = Card.objects.filter(placements__sorting=sorting, placements__pile__isnull=False, in_play=True)
    found = rows.order_by("number").values_list("pk", "placements__pile", "text")
    return [(pile, text) for pk, pile, text in found if pk not in hidden]
