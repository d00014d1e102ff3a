"""Tokens and their turns: one that is used up rests while another works."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from core.fetch.answers import Secret
from ingest.forges.pages import TokenRefused

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Token:
    """`name` is what people call the token; its text is hidden by `Secret`."""

    name: str
    secret: Secret


@dataclass(slots=True, eq=False)
class Turn:
    """One token, or none (`token` None), and what the forge said about it. `rests` and `remaining` are by
    resource, because a forge counts lists, searches and GraphQL apart.
    """

    token: Token | None
    is_refused: bool = False
    rests: dict[str, datetime] = field(default_factory=dict)
    remaining: dict[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.token.name if self.token else ""


class Ring:
    """The tokens of one run, in the order given. Without any, requests go out without a token."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.turns = [Turn(token) for token in tokens] or [Turn(None)]
        self._all_rest_until = LONG_AGO

    def next(self, resource: str, without: Collection[str] = ()) -> tuple[Turn, datetime]:
        """The turn that may ask first, and when it may. The first one in order that may ask now stays the
        same from request to request: a page that has not changed is known to a forge by token.

        Raises TokenRefused when all are refused; `without` are names of turns that are of no use here.
        """
        able = [turn for turn in self.turns if not turn.is_refused]
        if not able:
            raise TokenRefused([turn.name for turn in self.turns if turn.token])
        able = [turn for turn in able if turn.name not in without]
        first = min(able, key=lambda turn: self._ready(turn, resource))
        return first, self._ready(first, resource)

    def _ready(self, turn: Turn, resource: str) -> datetime:
        return max(turn.rests.get(resource, LONG_AGO), self._all_rest_until)

    def is_useful(self, without: Collection[str]) -> bool:
        """Is there a token that is neither refused nor in `without`?"""
        return any(not turn.is_refused and turn.name not in without for turn in self.turns)

    def rest_all(self, until: datetime) -> None:
        """A secondary limit is no token's own: asking with another one would be held against all of them."""
        self._all_rest_until = max(until, self._all_rest_until)
