"""What may leave the study: quotes and transcripts whose participants permit it, without any listed name.
Each export of interviews asks here, and says how much it left out; so do findings and the package.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import QuerySet
from django.views.decorators.debug import sensitive_variables

from interviews.models import Consent, Participant
from interviews.queries.pseudonyms import named_places
from interviews.readers.codebook import CodebookRow
from studies.models import Study

R = TypeVar("R")


@dataclass(frozen=True)
class LeftOut:
    """How many quotes an export leaves out: without a consent that permits it, and with a listed name."""

    consent: int = 0
    names: int = 0


def permissions(participants: Collection[int] | QuerySet[Participant]) -> dict[int, set[str]]:
    """What the newest consent of each of these participants permits, by their id; who is erased, withdrew it
    or never gave one is not among them. One query.
    """
    newest = (
        Consent.objects.filter(participant__in=participants, participant__erased_at=None)
        .order_by("participant_id", "-pk")
        .distinct("participant_id")
    )
    return {one.participant_id: set(one.permits) for one in newest if one.withdrawn_on is None}


def permitting(participants: Collection[int] | QuerySet[Participant], *permitted: str) -> set[int]:
    """The ids of those of these participants who permit all this. One query."""
    return {pk for pk, permits in permissions(participants).items() if set(permitted) <= permits}


@sensitive_variables()
def without_names(study_id: int, rows: Sequence[R], texts: Iterable[str]) -> tuple[list[R], int]:
    """The rows whose text, in the same order, contains no listed name of the study, and how many do. Raises
    IdentityUnreadable.
    """
    named = set(named_places(study_id, texts))
    return [row for place, row in enumerate(rows) if place not in named], len(named)


def may_be_quoted(
    study: Study, rows: Sequence[CodebookRow], *, is_published: bool = False
) -> tuple[list[CodebookRow], LeftOut]:
    """The rows that may leave the study, and how many may not. Participants whom the study knows decide by
    their consent; rows of anybody else need `is_published`. Two queries, and two for names.
    """
    people = Participant.objects.filter(study=study).select_related("audience")
    known = {str(one).casefold(): one.pk for one in people}
    permit = permitting(list(known.values()), Consent.Permission.QUOTE)
    allowed = []
    for row in rows:
        who = known.get(row.participant.strip().casefold())
        if who in permit or (who is None and is_published):
            allowed.append(row)
    kept, named = without_names(study.pk, allowed, ["\n".join(row.cells) for row in allowed])
    return kept, LeftOut(len(rows) - len(allowed), named)
