"""The address of the page of alike groups."""

from dataclasses import dataclass, replace
from typing import Literal, cast
from urllib.parse import urlencode

from django.http import Http404, QueryDict

from consensus.queries.alike import OPEN, CategoryPair, State
from consensus.queries.disagreement_filters import Narrowing
from consensus.views.filter_menu import narrowing_of
from core.numbers import number_asked
from rounds.queries.categories import ShownCodebook

ALONE: Literal["alone"] = "alone"


@dataclass(frozen=True)
class AlikeAddress:
    """Filters, pair and state, the open group, and places in the lists. `group`: the id of the issue at its
    centre, ALONE for the issues that are like no other, None for the first group.
    """

    narrowing: Narrowing
    between: CategoryPair | None = None
    state: State = "open"
    group: int | Literal["alone"] | None = None
    after: int = 0
    row: int = 0
    all_pairs: bool = False

    @classmethod
    def read(cls, query: QueryDict, book: ShownCodebook, depth: int) -> "AlikeAddress":
        """Http404 for parameters that no link of the page produces."""
        # A pair above the depth of the labels contains many pairs: it stays a filter beside the picked pair.
        given = query.copy()
        picked = "between" if "between" in given else "pair"
        codes = given.get(picked, "").split()
        between = _between(codes, book, depth, more=query.get("ways") == "more")
        if between and picked == "pair":
            given.pop("pair")
        narrowing = narrowing_of(given)
        group = query.get("group", "")
        if query.get("ways", "more") != "more":
            raise Http404
        return cls(
            narrowing=replace(narrowing, state=""),
            between=between,
            state=cast(State, narrowing.state or "open"),
            group=ALONE if group == ALONE else number_asked(query, "group"),
            after=number_asked(query, "from") or 0,
            row=number_asked(query, "row") or 0,
            all_pairs=query.get("pairs") == "all",
        )

    def address(self, page: str) -> str:
        query: dict[str, str] = self.narrowing.query
        if self.between:
            picked = "between" if self.narrowing.pair else "pair"
            query[picked] = f"{self.between.first} {self.between.second}"
            if self.between.more:
                query["ways"] = "more"
        if self.state != "open":
            query["state"] = self.state
        places = {"group": self.group, "from": self.after, "row": self.row}
        query |= {name: str(value) for name, value in places.items() if value}
        if self.all_pairs:
            query["pairs"] = "all"
        return f"{page}?{urlencode(query)}" if query else page


def _between(codes: list[str], book: ShownCodebook, depth: int, *, more: bool) -> CategoryPair | None:
    """The pair in the order of the tree; None for codes that labels of this round cannot count as."""
    places = {state.code: place for place, state in enumerate(book.counted(depth))} | {OPEN: len(book.states)}
    if len(codes) != 2 or not places.keys() >= set(codes):
        return None
    first, second = sorted(codes, key=places.__getitem__)
    return None if first == second != OPEN else CategoryPair(first, second, more)
