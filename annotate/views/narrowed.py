"""What the address of the disagreements asks for, and the menus that change it."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, QueryDict
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from annotate.models import Decision, RoundVolunteer
from annotate.queries.categories import Codebook
from annotate.queries.narrowing import LEVELS, Narrowing, Pair, Split, number_in
from core.templatetags.crosscheck import code_chip, count
from taxonomy.models import Level

KEY = re.compile(r"\d{1,9}-\d{1,9}-\d{1,9}")
CURRENT = mark_safe(' aria-current="true"')

To = Callable[..., str]
"""The address of the page with these changes."""


@dataclass(frozen=True)
class Asked:
    """What the address asks for: filters, level of the matrix and the cell that it is inside of, place in the
    list, issue to read.
    """

    narrowing: Narrowing
    level: str = ""
    inside: Pair | None = None
    after: str | None = None
    issue: int | None = None

    @classmethod
    def read(cls, query: QueryDict) -> "Asked":
        """Raises Http404 for what no link of this page says."""
        level, after = query.get("level", ""), query.get("after") or None
        inside = query.get("inside", "").split()
        try:
            issue = number_in(query.get("issue"))
        except ValueError as error:
            raise Http404 from error
        if (
            (level and level not in LEVELS)
            or len(inside) not in {0, 2}
            or (after and not KEY.fullmatch(after))
        ):
            raise Http404
        return cls(
            narrowing_of(query),
            level=level,
            inside=(inside[0], inside[1]) if inside else None,
            after=after,
            issue=issue,
        )

    def but(self, **changes: Any) -> "Asked":
        """The same with other filters, level, place or issue."""
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
        held = self.narrowing.query | {name: value for name, value in place.items() if value}
        return f"{page}?{urlencode(held)}" if held else page


def ends_open(address: str, name: str = "") -> str:
    """The address up to where the value of one more parameter follows, or the parameter itself.

    Hundreds of links of a page differ in their end alone.
    """
    return f"{address}{'&' if '?' in address else '?'}{name}{'=' if name else ''}"


@dataclass(frozen=True)
class Menu:
    """One filter of the list: what it is called, what it is set to, and what it could be set to.

    `value` is "" where it narrows nothing; `clear` is the address without it; `options` are links, drawn.
    """

    id: str
    label: str
    value: str
    clear: str
    options: SafeString


def narrowing_of(query: QueryDict) -> Narrowing:
    """The filters in an address of this page, which its other addresses take too. Raises Http404."""
    try:
        return Narrowing.from_query(query)
    except ValueError as error:
        raise Http404 from error


def menus(
    narrowing: Narrowing,
    book: Codebook,
    *,
    repositories: Mapping[int, str],
    volunteers: Iterable[RoundVolunteer],
    splits: Iterable[tuple[Split, int]],
    keywords: Iterable[str],
    depth: int,
    to: To,
) -> list[Menu]:
    """The filters of the list but the pair and the state, which have places of their own."""
    types = [state for state in book.states.values() if state.level == Level.TYPE]
    names = {one.member_id: one.member.pseudonym for one in volunteers}
    sizes = dict(splits)
    if narrowing.split:
        sizes.setdefault(narrowing.split, 0)
    levels = {int(level): str(Level(level).label) for level in LEVELS.values() if level <= depth}
    causes = {value: str(label) for value, label in Decision.Cause.choices}
    chips = {
        state.code: format_html("{} {}", code_chip(state.code, place), state.name)
        for place, state in enumerate(types)
    }
    made = [
        _menu("type", _("Type"), narrowing.type, chips, to, said=narrowing.type),
        _menu("repository", _("Repository"), narrowing.repository, repositories, to),
        _menu("volunteer", _("Stands apart"), narrowing.volunteer, names, to),
        _menu("split", _("Split"), narrowing.split, {one: said_of(one) for one in sizes}, to, numbers=sizes),
    ]
    if len(levels) > 1:
        made.append(_menu("parts_at", _("Part at"), narrowing.parts_at, levels, to))
    words = {word: word for word in keywords}
    if words or narrowing.keyword:
        made.append(_menu("keyword", _("Keyword"), narrowing.keyword, words, to, said=narrowing.keyword))
    made.append(_menu("cause", _("Cause"), narrowing.cause, causes, to))
    return made


def said_of(split: Split) -> str:
    return " : ".join(map(str, split))


@lru_cache(maxsize=1024)
def _said_in_address(name: str, value: Any) -> str:
    """One filter as it stands in an address, escaped: forty are on a page, and mostly the same."""
    return escape(urlencode(Narrowing(**{name: value}).query))


def _menu(
    name: str,
    label: str,
    value: Any,
    choices: Mapping[Any, Any],
    to: To,
    *,
    said: str = "",
    numbers: dict[Any, int] | None = None,
) -> Menu:
    nothing: Any = () if name == "split" else None if isinstance(value, int | None) else ""
    clear = to(**{name: nothing}, after=None, issue=None)
    common = ends_open(clear)

    def line(key: Any, text: Any) -> str:
        url = escape(common) + _said_in_address(name, key)
        number = numbers[key] if numbers else 0
        shown = f'<span class="push faint num">{count(number)}</span>' if number else ""
        current = CURRENT if key == value else ""
        said = conditional_escape(text)
        return f'<a class="row" href="{url}" hx-get="{url}"{current}><span>{said}</span>{shown}</a>'

    return Menu(
        id=name,
        label=label,
        value=said or (str(choices.get(value, "–")) if value not in (None, "", ()) else ""),
        clear=clear,
        options=mark_safe("".join(line(*choice) for choice in choices.items())),  # noqa: S308 - escaped
    )
