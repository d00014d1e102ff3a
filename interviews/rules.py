"""Who may do what with interviews. Identities are for owner and leads; transcripts for coders, too."""

from interviews.models import Session
from studies import rules as studies_rules
from studies.models import Membership, Role


def may_lead_interviews(member: Membership | None) -> bool:
    """Publish the guide, keep participants, interviews, transcripts and rankings: owner and leads."""
    return studies_rules.may_lead(member)


def may_see_identities(member: Membership | None) -> bool:
    """See names, contacts, replacements and transcripts with names: owner and leads."""
    return studies_rules.may_lead(member)


def may_enter_interviews(member: Membership | None) -> bool:
    """Open the list of interviews: every member but a model. Each sees only what they may read."""
    return studies_rules.may_see_people(member)


def may_read_guide(member: Membership | None) -> bool:
    """Read the guide of the interviews: owner, leads and volunteers."""
    return studies_rules.may_see_names(member)


def may_read_interview(member: Membership | None, session: Session, *, codes: bool) -> bool:
    """Read the pseudonymised transcript: owner and leads; a volunteer who codes it, or once its coding is
    revealed; a viewer once the coding is settled. `codes`: is this member a coder of the interview?
    """
    if member is None or member.study_id != session.study_id or not may_enter_interviews(member):
        return False
    if may_lead_interviews(member):
        return True
    coding = getattr(session, "coding", None)
    if coding is None:
        return False
    if member.role == Role.VOLUNTEER:
        return codes or coding.revealed_at is not None
    return coding.settled_at is not None
