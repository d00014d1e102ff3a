"""Until the reveal, nothing that a member observes depends on what another coder codes: every route of the room
answers the same bytes, whether the other coder has quotes or not.
"""

import inspect
from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
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
from tests.trust.crawling import unpacked, without_passing

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


def arguments(world: InterviewWorld, coding: Coding) -> dict[str, object]:
    """What addresses of the room are made of."""
    return {
        "slug": world.study.slug,
        "session_id": coding.session_id,
        "coding_id": coding.pk,
        "participant_id": coding.session.participant_id,
        "form": "svg",
    }


def routes(world: InterviewWorld, coding: Coding) -> Iterator[str]:
    """Every address that is got by slug, interview or coding alone, on pages and over REST."""
    known = arguments(world, coding)
    found = get_resolver().reverse_dict
    for name in sorted(one for one in found if isinstance(one, str)):
        _pattern, wanted = found.getlist(name)[0][0][0]
        own = name in GOT_BY_FORM or set(wanted) <= set(known) - {"form"}
        if wanted and own:
            yield reverse(name, args=[known[one] for one in wanted])


GOT_BY_FORM = {"saturation_file"}
WITHOUT_CODINGS = {
    "audience_id": "audiences and their prefixes",
    "codebook_id": "imported codebooks, which are files of others",
    "consent_id": "consents of participants",
    "guide_id": "versions of the guide",
    "question_id": "rankings, which leads record",
}
"""Routes with these arguments are not compared: they read no quote, open code or coder."""
UNSENT = {
    "api_audiences", "api_consent_texts", "api_consents", "api_guides", "api_identity",
    "api_import_participants", "api_imported_codebooks", "api_interview", "api_interviewers", "api_interviews",
    "api_participant", "api_participants", "api_pseudonymise", "audiences", "consents", "edit_interview",
    "edit_participant", "identity", "import_codebook", "import_participants", "interviewers", "name_identity",
    "new_consent", "new_guide", "new_interview", "new_participant", "pseudonymise", "rank",
    "remove_imported_codebook", "show_identity",
}  # fmt: skip
"""Routes that change people, guides, rankings, interviews, or transcripts before their coding; no coding."""


def changes(world: InterviewWorld, coding: Coding) -> dict[str, tuple[str, list[dict]]]:
    """What is sent to each route that changes what belongs to a coding, one after the other, by its name: with
    the places and words of quotes that the other coder may have.
    """
    place = {"turn": 3, "start": 0, "end": 10, "transcript": 2}
    lost = {"by": "R4", "version": 1, "turn": 3, "start": 25, "end": 36, "words": "memory", "transcript": 2}
    people = [("add", world.owner), ("release", world.other), ("add", world.other), ("reopen", world.other)]
    text = "R2: Hm?\nU1: We train models.\nR2: And?\nU1: Nothing else."
    corrected = {"note": "heard again", "made_from": 2}
    item = {"keys": ["R4.3.0.10"], "item": "R4.3.0.10", "transcript": 2}
    return {
        "code_quote": ("post", [place | {"text": "the memory", "codes": "C.9"}, place | {"drop": "1"}]),
        "end_coding": ("post", [{}, {"again": "1"}]),
        "settle_item": ("post", [item | {"outcome": "keep", "keep": "R4.3.0.10"}]),
        "undo_item": ("post", [item]),
        "place_quote": ("post", [lost]),
        "settle_coding": ("post", [{}]),
        "reopen_coding": ("post", [{}]),
        "coders": ("post", [{"change": change, "who": who.pk} for change, who in people]),
        "correct_transcript": ("post", [corrected | {"secret_text": text}]),
        "new_transcript": ("post", [{"secret_text": text}]),
        "new_coding": ("post", [{"version": coding.version_id}]),
        "erase_participant": ("post", [{"pseudonym": "nobody"}, {"pseudonym": str(coding.session)}]),
        "propose_open_code": ("post", [{"name": "canaryopencode"}]),
        "api_quotes": ("put", [place | {"codes": ["C.9"]}]),
        "api_quotes post": ("post", [place]),
        "api_coding_done": ("post", [{}, {"done": False}]),
        "api_items": ("post", [item | {"outcome": "keep", "keep": ["R4.3.0.10"]}]),
        "api_undo_item": ("post", [item]),
        "api_place_quote": ("post", [lost]),
        "api_settle_coding": ("post", [{}]),
        "api_reopen_coding": ("post", [{}]),
        "api_coders": ("post", [{"change": change, "who": who.pseudonym} for change, who in people]),
        "api_corrections": ("post", [corrected | {"text": text}]),
        "api_transcript": ("post", [{"text": text}]),
        "api_new_coding": (
            "post",
            [
                {
                    "coders": ["R3", "R4"],
                    "taxonomy": coding.version.taxonomy_id,
                    "version": coding.version.number,
                }
            ],
        ),
        "api_erase_participant": ("post", [{"participant": str(coding.session)}]),
        "api_open_codes": ("post", [{"name": "canaryopencode"}]),
    }


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
            received[address] = read(answer)
        received |= sent(world, coding, client, api)
        transaction.set_rollback(True)
    return received


