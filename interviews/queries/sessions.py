"""Interviews of a user's studies, and what each member may read of them."""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Subquery

from accounts.models import User
from interviews.models import Coder, RawTranscript, Session, Transcript, Turn
from interviews.rules import may_enter_interviews, may_lead_interviews
from studies.models import Membership, Role, Study
from studies.queries import studies_for


def sessions_for(user: User | AnonymousUser) -> QuerySet[Session]:
    """The interviews of the studies that this user is a member of, readable or not."""
    found = Session.objects.filter(study__in=studies_for(user))
    return found.select_related("study", "participant__audience", "interviewer", "guide", "coding")


def codes_session(member: Membership, session: Session) -> bool:
    """Is this member a coder of the interview?"""
    return Coder.objects.filter(member=member, coding__session=session).exists()


def readable(member: Membership) -> Q:
    """The interviews of this member's study that they may read, as a condition: the rule
    `may_read_interview` for many.
    """
    if may_lead_interviews(member):
        return Q(study=member.study_id)
    if not may_enter_interviews(member):
        return Q(pk__in=[])
    if member.role == Role.VOLUNTEER:
        own = Coder.objects.filter(member=member).values("coding__session")
        return Q(study=member.study_id) & (Q(pk__in=own) | Q(coding__revealed_at__isnull=False))
    return Q(study=member.study_id, coding__settled_at__isnull=False)


@dataclass(frozen=True)
class SessionLine:
    """An interview in a list: its newest transcript (0: none), whether one with names waits, and the state
    of its coding.
    """

    session: Session
    transcript: int
    has_raw: bool
    coding: str

    @property
    def state(self) -> str:
        """Of the transcript: none, raw or stored."""
        return "stored" if self.transcript else "raw" if self.has_raw else "none"


def session_lines(study: Study, member: Membership) -> list[SessionLine]:
    """The interviews that this member may read, by date. One query, for those who code one more."""
    newest = Transcript.objects.filter(session=OuterRef("pk")).order_by()
    found = (
        Session.objects.filter(readable(member), study=study)
        .select_related("participant__audience", "interviewer", "guide", "coding")
        .annotate(
            newest=Subquery(newest.values("session").annotate(last=Max("number")).values("last")),
            has_raw=Exists(RawTranscript.objects.filter(session=OuterRef("pk"))),
        )
    )
    return [SessionLine(one, one.newest or 0, one.has_raw, coding_state(one)) for one in found]


def coding_state(session: Session) -> str:
    """none, open, revealed or settled: nothing that depends on what a coder coded."""
    coding = getattr(session, "coding", None)
    if coding is None:
        return "none"
    return "settled" if coding.settled_at else "revealed" if coding.revealed_at else "open"


def newest_transcript(session: Session) -> Transcript | None:
    """The newest version of the pseudonymised transcript."""
    return session.transcripts.select_related("stored_by").order_by("-number").first()


def turns_of(transcript: Transcript) -> QuerySet[Turn]:
    return transcript.turns.order_by("position")
