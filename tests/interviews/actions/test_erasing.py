"""An erasure: a dump of the whole database holds no word of the participant, and the numbers stay."""

import io

import pytest
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from interviews.actions.codings import open_coding
from interviews.actions.erasing import also_erase, erase_participant
from interviews.actions.identities import name_participant
from interviews.actions.transcripts import import_transcript
from interviews.errors import ParticipantErased
from interviews.models import (
    CodebookEntry,
    Coding,
    Identity,
    ImportedCodebook,
    OpenCode,
    Participant,
    Quote,
    QuoteCode,
    RawTranscript,
    Replacement,
    Settlement,
    Turn,
)
from interviews.queries.coded import coded_interviews
from interviews.queries.coding_agreement import agreement_of
from interviews.queries.coverage import saturation
from interviews.queries.pseudonyms import Spoken
from studies.models import Event
from taxonomy.models import Level
from taxonomy.queries.codebooks import codebook
from tests import factories
from tests.factories.interviews import make_participant, make_session, make_transcript
from tests.interviews.coding import quote, reveal
from tests.interviews.views.test_transcripts import COMPANY, NAME, TEXT
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.worlds.pages import client

pytestmark = pytest.mark.django_db

CANARIES = ("Canaryova", "canarycorp", "canaryrole", "canarytask", "canarygift", "canarysaid", "canarymemo",
            "canarywhy", "canarynote", "canarycode", "canary.example")  # fmt: skip


@kept
def world() -> InterviewWorld:
    """Everything that can be known of a participant, by the pages where there are some."""
    world = interview_world(stored=False)
    lead = client(world.lead)
    name_participant(participant=world.participant, name=NAME, contact="z@canary.example", by=world.lead)
    lead.post(
        reverse("edit_participant", args=[world.participant.pk]),
        {"role": "canaryrole", "context": "canarytask", "experience": "4 years", "incentive": "canarygift",
         "attributes": "Task: canarytask", "member_check": "sent"},
    )  # fmt: skip
    lead.post(reverse("new_transcript", args=[world.session.pk]), {"secret_text": TEXT})
    address = reverse("pseudonymise", args=[world.session.pk])
    for original in (COMPANY, "z@canary.example", "Peter"):
        lead.post(address, {"add": "1", "secret_original": original, "stand_in": "[x]"})
    lead.post(address, {"store": "1", "speaker_0": "interviewer", "speaker_1": "participant"})
    lead.post(
        reverse("correct_transcript", args=[world.session.pk]),
        {
            "secret_text": "R2: And?\nU1: It was the canarysaid of the memory.",
            "note": "canarynote",
            "made_from": 1,
        },
    )
    second = make_session(world.participant, world.lead)
    import_transcript(session=second, turns=[Spoken("Z", f"I am {NAME}")], file_format="txt", by=world.lead)
    coding = world.open_coding(revealed_at=timezone.now())
    turn = Turn.objects.get(text__contains="canarysaid")
    quote = Quote.objects.create(
        coding=coding, coder=coding.coders.first(), transcript=turn.transcript, turn=turn, start=3, end=9,
        memo="canarymemo", strength=2, made_by=world.coder,
    )  # fmt: skip
    code = OpenCode.objects.create(study=world.study, name="canarycode", made_by=world.coder)
    QuoteCode.objects.create(quote=quote, open_code=code)
    QuoteCode.objects.create(quote=quote, category=factories.category(world.version, "C.1"))
    settled = Settlement.objects.create(
        coding=coding, quote=None, method="talk", rationale="canarywhy", by=world.lead
    )
    settled.sources.add(quote)
    return world


def dump() -> str:
    """All rows of all tables, as text."""
    out = io.StringIO()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.copy_expert(f'COPY (SELECT whole::text FROM "{table}" AS whole) TO STDOUT', out)
    return out.getvalue().casefold()


def found(text: str) -> set[str]:
    return {one for one in CANARIES if one.casefold() in text}


def test_the_dump_has_what_is_not_encrypted_before_and_nothing_of_it_after(world):
    before = found(dump())
    assert before == set(CANARIES) - {"Canaryova", "canarycorp", "canary.example"}  # these are encrypted
    assert (Identity.objects.count(), Replacement.objects.count(), RawTranscript.objects.count()) == (1, 3, 1)
    erase_participant(participant=world.participant, by=world.lead)
    assert found(dump()) == set()
    assert (Identity.objects.count(), Replacement.objects.count(), RawTranscript.objects.count()) == (0, 0, 0)


def test_what_numbers_count_stays(world):
    counts = (Turn.objects.count(), Quote.objects.count(), QuoteCode.objects.count())
    places = list(Quote.objects.values_list("turn", "start", "end", "strength"))
    erased = erase_participant(participant=world.participant, by=world.lead)
    assert (Turn.objects.count(), Quote.objects.count(), QuoteCode.objects.count()) == counts
    assert list(Quote.objects.values_list("turn", "start", "end", "strength")) == places
    assert (str(erased), erased.experience, erased.member_check) == ("U1", "4 years", "sent")
    assert erased.sessions.count() == 2
    assert Settlement.objects.get().sources.count() == 1
    event = Event.objects.get(verb="participants.erased")
    assert (event.by, event.detail) == (world.lead.user, {"participant": "U1"})


