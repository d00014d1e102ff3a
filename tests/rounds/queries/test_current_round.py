from datetime import timedelta

import pytest
from django.utils import timezone

from rounds.models import Round
from rounds.queries.rounds import current_round

NOW = timezone.now()


def a_round(name: str, *, kind: str = "main", opened: int | None = 1, closed: bool = False) -> Round:
    """A round opened so many days ago; None: not yet."""
    at = None if opened is None else NOW - timedelta(days=opened)
    return Round(name=name, kind=kind, opened_at=at, closed_at=NOW if closed else None, pk=len(name))


@pytest.mark.parametrize(
    ("rounds", "front"),
    [
        ([], None),
        ([a_round("planned", opened=None)], None),
        ([a_round("pilot", kind="pilot", opened=1), a_round("main", opened=9)], "main"),
        ([a_round("closed", opened=1, closed=True), a_round("open", opened=9)], "open"),
        ([a_round("older", opened=2), a_round("new", opened=1)], "new"),
        ([a_round("closed", closed=True), a_round("pilot", kind="pilot")], "closed"),
        ([a_round("screen", kind="screening", opened=3), a_round("pilot", kind="pilot", opened=2)], "pilot"),
        ([a_round("training", kind="training")], None),
        ([a_round("training", kind="training"), a_round("pilot", kind="pilot", closed=True)], "pilot"),
    ],
)
def test_the_round_in_front(rounds, front):
    found = current_round(rounds)

    assert (found and found.name) == front
    assert current_round(reversed(rounds)) == found
