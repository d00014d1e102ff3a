"""A lock, a gate or a retry that is taken out is found within ten lives: so the lives can find what is broken."""

from collections.abc import Iterator

import pytest

from tests.long import only_long
from tests.storm.life import Broken, Life
from tests.storm.mutations import MUTATIONS
from tests.storm.patches import Patch
from tests.storm.turns import Workers, standing_before_statements

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, only_long]

WITHIN = 10
STEPS = 120


@pytest.fixture
def workers() -> Iterator[Workers]:
    with standing_before_statements() as made:
        yield made


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda one: one.__name__)
def test_what_is_taken_out_is_found(mutation, workers: Workers, monkeypatch: Patch, record_property) -> None:
    mutation(monkeypatch)
    first = 1000 * (1 + MUTATIONS.index(mutation))
    with pytest.raises(Broken) as found:
        _live(range(first, first + WITHIN), workers)
    record_property("found", str(found.value).partition("\n")[0])


def _live(numbers: range, workers: Workers) -> None:
    for number in numbers:
        Life(number, workers).live(STEPS)
