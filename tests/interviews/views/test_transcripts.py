"""Transcripts: imported encrypted, pseudonymised with a preview, stored, corrected; names are nowhere else."""

import json
from datetime import date

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from interviews.actions.consents import publish_consent_text, record_consent, withdraw_consent
from interviews.actions.identities import name_participant
from interviews.models import RawTranscript, Replacement, Transcript, Turn
from studies.models import Event
from tests.factories.interviews import make_participant
from tests.interviews.readers.packing import W, document, packed, paragraph
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.long import only_long
from tests.worlds.pages import client, text_of

pytestmark = pytest.mark.django_db

EXPANDING = packed({
    "word/document.xml": f'<!DOCTYPE a [<!ENTITY b "{"x" * 999}">]><w:document {W}>&b;</w:document>',
})  # fmt: skip
BOMB = packed({"word/document.xml": f"<w:document {W}>{' ' * (40 << 20)}</w:document>"})
NAME, COMPANY = "Zuzana Canaryova", "Canarycorp"
TEXT = f"""[00:00:05] Ann: Welcome, {NAME}.
[00:00:09] Zuzana: I work at {COMPANY}. Write me: z@canary.example
and ask Peter.
[00:01:00] Ann: What fails at CANARYCORP?
[00:01:04] Zuzana: The memory runs out."""


@kept
def world() -> InterviewWorld:
    return interview_world(stored=False)


def imported(world, text=TEXT, **more):
    fields = {"secret_text": text, **more}
    return client(world.lead).post(reverse("new_transcript", args=[world.session.pk]), fields)


def acted(world, by=None, **fields):
    return client(by or world.lead).post(reverse("pseudonymise", args=[world.session.pk]), fields)


def replaced(world, original=COMPANY, stand_in="[company]"):
    return acted(world, add="1", secret_original=original, stand_in=stand_in)


def stored(world):
    return acted(world, store="1", speaker_0="interviewer", speaker_1="participant")


def everything(world) -> None:
    """Import, name, replace and store."""
    imported(world)
    name_participant(participant=world.participant, name=NAME, contact="", by=world.lead)
    for original in (COMPANY, "z@canary.example", "Peter", "Zuzana"):
        assert replaced(world, original, "[x]").status_code == 200
    assert stored(world).status_code == 302


def test_an_import_is_encrypted_and_a_get_shows_no_word_of_it(world):
    answer = imported(world)
    assert (answer.status_code, answer.url) == (302, reverse("pseudonymise", args=[world.session.pk]))
    raw = RawTranscript.objects.get()
    assert b"Canary" not in bytes(raw.turns)
    assert "Canary" not in json.dumps(raw.notes)
    page = client(world.lead).get(answer.url)
    assert "Canary" not in page.text
    assert not Event.objects.filter(verb="transcripts.looked_at").exists()
    shown = acted(world, show="1")
    assert NAME in shown.text
    look = Event.objects.get(verb="transcripts.looked_at")
    assert (look.by, look.detail["participant"]) == (world.lead.user, "U1")
    acted(world, show="1")
    assert Event.objects.filter(verb="transcripts.looked_at").count() == 1
    acted(world, world.owner, show="1")
    assert Event.objects.filter(verb="transcripts.looked_at").count() == 2


def test_the_preview_shows_each_place_and_what_may_be_missed(world):
    imported(world)
    page = replaced(world)
    assert [(one.turn, one.original, one.stand_in) for one in page.context["places"]] == [
        (2, "Canarycorp", "[company]"),
        (3, "CANARYCORP", "[company]"),
    ]
    missed = {one.text: one.stand_in for one in page.context["missed"]}
    assert missed["z@canary.example"] == "[address]"
    assert missed["Peter"] == "[name]"
    assert "Canarycorp" not in missed
    gone = acted(world, remove=str(Replacement.objects.get().pk))
    assert (gone.context["places"], Replacement.objects.count()) == ([], 0)


@pytest.mark.parametrize(
    ("original", "stand_in", "words"),
    [
        ("", "[x]", "This field is required."),
        ("Peter", "", "This field is required."),
        ("Peter", "Peter P.", "The replacement repeats the text."),
        ("Canarycorp", "[x]", "This text is already in the list."),
    ],
)
def test_a_replacement_that_says_nothing_new_is_refused(world, original, stand_in, words):
    imported(world)
    replaced(world)
    page = replaced(world, original, stand_in)
    assert (page.status_code, words in page.text) == (422, True)
    assert Replacement.objects.count() == 1


