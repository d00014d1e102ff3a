"""Sealing while everybody labels: real threads, real PostgreSQL."""

from threading import Event

import pytest
from django.db import connection, transaction

from annotate.actions.rounds import close_round
from rounds.actions.seals import seal_all, seal_new, seal_round
from rounds.models import Label, Seal, SealedEvent
from rounds.queries.seals import faults_of
from tests.long import sampled
from tests.races import at_once

pytestmark = [pytest.mark.django_db(transaction=True)]

MANY = sampled(200, 24)
EIGHT = 8


@pytest.mark.slow
@pytest.mark.world(issues=MANY // EIGHT, members=EIGHT)
def test_many_submits_at_once_make_one_unbroken_chain(world):
    round_ = world.round()

    def labels(member):
        def act():
            for issue in world.issues:
                world.submit(round_, issue, member, "A.1")

        return act

    def seals():
        return [seal_new() for _ in range(20)]

    answers = at_once(*(labels(member) for member in world.members), seals, seals)
    assert [answer for answer in answers if isinstance(answer, Exception)] == []
    seal_all()
    assert Label.objects.count() == MANY
    assert SealedEvent.objects.filter(kind="label").count() == MANY
    assert len(set(SealedEvent.objects.filter(kind="label").values_list("key", flat=True))) == MANY
    numbers = list(Seal.objects.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))
    assert list(map(str, faults_of(round_))) == []
    assert seal_all() == 0


def sealed_meanwhile(round_, begun: Event, ended: Event):
    """Seal when the other has begun, and wait for no lock that they hold; then let them end."""
    assert begun.wait(30)
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '2s'")
            return seal_round(round_=round_)
    finally:
        ended.set()


@pytest.mark.world(issues=1, members=2)
def test_a_submit_that_commits_after_a_seal_lands_in_the_next_one(world):
    round_ = world.round()
    (issue,) = world.issues
    stored, sealed = Event(), Event()

    def late():
        with transaction.atomic():
            world.submit(round_, issue, world.members[0], "A.1")
            stored.set()
            assert sealed.wait(30)

    _none, first = at_once(late, lambda: sealed_meanwhile(round_, stored, sealed))
    assert (first.number, list(first.covered.values_list("kind", flat=True))) == (1, ["opening"])
    second = seal_round(round_=round_)
    assert (second.number, list(second.covered.values_list("kind", flat=True))) == (2, ["label"])


@pytest.mark.world(issues=2, members=2)
def test_a_close_and_seals_at_once_leave_nothing_out(world):
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "A.1")

    def seals():
        return [seal_round(round_=round_) for _ in range(5)]

    answers = at_once(lambda: close_round(round_=round_, by=world.lead), seals, seals)
    assert [answer for answer in answers if isinstance(answer, Exception)] == []
    seal_round(round_=round_)
    kinds = SealedEvent.objects.order_by("seal__number", "place").values_list("kind", flat=True)
    assert sorted(kinds) == ["closing", "label", "opening"]
    assert list(map(str, faults_of(round_))) == []
    # The label was sealed before the seal of the close.
    numbers = dict(SealedEvent.objects.values_list("kind", "seal__number"))
    assert numbers["label"] < numbers["closing"]
