"""The boards that a user may see, and the content of a board: all of it, or the changes since a revision."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Exists, FilteredRelation, OuterRef, Q, QuerySet

from accounts.models import User
from boards.mapping import SubTheme
from boards.models import Board, Card, Move, Pile, Sorting
from boards.queries.agreement import had_where
from boards.queries.hidden import behind_hidden, hidden_cards
from boards.queries.labels import new_summaries
from boards.rules import may_make_board, may_read_board, may_sort
from studies.models import Membership
from studies.queries import studies_for
from taxonomy.models import Level, Taxonomy
from taxonomy.queries.drafts import drafted

FOR_GOOD = (Move.Kind.MAKE, Move.Kind.BRING, Move.Kind.UNDO, Move.Kind.REDO)


def boards_for(user: User | AnonymousUser) -> QuerySet[Board]:
    """The boards of the studies that this user is a member of."""
    found = Board.objects.filter(taxonomy__study__in=studies_for(user))
    return found.select_related("taxonomy__study", "about", "made_by")


def sorting_of(board: Board, member: Membership | None) -> Sorting | None:
    """The sorting that this member sees: the common one, or their own while the board is sorted apart."""
    whose = Q(member=member) if board.phase == Board.Phase.APART else Q(member=None)
    return Sorting.objects.filter(whose, board=board).first() if member else None


def undoable(sorting: Sorting, member: Membership) -> QuerySet[Move]:
    """The moves of a member that count and can be taken back, the last move first."""
    own = Move.objects.filter(sorting=sorting, member=member, undone=None)
    return own.exclude(kind__in=FOR_GOOD).order_by("-number")


def redoable(sorting: Sorting, member: Membership) -> QuerySet[Move]:
    """The moves that a member took back since their last move, the last undo first. A redone move counts
    again, but is older than the undos that are left, so that it does not end the redoing.
    """
    own = Move.objects.filter(sorting=sorting, member=member)
    later = own.filter(undone=None, number__gt=OuterRef("undone")).exclude(kind__in=FOR_GOOD)
    return own.filter(~Exists(later), undone__isnull=False).order_by("-undone")


@dataclass(frozen=True)
class ListedBoard:
    """One board of a list: its `cards` in play that the reader may see, how many of them are `sorted` into
    piles or aside in the common sorting, its `piles`, how many `sorters` sort apart, and how many are `done`.
    """

    board: Board
    cards: int
    sorted: int
    piles: int
    sorters: int
    done: int


def boards_of(taxonomy: Taxonomy, member: Membership) -> list[ListedBoard]:
    """The boards of a taxonomy, newest first. Boards that are still sorted apart are left out for members who
    may not sort. A fixed number of queries.
    """
    boards = Board.objects.filter(taxonomy=taxonomy).select_related("taxonomy__study", "about", "made_by")
    shown = [board for board in boards.order_by("-pk") if may_read_board(member, board)]
    hidden = behind_hidden(taxonomy.pk, [member]).filter(card=OuterRef("pk"))
    cards = Card.objects.filter(~Exists(hidden), board__in=shown, in_play=True)
    placed = Q(placements__sorting__member=None) & (
        Q(placements__pile__isnull=False) | Q(placements__aside=True)
    )
    counted = {
        row["board"]: row
        for row in cards.values("board").annotate(
            cards=Count("pk", distinct=True), sorted=Count("pk", filter=placed, distinct=True)
        )
    }
    common = Pile.objects.filter(sorting__board__in=shown, sorting__member=None, in_play=True)
    piles = dict(common.values_list("sorting__board").annotate(Count("pk")))
    apart = Sorting.objects.filter(board__in=shown, member__isnull=False).values("board")
    sorters = {row["board"]: row for row in apart.annotate(all=Count("pk"), done=Count("done_at"))}
    nothing = {"cards": 0, "sorted": 0, "all": 0, "done": 0}
    return [
        ListedBoard(
            board,
            cards=found["cards"],
            sorted=found["sorted"],
            piles=piles.get(board.pk, 0),
            sorters=who["all"],
            done=who["done"],
        )
        for board in shown
        for found, who in [(counted.get(board.pk, nothing), sorters.get(board.pk, nothing))]
    ]


def state_of(
    board: Board, member: Membership, *, since: int | None = None, always: bool = False
) -> dict[str, Any] | None:
    """The content of a board for this member, as plain data; since a revision only the changes, and None
    without changes, unless `always`. A fixed number of queries; docs/rest.md describes its shape.
    """
    sorting = sorting_of(board, member)
    if sorting is None:  # a member who watches while others sort apart
        sorting = Sorting(board=board, revision=Sorting.objects.get(board=board, member=None).revision)
    if since == sorting.revision and not always:
        return None
    is_whole = since is None or since < sorting.began or since > sorting.revision
    found: dict[str, Any] = {
        "revision": sorting.revision,
        "phase": board.phase,
        "can_edit": _can_edit(board, sorting, member),
        "may_lead": may_make_board(member, board.taxonomy.study) and board.phase != Board.Phase.CLOSED,
        "you": member.pseudonym,
    }
    cards, gone = _cards(board, sorting, member, None if is_whole else since)
    codes = codes_of(board)
    if is_whole:
        about = codes.get(str(board.about.key)) if board.about else None
        found["about"] = {"code": about[0], "name": about[1]} if about else None
        found["whole"] = True
        may_bring = found["may_lead"] and board.phase == Board.Phase.TOGETHER
        found["news"] = len(new_summaries(board, member)) if may_bring else 0
    else:
        found["gone"] = gone
    sorters = [
        {"who": who, "done": done_at is not None}
        for who, done_at in Sorting.objects.filter(board=board, member__isnull=False)
        .order_by("pk")
        .values_list("member__pseudonym", "done_at")
    ]
    if sorters and board.phase == Board.Phase.TOGETHER:
        _say_where_they_were(board, cards)
    return found | {
        "cards": cards,
        "piles": _piles(sorting, codes),
        "sorters": sorters,
        "can_undo": found["can_edit"] and undoable(sorting, member).exists(),
        "can_redo": found["can_edit"] and redoable(sorting, member).exists(),
    }


@dataclass(frozen=True)
class CardList:
    """The cards of one place: of a `pile`, as in the state; otherwise left `aside`, or unsorted."""

    cards: list[dict[str, Any]]
    pile: dict[str, Any] | None = None
    aside: bool = False


def lists_of(board: Board, member: Membership) -> list[CardList]:
    """The content of a board for this member as lists: the piles in their order, the cards left aside, and
    the unsorted cards. As many queries as `state_of`.
    """
    state = state_of(board, member) or {"cards": [], "piles": []}
    lie: dict[object, list[dict[str, Any]]] = defaultdict(list)
    for card in state["cards"]:
        lie["aside" if card["aside"] else card["pile"]].append(card)
    piles = [CardList(lie[pile["id"]], pile) for pile in state["piles"]]
    return [*piles, CardList(lie["aside"], aside=True), CardList(lie[None])]


def _can_edit(board: Board, sorting: Sorting, member: Membership) -> bool:
    if board.phase == Board.Phase.CLOSED or sorting.pk is None:
        return False
    return sorting.done_at is None and may_sort(member, board)


def _cards(
    board: Board, sorting: Sorting, member: Membership, since: int | None
) -> tuple[list[dict[str, Any]], list[int]]:
    """The cards in play, and the ids of cards that left it; since a revision only those that moved."""
    found = (
        Card.objects.filter(board=board)
        .annotate(here=FilteredRelation("placements", condition=Q(placements__sorting=sorting.pk)))
        .order_by("number")
    )
    found = found.filter(in_play=True) if since is None else found.filter(here__revision__gt=since)
    hidden = hidden_cards(board, member, found.order_by())
    rows = found.values_list("pk", "text", "labels", "group", "in_play", "here__pile", "here__aside")
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


def _say_where_they_were(board: Board, cards: list[dict[str, Any]]) -> None:
    """Add to each unsorted card who had put it into which pile while they sorted apart."""
    nowhere = [card for card in cards if card["pile"] is None and not card["aside"]]
    had = had_where(board, [card["id"] for card in nowhere])
    for card in nowhere:
        card["had"] = had.get(card["id"], [])


def _piles(sorting: Sorting, codes: dict[str, tuple[str, str]]) -> list[dict[str, Any]]:
    if sorting.pk is None:
        return []
    piles = Pile.objects.filter(sorting=sorting, in_play=True).order_by("position", "pk")
    return [
        {
            "id": pile.pk,
            "number": pile.number,
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
    """The name of the theme above a pile: as written in its file, otherwise as in the draft; or ""."""
    return pile.rootcause or codes.get(str(pile.theme), ("", ""))[1]


def codes_of(board: Board) -> dict[str, tuple[str, str]]:
    """Key to code and name of every category of the draft of the board's taxonomy. Four queries."""
    return {entry.key: (entry.code, entry.name) for entry in drafted(board.taxonomy).draft}


