"""The moves on a board: each in one transaction, and none overwrites the work of others.

`seen` is the revision that the page showed. If somebody has since made a change that the move would undo,
BoardClash is raised and nothing is changed. All moves also raise what `hold_to_sort` raises. They return the
stored move, or None if there was nothing to change.
"""

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boards.actions.locks import HeldSorting, hold_to_sort
from boards.actions.patches import (
    GONE,
    CardPlace,
    Patch,
    Place,
    is_taken,
    lying,
    next_places,
    piles_of,
    plain,
    require_as_it_was,
    store,
)
from boards.errors import BoardClash, BoardRefused, NothingToDoAgain, NothingToTakeBack
from boards.models import Board, Card, Move, Pile, Placement
from boards.queries.boards import redoable, undoable
from boards.queries.hidden import hidden_cards
from studies.models import Membership
from taxonomy.models import Level
from taxonomy.queries.drafts import drafted

NAME, DEFINITION = 200, 10_000
"""The most characters of a pile's name and definition."""

SAID = 80
"""The most characters of a card in a refusal."""


@transaction.atomic
def move_cards(
    *,
    board: Board,
    member: Membership,
    cards: Sequence[int],
    to: Place,
    seen: int,
    seen_at: Mapping[int, Place] | None = None,
) -> Move | None:
    """Put cards into a pile, aside, or back to the unsorted. `seen_at`: the place where each was shown."""
    held = hold_to_sort(board, member)
    if isinstance(to, int):
        require_pile(held, to)
    patch = Patch(cards=_moved(held, cards, to, seen, seen_at or {}))
    return store(held.sorting, member, Move.Kind.MOVE, patch) if patch else None


@transaction.atomic
def make_pile(
    *,
    board: Board,
    member: Membership,
    name: str,
    cards: Sequence[int],
    seen: int,
    seen_at: Mapping[int, Place] | None = None,
) -> Move:
    """Make a new pile, after the others, with these cards. Without a name it is called Pile and a number."""
    held = hold_to_sort(board, member)
    pile = Pile(
        sorting=held.sorting,
        name=_named(name) if name.strip() else _numbered(held),
        theme=_own_theme(held),
        **next_places(held.sorting),
    )
    _require_free(held, pile)
    pile.save()
    moved = _moved(held, cards, pile.pk, seen, seen_at or {})
    patch = Patch(moved, {pile.pk: {"in_play": (False, True)}})
    return store(held.sorting, member, Move.Kind.PILE, patch)


@transaction.atomic
def describe_pile(
    *,
    board: Board,
    member: Membership,
    pile: int,
    fields: Mapping[str, str],
    was: Mapping[str, str] | None = None,
) -> Move | None:
    """Change the `name`, `definition`, `theme` (the code of a theme in the draft, or "") or `rootcause` (the
    theme in the member's own words) of a pile. `was`: the fields as they were shown.
    """
    held = hold_to_sort(board, member)
    found = require_pile(held, pile)
    themes = _themes(held)
    wanted, shown = _described(fields, themes), _described(was or {}, themes, is_shown=True)
    now = {name: plain(getattr(found, name)) for name in ("name", "definition", "theme", "rootcause")}
    changed = {
        name: (now[name], value)
        for name, value in wanted.items()
        if value != now[name] and not (name in shown and shown[name] == value)
    }
    # The page shows no theme if the theme has left the draft.
    seen = now if now["theme"] in themes.values() else now | {"theme": None}
    if any(name in shown and shown[name] != seen[name] for name in changed):
        raise BoardClash(
            _("Another member changed the pile “%(name)s” while you typed. Nothing was overwritten.")
            % {"name": found.name}
        )
    if not changed:
        return None
    if "theme" in changed and "rootcause" not in wanted and found.rootcause:
        changed["rootcause"] = (found.rootcause, "")
    for name, (_before, value) in changed.items():
        setattr(found, name, value)
    _require_free(held, found)
    return store(held.sorting, member, Move.Kind.DESCRIBE, Patch(piles={found.pk: changed}))


