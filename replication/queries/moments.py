"""The moment of the state that a replication package has."""

from datetime import datetime

from django.db.models import Max

from consensus.models import Decision
from rounds.models import Round
from rounds.queries.blindness import WithheldIssues
from rounds.queries.rounds import revealed


def last_change(round_: Round, blind: WithheldIssues) -> datetime:
    """The last of these moments: the study was made, the version of the taxonomy was published, the round was
    opened or closed; the last label of a revealed issue outside of `blind`, and each decision on it, given or
    taken back; a closed meeting, a version of the guideline and a frozen report. It does not depend on the
    clock, nor on what is hidden. Five queries.
    """
    shown = revealed(round_).exclude(pk__in=blind.values("pk"))
    decisions = Decision.objects.filter(round=round_, issue__in=shown.values("issue"))
    found: list[datetime | None] = [
        round_.study.created_at,
        round_.version.published_at,
        round_.opened_at,
        round_.closed_at,
        *shown.aggregate(at=Max("completed_at")).values(),
        *decisions.aggregate(given=Max("decided_at"), back=Max("superseded_at")).values(),
        *round_.meetings.aggregate(at=Max("closed_at")).values(),
        *round_.study.guidelines.aggregate(at=Max("published_at")).values(),
        *round_.frozen_reports.aggregate(at=Max("frozen_at")).values(),
    ]
    return max(moment for moment in found if moment)
