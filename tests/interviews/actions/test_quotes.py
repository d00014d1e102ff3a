"""What a coder does with quotes of their own, and what is refused."""

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from interviews import errors
from interviews.actions.codings import finish_coding, open_coding
from interviews.actions.erasing import erase_participant
from interviews.actions.quotes import drop_quote, save_quote
from interviews.models import Coding, OpenCode, Quote
from interviews.queries.quotes import Content, Span
from studies.models import Event
from tests.factories.interviews import make_session, make_transcript
from tests.interviews.coding import quote, reveal, said, span_of
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept

pytestmark = pytest.mark.django_db


@kept
def world() -> InterviewWorld:
    return interview_world()


@pytest.fixture
def coding(world) -> Coding:
    return open_coding(
        session=world.session, version=world.version, coders=[world.coder, world.other], by=world.lead
    )


def refused(error, act, **given):
    with pytest.raises(error) as caught:
        act(**given)
    return caught.value


def test_leads_open_a_coding_once_with_two_coders(world):
    given = {"session": world.session, "version": world.version, "by": world.lead}
    assert refused(errors.InterviewRefused, open_coding, coders=[world.coder], **given).field == "coders"
    twice = [world.coder, world.coder]
    assert refused(errors.InterviewRefused, open_coding, coders=twice, **given).field == "coders"
    for wrong in (world.viewer, world.model, world.stranger):
        error = refused(errors.InterviewRefused, open_coding, coders=[world.coder, wrong], **given)
        assert error.field == "coders"
    refused(PermissionDenied, open_coding, coders=[world.coder, world.other], **(given | {"by": world.coder}))
    empty = make_session(world.participant, world.lead)
    both = [world.coder, world.other]
    assert "no stored transcript" in str(
        refused(errors.InterviewRefused, open_coding, coders=both, **(given | {"session": empty})).message
    )
    made = open_coding(coders=both, **given)
    assert [coder.member for coder in made.coders.order_by("pk")] == both
    refused(errors.CodingOpened, open_coding, coders=both, **given)
    assert Event.objects.get(verb="codings.opened").detail == {"participant": "U1"}


def test_a_quote_keeps_codes_memo_and_strength_and_the_same_twice_is_one(world, coding):
    content = {"memo": " at night \r\n too ", "strength": 3}
    first = quote(coding, world.coder, "train models", "C.9", "A.1", "fatigue", "Fatigue", **content)
    again = quote(coding, world.coder, "train models", "C.9", "A.1", "fatigue", **content)
    assert first.pk == again.pk
    assert said(coding) == [("R3", "train models", ("A.1", "C.9", "fatigue"))]
    assert (first.memo, first.strength, first.start, first.end) == ("at night \n too", 3, 3, 15)
    quote(coding, world.coder, "train models", "A.1")
    assert said(coding) == [("R3", "train models", ("A.1",))]
    quote(coding, world.other, "train models", "Fatigue")
    assert sorted(OpenCode.objects.values_list("name", "made_by__pseudonym")) == [
        ("Fatigue", "R4"),
        ("fatigue", "R3"),
    ]


@pytest.mark.parametrize(
    ("span", "content", "field"),
    [
        (Span(0, 0, 4), Content(("A.1",)), ""),
        (Span(9, 0, 4), Content(("A.1",)), ""),
        (Span(1, 0, 900), Content(("A.1",)), "text"),
        (Span(1, 4, 4), Content(("A.1",)), "text"),
        (Span(1, 2, 3), Content(("A.1",)), "text"),
        (Span(1, 0, 2), Content(), "codes"),
        (Span(1, 0, 2), Content(("Z.9",)), "codes"),
        (Span(1, 0, 2), Content((), ("  ",)), "codes"),
        (Span(1, 0, 2), Content((), ("x" * 201,)), "open_codes"),
        (Span(1, 0, 2), Content((), tuple(f"code {n}" for n in range(51))), "codes"),
        (Span(1, 0, 2), Content(("A.1",), memo="\ud800"), "memo"),
        (Span(1, 0, 2), Content(("A.1",), strength=4), "strength"),
    ],
)
def test_a_quote_that_cannot_be_is_refused_and_nothing_is_stored(world, coding, span, content, field):
    given = {"coding": coding, "member": world.coder, "span": span, "content": content}
    assert refused(errors.InterviewRefused, save_quote, **given).field == field
    assert not Quote.objects.exists()
    assert not OpenCode.objects.exists()


