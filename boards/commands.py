"""An act on a board as pages and REST send it: read, checked, done."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from boards.actions import cards, moves, news, phases
from boards.actions.patches import ASIDE, Place
from boards.errors import BoardRefused
from boards.models import Board
from boards.queries.boards import state_of
from core.idempotency import first_use
from core.numbers import SHORT, whole_number
from studies.models import Membership

MOST_CARDS = 5_000
"""So many cards one act moves at most."""

_NO_TEXT = re.compile("[\0\ud800-\udfff]")


class _Body:
    """The fields of an act, each of its kind. Raises BoardRefused for what is missing or of another."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.body = body

    def has(self, name: str) -> bool:
        return name in self.body

    def number(self, name: str) -> int:
        value = self.body.get(name)
        if not _is_number(value):
            raise _unfit(name)
        return value  # type: ignore[return-value]

    def text(self, name: str, default: str = "") -> str:
        return _text(self.body.get(name, default), name)

    def flag(self, name: str, *, default: bool) -> bool:
        value = self.body.get(name, default)
        if not isinstance(value, bool):
            raise _unfit(name)
        return value

    def numbers(self, name: str) -> list[int]:
        value = self.body.get(name, [])
        if not isinstance(value, list) or not all(map(_is_number, value)) or len(value) > MOST_CARDS:
            raise _unfit(name)
        return value

    def texts(self, name: str) -> list[str]:
        value = self.body.get(name)
        if not isinstance(value, list) or len(value) > 100:
            raise _unfit(name)
        return [_text(each, name) for each in value]

    def fields(self, values: Any, name: str) -> dict[str, str]:
        if not isinstance(values, Mapping):
            raise _unfit(name)
        known = ("name", "definition", "theme", "rootcause")
        # A theme may be null: none.
        return {each: _text(values[each] or "", each) for each in known if each in values}

    def places(self, name: str) -> dict[int, Place]:
        value = self.body.get(name) or {}
        if not isinstance(value, Mapping):
            raise _unfit(name)
        found: dict[int, Place] = {}
        for card, place in value.items():
            number = revision(str(card))
            if number is None or not (place is None or place == ASIDE or _is_number(place)):
                raise _unfit(name)
            found[number] = place
        return found

    def key(self) -> UUID | None:
        value = self.body.get("key")
        try:
            return None if value is None else UUID(_text(value, "key"))
        except ValueError:
            raise _unfit("key") from None

    def target(self) -> Place:
        if self.body.get("aside"):
            return ASIDE
        return None if self.body.get("to") is None else self.number("to")


def act(board: Board, member: Membership, body: Any) -> None:
    """Do what the body asks, in one transaction, once for each `key`; see docs/rest.md for its shape.

    Raises DomainError, and nothing is changed then.
    """
    if not isinstance(body, Mapping) or str(body.get("act")) not in ACTS:
        raise BoardRefused(_("There is no such act on a board. Nothing was changed."))
    read = _Body(body)
    with transaction.atomic():
        key = read.key()
        if key is None or member.user is None or first_use(key, member.user):
            ACTS[str(body["act"])](read, board=board, member=member)


def after(board: Board, member: Membership, body: Any) -> dict[str, Any]:
    """What changed on the board since the revision that the body of an act had `seen`; all of it where it
    says none.
    """
    board.refresh_from_db(fields=["phase"])
    seen = body.get("seen") if isinstance(body, Mapping) else None
    seen = seen if _is_number(seen) else None
    return state_of(board, member, since=seen, always=True) or {}


def revision(text: str | None) -> int | None:
    """The revision in an address, or the card in a key; None for any other text."""
    return whole_number(text, digits=SHORT)


def _move(body: _Body, **who: Any) -> None:
    moves.move_cards(
        cards=body.numbers("cards"),
        to=body.target(),
        seen=body.number("seen"),
        seen_at=body.places("from"),
        **who,
    )


def _pile(body: _Body, **who: Any) -> None:
    moves.make_pile(
        name=body.text("name"),
        cards=body.numbers("cards"),
        seen=body.number("seen"),
        seen_at=body.places("from"),
        **who,
    )


def _describe(body: _Body, **who: Any) -> None:
    moves.describe_pile(
        pile=body.number("pile"),
        fields=body.fields(body.body, "act"),
        was=body.fields(body.body.get("was") or {}, "was"),
        **who,
    )


ACTS: Mapping[str, Callable[..., object]] = {
    "move": _move,
    "pile": _pile,
    "describe": _describe,
    "join": lambda body, **who: moves.join_piles(piles=body.numbers("piles"), **who),
    "drop": lambda body, **who: moves.drop_pile(pile=body.number("pile"), seen=body.number("seen"), **who),
    "order": lambda body, **who: moves.order_pile(
        pile=body.number("pile"), position=body.number("position"), **who
    ),
    "split": lambda body, **who: cards.split_card(card=body.number("card"), texts=body.texts("texts"), **who),
    "merge": lambda body, **who: cards.merge_cards(
        cards=body.numbers("cards"),
        text=body.text("text"),
        seen=body.number("seen"),
        seen_at=body.places("from"),
        **who,
    ),
    "bring": lambda _body, **who: news.bring_cards(**who),
    "make": lambda body, **who: phases.make_sub_theme(pile=body.number("pile"), **who),
    "done": lambda body, **who: phases.finish_sorting(done=body.flag("done", default=True), **who),
    "together": lambda _body, board, member: phases.begin_together(board=board, by=member),
    "close": lambda _body, board, member: phases.close_board(board=board, by=member),
    "undo": lambda _body, **who: moves.undo_move(**who),
    "redo": lambda _body, **who: moves.redo_move(**who),
}


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or _NO_TEXT.search(value):
        raise _unfit(name)
    return value


def _unfit(name: str) -> BoardRefused:
    return BoardRefused(_("“%(name)s” is missing or not of its kind. Nothing was changed.") % {"name": name})