@transaction.atomic
def join_piles(*, board: Board, member: Membership, piles: Sequence[int]) -> Move:
    """Put the cards of all these piles into the first pile. The other piles go out of play."""
    held = hold_to_sort(board, member)
    first, *others = dict.fromkeys(piles) or [0]
    if not others:
        raise BoardRefused(_("Choose two piles to join. Nothing was changed."))
    for pile in (first, *others):
        require_pile(held, pile)
    lie = Placement.objects.filter(sorting=held.sorting, pile__in=others).order_by("card__number")
    patch = Patch(
        {card: (pile, first) for card, pile in lie.values_list("card", "pile")},
        {pile: {"in_play": (True, False)} for pile in others},
    )
    return store(held.sorting, member, Move.Kind.JOIN, patch)


@transaction.atomic
def drop_pile(*, board: Board, member: Membership, pile: int, seen: int) -> Move:
    """Drop a pile; its cards become unsorted. Raises BoardClash if somebody has added a card since."""
    held = hold_to_sort(board, member)
    found = require_pile(held, pile)
    lie = list(
        Placement.objects.filter(sorting=held.sorting, pile=found)
        .order_by("card__number")
        .values_list("card", "revision")
    )
    if any(revision > seen for _card, revision in lie):
        raise BoardClash(
            _("Another member has put cards into “%(name)s”. The pile was kept. Check the pile again.")
            % {"name": found.name}
        )
    patch = Patch({card: (found.pk, None) for card, _revision in lie}, {found.pk: {"in_play": (True, False)}})
    return store(held.sorting, member, Move.Kind.DROP, patch)


@transaction.atomic
def order_pile(*, board: Board, member: Membership, pile: int, position: int) -> Move | None:
    """Move a pile to another place among the piles: 0 is the first."""
    held = hold_to_sort(board, member)
    found = require_pile(held, pile)
    piles = list(Pile.objects.filter(sorting=held.sorting, in_play=True).order_by("position", "pk"))
    piles.remove(found)
    piles.insert(max(position, 0), found)
    patch = Patch(
        piles={
            each.pk: {"position": (each.position, place)}
            for place, each in enumerate(piles)
            if each.position != place
        }
    )
    return store(held.sorting, member, Move.Kind.ORDER, patch) if patch else None


def _moved(
    held: HeldSorting, cards: Sequence[int], to: Place, seen: int, seen_at: Mapping[int, Place]
) -> dict[int, tuple[Place, Place]]:
    """The moves of the cards that are not in this place yet. Raises what `require_unmoved` raises."""
    found = lying_now(held, cards)
    moving = {card: found[card] for card in dict.fromkeys(cards) if found[card].place != to}
    require_unmoved(held, moving, seen, seen_at)
    return {card: (lies.place, to) for card, lies in moving.items()}


def require_unmoved(
    held: HeldSorting, found: Mapping[int, CardPlace], seen: int, seen_at: Mapping[int, Place]
) -> None:
    """Raises BoardClash if one of these cards is no longer in the place where it was shown."""
    if seen < held.sorting.began:
        raise BoardClash(_("The joint session of this board has started. Nothing was changed."))
    others = [
        card
        for card, lies in found.items()
        if (lies.place != seen_at[card] if card in seen_at else lies.since > seen)
    ]
    if others:
        raise _elsewhere(held, others[0], found[others[0]].place, len(others) - 1)


def _elsewhere(held: HeldSorting, card: int, place: Place, more: int) -> BoardClash:
    """The refusal: the new place of this card, and how many `more` cards were moved."""
    text = Card.objects.get(pk=card).text
    where = {"card": text if len(text) <= SAID else f"{text[:SAID]}…"}
    if isinstance(place, int):
        where["pile"] = piles_of(held.sorting, [place])[place].name
        said = _("Another member has put “%(card)s” into “%(pile)s”.") % where
    elif place is None:
        said = _("Another member has taken “%(card)s” out of its pile.") % where
    else:
        said = _("Another member has put “%(card)s” aside.") % where
    if more:
        others = ngettext("%(n)d more card was moved.", "%(n)d more cards were moved.", more)
        said = f"{said} {others % {'n': more}}"
    return BoardClash(f"{said} {_('Nothing was changed.')}")


