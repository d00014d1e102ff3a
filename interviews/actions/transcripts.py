"""Transcripts: imported with names and encrypted, pseudonymised, stored, corrected. No log, message or detail
of the audit holds a word of them.
"""

import json
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from interviews.actions.carrying import carry_quotes
from interviews.actions.leading import hold, one_line, require_lead, require_length
from interviews.errors import InterviewRefused, NamesLeft, NoRawTranscript, TranscriptStored
from interviews.models import Participant, RawTranscript, Replacement, Session, Transcript, Turn
from interviews.queries.identities import sealed
from interviews.queries.pseudonyms import (
    Spoken,
    named_places,
    names_left,
    pairs_of,
    raw_turns,
    with_stand_ins,
)
from studies.actions import record, remove_copies
from studies.models import Membership

LONGEST_ORIGINAL, LONGEST_STAND_IN = 200, 120
INTERVIEWER, PARTICIPANT, OTHER = "interviewer", "participant", "other"
ROLES = (PARTICIPANT, INTERVIEWER, OTHER)


@sensitive_variables()
@transaction.atomic
def import_transcript(
    *,
    session: Session,
    turns: Sequence[Spoken],
    file_format: str,
    by: Membership,
    notes: Sequence[str] = (),
) -> RawTranscript:
    """Keep a transcript with names, encrypted; it replaces one that was not stored yet. `notes`: what the
    reader left out, with its place and cause and none of its text. Raises InterviewRefused, TranscriptStored,
    ParticipantErased and PermissionDenied.
    """
    require_lead(session.study_id, by)
    hold(session.participant)
    if session.transcripts.exists():
        raise TranscriptStored
    if not turns:
        raise InterviewRefused(_("The transcript has no turns. Nothing was stored."), field="text")
    rows = [[turn.speaker, turn.text, turn.begins] for turn in turns]
    RawTranscript.objects.filter(session=session).delete()
    made = RawTranscript.objects.create(
        session=session,
        turns=sealed(json.dumps(rows, ensure_ascii=False)),
        notes=list(notes),
        file_format=file_format,
        imported_by=by,
    )
    record(session.study, "transcripts.imported", by.user, participant=str(session.participant))
    return made


@sensitive_variables()
@transaction.atomic
def add_replacement(*, participant: Participant, original: str, stand_in: str, by: Membership) -> Replacement:
    """Replace a text in transcripts of this participant. Raises InterviewRefused, ParticipantErased and
    PermissionDenied.
    """
    require_lead(participant.study_id, by)
    held = hold(participant)
    original, stand_in = one_line(original), one_line(stand_in)
    require_length(original, LONGEST_ORIGINAL, "original")
    require_length(stand_in, LONGEST_STAND_IN, "stand_in")
    if not original:
        raise InterviewRefused(_("Type the text to replace. Nothing was stored."), field="original")
    if not stand_in:
        raise InterviewRefused(_("Type what replaces the text. Nothing was stored."), field="stand_in")
    if original.casefold() in stand_in.casefold():
        raise InterviewRefused(
            _("The replacement repeats the text. Nothing was stored. Type something else."), field="stand_in"
        )
    if any(one.original == original for one in pairs_of(held)):
        raise InterviewRefused(_("This text is already in the list. Nothing was stored."), field="original")
    return Replacement.objects.create(
        participant=held, original=sealed(original), stand_in=stand_in, added_by=by
    )


@transaction.atomic
def remove_replacement(*, participant: Participant, replacement_id: int, by: Membership) -> None:
    """Take a text off the list. Raises PermissionDenied."""
    require_lead(participant.study_id, by)
    Replacement.objects.filter(participant=participant, pk=replacement_id).delete()


@sensitive_variables()
@transaction.atomic
def store_transcript(*, session: Session, speakers: Mapping[str, str], by: Membership) -> Transcript:
    """Store the pseudonymised transcript as version 1 and delete the one with names. `speakers`: who each
    speaker of the file is. Raises NoRawTranscript, InterviewRefused, NamesLeft, IdentityUnreadable,
    ParticipantErased and PermissionDenied.
    """
    require_lead(session.study_id, by)
    participant = hold(session.participant)
    raw = RawTranscript.objects.select_for_update().filter(session=session).first()
    if raw is None:
        raise NoRawTranscript
    if session.transcripts.exists():
        raise TranscriptStored
    turns = raw_turns(raw)
    roles = {turn.speaker: speakers.get(turn.speaker, "") for turn in turns}
    if any(role not in ROLES for role in roles.values()):
        raise InterviewRefused(_("Choose for each speaker who they are. Nothing was stored."))
    made = _stored(session, participant, turns, roles, by, number=1)
    raw.delete()
    return made


