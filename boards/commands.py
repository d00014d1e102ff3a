"""The acts on a board that pages and REST send: reading, checking and doing them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import methodcaller
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
"""The most cards that one act moves."""

_NO_TEXT = re.compile("[\0\ud800-\udfff]")


class _Body:
    """The fields of an act, each with its type. Raises BoardRefused for a missing field or another type."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.body = body

    def number(self, name: str) -> int:
        value = self.body.get(name)
        return _fit(name, value, fits=_is_number(value))

    def numbers(self, name: str) -> list[int]:
        value = self.body.get(name, [])
        fits = isinstance(value, list) and len(value) <= MOST_CARDS and all(map(_is_number, value))
        return _fit(name, value, fits=fits)

    def text(self, name: str) -> str:
        return _text(name, self.body.get(name, ""))

    def texts(self) -> list[str]:
        value = self.body.get("texts")
        _fit("texts", value, fits=isinstance(value, list) and len(value) <= 100)
        return [_text("texts", each) for each in value or ()]

    def done(self) -> bool:
        value = self.body.get("done", True)
        return _fit("done", value, fits=isinstance(value, bool))

    def fields(self, name: str, values: Any) -> dict[str, str]:
        known = ("name", "definition", "theme", "rootcause")
        _fit(name, values, fits=isinstance(values, Mapping))
        # A theme may be null, for no theme.
        return {each: _text(each, values[each] or "") for each in known if each in values}

    def places(self) -> dict[int, Place]:
        value = self.body.get("from") or {}
        _fit("from", value, fits=isinstance(value, Mapping))
        found: dict[int, Place] = {}
        for card, place in value.items():
            number = _fit("from", revision(str(card)), fits=revision(str(card)) is not None)
            found[number] = _fit("from", place, fits=place in (None, ASIDE) or _is_number(place))
        return found

    def key(self) -> UUID | None:
        value = self.body.get("key")
        try:
            return None if value is None else UUID(_text("key", value))
        except ValueError:
            raise _unfit("key") from None

    def target(self) -> Place:
        if self.body.get("aside"):
            return ASIDE
        return None if self.body.get("to") is None else self.number("to")


@dataclass(frozen=True)
class _Act:
    """The function of an act, its parameters from the body, and the name of its parameter for the member."""

    do: Callable[..., object]
    given: str = ""
    who: str = "member"


ACTS: Mapping[str, _Act] = {
    "move": _Act(moves.move_cards, "cards to seen seen_at"),
    "pile": _Act(moves.make_pile, "name cards seen seen_at"),
    "describe": _Act(moves.describe_pile, "pile fields was"),
    "join": _Act(moves.join_piles, "piles"),
    "drop": _Act(moves.drop_pile, "pile seen"),
    "order": _Act(moves.order_pile, "pile position"),
    "split": _Act(cards.split_card, "card texts"),
    "merge": _Act(cards.merge_cards, "cards text seen seen_at"),
    "bring": _Act(news.bring_cards),
    "make": _Act(phases.make_sub_theme, "pile"),
    "done": _Act(phases.finish_sorting, "done"),
    "together": _Act(phases.begin_together, who="by"),
    "close": _Act(phases.close_board, who="by"),
    "undo": _Act(moves.undo_move),
    "redo": _Act(moves.redo_move),
}
_READ: Mapping[str, Callable[[_Body], Any]] = {
    **{name: methodcaller("number", name) for name in ("card", "pile", "seen", "position")},
    **{name: methodcaller("numbers", name) for name in ("cards", "piles")},
    **{name: methodcaller("text", name) for name in ("name", "text")},
    "texts": _Body.texts,
    "fields": lambda body: body.fields("act", body.body),
    "was": lambda body: body.fields("was", body.body.get("was") or {}),
    "seen_at": _Body.places,
    "to": _Body.target,
    "done": _Body.done,
}
"""How each parameter is read from the body."""


def act(board: Board, member: Membership, body: Any) -> None:
    """Do the act in the body, in one transaction, once for each `key`; docs/rest.md describes its shape.
    Raises DomainError; then nothing is changed.
    """
    if not isinstance(body, Mapping) or str(body.get("act")) not in ACTS:
        raise BoardRefused(_("Unknown act on a board. Nothing was changed."))
    read, asked = _Body(body), ACTS[str(body["act"])]
    with transaction.atomic():
        key = read.key()
        if key is None or member.user is None or first_use(key, member.user):
            given = {name: _READ[name](read) for name in asked.given.split()}
            asked.do(board=board, **{asked.who: member}, **given)


def after(board: Board, member: Membership, body: Any) -> dict[str, Any]:
    """The changes on the board since the revision `seen` in the body of an act; the whole board without
    `seen`.
    """
    board.refresh_from_db(fields=["phase"])
    seen = body.get("seen") if isinstance(body, Mapping) else None
    seen = seen if _is_number(seen) else None
    return state_of(board, member, since=seen, always=True) or {}


def revision(text: str | None) -> int | None:
    """The revision in an address, or the card id in a key; None for any other text."""
    return whole_number(text, digits=SHORT)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def _text(name: str, value: Any) -> str:
    return _fit(name, value, fits=isinstance(value, str) and not _NO_TEXT.search(value))


def _fit(name: str, value: Any, *, fits: bool) -> Any:
    if not fits:
        raise _unfit(name)
    return value


def _unfit(name: str) -> BoardRefused:
    return BoardRefused(
        _("The field “%(name)s” is missing or has the wrong type. Nothing was changed.") % {"name": name}
    )