def sent(world: InterviewWorld, coding: Coding, client: Client, api: APIClient) -> dict[str, tuple[int, str]]:
    """What each change is answered with, and what coding and audit show afterwards. Each is taken back."""
    known, received = arguments(world, coding), {}
    found = get_resolver().reverse_dict
    for name, (kind, bodies) in changes(world, coding).items():
        route = name.split()[0]
        address = reverse(route, args=[known[one] for one in found.getlist(route)[0][0][0][1]])
        with transaction.atomic():
            answers = [
                getattr(api, kind)(address, body, format="json")
                if route.startswith("api_")
                else getattr(client, kind)(address, body)
                for body in bodies
            ]
            if any(one.status_code < 400 for one in answers):
                answers.append(api.get(reverse("api_coding", args=[coding.pk])))
                answers.append(client.get(reverse("audit", args=[world.study.slug])))
            received |= {f"{name} {place}": read(answer) for place, answer in enumerate(answers)}
            transaction.set_rollback(True)
    return received


def read(answer) -> tuple[int, str]:
    """The status and the text of an answer, without the time at which it was made."""
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    text = unpacked(body) if body.startswith(b"PK") else body
    return answer.status_code, without_passing(text.decode("utf-8", "replace"))


def routes_of_the_room() -> Iterator[tuple[str, set[str], set[str]]]:
    """The name, the arguments and the methods of each route of interviews."""

    def walk(patterns):
        for one in patterns:
            yield from [one] if isinstance(one, URLPattern) else walk(one.url_patterns)

    for route in walk(get_resolver().url_patterns):
        view = getattr(route.callback, "cls", route.callback)
        if view.__module__.startswith("interviews."):
            _pattern, wanted = get_resolver().reverse_dict.getlist(route.name)[0][0][0]
            yield route.name, set(wanted), methods(view)


def methods(view) -> set[str]:
    """What a view takes: the handlers of an endpoint, or what the decorator of a page allows."""
    if isinstance(view, type):
        return {one for one in ("get", "post", "put", "patch", "delete") if hasattr(view, one)}
    while view:
        known = inspect.getclosurevars(view).nonlocals
        if "request_method_list" in known:
            return {one.lower() for one in known["request_method_list"]}
        view = getattr(view, "__wrapped__", None)
    raise AssertionError("a page without methods")


@pytest.mark.slow
def test_no_route_of_the_room_is_left_out_of_the_comparison(world):
    """A new route is got, sent, or named above with the reason why it is neither."""
    coding = opened(world)
    known, compared = arguments(world, coding), set(routes(world, coding))
    sent = {name.split()[0] for name in changes(world, coding)}
    left_out, unknown = [], set(UNSENT)
    for name, wanted, takes in routes_of_the_room():
        unknown.discard(name)
        if wanted & set(WITHOUT_CODINGS):
            continue
        is_got = "get" not in takes or (
            wanted <= set(known) and reverse(name, args=[known[one] for one in _order(name)]) in compared
        )
        is_sent = not takes & {"post", "put", "patch", "delete"} or (name in sent) != (name in UNSENT)
        if not (is_got and is_sent):
            left_out.append(name)
    assert (left_out, unknown) == ([], set())


def _order(name: str) -> list[str]:
    return get_resolver().reverse_dict.getlist(name)[0][0][0][1]


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_every_route_answers_the_same_whatever_the_other_coder_codes(world, reader):
    coding = opened(world)
    nothing, much = (observed(world, reader, coding, code=code) for code in (False, True))
    asked = {reverse(name, args=[coding.pk]) for name in ("code_interview", "api_coding", "api_items")}
    assert asked | {reverse("audit", args=[world.study.slug])} <= nothing.keys()
    assert {name.split()[0] for name in changes(world, coding)} <= {one.split()[0] for one in nothing}
    different = {address for address in nothing if nothing[address] != much[address]}
    assert different == set()
    assert not [address for address, (status, _text) in much.items() if status >= 500]
    assert not [
        address
        for address, (_s, text) in much.items()
        if address[0] == "/" and any(word in text for word in WORDS[:2])
    ]


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
