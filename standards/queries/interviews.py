"""Counts of the interviews of a study; nothing that a participant said."""

from django.db.models import Count, Q

from interviews.models import Coding, Consent, Guide, Interviewer, Participant, Ranking, Session
from standards.facts import InterviewFacts
from studies.models import Study


def interview_facts(study: Study) -> InterviewFacts:
    """Seven queries."""
    told = Participant.MemberCheck
    people = Participant.objects.filter(study=study).aggregate(
        participants=Count("pk"),
        checked=Count("pk", filter=Q(member_check__in=[told.CONFIRMED, told.CORRECTED])),
        incentives=Count("pk", filter=~Q(incentive="")),
    )
    interviewers = Interviewer.objects.filter(member__study=study).aggregate(
        interviewers=Count("pk"), described=Count("pk", filter=~Q(experience="") & ~Q(bias=""))
    )
    consents = Consent.objects.filter(participant__study=study, withdrawn_on=None)
    return InterviewFacts(
        **people,
        **interviewers,
        sessions=Session.objects.filter(study=study).count(),
        guides=Guide.objects.filter(study=study).count(),
        consented=consents.values("participant").distinct().count(),
        settled=Coding.objects.filter(session__study=study, settled_at__isnull=False).count(),
        rankings=Ranking.objects.filter(session__study=study).count(),
    )