def test_other_participants_and_shared_codes_stay(world):
    other = make_session(make_participant(world.study, world.lead, role="Other role"), world.lead)
    turn = make_transcript(other, world.lead).turns.get(position=1)
    quote = Quote.objects.create(
        coding=world.open_coding(other), transcript=turn.transcript, turn=turn, start=0, end=2, memo="kept",
        made_by=world.coder,
    )  # fmt: skip
    shared = OpenCode.objects.create(study=world.study, name="Shared", made_by=world.coder)
    for one in (quote, Quote.objects.exclude(pk=quote.pk).get()):
        QuoteCode.objects.create(quote=one, open_code=shared)
    erase_participant(participant=world.participant, by=world.lead)
    for row in (turn, quote, shared, other.participant):
        row.refresh_from_db()
    assert (turn.text != "", quote.memo, shared.name, other.participant.role) == (
        True,
        "kept",
        "Shared",
        "Other role",
    )


def test_an_erased_participant_no_longer_changes(world):
    erase_participant(participant=world.participant, by=world.lead)
    with pytest.raises(ParticipantErased):
        erase_participant(participant=world.participant, by=world.lead)
    with pytest.raises(ParticipantErased):
        name_participant(participant=world.participant, name="Back", contact="", by=world.lead)
    refused = client(world.lead).post(
        reverse("correct_transcript", args=[world.session.pk]),
        {"secret_text": "U1: Back", "note": "x", "made_from": 2},
    )
    assert refused.status_code == 409
    shown = client(world.lead).get(world.session.get_absolute_url()).text
    offered = [words in shown for words in ("Correct transcript", "Record rankings", "Open participant")]
    assert offered == [False, False, True]
    with pytest.raises(DatabaseError, match="who_is_erased_has_no_background"), transaction.atomic():
        Participant.objects.filter(pk=world.participant.pk).update(role="Back")


def test_only_leads_erase_and_only_who_typed_the_pseudonym(world):
    address = reverse("erase_participant", args=[world.participant.pk])
    with pytest.raises(PermissionDenied):
        erase_participant(participant=world.participant, by=world.coder)
    assert client(world.coder).post(address, {"pseudonym": "U1"}).status_code == 403
    page = client(world.lead).get(address)
    goes = page.context["goes"]
    assert (goes.is_named, goes.replacements, goes.raw, goes.transcripts, goes.turns, goes.background) == (
        True, 3, 1, 2, 6, 4,
    )  # fmt: skip
    assert "Backups of the server hold the data" in page.text
    wrong = client(world.lead).post(address, {"pseudonym": "U2"})
    assert (wrong.status_code, Participant.objects.get().erased_at) == (422, None)
    assert client(world.lead).post(address, {"pseudonym": "u1"}).status_code == 302
    assert Participant.objects.get().erased_at is not None
    assert "erased" in client(world.lead).get(world.participant.get_absolute_url()).text


def test_other_rooms_erase_in_the_same_transaction(world, monkeypatch):
    asked: list[str] = []
    monkeypatch.setattr("interviews.actions.erasing._others", [])
    also_erase(lambda participant: asked.append(str(participant)))
    erase_participant(participant=world.participant, by=world.lead)
    assert asked == ["U1"]


def test_open_codes_with_one_name_keep_one_name_and_the_numbers_stay(world):
    other = make_session(make_participant(world.study, world.lead), world.lead)
    make_transcript(other, world.lead)
    second = make_session(world.participant, world.lead)
    make_transcript(second, world.lead)
    coders = [world.coder, world.other]
    codings = [
        open_coding(session=one, version=world.version, coders=coders, by=world.lead)
        for one in (second, other)
    ]
    quote(codings[0], world.coder, "train models", "canarynight", "shared")
    quote(codings[0], world.other, "models at night", "CanaryNight", "Shared")
    quote(codings[1], world.coder, "models", "shared")
    for coding in codings:
        reveal(coding)

    def numbers() -> tuple[list[int], list[int]]:
        found = coded_interviews(Coding.objects.filter(pk__in=[one.pk for one in codings]))
        book = codebook(world.version)
        agreed = agreement_of(found, book, Level.THEME)
        return [pair.equal for pair in agreed.pairs], [one.so_far for one in saturation(found, book, 2)]

    before = numbers()
    erase_participant(participant=world.participant, by=world.lead)
    assert numbers() == before == ([2], [1, 2])
    names = set(OpenCode.objects.exclude(name="canarycode").values_list("name", flat=True))
    assert {name for name in names if "anary" in name} == set()
    assert {"shared", "Shared"} <= names


def test_rows_of_imported_codebooks_go_also_where_they_name_several_people(world):
    book = ImportedCodebook.objects.create(study=world.study, name="book.csv", imported_by=world.lead)
    written = {
        2: ("u-01", "mine", ""), 3: ("U1, U2", "ours", ""), 4: ("U11", "theirs", ""),
        5: ("D1", "other", "as U1 said"),
    }  # fmt: skip
    for line, (who, words, insight) in written.items():
        CodebookEntry.objects.create(
            codebook=book,
            line=line,
            participant=who,
            quote=words,
            insight=insight,
            linked="A.1; my own words",
        )
    page = client(world.lead).get(reverse("erase_participant", args=[world.participant.pk])).text
    assert "2 rows of imported codebooks, but for pseudonym and links." in page
    assert "Line 5 of the codebook “book.csv” is of somebody else and names U1." in page
    assert "Line 4 of" not in page
    assert "0 notes on evidence of findings." in page
    erase_participant(participant=world.participant, by=world.lead)
    assert list(book.entries.values_list("participant", "quote", "insight", "linked")) == [
        ("U1", "", "", "A.1"), ("U1", "", "", "A.1"), ("U11", "theirs", "", "A.1; my own words"),
        ("D1", "other", "as U1 said", "A.1; my own words"),
    ]  # fmt: skip
