"""Pages of long lists by key, not by offset: every page costs the same, wherever it is in the list."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet
from django.http import QueryDict

from core.numbers import whole_number

ON_A_PAGE = 50
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Page(Generic[Row]):
    """One page of a list. `previous` and `next` are the keys at which the neighbouring pages begin, or None.
    Keys grow from row to row, unless the list shows the newest row first.
    """

    rows: list[Row]
    previous: int | None
    next: int | None
    newest_first: bool

    def links(self, query: QueryDict | None = None) -> dict[str, str]:
        """The addresses for `shared/_pager.html`; they keep the filters of `query`."""
        back, forth = ("after", "before") if self.newest_first else ("before", "after")
        return {
            "before_url": _address(query, back, self.previous),
            "after_url": _address(query, forth, self.next),
        }


def _address(query: QueryDict | None, name: str, key: int | None) -> str:
    if key is None:
        return ""
    parameters = QueryDict(mutable=True) if query is None else query.copy()
    for other in ("before", "after"):
        parameters.pop(other, None)
    parameters[name] = str(key)
    return f"?{parameters.urlencode()}"


def page_of(
    rows: QuerySet[Row], query: Mapping[str, str], *, key: str = "pk", newest_first: bool = False
) -> Page[Row]:
    """The page that a query string requests: the rows after the key `after`, before the key `before`, or the
    first rows of the list. A key that is not a whole number counts as missing. One query.
    """
    keys = {name: whole_number(query.get(name)) for name in ("before", "after")}
    back, forth = ("after", "before") if newest_first else ("before", "after")
    goes_back = keys[back] is not None
    name = back if goes_back else forth
    if keys[name] is not None:
        rows = rows.filter(**{f"{key}__{'gt' if name == 'after' else 'lt'}": keys[name]})
    found = list(rows.order_by(f"{'-' if goes_back != newest_first else ''}{key}")[: ON_A_PAGE + 1])
    more = len(found) > ON_A_PAGE
    shown = found[:ON_A_PAGE]
    if goes_back:
        shown.reverse()
    has_previous = more if goes_back else keys[name] is not None
    has_next = goes_back or more
    return Page(
        rows=shown,
        previous=getattr(shown[0], key) if shown and has_previous else None,
        next=getattr(shown[-1], key) if shown and has_next else None,
        newest_first=newest_first,
    )
