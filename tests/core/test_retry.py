from threading import Event

import pytest
from django.db import OperationalError, connection, transaction

from accounts.models import User
from core.sql.retry import retried
from tests.factories import make_user
from tests.long import only_long
from tests.races import at_once


@only_long
@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_the_victim_of_a_deadlock_tries_again():
    first, second = make_user(), make_user()
    has_first, has_second = Event(), Event()
    tries = []

    def rename(one: User, other: User, mine: Event, theirs: Event) -> None:
        @retried
        @transaction.atomic
        def act():
            tries.append(one.pk)
            User.objects.filter(pk=one.pk).update(name=f"by {one.pk}")
            mine.set()
            theirs.wait(10)
            User.objects.filter(pk=other.pk).update(name=f"by {one.pk}")

        act()

    assert at_once(
        lambda: rename(first, second, has_first, has_second),
        lambda: rename(second, first, has_second, has_first),
    ) == [None, None]
    assert len(tries) == 3
    assert len(set(User.objects.values_list("name", flat=True))) == 1


def break_off(code: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DO $$ BEGIN RAISE EXCEPTION 'broken off' USING ERRCODE = '{code}'; END $$")


def tries_of(code: str) -> int:
    """How often an act is begun that is broken off with this code each time."""
    tries = []

    @retried
    def act():
        tries.append(1)
        with transaction.atomic():
            break_off(code)

    with pytest.raises(OperationalError):
        act()
    return len(tries)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("code", "times"), [("40001", 3), ("40P01", 3), ("57014", 1), ("53100", 1)])
def test_only_lost_races_are_tried_again_and_three_times_at_most(code, times):
    assert tries_of(code) == times


@pytest.mark.django_db
def test_nothing_is_tried_again_inside_a_transaction():
    assert tries_of("40001") == 1


@pytest.mark.django_db(transaction=True)
def test_a_second_try_returns_its_result():
    tries = []

    @retried
    def act(number, *, word):
        tries.append(1)
        if len(tries) < 3:
            break_off("40001")
        return number, word

    assert act(1, word="x") == (1, "x")