def mapping_of(board: Board, member: Membership) -> list[SubTheme]:
    """The mapping of the common sorting, for a file: a row for each pile in their order, with its cards in
    the order in which they came, without cards hidden from this member.
    """
    sorting = Sorting.objects.get(board=board, member=None)
    piles = Pile.objects.filter(sorting=sorting, in_play=True).order_by("position", "pk")
    lying = Card.objects.filter(board=board, in_play=True, placements__pile__in=piles)
    hidden = hidden_cards(board, member, lying)
    texts: dict[int, list[str]] = defaultdict(list)
    for pk, pile, text in lying.order_by("number").values_list("pk", "placements__pile", "text"):
        if pk not in hidden:
            texts[pile].append(text)
    codes = codes_of(board)
    return [SubTheme(rootcause_of(pile, codes), pile.name, tuple(texts[pile.pk])) for pile in piles]


def sortings_apart(board: Board) -> list[Sorting]:
    """The sortings of members who sort, or sorted, apart, with these members."""
    found = Sorting.objects.filter(board=board, member__isnull=False)
    return list(found.select_related("member").order_by("pk"))


def to_sort_apart(seats: Sequence[Membership]) -> list[Sorting]:
    """The sortings of these memberships that are not done, on boards that are sorted apart. One query."""
    own = Sorting.objects.filter(member__in=seats, done_at=None, board__phase=Board.Phase.APART)
    found = own.select_related("board__taxonomy__study", "member").order_by("pk")
    return [each for each in found if may_sort(each.member, each.board)]


def themes_of(board: Board) -> list[dict[str, str]]:
    """Code and name of each theme of the draft, to choose the theme of a pile. Four queries."""
    draft = drafted(board.taxonomy).draft
    return [{"code": each.code, "name": each.name} for each in draft if draft.level(each.key) == Level.THEME]