def test_a_dropped_quote_comes_back_as_it_was_saved(world, coding):
    made = quote(coding, world.coder, "models", "C.9", memo="why")
    span = span_of(coding, "models")
    drop_quote(coding=coding, member=world.other, span=span)
    assert said(coding) == [("R3", "models", ("C.9",))]
    drop_quote(coding=coding, member=world.coder, span=span)
    drop_quote(coding=coding, member=world.coder, span=span)
    assert said(coding) == []
    back = quote(coding, world.coder, "models", "C.9", memo="why")
    assert (back.pk, back.dropped_at) == (made.pk, None)


def test_what_another_tab_changed_is_not_overwritten(world, coding):
    given = {"coding": coding, "member": world.coder, "span": span_of(coding, "models")}
    save_quote(content=Content(("A.1",)), was=None, **given)
    error = refused(errors.QuoteChanged, save_quote, content=Content(("C.9",)), was=None, **given)
    assert error.stored == Content(("A.1",))
    save_quote(content=Content(("A.1",)), was=None, **given)  # arrives twice
    save_quote(content=Content(("C.9",)), was=Content(("A.1",)), **given)
    assert refused(errors.QuoteChanged, drop_quote, was=Content(("A.1",)), **given).stored == Content(
        ("C.9",)
    )
    drop_quote(was=Content(("C.9",)), **given)
    error = refused(
        errors.QuoteChanged, save_quote, content=Content(("A.1",)), was=Content(("C.9",)), **given
    )
    assert error.stored is None


def test_only_coders_code_and_only_while_it_is_blind_and_they_are_not_done(world, coding):
    given = {"coding": coding, "span": span_of(coding, "models"), "content": Content(("A.1",))}
    for member in (world.lead, world.owner, world.viewer, world.stranger):
        refused(errors.NotYourCoding, save_quote, member=member, **given)
        refused(errors.NotYourCoding, finish_coding, coding=coding, member=member)
    finish_coding(coding=coding, member=world.coder)
    refused(errors.CodingDone, save_quote, member=world.coder, **given)
    save_quote(member=world.other, **given)
    finish_coding(coding=coding, member=world.coder, done=False)
    save_quote(member=world.coder, **given)
    reveal(coding)
    refused(errors.CodingRevealed, save_quote, member=world.coder, **given)
    refused(errors.CodingRevealed, drop_quote, coding=coding, member=world.coder, span=given["span"])
    refused(errors.CodingRevealed, finish_coding, coding=coding, member=world.coder, done=False)


def test_the_last_coder_who_is_done_reveals(world, coding):
    finish_coding(coding=coding, member=world.coder)
    coding.refresh_from_db()
    assert coding.revealed_at is None
    finish_coding(coding=coding, member=world.other)
    coding.refresh_from_db()
    assert timezone.now() - coding.revealed_at < timedelta(minutes=1)
    finish_coding(coding=coding, member=world.other)
    assert Event.objects.filter(verb="codings.revealed").count() == 1


def test_a_page_of_an_earlier_transcript_stores_nothing(world, coding):
    given = {"coding": coding, "member": world.coder, "content": Content(("A.1",))}
    make_transcript(world.session, world.lead, said=("So?", "Models fail."))
    refused(errors.TranscriptCorrected, save_quote, span=Span(1, 0, 6), transcript=1, **given)
    save_quote(span=Span(1, 0, 6), transcript=2, **given)
    assert said(coding) == [("R3", "Models", ("A.1",))]


def test_nobody_codes_what_an_erased_participant_said(world, coding):
    quote(coding, world.coder, "models", "A.1", memo="Ann said so")
    erase_participant(participant=world.participant, by=world.owner)
    given = {"coding": coding, "member": world.coder, "span": Span(1, 0, 2), "content": Content(("A.1",))}
    refused(errors.ParticipantErased, save_quote, **given)
    assert said(coding) == [("R3", "", ("A.1",))]
    assert Quote.objects.get().memo == ""