@sensitive_variables()
@transaction.atomic
def correct_transcript(
    *, session: Session, turns: Sequence[Spoken], note: str, by: Membership, made_from: int | None = None
) -> Transcript:
    """Store a corrected transcript as the next version, and carry the quotes to it. The replacements of the
    participant are made once more. Turns of earlier versions with a name that was listed since are emptied:
    nobody may read it there. `made_from` is the number of the version that was corrected. Raises
    InterviewRefused, NamesLeft, IdentityUnreadable, ParticipantErased and PermissionDenied.
    """
    require_lead(session.study_id, by)
    participant = hold(session.participant)
    old = session.transcripts.order_by("-number").first()
    if old is None:
        raise InterviewRefused(_("This interview has no transcript to correct. Nothing was stored."))
    if made_from is not None and made_from != old.number:
        raise InterviewRefused(
            _("Somebody else corrected this transcript meanwhile. Nothing was stored. Open the new version.")
        )
    require_length(note, 500, "note")
    if not note.strip():
        raise InterviewRefused(_("Write one sentence: what was corrected?"), field="note")
    if not turns:
        raise InterviewRefused(_("The transcript has no turns. Nothing was stored."), field="text")
    known = {turn.speaker: turn.is_interviewer for turn in old.turns.all()}
    unknown = sorted({turn.speaker for turn in turns} - set(known))
    if unknown:
        words = _("The transcript has a new speaker in turn %(turn)s. Nothing was stored. Use %(known)s.")
        first = next(at for at, turn in enumerate(turns, 1) if turn.speaker not in known)
        raise InterviewRefused(words % {"turn": first, "known": ", ".join(known)}, field="text")
    before = [(turn.speaker, turn.text, turn.begins) for turn in old.turns.all()]
    said, _places = with_stand_ins(turns, pairs_of(participant))
    if before == [(turn.speaker, turn.text, turn.begins) for turn in said]:
        raise InterviewRefused(_("The transcript did not change. Nothing was stored."), field="text")
    roles = {speaker: INTERVIEWER if asks else PARTICIPANT for speaker, asks in known.items()}
    labels = {speaker: speaker for speaker in known}
    made = _stored(
        session, participant, turns, roles, by, number=old.number + 1, note=note.strip(), labels=labels
    )
    carry_quotes(old=old, new=made)
    _empty_named(session, made)
    remove_copies(session.study_id)
    return made


@sensitive_variables()
def _empty_named(session: Session, newest: Transcript) -> None:
    """Empty the turns of versions before `newest` that contain a listed name."""
    earlier = Turn.objects.filter(transcript__session=session).exclude(transcript=newest).exclude(text="")
    rows = list(earlier.order_by("pk").values_list("pk", "text"))
    named = [rows[place][0] for place in named_places(session.study_id, [text for _pk, text in rows])]
    earlier.filter(pk__in=named).update(text="")


@sensitive_variables()
def _stored(
    session: Session,
    participant: Participant,
    turns: Sequence[Spoken],
    roles: Mapping[str, str],
    by: Membership,
    *,
    number: int,
    note: str = "",
    labels: Mapping[str, str] | None = None,
) -> Transcript:
    """A version with its turns, after all replacements. Raises NamesLeft."""
    said, replaced = with_stand_ins(turns, pairs_of(participant))
    labels = labels or speaker_labels(session, participant, roles)
    texts = [turn.text for turn in said] + [note]
    if left := names_left(session.study_id, texts):
        words = _("A listed name is still in turn %(turn)s. Nothing was stored. Replace that name first.")
        raise NamesLeft(words % {"turn": left}, field="text")
    made = Transcript.objects.create(
        session=session, number=number, note=note, replaced=replaced, stored_by=by
    )
    rows: list[Turn] = []
    for turn in said:
        label = labels[turn.speaker]
        if rows and rows[-1].speaker == label:
            # Two speakers of the file are one person: a turn each would become one turn by a correction.
            rows[-1].text += f"\n{turn.text}"
            continue
        rows.append(
            Turn(
                transcript=made,
                position=len(rows),
                speaker=label,
                is_interviewer=roles[turn.speaker] == INTERVIEWER,
                begins=turn.begins,
                text=turn.text,
            )
        )
    Turn.objects.bulk_create(rows, batch_size=2_000)
    record(session.study, "transcripts.stored", by.user, participant=str(participant), number=number)
    return made


def speaker_labels(session: Session, participant: Participant, roles: Mapping[str, str]) -> dict[str, str]:
    """How each speaker is called in the stored transcript: by pseudonym, or as another one."""
    labels, others = {}, 0
    for speaker, role in roles.items():
        if role == OTHER:
            others += 1
            labels[speaker] = f"P{others}"
        else:
            labels[speaker] = str(participant) if role == PARTICIPANT else session.interviewer.pseudonym
    return labels
