"""Quotes on a corrected transcript: carried where their place is sure, and otherwise kept where they are."""

from itertools import pairwise

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from interviews.actions.carrying import Said, aligned, place_in
from interviews.actions.codings import open_coding
from interviews.actions.placing import place_again
from interviews.actions.quotes import drop_quote, save_quote
from interviews.actions.settling import settle_coding, settle_quotes
from interviews.actions.transcripts import correct_transcript
from interviews.errors import CodingSettled, InterviewRefused, SettledMeanwhile, TranscriptCorrected
from interviews.models import Coding, Quote
from interviews.queries.pseudonyms import Spoken
from interviews.queries.quotes import Content, Span, left_behind, quote_lines
from interviews.queries.reconciling import common_quotes, items_of
from taxonomy.queries.codebooks import codebook
from tests.interviews.coding import quote, reveal, said, span_of
from tests.interviews.test_api import get, post
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.worlds.pages import client


@kept
def world() -> InterviewWorld:
    return interview_world()


@pytest.fixture
def coding(world) -> Coding:
    return open_coding(
        session=world.session, version=world.version, coders=[world.coder, world.other], by=world.lead
    )


def corrected(world, *texts: str) -> None:
    speakers = [("R2", "U1")[place % 2] for place in range(len(texts))]
    turns = [Spoken(who, text, None) for who, text in zip(speakers, texts, strict=True)]
    correct_transcript(session=world.session, turns=turns, note="misheard", by=world.lead)


def behind(coding) -> list[tuple[str, str]]:
    newest = coding.session.transcripts.order_by("-number")[0]
    lines = quote_lines(left_behind(coding, Quote.objects.all(), newest), codebook(coding.version_id))
    return [(line.by, line.text) for line in lines]


@pytest.mark.parametrize(
    ("text", "quote", "other", "place"),
    [
        ("it fails often", "fails", "it fails often", 3),
        ("it fails often", "fails", "Well, it fails quite often", 9),
        ("it fails often", "fails", "it failed often", None),
        ("no, no, yes", "no", "no, no, yes", 0),
        ("a no here", "no", "a no here and a no there", 2),
        ("a no here", "no", "say no here, then no there", 4),
        ("a no here", "no", "no no", None),
        ("内存不足，很常见", "不足", "内存总是不足，很常见", 4),
    ],
)
def test_the_place_of_a_quote_in_another_text(text, quote, other, place):
    start = text.index(quote)
    found = place_in(text, start, start + len(quote), other)
    assert found == (None if place is None else (place, place + len(quote)))


def test_turns_are_aligned_around_what_was_corrected():
    old = [
        Said(text, place % 2 == 0)
        for place, text in enumerate("ask one;first answer;ask two;second answer is long".split(";"))
    ]
    new = [
        old[0],
        Said("first answer", False),
        Said("put in", True),
        Said("now said", False),
        old[2],
        Said("second answer is short", False),
    ]
    assert aligned(old, new) == {0: [0], 1: [1], 2: [4], 3: [5]}
    assert aligned(old, old) == {place: [place] for place in range(4)}
    assert aligned(old[:2], [old[0], Said("something else entirely", False)]) == {0: [0], 1: []}


def test_a_turn_with_its_counterpart_does_not_move_to_a_similar_neighbour():
    def told(*texts: str) -> list[Said]:
        return [Said(text, False) for text in texts]

    old = told("Yes, the memory leaks here.", "Yes, the memory leaks here a lot in training.")
    new = told("Yes, the memory leeks here.", "Yes, the memory leaks here a lot when we train.")
    assert aligned(old, new) == {0: [0], 1: [1]}
    split = told("Yes, the memory leaks here a lot.", "In training, the loss is not a number.")
    joined = told("Yes, the memory leaks there a lot. In training, loss is not any number.")
    assert aligned(split, joined) == {0: [0], 1: [0]}
    assert aligned(joined, split) == {0: [0, 1]}


@pytest.mark.django_db
def test_quotes_move_to_the_corrected_words_and_the_rest_is_listed(world, coding):
    quote(coding, world.coder, "train models", "C.9", memo="why", strength=2)
    quote(coding, world.coder, "memory runs out", "A.1", "swap")
    quote(coding, world.other, "often", "A.1")
    quote(coding, world.other, "night", "A.1")
    drop_quote(coding=coding, member=world.other, span=span_of(coding, "night"))
    old = {line.by + line.text: line for line in quote_lines(Quote.objects.all(), codebook(world.version))}
    corrected(
        world,
        "What do you work on?",
        "Well, we train models at night.",
        "And what fails?",
        "The memory ran out, often.",
    )
    assert said(coding) == [("R3", "train models", ("C.9",)), ("R4", "often", ("A.1",))]
    assert behind(coding) == [("R3", "memory runs out")]
    carried = Quote.objects.get(transcript__number=2, coder__member=world.coder)
    assert (carried.start, carried.memo, carried.strength) == (9, "why", 2)
    assert carried.carried_from_id == old["R3train models"].pk
    save_quote(
        coding=coding,
        member=world.coder,
        span=span_of(coding, "memory ran out"),
        content=Content(("A.1",)),
        from_earlier=old["R3memory runs out"].span,
    )
    assert behind(coding) == []
    assert Quote.objects.filter(transcript__number=1).count() == 4


@pytest.mark.django_db
def test_a_quote_left_behind_can_be_dropped(world, coding):
    quote(coding, world.coder, "often", "A.1")
    corrected(
        world, "What do you work on?", "We train models at night.", "And what fails?", "Everything else."
    )
    assert behind(coding) == [("R3", "often")]
    drop_quote(coding=coding, member=world.coder, span=Span(3, 21, 26), transcript=1)
    assert behind(coding) == []


