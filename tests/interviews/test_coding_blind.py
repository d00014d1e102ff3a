"""Until the reveal, nothing that a member observes depends on what another coder codes: every route of the room
answers the same bytes, whether the other coder has quotes or not.
"""

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import Client
from django.urls import get_resolver, reverse
from rest_framework.test import APIClient

from interviews.actions.codings import finish_coding, open_coding
from interviews.actions.quotes import drop_quote
from interviews.actions.transcripts import correct_transcript
from interviews.models import Coding
from interviews.queries.pseudonyms import Spoken
from tests.factories.interviews import SAID, make_participant, make_session, make_transcript
from tests.interviews.coding import quote, reveal, span_of
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.trust.crawling import without_passing

pytestmark = pytest.mark.django_db
WORDS = ("canaryopencode", "canarymemo", "canarywords")
READERS = ("coder", "lead")
"""The owner and the viewer are compared with all others in tests.trust."""


@kept
def world() -> InterviewWorld:
    world = interview_world(stored=False)
    make_transcript(world.session, world.lead, said=(*SAID[:3], "The memory runs out, and canarywords."))
    return world


def opened(world, session=None) -> Coding:
    return open_coding(
        session=session or world.session,
        version=world.version,
        coders=[world.coder, world.other],
        by=world.lead,
    )


def other_at_work(coding: Coding, world: InterviewWorld) -> None:
    quote(coding, world.other, "The memory", "C.9", "canaryopencode", memo="canarymemo", strength=3)
    quote(coding, world.other, "canarywords", "A.1")
    quote(coding, world.other, "models", "A.1", "canaryopencode 2")
    quote(coding, world.other, "night", "B.1")
    drop_quote(coding=coding, member=world.other, span=span_of(coding, "night"))


def routes(world: InterviewWorld, coding: Coding) -> Iterator[str]:
    """Every address that is got by slug, interview or coding alone, on pages and over REST."""
    known = {
        "slug": world.study.slug,
        "session_id": coding.session_id,
        "coding_id": coding.pk,
        "participant_id": coding.session.participant_id,
    }
    found = get_resolver().reverse_dict
    for name in sorted(one for one in found if isinstance(one, str)):
        _pattern, wanted = found.getlist(name)[0][0][0]
        if wanted and set(wanted) <= set(known):
            yield reverse(name, args=[known[one] for one in wanted])


def observed(world: InterviewWorld, reader: str, coding: Coding, *, code: bool) -> dict[str, tuple[int, str]]:
    """What a reader receives of all routes, after the other coder worked or did nothing. Nothing of it stays."""
    member = getattr(world, reader)
    with transaction.atomic():
        if code:
            other_at_work(coding, world)
        if reader == "coder":
            quote(coding, world.coder, "We train", "C.9", "mine", memo="my memo")
        speakers = [turn.speaker for turn in coding.session.transcripts.get().turns.order_by("position")]
        texts = (*SAID[:3], "Well, the memory runs out.")
        turns = [Spoken(who, text, None) for who, text in zip(speakers, texts, strict=True)]
        correct_transcript(session=coding.session, turns=turns, note="misheard", by=world.lead)
        client, api = Client(raise_request_exception=False), APIClient(raise_request_exception=False)
        client.force_login(member.user)
        api.force_authenticate(member.user)
        received = {}
        for address in routes(world, coding):
            answer = (api if address.startswith("/api/") else client).get(address)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            received[address] = (answer.status_code, without_passing(body.decode("utf-8", "replace")))
        if reader == "coder":
            place = {"turn": 1, "start": 9, "end": 15, "codes": ["A.1"]}
            for kind in ("put", "post"):
                answer = getattr(api, kind)(reverse("api_quotes", args=[coding.pk]), place, format="json")
                received[kind] = (answer.status_code, answer.content.decode())
        transaction.set_rollback(True)
    return received


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_every_route_answers_the_same_whatever_the_other_coder_codes(world, reader):
    coding = opened(world)
    nothing, much = (observed(world, reader, coding, code=code) for code in (False, True))
    asked = {reverse(name, args=[coding.pk]) for name in ("code_interview", "api_coding", "api_items")}
    assert asked | {reverse("audit", args=[world.study.slug])} <= nothing.keys()
    different = {address for address in nothing if nothing[address] != much[address]}
    assert different == set()
    assert not [address for address, (status, _text) in much.items() if status >= 500]
    assert not [address for address, (_s, text) in much.items() if any(word in text for word in WORDS[:2])]


def test_the_comparison_finds_quotes_once_they_are_revealed(world):
    coding = opened(world)
    other_at_work(coding, world)
    client = Client()
    client.force_login(world.coder.user)
    assert "canarymemo" not in client.get(coding.get_absolute_url()).text
    reveal(coding)
    assert "canarymemo" in client.get(reverse("reconcile", args=[coding.pk])).text


def test_who_is_done_is_all_that_a_finished_coder_shows(world):
    coding = opened(world)
    other_at_work(coding, world)
    finish_coding(coding=coding, member=world.other)
    api = APIClient()
    api.force_authenticate(world.lead.user)
    answer = api.get(reverse("api_coding", args=[coding.pk])).json()
    assert [(one["who"], one["done"]) for one in answer["coders"]] == [("R3", False), ("R4", True)]
    assert (answer["quotes"], answer["left_behind"]) == ([], [])


def test_a_revealed_interview_says_nothing_of_one_that_is_still_blind(world):
    """Open codes of the same coder are counted where they are revealed, and only there."""
    coding = opened(world)
    quote(coding, world.other, "models", "shared name")
    reveal(coding)
    session = make_session(make_participant(world.study, world.lead), world.lead)
    make_transcript(session, world.lead)
    second = opened(world, session)
    before = observed_lists(world)
    quote(second, world.other, "models", "shared name")
    quote(second, world.other, "night", "hidden name")
    assert observed_lists(world) == before


def observed_lists(world) -> list[str]:
    client = Client()
    client.force_login(world.lead.user)
    names = ("codings", "interviews", "audit", "study")
    return [without_passing(client.get(reverse(name, args=[world.study.slug])).text) for name in names]
