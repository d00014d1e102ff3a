"""What an erasure of a participant would delete or empty, in numbers: no text, and nothing by coder."""

from dataclasses import dataclass

from interviews.models import Participant, RawTranscript, Transcript, Turn


@dataclass(frozen=True)
class ToErase:
    """`background` counts the filled fields; `interviews` and `rankings` stay, without a text."""

    is_named: bool
    replacements: int
    raw: int
    transcripts: int
    turns: int
    background: int
    interviews: int


def to_erase(participant: Participant) -> ToErase:
    """Five queries."""
    transcripts = Transcript.objects.filter(session__participant=participant)
    fields = (participant.role, participant.context, participant.incentive, *participant.attributes.values())
    return ToErase(
        is_named=hasattr(participant, "identity"),
        replacements=participant.replacements.count(),
        raw=RawTranscript.objects.filter(session__participant=participant).count(),
        transcripts=transcripts.count(),
        turns=Turn.objects.filter(transcript__in=transcripts.values("pk")).count(),
        background=sum(bool(one) for one in fields),
        interviews=participant.sessions.count(),
    )
