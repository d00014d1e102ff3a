"""Erasing a participant: who they are and what they said go, what the study's numbers count stays."""

from collections.abc import Callable

from django.db import transaction
from django.db.models import Q

from core import clock
from interviews.actions.codebooks import empty_entries_of
from interviews.actions.leading import hold, require_lead
from interviews.models import (
    Identity,
    OpenCode,
    Participant,
    Quote,
    QuoteCode,
    RawTranscript,
    Replacement,
    Settlement,
    Transcript,
    Turn,
)
from studies.actions import record, remove_copies
from studies.models import Membership

Eraser = Callable[[Participant], None]
_others: list[Eraser] = []


def also_erase(eraser: Eraser) -> None:
    """Register what another room keeps of participants: it is erased in the same transaction."""
    _others.append(eraser)


@transaction.atomic
def erase_participant(*, participant: Participant, by: Membership) -> Participant:
    """Delete identity, contact, replacements and transcripts with names; empty the turns of all transcripts,
    notes, memos, reasons, rows of imported codebooks and the background. Pseudonym, audience, experience,
    dates, consents, rankings and the codes with their places stay. Raises ParticipantErased and
    PermissionDenied.
    """
    require_lead(participant.study_id, by)
    held = hold(participant)
    Identity.objects.filter(participant=held).delete()
    Replacement.objects.filter(participant=held).delete()
    RawTranscript.objects.filter(session__participant=held).delete()
    transcripts = Transcript.objects.filter(session__participant=held)
    turns = Turn.objects.filter(transcript__in=transcripts.values("pk"))
    turns.filter(is_interviewer=False).update(text="", speaker=str(held))
    turns.filter(is_interviewer=True).update(text="")
    transcripts.exclude(note="").update(note="")
    quotes = Quote.objects.filter(coding__session__participant=held)
    quotes.exclude(memo="").update(memo="")
    Settlement.objects.filter(coding__session__participant=held).exclude(rationale="").update(rationale="")
    _rename_own_codes(held)
    empty_entries_of(held)
    held.role = held.context = held.incentive = ""
    held.attributes = {}
    held.erased_at = clock.now()
    held.save()
    for eraser in _others:
        eraser(held)
    remove_copies(held.study_id)
    record(held.study, "participants.erased", by.user, participant=str(held))
    return held


def _rename_own_codes(participant: Participant) -> None:
    """Names of open codes that only this participant's quotes have may repeat what they said. Codes of
    several coders with one name keep one name: numbers of the study compare names.
    """
    own = Q(quote__coding__session__participant=participant)
    used = QuoteCode.objects.filter(own, open_code__isnull=False).values("open_code")
    elsewhere = OpenCode.objects.filter(
        study=participant.study_id, quote_codes__in=QuoteCode.objects.exclude(own)
    )
    known = {name.casefold() for name in elsewhere.values_list("name", flat=True)}
    first: dict[str, int] = {}
    taken: set[tuple[int, int]] = set()
    for code in OpenCode.objects.filter(pk__in=used).order_by("pk"):
        if code.name.casefold() in known:
            continue
        number = first.setdefault(code.name.casefold(), code.pk)
        if (code.made_by_id, number) in taken:  # of one coder, such as "Straße" and "STRASSE"
            number = code.pk
        taken.add((code.made_by_id, number))
        code.name = f"Erased code {number}"
        code.save(update_fields=["name"])
