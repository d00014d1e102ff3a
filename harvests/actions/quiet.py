"""Clients that heed what a forge asked of any client of the study: not to be asked before a moment."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from core import clock
from harvests.models import QuietForge
from harvests.queries.forge_clients import asking, host_of
from ingest.forges.client import ForgeClient
from ingest.forges.dialects import Dialect
from ingest.forges.pages import Paused
from ingest.forges.tokens import Token

LONGEST_WAIT = 120.0
"""Seconds. For a longer wait a job ends, so that its worker can do something else."""

_STEP = 1.0


@contextmanager
def asking_politely(
    study_id: int, forge: Dialect, tokens: Sequence[Token], **how: Any
) -> Iterator[ForgeClient]:
    """A client as of `asking`, which gets `how`. A wait that its forge asks for holds for every other client
    of the study as well, and is kept when this one ends.
    """

    def quiet() -> datetime | None:
        return quiet_until(study_id, forge.base)

    def told(until: datetime) -> None:
        be_quiet(study_id=study_id, base_url=forge.base, until=until)

    with asking(forge, tokens, quiet=quiet, told=told, **how) as client:
        yield client


def wait(seconds: float, tell: Callable[[], None]) -> None:
    """Wait in steps, after each of which `tell` may raise, so that a pause is heard. Raises Paused instead of
    a long wait.
    """
    until = clock.now() + timedelta(seconds=seconds)
    if seconds > LONGEST_WAIT:
        raise Paused(until, "rate_limit")
    while (left := (until - clock.now()).total_seconds()) > 0:
        clock.sleep(min(left, _STEP))
        tell()


def quiet_until(study_id: int, base_url: str) -> datetime | None:
    """Until when a forge wants no request of this study; None if it takes them."""
    rows = QuietForge.objects.filter(study=study_id, base_url=base_url, until__gt=clock.now())
    return rows.values_list("until", flat=True).first()


def be_quiet(*, study_id: int, base_url: str, until: datetime) -> None:
    """Write down that a forge wants no request of this study before a moment."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO harvests_quietforge AS known (study_id, base_url, until) VALUES (%s, %s, %s)
            ON CONFLICT (study_id, base_url) DO UPDATE SET until = greatest(known.until, excluded.until)
            """,
            [study_id, base_url, until],
        )


def ask_again(*, study_id: int, host: str) -> None:
    """A new token is there for a host: what its forge asked of the others, it did not ask of this one."""
    rows = QuietForge.objects.filter(study=study_id)
    mine = [pk for pk, base_url in rows.values_list("pk", "base_url") if host_of(base_url) == host]
    rows.filter(pk__in=mine).delete()