def test_the_stored_transcript_has_pseudonyms_and_the_one_with_names_is_gone(world):
    everything(world)
    assert not RawTranscript.objects.exists()
    made = Transcript.objects.get()
    assert (made.number, made.replaced, made.stored_by) == (1, 5, world.lead)
    assert list(made.turns.values_list("speaker", "is_interviewer", "begins", "text")) == [
        ("R2", True, 5_000, "Welcome, U1."),
        ("U1", False, 9_000, "I work at [x]. Write me: [x]\nand ask [x]."),
        ("R2", True, 60_000, "What fails at [x]?"),
        ("U1", False, 64_000, "The memory runs out."),
    ]
    again = imported(world)
    assert (again.status_code, "already has a stored transcript" in again.text) == (409, True)


def test_each_speaker_must_be_somebody(world):
    imported(world)
    assert acted(world, store="1", speaker_0="interviewer").status_code == 422
    assert not Transcript.objects.exists()
    assert RawTranscript.objects.exists()


def test_two_speakers_of_the_file_who_are_one_person_have_one_turn_in_a_row(world):
    imported(world, "[0:01] Ann: What fails?\n[0:02] Z: Memory.\n[0:03] Zoe: Often.\nAnn: Thanks.")
    roles = {"speaker_0": "interviewer", "speaker_1": "participant", "speaker_2": "participant"}
    assert acted(world, store="1", **roles).status_code == 302
    told = [(one.position, one.speaker, one.text, one.begins) for one in Turn.objects.order_by("position")]
    assert told == [
        (0, "R2", "What fails?", 1_000), (1, "U1", "Memory.\nOften.", 2_000), (2, "R2", "Thanks.", None),
    ]  # fmt: skip
    address = reverse("correct_transcript", args=[world.session.pk])
    start = client(world.lead).get(address).context["form"]["secret_text"].value()
    same = client(world.lead).post(address, {"secret_text": start, "note": "Same", "made_from": 1})
    assert (same.status_code, "The transcript did not change." in same.text) == (422, True)


@only_long
def test_a_correction_gets_the_stand_ins_once_more(world):
    everything(world)
    address = reverse("correct_transcript", args=[world.session.pk])
    text = f"R2: Hello\nU1: I said {NAME} of {COMPANY}."
    fields = {"secret_text": text, "note": "Typo", "made_from": 1}
    assert client(world.lead).post(address, fields).status_code == 302
    assert Turn.objects.filter(transcript__number=2).last().text == "I said U1 of [x]."
    named = client(world.lead).post(address, fields | {"note": f"Of {NAME}", "made_from": 2})
    assert named.status_code == 422
    assert Transcript.objects.count() == 2


def test_a_name_of_another_participant_of_the_study_is_refused(world):
    second = make_participant(world.study, world.lead)
    name_participant(participant=second, name="Otto Ibis", contact="", by=world.lead)
    imported(world, "Ann: Do you know Otto  Ibis?\nZ: No.")
    refused = stored(world)
    assert (refused.status_code, "A listed name is still in turn 1." in refused.text) == (422, True)
    assert not Transcript.objects.exists()
    first = refused.context["missed"][0]
    assert (first.text, first.times, first.why) == ("Otto Ibis", 1, "name of another participant")
    assert replaced(world, "Otto Ibis", "[name]").context["missed"] == []
    assert stored(world).status_code == 302


def test_given_names_and_names_of_speakers_are_shown_where_only_whole_names_are_listed(world):
    second = make_participant(world.study, world.lead)
    name_participant(participant=second, name="Otto van Ibis", contact="", by=world.lead)
    name_participant(participant=world.participant, name="Zuzana May Canaryova", contact="", by=world.lead)
    imported(
        world,
        "Ann Lee: Tell us, Zuzana.\nZuzana May Canaryova: Zuzana’s boss knows Otto; a van may come.\n"
        "Ann Lee: May I?\nSpeaker 2: I am U1. Ann thinks so.",
    )
    found = acted(world, show="1").context["missed"]
    assert [(one.text, one.times, one.why, one.stand_in) for one in found] == [
        ("Zuzana", 2, "part of the participant’s name", "U1"),
        ("Otto", 1, "part of another participant’s name", "[name]"),
        ("May", 1, "part of the participant’s name", "U1"),
        ("Ann", 1, "name of a speaker", "[name]"),
    ]
    replaced(world, "Zuzana", "U1")
    assert "Zuzana" not in [one.text for one in acted(world, show="1").context["missed"]]