def require_pile(held: HeldSorting, pile: int) -> Pile:
    """A pile of the sorting. Raises BoardClash if it is no longer in play."""
    found = piles_of(held.sorting, [pile]).get(pile)
    if found is None or not found.in_play:
        raise BoardClash(
            _("This pile no longer exists: another member dissolved or joined the pile. Nothing was changed.")
        )
    return found


def lying_now(held: HeldSorting, cards: Sequence[int]) -> dict[int, CardPlace]:
    """The places of these cards. Raises BoardClash if one is out of play, or hidden from this member."""
    found = lying(held.sorting, cards)
    hidden = hidden_cards(held.board, held.member, Card.objects.filter(pk__in=cards))
    if any(card not in found or card in hidden or found[card].place == GONE for card in cards):
        raise BoardClash(
            _("A card no longer exists: another member split or merged the card. Nothing was changed.")
        )
    return found


def _named(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise BoardRefused(_("Enter a name for the pile. Nothing was changed."))
    if len(name) > NAME:
        raise BoardRefused(
            _("The name of a pile has at most %(n)d characters. Nothing was changed.") % {"n": NAME}
        )
    return name


def _numbered(held: HeldSorting) -> str:
    """The first free name among Pile 1, Pile 2, …"""
    piles = Pile.objects.filter(sorting=held.sorting, in_play=True)
    taken = {name.casefold() for name in piles.values_list("name", flat=True)}
    number = 1
    while (name := _("Pile %(n)d") % {"n": number}).casefold() in taken:
        number += 1
    return name


def _require_free(held: HeldSorting, pile: Pile) -> None:
    if is_taken(held.sorting, pile):
        raise BoardRefused(
            _(
                "A pile named “%(name)s” already exists. Nothing was changed. Join the two piles,"
                " or choose another name."
            )
            % {"name": pile.name}
        )


def _own_theme(held: HeldSorting) -> str | None:
    """The key of the theme that the board is about; None for a board about a type or from a file."""
    if held.board.about is None:
        return None
    about = str(held.board.about.key)
    draft = drafted(held.board.taxonomy).draft
    return about if about in draft and draft.level(about) == Level.THEME else None


def _themes(held: HeldSorting) -> dict[str, str]:
    """The key of each theme of the draft, by its code."""
    draft = drafted(held.board.taxonomy).draft
    return {each.code: each.key for each in draft if draft.level(each.key) == Level.THEME}


def _described(
    fields: Mapping[str, str], themes: Mapping[str, str], *, is_shown: bool = False
) -> dict[str, str | None]:
    """The fields as they are stored. With `is_shown` they are not checked."""
    found: dict[str, str | None] = {}
    if "name" in fields:
        found["name"] = " ".join(fields["name"].split()) if is_shown else _named(fields["name"])
    if "definition" in fields:
        found["definition"] = fields["definition"].strip()
        if len(fields["definition"]) > DEFINITION:
            raise BoardRefused(
                _("The definition of a pile has at most %(n)d characters. Nothing was changed.")
                % {"n": DEFINITION}
            )
    if "theme" in fields:
        code = (fields["theme"] or "").strip()
        if code and code not in themes and not is_shown:
            raise BoardRefused(
                _("The draft does not have the theme %(code)s. Nothing was changed.") % {"code": code}
            )
        found["theme"] = themes.get(code)
    if "rootcause" in fields:
        found["rootcause"] = " ".join(fields["rootcause"].split())[:NAME]
    return found


@transaction.atomic
def undo_move(*, board: Board, member: Membership) -> Move:
    """Take back this member's last move. Raises NothingToTakeBack, BuiltOn if somebody has built on it."""
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
    """Redo the move that this member just took back. Raises NothingToDoAgain, BuiltOn."""
    held = hold_to_sort(board, member)
    undone = redoable(held.sorting, member).first()
    if undone is None:
        raise NothingToDoAgain
    patch = Patch.of(undone)
    require_as_it_was(held.sorting, patch)
    made = store(held.sorting, member, Move.Kind.REDO, patch)
    Move.objects.filter(pk=undone.pk).update(undone=None)
    return made
