"""Participants, interviews, transcripts and their coding."""

from interviews.models.codebooks import CodebookEntry, ImportedCodebook
from interviews.models.coding import Coder, Coding, OpenCode, Quote, QuoteCode, Settlement
from interviews.models.guides import Audience, Guide, Part, Question
from interviews.models.participants import (
    Consent,
    ConsentText,
    Identity,
    Interviewer,
    Participant,
    Replacement,
)
from interviews.models.sessions import Place, Ranking, RawTranscript, Session, Transcript, Turn

__all__ = [
    "Audience",
    "CodebookEntry",
    "Coder",
    "Coding",
    "Consent",
    "ConsentText",
    "Guide",
    "Identity",
    "ImportedCodebook",
    "Interviewer",
    "OpenCode",
    "Part",
    "Participant",
    "Place",
    "Question",
    "Quote",
    "QuoteCode",
    "Ranking",
    "RawTranscript",
    "Replacement",
    "Session",
    "Settlement",
    "Transcript",
    "Turn",
]