def test_a_correction_is_the_next_version_and_the_first_one_stays(world):
    everything(world)
    address = reverse("correct_transcript", args=[world.session.pk])
    start = client(world.lead).get(address).context["form"]["secret_text"].value()
    assert start.splitlines()[0] == "[00:00:05] R2: Welcome, U1."
    fields = {"secret_text": start.replace("runs out", "leaks"), "note": "Misheard", "made_from": 1}
    assert client(world.lead).post(address, fields).status_code == 302
    first, second = Transcript.objects.order_by("number")
    assert (second.number, second.note) == (2, "Misheard")
    assert second.turns.last().text == "The memory leaks."
    assert second.turns.first().begins == 5_000
    assert first.turns.last().text == "The memory runs out."
    stale = client(world.lead).post(address, fields | {"secret_text": start})
    assert (stale.status_code, "Somebody else corrected" in stale.text) == (422, True)
    unknown = client(world.lead).post(address, {"secret_text": "Ann: Hi", "note": "x", "made_from": 2})
    assert (unknown.status_code, "new speaker in turn 1" in unknown.text) == (422, True)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.pdf", b"x", "Choose a file that ends with"),
        ("a.txt", b"A: \xff\xfe", "Line 1: byte 0xFF is not UTF-8."),
        ("a.txt", b"no speaker here", "No line has a speaker"),
        ("a.txt", b"A: \0", "NUL"),
        ("a.txt", b"\xff\xfeA\0:\0\x00\xd8", "(a lone surrogate)"),
        ("a.srt", b"1\n00:01 --> now\nA: x", "Line 2: this time cannot be read."),
        ("a.vtt", b"WEBVTT\n\nNOTE nothing", "The file has no time followed by a text."),
        ("a.docx", EXPANDING, "declares a document type or entities"),
        ("a.docx", BOMB, "times as large"),
        ("a.docx", b"PK\x03\x04", "Nothing was stored."),
    ],
)
def test_a_file_that_is_no_transcript_is_refused(world, name, data, words):
    page = imported(world, "", file=SimpleUploadedFile(name, data))
    assert (page.status_code, words in page.text) == (422, True)
    assert not RawTranscript.objects.exists()
    assert imported(world).status_code == 302  # the server goes on


def test_a_file_of_a_program_is_imported_and_says_what_it_left_out(world):
    data = document(paragraph("Interview 7") + paragraph(f"Ann: Welcome, {NAME}.") + paragraph("Bo: Hi."))
    assert imported(world, "", file=SimpleUploadedFile("a.DOCX", data)).status_code == 302
    shown = acted(world, show="1")
    assert "Paragraph 1: this line is before the first speaker." in shown.text
    assert [(turn.speaker, turn.text) for turn in shown.context["turns"]] == [
        ("Ann", f"Welcome, {NAME}."),
        ("Bo", "Hi."),
    ]


def test_who_does_not_lead_gets_no_page_with_names(world):
    imported(world)
    world.open_coding()
    for name in ("new_transcript", "pseudonymise", "correct_transcript"):
        address = reverse(name, args=[world.session.pk])
        for member, status in (
            (world.coder, 403),
            (world.viewer, 403),
            (world.model, 403),
            (world.stranger, 404),
        ):
            assert client(member).get(address).status_code == status
            answer = client(member).post(address, {"show": "1"})
            assert (answer.status_code, "Canary" in answer.text) == (status, False)
    assert not Event.objects.filter(verb="transcripts.looked_at").exists()


def test_a_name_that_was_missed_leaves_earlier_versions_with_the_correction(world):
    imported(world, "A: Who helps?\nB: Otto Ibis does.\nA: Thanks.")
    assert stored(world).status_code == 302
    address = reverse("correct_transcript", args=[world.session.pk])
    start = client(world.lead).get(address).context["form"]["secret_text"].value()
    fields = {"secret_text": start, "note": "Missed", "made_from": 1, "secret_original": "Otto Ibis"}
    assert client(world.lead).post(address, fields).status_code == 422  # by what, it does not say
    assert not Replacement.objects.exists()
    assert client(world.lead).post(address, fields | {"stand_in": "[colleague]"}).status_code == 302
    first, second = Transcript.objects.order_by("number")
    assert [turn.text for turn in first.turns.all()] == ["Who helps?", "", "Thanks."]
    assert [turn.text for turn in second.turns.all()] == ["Who helps?", "[colleague] does.", "Thanks."]


def test_the_page_of_an_interview_warns_leads_without_a_consent(world):
    address = world.session.get_absolute_url()
    assert "No consent of this participant is recorded." in client(world.lead).get(address).text
    world.open_coding()
    assert "No consent" not in client(world.coder).get(address).text
    text = publish_consent_text(study=world.study, text="Yes?", by=world.lead)
    consent = record_consent(
        participant=world.participant, text=text, given_on=date(2025, 5, 1), permits=[], by=world.lead
    )
    assert "consent" not in text_of(client(world.lead).get(address))
    withdraw_consent(consent=consent, withdrawn_on=date(2025, 5, 2), by=world.lead)
    assert "This participant withdrew consent." in client(world.lead).get(address).text
