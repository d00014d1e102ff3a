"""Panels: content that a room adds to a page of a room below it, which does not know that room.

A page names a place and its subject: `{% panels "issue" issue=issue %}` in a template shows the HTML of all
rooms above; `panels(request, "issue", issue=issue)` in a view gets values from them. A room above registers
its function for that place at start (`<room>/panels.py`, called by `AppConfig.ready`).
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest

Make = Callable[..., Any]

_makers: dict[str, list[Make]] = defaultdict(list)


def register(place: str, make: Make) -> None:
    """Register `make(request, **about)`, which returns HTML or a value for every page with this place."""
    _makers[place].append(make)


def panels(request: HttpRequest, place: str, **about: Any) -> list[Any]:
    """The results of the rooms above for a place, the lowest room first, without empty ones."""
    return [made for make in _makers[place] if (made := make(request, **about))]
