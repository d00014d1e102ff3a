"""What an erasure of a participant would delete or empty, in numbers: no text, and nothing by coder."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from interviews.models import CodebookEntry, Participant, RawTranscript, Transcript, Turn

MOST_MENTIONS = 50


@dataclass(frozen=True)
class ToErase:
    """`background` counts the filled fields; `interviews` and `rankings` stay, without a text. `entries` are
    rows of imported codebooks; `mentions` rows of others that name the participant, by codebook and line:
    they stay. `others` are sentences of other rooms.
    """

    is_named: bool
    replacements: int
    raw: int
    transcripts: int
    turns: int
    background: int
    interviews: int
    entries: int
    mentions: list[tuple[CodebookEntry, str]]
    others: list[str]


def entries_of(participant: Participant) -> QuerySet[CodebookEntry]:
    """The rows of imported codebooks that are of this participant, also together with others, and however the
    pseudonym is written, such as "Participant u-01".
    """
    rows = CodebookEntry.objects.filter(codebook__study=participant.study_id)
    return rows.filter(participant__iregex=_named(participant))


def mentions_of(participant: Participant) -> QuerySet[CodebookEntry]:
    """The rows of others whose quote, insight or context names this participant."""
    said = Q()
    for name in ("quote", "insight", "context", "prompt"):
        said |= Q(**{f"{name}__iregex": _named(participant)})
    rows = CodebookEntry.objects.filter(said, codebook__study=participant.study_id)
    return rows.exclude(pk__in=entries_of(participant).values("pk")).select_related("codebook")


def _named(participant: Participant) -> str:
    return rf"\y{participant.audience.prefix}[\s._-]*0*{participant.number}\y"


Teller = Callable[[Participant], list[str]]
_tellers: list[Teller] = []


def also_tell(teller: Teller) -> None:
    """Register what another room would erase of a participant, in sentences for the page of erasing."""
    _tellers.append(teller)


def to_erase(participant: Participant) -> ToErase:
    """Seven queries, and those of other rooms."""
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
        entries=entries_of(participant).count(),
        mentions=[(one, one.codebook.name) for one in mentions_of(participant)[:MOST_MENTIONS]],
        others=[said for teller in _tellers for said in teller(participant)],
    )
