"""The interviews of the trust world: one that the volunteer and the other one code, blind, and what they may not see."""

from datetime import date
from types import SimpleNamespace

from django.urls import get_resolver

from interviews.actions.identities import name_participant
from interviews.actions.transcripts import add_replacement, import_transcript
from interviews.models import CodebookEntry, Coder, Coding, Consent, ConsentText, ImportedCodebook
from interviews.queries.pseudonyms import Spoken
from taxonomy.models import Level
from tests.factories.interviews import make_guide, make_participant, make_session, make_transcript

NAMES = {"name": "canaryperson", "contact": "canarycontact@example.org"}
NAMED = "canaryemployer"
"""In a transcript with names. These words are shown to nobody who only follows links, whatever their role."""


def make_interviews(world) -> SimpleNamespace:
    lead = world.members["lead"]
    participant = make_participant(world.study, lead, role="Engineer")
    name_participant(participant=participant, by=lead, **NAMES)
    text = ConsentText.objects.create(study=world.study, number=1, text="Yes.", published_by=lead)
    consent = Consent.objects.create(
        participant=participant, text=text, given_on=date(2025, 5, 1), permits=["quote"], recorded_by=lead
    )
    ranks = {"is_ranking": True, "taxonomy": world.version.taxonomy, "level": Level.TYPE}
    guide = make_guide(world.study, lead, ranks)
    session = make_session(participant, lead, guide=guide)
    make_transcript(session, lead)
    waits = make_session(participant, lead)
    turns = [Spoken("Ann", f"Who pays you? {NAMED}?")]
    import_transcript(session=waits, turns=turns, file_format="txt", by=lead)
    add_replacement(participant=participant, original=NAMED, stand_in="[company]", by=lead)
    coding = Coding.objects.create(session=session, version=world.version, opened_by=lead)
    coders = [world.members[name] for name in ("volunteer", "other volunteer")]
    Coder.objects.bulk_create(Coder(coding=coding, member=one) for one in coders)
    book = ImportedCodebook.objects.create(study=world.study, name="book.csv", imported_by=lead)
    CodebookEntry.objects.create(codebook=book, line=2, participant="U1", quote="Slow.", linked="Z.9")
    return SimpleNamespace(
        audience=participant.audience,
        codebook=book,
        guide=guide,
        participant=participant,
        consent=consent,
        session=session,
        coding=coding,
    )


def arguments(world, name: str) -> tuple | None:
    """The arguments of a route of this room, taken from the world; None for another route."""
    made = world.more.interviews
    known = {
        "slug": world.study.slug,
        "audience_id": made.audience.pk,
        "participant_id": made.participant.pk,
        "consent_id": made.consent.pk,
        "session_id": made.session.pk,
        "codebook_id": made.codebook.pk,
        "coding_id": made.coding.pk,
        "form": "svg",
        "guide_id": made.guide.pk,
        "question_id": made.guide.parts.get().questions.get().pk,
    }
    for _pattern, wanted in _routes().get(name, ()):
        own = {"audience_id", "codebook_id", "coding_id", "guide_id", "participant_id", "session_id"} & set(
            wanted
        )
        if own or name in {"saturation_file", "ranks_file"}:
            return tuple(known[one] for one in wanted)
    return None


def _routes() -> dict[str, list[tuple[str, list[str]]]]:
    """The parameters of each named route."""
    found = get_resolver().reverse_dict
    return {name: found.getlist(name)[0][0] for name in found if isinstance(name, str)}