@pytest.mark.django_db
def test_what_was_settled_is_carried_with_its_quotes(world, coding):
    quote(coding, world.coder, "train models", "C.9")
    quote(coding, world.other, "train models", "C.9")
    quote(coding, world.coder, "often", "A.1")
    coding = reveal(coding)
    [_equal, item] = items_of(coding, world.session.transcripts.get())
    settle_quotes(coding=coding, keys=item.keys, outcome="none", by=world.coder, rationale="vague")
    corrected(
        world,
        "What do you work on?",
        "We train big train models at night.",
        "And what fails?",
        "The memory runs out, often.",
    )
    newest = world.session.transcripts.get(number=2)
    found = items_of(coding, newest)
    assert [(item.is_open, [one.method for one in item.settled]) for item in found] == [
        (False, ["equal"]),
        (False, ["talk"]),
    ]
    assert [line.text for line in common_quotes(coding, newest)] == ["train models"]
    assert all(one.span <= other.span for one, other in pairwise(found))


def lost(world, coding, words="memory runs out") -> dict:
    """A revealed coding whose quote lost its words in a correction, and what a form would send to place it."""
    made = quote(coding, world.coder, words, "A.1", "leak", memo="why", strength=2)
    reveal(coding)
    old = world.session.transcripts.order_by("-number")[0]
    texts = [turn.text for turn in old.turns.order_by("position")]
    corrected(world, *texts[:3], "RAM ends, often. RAM ends.")
    span = Span(made.turn.position, made.start, made.end)
    return {"coding": coding, "of": "R3", "span": span, "version": 1, "transcript": 2, "by": world.lead}


@pytest.mark.django_db
def test_a_quote_is_placed_again_after_the_reveal(world, coding):
    sent = lost(world, coding)
    assert (behind(coding), said(coding)) == ([("R3", "memory runs out")], [])
    made = place_again(**sent, words=" RAM ends, often ")
    assert (behind(coding), said(coding)) == ([], [("R3", "RAM ends, often", ("A.1", "leak"))])
    assert (made.memo, made.strength, made.made_by, made.carried_from.transcript.number) == (
        "why",
        2,
        world.coder,
        1,
    )
    newest = world.session.transcripts.order_by("-number")[0]
    assert [item.is_open for item in items_of(coding, newest)] == [True]
    with pytest.raises(SettledMeanwhile):
        place_again(**sent, words="RAM ends, often")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("words", "cause"),
    [
        (" ", "Type the words"),
        ("memory", "No answer of this transcript"),
        ("What do you", "No answer of this transcript"),
        ("RAM ends", "occur more than once"),
    ],
)
def test_words_without_one_sure_place_are_refused(world, coding, words, cause):
    sent = lost(world, coding)
    with pytest.raises(InterviewRefused, match=cause):
        place_again(**sent, words=words)
    assert behind(coding) == [("R3", "memory runs out")]


@pytest.mark.django_db
def test_a_quote_is_placed_only_on_the_version_that_was_read_and_by_who_may_settle(world, coding):
    sent = lost(world, coding)
    with pytest.raises(TranscriptCorrected):
        place_again(**sent | {"transcript": 1}, words="RAM ends, often")
    with pytest.raises(PermissionDenied):
        place_again(**sent | {"by": world.viewer}, words="RAM ends, often")
    settle_coding(coding=coding, by=world.lead)
    with pytest.raises(CodingSettled):
        place_again(**sent, words="RAM ends, often")


@pytest.mark.django_db
def test_the_page_of_the_reveal_places_a_quote(world, coding):
    lost(world, coding)
    page = client(world.lead).get(reverse("reconcile", args=[coding.pk]))
    assert "Move quote" in page.text
    line = page.context["left_behind"][0]
    agreement = client(world.lead).get(reverse("coding_agreement", args=[coding.pk])).text
    assert "1 quote does not count: the corrected transcript no longer has its words." in agreement
    fields = {**vars(line.span), "by": line.by, "version": 1, "transcript": 2}
    address = reverse("place_quote", args=[coding.pk])
    refused = client(world.lead).post(address, {**fields, "words": "RAM ends"})
    assert (refused.status_code, "occur more than once" in refused.text) == (422, True)
    assert client(world.lead).post(address, {**fields, "words": "RAM ends, often"}).status_code == 302
    assert said(coding) == [("R3", "RAM ends, often", ("A.1", "leak"))]


@pytest.mark.django_db
def test_a_quote_is_placed_over_rest_by_the_same_rules(world, coding):
    lost(world, coding)
    [line] = get(world.lead, f"codings/{coding.pk}/").json()["left_behind"]
    body = {name: line[name] for name in ("by", "turn", "start", "end")}
    body |= {"version": line["transcript"], "transcript": 2, "words": "RAM ends"}
    path = f"codings/{coding.pk}/place/"
    refused = post(world.lead, path, body)
    assert (refused.status_code, refused.json()["code"], refused.json()["field"]) == (
        422, "InterviewRefused", "words",
    )  # fmt: skip
    assert post(world.lead, path, body | {"transcript": 1}).json()["code"] == "TranscriptCorrected"
    assert post(world.viewer, path, body).status_code == 403
    [item] = post(world.lead, path, body | {"words": "RAM ends, often"}).json()
    assert (item["is_open"], [one["text"] for one in item["quotes"]]) == (True, ["RAM ends, often"])
    assert post(world.lead, path, body | {"words": "RAM ends, often"}).json()["code"] == "SettledMeanwhile"
    assert get(world.lead, f"codings/{coding.pk}/").json()["left_behind"] == []
