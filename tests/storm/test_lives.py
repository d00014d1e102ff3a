"""Three lives of a study in each run, a hundred in a long one, and two of two hundred people. `CROSSCHECK_LIFE=17` plays
life 17 again, alone.
"""

import os
from collections.abc import Iterator

import pytest

from tests.long import only_long, sampled
from tests.storm.life import Life
from tests.storm.turns import Workers, standing_before_statements

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow(cases=3)]

ONE = os.environ.get("CROSSCHECK_LIFE")
LIVES = [int(ONE)] if ONE else range(1, sampled(100, 3) + 1)
STEPS = 120
BIG = [int(ONE)] if ONE else [201, 202]


@pytest.fixture
def workers() -> Iterator[Workers]:
    with standing_before_statements() as made:
        yield made


@pytest.mark.parametrize("number", LIVES)
def test_a_life_keeps_every_promise(number: int, workers: Workers) -> None:
    life = Life(number, workers)
    life.live(STEPS)
    # A life in which nothing happens shows nothing.
    assert life.labels >= 10
    assert life.seen


@only_long
@pytest.mark.parametrize("number", BIG)
def test_a_life_of_two_hundred_people_keeps_every_promise(number: int, workers: Workers) -> None:
    # Few issues, so that many people meet at each.
    life = Life(number, workers, people=200, issues=12)
    life.live(STEPS)
    assert life.labels >= 10
