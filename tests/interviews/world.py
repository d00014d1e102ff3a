"""A study with interviews: an owner, a lead, volunteers, a viewer, a model; users and developers."""

from dataclasses import dataclass

from interviews.models import Coder, Coding, Participant, Session
from studies.models import Membership, Role, Study
from taxonomy.models import Version
from tests import factories
from tests.factories.interviews import make_audience, make_participant, make_session, make_transcript


@dataclass
class InterviewWorld:
    study: Study
    version: Version
    owner: Membership
    lead: Membership
    coder: Membership
    other: Membership
    viewer: Membership
    model: Membership
    stranger: Membership
    participant: Participant
    session: Session

    def open_coding(self, session: Session | None = None, **fields) -> Coding:
        """A coding of the coder and the lead."""
        made = Coding.objects.create(
            session=session or self.session, version=self.version, opened_by=self.lead, **fields
        )
        Coder.objects.bulk_create(Coder(coding=made, member=one) for one in (self.coder, self.lead))
        return made


def interview_world(*, stored: bool = True) -> InterviewWorld:
    study = factories.make_study()
    version = factories.make_version(study)
    lead = factories.make_member(study, Role.LEAD, pseudonym="R2")
    make_audience(study, "U", "LLM users")
    make_audience(study, "D", "Framework developers")
    participant = make_participant(study, lead, role="Engineer", experience="4 years", context="PyTorch")
    session = make_session(participant, lead)
    if stored:
        make_transcript(session, lead)
    return InterviewWorld(
        study=study,
        version=version,
        owner=factories.make_member(study, Role.OWNER, pseudonym="R1"),
        lead=lead,
        coder=factories.make_member(study, pseudonym="R3"),
        other=factories.make_member(study, pseudonym="R4"),
        viewer=factories.make_member(study, Role.VIEWER, pseudonym="V1"),
        model=factories.make_member(study, Role.MODEL, pseudonym="M1"),
        stranger=factories.make_member(factories.make_study(), Role.LEAD),
        participant=participant,
        session=session,
    )
