"""Loading the demonstration study where there is none, or another one of its address."""

from collections import Counter
from datetime import date

import pytest
from django.core.management import CommandError, call_command

from accounts.actions import make_administrator
from accounts.models import User
from demo import demonstration
from demo.data import rows
from demo.demonstration import load_demonstration
from demo.labels import evenings
from ingest.models import Issue
from rounds.models import Label
from studies.models import Study
from tests.factories import make_study, make_user
from tests.long import only_long
from tests.races import at_once


@pytest.mark.django_db
def test_demo_leaves_a_study_of_that_address_alone():
    make_study(slug="demo", name="Not a demonstration")

    with pytest.raises(CommandError, match="Another study already uses the address"):
        call_command("demo", address="http://127.0.0.1:8000/")

    assert (Study.objects.count(), User.objects.count(), Issue.objects.count()) == (1, 0, 0)


@pytest.mark.django_db
def test_demo_makes_no_administrator_where_there_is_one():
    administrator = make_user("Ada")
    make_administrator(user=administrator)

    demonstration._study_with_people(list(rows("people.csv")))

    assert [user.name for user in User.objects.filter(is_superuser=True)] == ["Ada"]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@only_long
def test_demo_twice_at_once_is_loaded_once():
    first, second = at_once(load_demonstration, load_demonstration)

    assert {first.loaded, second.loaded} == {True, False}
    assert (Study.objects.count(), User.objects.count(), Label.objects.count()) == (1, 9, 644 + 31 + 72 + 566)


def test_evenings_are_in_order_and_within_the_two_weeks_before():
    moments = evenings(83, seed=1, today=date(2026, 3, 20), days=14)

    assert len(moments) == 83
    assert moments == sorted(set(moments))
    assert date(2026, 3, 6) <= moments[0].date() < moments[-1].date() <= date(2026, 3, 19)
    assert max(Counter(moment.date() for moment in moments).values()) <= 18
    assert {moment.date() for moment in evenings(18, seed=1, today=date(2026, 3, 20), days=1)} == {
        date(2026, 3, 19)
    }
    with pytest.raises(ValueError):
        evenings(19, seed=1, today=date(2026, 3, 20), days=1)
    assert evenings(0, seed=1, today=date(2026, 3, 20), days=14) == []
    assert evenings(83, seed=2, today=date(2026, 3, 20), days=14) != moments
