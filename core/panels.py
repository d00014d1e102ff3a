"""Panels: what a room puts onto a page of a room below it, which does not know it.

A room names a place of its page, and what the page is about: `{% panels "issue" issue=issue %}` in a template
shows the HTML of all rooms above; `panels(request, "issue", issue=issue)` in a view asks them for values. A
room above registers what it makes for that place when it starts (`<room>/panels.py`, from `AppConfig.ready`).
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest

Make = Callable[..., Any]

_makers: dict[str, list[Make]] = defaultdict(list)


def register(place: str, make: Make) -> None:
    """Have `make(request, **about)` called for every page with this place; it gives HTML, or a value."""
    _makers[place].append(make)


def panels(request: HttpRequest, place: str, **about: Any) -> list[Any]:
    """What the rooms above make for a place, the lowest room first; without what is empty."""
    return [made for make in _makers[place] if (made := make(request, **about))]
