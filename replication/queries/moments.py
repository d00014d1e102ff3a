"""The moment of the state that a replication package has."""

from datetime import datetime
from typing import Any

from django.db.models import Max, QuerySet

from consensus.models import Decision
from findings.models import Evidence, Finding
from findings.rules import may_write_findings
from interviews.models import Ranking, Session
from interviews.queries.coded import revealed_of
from interviews.queries.sessions import readable
from interviews.rules import may_lead_interviews
from reports.queries.weight_matrices import weight_matrices
from rounds.models import Round
from rounds.queries.blindness import WithheldIssues
from rounds.queries.rounds import revealed
from studies.models import Event, Membership
from taxonomy.models import Motion, Version

_FROZEN = ("findings.frozen", "findings.thawed")
_OF_INTERVIEWS = (
    "rankings.recorded", "rankings.removed", "participants.changed", "participants.imported",
    "participants.erased", "consents.recorded", "consents.withdrawn", "codings.revealed", "codings.reopened",
    "codings.settled", "codings.coder_released", "codings.coder_reopened",
)  # fmt: skip
"""What changes the numbers of interviews and leaves no moment in their rows; owners and leads read it in the
audit.
"""


def last_change(round_: Round, blind: WithheldIssues, member: Membership | None = None) -> datetime:
    """The last of these moments: the study was made, a version of the taxonomy was published, the round was
    opened or closed; the last label of a revealed issue outside of `blind`, also of a model, and each
    decision on it, given or taken back; a closed meeting, a version of the guideline, a frozen report,
    weights of categories, a decided proposal or a comment on it; and of findings and interviews what this
    member may read (None: the shell). It does not depend on the clock, nor on what is hidden. Fifteen
    queries at most.
    """
    shown = revealed(round_).exclude(pk__in=blind.values("pk"))
    decisions = Decision.objects.filter(round=round_, issue__in=shown.values("issue"))
    motions = Motion.objects.filter(taxonomy=round_.version.taxonomy_id, closed_at__isnull=False)
    found: list[datetime | None] = [
        round_.study.created_at,
        round_.opened_at,
        round_.closed_at,
        *_last(Version.objects.filter(taxonomy=round_.version.taxonomy_id), "published_at"),
        *_last(shown, "completed_at"),
        *_last(round_.model_labels.filter(issue__in=shown.values("issue")), "submitted_at"),
        *_last(decisions, "decided_at", "superseded_at"),
        *_last(round_.meetings.all(), "closed_at"),
        *_last(round_.study.guidelines.all(), "published_at"),
        *_last(round_.frozen_reports.all(), "frozen_at"),
        *_last(weight_matrices(round_.version_id).order_by(), "set_at"),
        *_last(motions, "closed_at", "comments__said_at"),
        *_of_findings(round_, member),
        *_of_interviews(round_, member),
    ]
    return max(moment for moment in found if moment)


def _last(rows: QuerySet[Any], *moments: str) -> list[datetime | None]:
    return list(rows.aggregate(**{f"last_{place}": Max(name) for place, name in enumerate(moments)}).values())


def _of_findings(round_: Round, member: Membership | None) -> list[datetime | None]:
    """Drafts of findings are for owners and leads; the others see when one was frozen, and no longer is."""
    events = Event.objects.filter(study=round_.study_id)
    if member is not None and not may_write_findings(member):
        return _last(events.filter(verb__in=_FROZEN), "at")
    findings = Finding.objects.filter(study=round_.study_id)
    evidence = Evidence.objects.filter(finding__study=round_.study_id)
    return [
        *_last(events.filter(verb__startswith="findings."), "at"),
        *_last(findings, "made_at", "frozen_at", "deleted_at"),
        *_last(evidence, "attached_at", "removed_at"),
    ]


def _of_interviews(round_: Round, member: Membership | None) -> list[datetime | None]:
    sessions = Session.objects.filter(study=round_.study_id)
    if member is not None:
        sessions = sessions.filter(readable(member))
    found = [
        *_last(Ranking.objects.filter(session__in=sessions.values("pk")), "recorded_at"),
        *_last(revealed_of(round_.study, member), "revealed_at", "settled_at"),
    ]
    if member is None or may_lead_interviews(member):
        found += _last(Event.objects.filter(study=round_.study_id, verb__in=_OF_INTERVIEWS), "at")
    return found
