"""Coders finish, quote and are erased at the same moment: real threads, a real PostgreSQL."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction

from interviews.actions.codings import finish_coding
from interviews.actions.erasing import erase_participant
from interviews.actions.transcripts import correct_transcript
from interviews.errors import CodingDone, CodingRevealed, ParticipantErased
from interviews.models import Coding, OpenCode, Participant, Quote, Settlement
from interviews.queries.pseudonyms import Spoken
from interviews.queries.reconciling import items_of
from interviews.queries.sessions import newest_transcript
from studies.models import Event
from tests.factories.interviews import make_participant, make_session, make_transcript
from tests.interviews.coding import quote
from tests.interviews.world import InterviewWorld, interview_world
from tests.long import only_long
from tests.races import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

TIMES = 8


@pytest.fixture
def world() -> InterviewWorld:
    return interview_world()


def coded(world: InterviewWorld) -> Coding:
    """A coding of another interview, by the coder and the lead."""
    session = make_session(make_participant(world.study, world.lead), world.lead)
    make_transcript(session, world.lead)
    return world.open_coding(session)


@only_long
def test_two_coders_who_finish_at_the_same_moment_reveal_once(world):
    for number in range(1, TIMES + 1):
        coding = coded(world)
        for member in (world.coder, world.lead):
            quote(coding, member, "models", "A.1")
        ended = at_once(
            partial(finish_coding, coding=coding, member=world.coder),
            partial(finish_coding, coding=coding, member=world.lead),
        )
        assert [type(one) for one in ended] == [Coding, Coding]
        # The first one leaves the coding blind, the second one reveals it: neither both nor none.
        assert sorted(one.revealed_at is not None for one in ended) == [False, True]
        assert Event.objects.filter(study=world.study, verb="codings.revealed").count() == number
        coding.refresh_from_db()
        assert coding.revealed_at == max(filter(None, (one.revealed_at for one in ended)))
        assert not coding.coders.filter(done_at=None).exists()
        settled = Settlement.objects.get(coding=coding)
        assert settled.sources.count() == 2
        assert Quote.objects.filter(coding=coding, coder=None).count() == 1


@only_long
def test_a_coder_who_goes_on_as_another_one_finishes_keeps_it_blind_or_is_too_late(world):
    seen = Counter()
    for _ in range(TIMES):
        coding = coded(world)
        finish_coding(coding=coding, member=world.coder)
        again, ended = at_once(
            partial(finish_coding, coding=coding, member=world.coder, done=False),
            partial(finish_coding, coding=coding, member=world.lead),
        )
        coding.refresh_from_db()
        assert isinstance(ended, Coding)
        if coding.revealed_at:
            assert isinstance(again, CodingRevealed)
        else:
            assert isinstance(again, Coding)
        waiting = coding.coders.filter(done_at=None).count()
        assert waiting == (0 if coding.revealed_at else 1)
        seen[coding.revealed_at is not None] += 1
    assert sum(seen.values()) == TIMES


@only_long
def test_a_quote_is_saved_before_the_reveal_and_settled_or_refused(world):
    for _ in range(TIMES):
        coding = coded(world)
        quote(coding, world.lead, "models", "A.1")
        finish_coding(coding=coding, member=world.lead)
        saved, ended = at_once(
            partial(quote, coding, world.coder, "models", "A.1"),
            partial(finish_coding, coding=coding, member=world.coder),
        )
        assert ended.revealed_at is not None
        own = Quote.objects.filter(coding=coding, coder__member=world.coder)
        settled = Settlement.objects.filter(coding=coding)
        if isinstance(saved, Quote):
            assert own.get() == saved
            assert settled.get().sources.count() == 2
        else:
            assert isinstance(saved, (CodingDone, CodingRevealed)), saved
            assert not own.exists()
            assert not settled.exists()


@only_long
def test_a_quote_is_saved_before_the_erasure_and_emptied_or_refused(world):
    for _ in range(TIMES):
        coding = coded(world)
        participant = coding.session.participant
        saved, erased = at_once(
            partial(quote, coding, world.coder, "models", "canarycode", memo="canarymemo"),
            partial(erase_participant, participant=participant, by=world.lead),
        )
        assert isinstance(erased, Participant)
        if isinstance(saved, Quote):
            assert Quote.objects.get(coding=coding).memo == ""
        else:
            assert isinstance(saved, ParticipantErased), saved
            assert not Quote.objects.filter(coding=coding).exists()
        assert not OpenCode.objects.filter(name__contains="canary").exists()


def before_the_commit(first: Callable[[], Any], act: Callable[[], Any]) -> Any:
    """Do `first`, and before its commit begin `act` in a thread, which ends or waits for the commit. Returns
    what `act` returned or raised.
    """
    ended: list[Any] = []

    def other() -> None:
        try:
            ended.append(act())
        except Exception as error:  # noqa: BLE001 - the test looks at it
            ended.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=other)
    with transaction.atomic():
        first()
        thread.start()
        late = time.monotonic() + 20
        while thread.is_alive() and not _waits() and time.monotonic() < late:
            time.sleep(0.01)
    thread.join(20)
    return ended[0]


def _waits() -> bool:
    """Does another connection to this database wait for a lock?"""
    with connection.cursor() as cursor:
        # A transaction sees who is there as of its first look.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock')"
        )
        return cursor.fetchone()[0]


def test_a_quote_that_comes_before_the_commit_of_an_erasure_waits_and_is_refused(world):
    coding = world.open_coding()
    saved = before_the_commit(
        lambda: erase_participant(participant=world.participant, by=world.lead),
        lambda: quote(coding, world.coder, "models", "A.1", memo="canarymemo"),
    )
    assert isinstance(saved, ParticipantErased), saved
    assert not Quote.objects.exists()


def test_a_reveal_before_the_commit_of_an_erasure_keeps_no_word(world):
    coding = world.open_coding()
    for member in (world.coder, world.lead):
        quote(coding, member, "models", "A.1", "canarycode", memo="canarymemo")
    finish_coding(coding=coding, member=world.coder)
    revealed = before_the_commit(
        lambda: erase_participant(participant=world.participant, by=world.lead),
        lambda: finish_coding(coding=coding, member=world.lead),
    )
    assert revealed.revealed_at is not None
    assert not Quote.objects.exclude(memo="").exists()
    assert not OpenCode.objects.filter(name__contains="canary").exists()


def test_a_reveal_before_the_commit_of_a_correction_settles_on_the_corrected_transcript(world):
    coding = world.open_coding()
    for member in (world.coder, world.lead):
        quote(coding, member, "models", "A.1")
    finish_coding(coding=coding, member=world.coder)
    turns = [Spoken(one.speaker, one.text.replace("train", "teach"), one.begins) for one in
             world.session.transcripts.get().turns.order_by("position")]  # fmt: skip
    revealed = before_the_commit(
        lambda: correct_transcript(session=world.session, turns=turns, note="heard again", by=world.lead),
        lambda: finish_coding(coding=coding, member=world.lead),
    )
    assert revealed.revealed_at is not None
    settled = Settlement.objects.get(coding=coding)
    assert settled.quote.transcript.number == 2
    assert [one.transcript.number for one in settled.sources.all()] == [2, 2]
    [item] = items_of(coding, newest_transcript(world.session))
    assert not item.is_open
