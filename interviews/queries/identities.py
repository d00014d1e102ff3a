"""What is encrypted: who participants are, and the texts that are replaced. Only for owner and leads; the
caller notes each look in the audit (interviews.actions.identities).
"""

from dataclasses import dataclass

from django.views.decorators.debug import sensitive_variables

from core.fetch.sealing import Purpose, Unreadable, seal_text, unseal_text
from interviews.errors import IdentityUnreadable
from interviews.models import Identity, Participant, Replacement


@dataclass(frozen=True, repr=False)
class Person:
    """Who a participant is. Never shown by repr, so that no log and no error page holds it."""

    name: str
    contact: str


@dataclass(frozen=True, repr=False)
class Replaced:
    """A text to replace, readable."""

    pk: int
    original: str
    stand_in: str


def sealed(text: str) -> bytes:
    """The text, encrypted for people's names; b"" for an empty one."""
    return seal_text(text, Purpose.PEOPLE) if text else b""


@sensitive_variables()
def unsealed(kept: bytes | memoryview) -> str:
    """The text again. Raises IdentityUnreadable."""
    if not bytes(kept):
        return ""
    try:
        return unseal_text(kept, Purpose.PEOPLE)
    except Unreadable:
        raise IdentityUnreadable from None


@sensitive_variables()
def person_of(participant: Participant) -> Person | None:
    """Name and contact; None without an identity. Raises IdentityUnreadable."""
    kept = Identity.objects.filter(participant=participant).first()
    return Person(unsealed(kept.name), unsealed(kept.contact)) if kept else None


@sensitive_variables()
def replacements_of(participant: Participant) -> list[Replaced]:
    """The texts that are replaced in transcripts of this participant, in the order in which they were added.
    Raises IdentityUnreadable.
    """
    rows = Replacement.objects.filter(participant=participant).order_by("pk")
    return [Replaced(row.pk, unsealed(row.original), row.stand_in) for row in rows]


@sensitive_variables()
def listed_names(study_id: int) -> list[str]:
    """All texts that no export of the study may contain: names, and originals of replacements. Raises
    IdentityUnreadable.
    """
    names = Identity.objects.filter(participant__study=study_id).values_list("name", flat=True)
    originals = Replacement.objects.filter(participant__study=study_id).values_list("original", flat=True)
    return list(dict.fromkeys(filter(None, map(unsealed, [*names, *originals]))))
