"""The address of the list of disagreements, and the filter menus that change it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import Http404, QueryDict
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consensus.models import Decision
from consensus.queries.disagreement_filters import LEVELS, PLACE, Narrowing, Pair, Split
from core.numbers import SHORT, number_asked
from core.templatetags.crosscheck import code_chip
from rounds.models import RoundVolunteer
from rounds.queries.categories import ShownCodebook
from taxonomy.models import Level

POSTERIORS = {
    "dawid_skene": gettext_lazy("not the decision, by Dawid–Skene"),
    "mace": gettext_lazy("not the decision, by MACE"),
}
"""The filter by models of erring raters, in words."""

To = Callable[..., str]
"""Gives the address of the page with these changes."""


@dataclass(frozen=True)
class ListAddress:
    """Filters, level and outer cell of the matrix, place in the list, and the open issue."""

    narrowing: Narrowing
    level: str = ""
    inside: Pair | None = None
    after: str | None = None
    issue: int | None = None

    @classmethod
    def read(cls, query: QueryDict) -> "ListAddress":
        """Http404 for parameters that no link of the page produces."""
        level, after = query.get("level", ""), query.get("after") or None
        inside = query.get("inside", "").split()
        if (
            (level and level not in LEVELS)
            or len(inside) not in {0, 2}
            or (after and not PLACE.fullmatch(after))
        ):
            raise Http404
        return cls(
            narrowing_of(query),
            level=level,
            inside=(inside[0], inside[1]) if inside else None,
            after=after,
            issue=number_asked(query, "issue", digits=SHORT),
        )

    def but(self, **changes: Any) -> "ListAddress":
        """The address with other filters, level, place or issue."""
        own = {name: changes.pop(name) for name in ("level", "inside", "after", "issue") if name in changes}
        narrowing = replace(self.narrowing, **changes) if changes else self.narrowing
        return replace(self, narrowing=narrowing, **own)

    def address(self, page: str) -> str:
        place = {
            "level": self.level,
            "inside": " ".join(self.inside or ()),
            "after": self.after,
            "issue": self.issue,
        }
        query = self.narrowing.query | {name: value for name, value in place.items() if value}
        return f"{page}?{urlencode(query)}" if query else page


def ends_open(address: str, name: str = "") -> str:
    """The address, ready for one more parameter, or for the value of the parameter `name`. Hundreds of links
    on a page share this part.
    """
    return f"{address}{'&' if '?' in address else '?'}{name}{'=' if name else ''}"


class FilterOption(NamedTuple):
    """One value of a filter. `url`: the list with this filter. `issues`: 0 if they are not counted."""

    url: str
    text: str | SafeString
    issues: int
    is_chosen: bool


def narrowing_of(query: QueryDict) -> Narrowing:
    """The filters in an address. Http404 for values that no link of the page produces."""
    try:
        return Narrowing.from_query(query)
    except ValueError as error:
        raise Http404 from error


def menus(
    narrowing: Narrowing,
    book: ShownCodebook,
    *,
    repositories: Mapping[int, str],
    volunteers: Iterable[RoundVolunteer],
    splits: Iterable[tuple[Split, int]],
    keywords: Iterable[str],
    depth: int,
    to: To,
) -> list[dict[str, Any]]:
    """The menus of all filters except pair and state, which the page shows elsewhere."""
    types = [state for state in book.states.values() if state.level == Level.TYPE]
    names = {one.member_id: one.member.pseudonym for one in volunteers}
    sizes = dict(splits)
    if narrowing.split:
        sizes.setdefault(narrowing.split, 0)
    levels = {int(level): str(Level(level).label) for level in LEVELS.values() if level <= depth}
    causes = {value: str(label) for value, label in Decision.Cause.choices}
    chips = {
        state.code: format_html("{} {}", code_chip(state.code, place), state.title)
        for place, state in enumerate(types)
    }
    made = [
        _menu("type", _("Type"), narrowing.type, chips, to, said=narrowing.type),
        _menu("repository", _("Repository"), narrowing.repository, repositories, to),
        _menu("volunteer", _("Minority label"), narrowing.volunteer, names, to),
        _menu("split", _("Split"), narrowing.split, {one: said_of(one) for one in sizes}, to, numbers=sizes),
    ]
    if len(levels) > 1:
        made.append(_menu("parts_at", _("Differ in"), narrowing.parts_at, levels, to))
    words = {word: word for word in keywords}
    if words or narrowing.keyword:
        made.append(_menu("keyword", _("Keyword"), narrowing.keyword, words, to, said=narrowing.keyword))
    made.append(_menu("cause", _("Cause"), narrowing.cause, causes, to))
    posteriors = {name: str(words) for name, words in POSTERIORS.items()}
    made.append(_menu("posterior", _("More probable"), narrowing.posterior, posteriors, to))
    return made


def said_of(split: Split) -> str:
    return " : ".join(map(str, split))


@lru_cache(maxsize=1024)
def _in_address(name: str, value: Any) -> str:
    """One filter as an address contains it, cached: a page has forty, and other pages mostly the same."""
    return urlencode(Narrowing(**{name: value}).query)


def _menu(
    name: str,
    label: str,
    value: Any,
    choices: Mapping[Any, Any],
    to: To,
    *,
    said: str = "",
    numbers: dict[Any, int] | None = None,
) -> dict[str, Any]:
    """One filter of the list: its name, its value, and the possible values. `value` is "" if the filter is
    not set; `clear` is the address without the filter.
    """
    nothing: Any = () if name == "split" else None if isinstance(value, int | None) else ""
    clear = to(**{name: nothing}, after=None, issue=None)
    common = ends_open(clear)

    options = [
        FilterOption(
            url=common + _in_address(name, key),
            text=text,
            issues=numbers[key] if numbers else 0,
            is_chosen=key == value,
        )
        for key, text in choices.items()
    ]
    return {
        "id": name,
        "label": label,
        "value": said or (str(choices.get(value, "–")) if value not in (None, "", ()) else ""),
        "clear": clear,
        "options": options,
    }
