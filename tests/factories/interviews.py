from datetime import date

from interviews.models import Audience, Guide, Part, Participant, Question, Session, Transcript, Turn
from studies.models import Membership, Study

SAID = ("What do you work on?", "We train models at night.", "And what fails?", "The memory runs out, often.")


def make_audience(study: Study, prefix: str = "U", name: str = "") -> Audience:
    found = Audience.objects.filter(study=study, prefix=prefix).first()
    return found or Audience.objects.create(study=study, name=name or f"Audience {prefix}", prefix=prefix)


def make_participant(study: Study, by: Membership, prefix: str = "U", **fields) -> Participant:
    audience = make_audience(study, prefix)
    fields.setdefault("number", audience.participants.count() + 1)
    return Participant.objects.create(study=study, audience=audience, added_by=by, **fields)


def make_session(participant: Participant, by: Membership, **fields) -> Session:
    fields.setdefault("held_on", date(2025, 5, 6))
    return Session.objects.create(study=participant.study, participant=participant, interviewer=by, **fields)


def make_transcript(session: Session, by: Membership, said=SAID, **fields) -> Transcript:
    """A stored transcript: the interviewer and the participant in turns."""
    fields.setdefault("number", session.transcripts.count() + 1)
    made = Transcript.objects.create(session=session, stored_by=by, **fields)
    Turn.objects.bulk_create(
        Turn(
            transcript=made,
            position=place,
            speaker=str(session.participant) if place % 2 else by.pseudonym,
            is_interviewer=place % 2 == 0,
            begins=place * 1000,
            text=text,
        )
        for place, text in enumerate(said)
    )
    return made


def make_guide(study: Study, by: Membership, *questions: dict, text: str = "# Guide\n") -> Guide:
    """A guide of one part with these questions."""
    guide = Guide.objects.create(study=study, number=study.guides.count() + 1, text=text, published_by=by)
    part = Part.objects.create(guide=guide, position=0, title="Part I")
    Question.objects.bulk_create(
        Question(part=part, position=place, **{"text": f"Question {place}?", **fields})
        for place, fields in enumerate(questions)
    )
    return guide
