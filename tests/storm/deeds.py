"""What somebody does in a step of a life: one request, and what to believe after its answer."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.test import Client

from studies.models import Membership
from tests.storm.model import RoundModel

CODES = ("A.1", "A.1.i", "A.1.ii", "A.2", "C.9", "C.10")
BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
JSON = {"headers": {"accept": "application/json"}}


@dataclass
class Window:
    """A browser of a member at a round, with the issue that it shows, and what it typed for it."""

    member: Membership
    round: RoundModel
    client: Client
    shown: int | None = None
    version: int | None = None
    unanswered: dict[str, Any] | None = None
    """A form whose answer never came: it is sent again before anything else."""


@dataclass
class Deed:
    """One request of a step, and what to believe after its answer."""

    words: str
    ask: Callable[[], Any]
    believe: Callable[[Any], None]
    unknown: Callable[[], None] = lambda: None
    """What to believe if the answer never came."""
