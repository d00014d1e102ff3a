"""Who may do what with interviews. Identities are for owner and leads; transcripts for coders, too."""

from interviews.models import Coding, Session
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


def may_code(member: Membership | None, session: Session) -> bool:
    """Be chosen as a coder: owner, leads and volunteers of the study."""
    return member is not None and member.study_id == session.study_id and studies_rules.may_see_names(member)


def may_read_quotes(member: Membership | None, coding: Coding) -> bool:
    """See the quotes of all coders, the agreement and what was settled: once the coding is revealed, those
    who may read the interview. Before, nobody: not owner nor leads.
    """
    if coding.revealed_at is None:
        return False
    return may_read_interview(member, coding.session, codes=False)


def may_settle_coding(member: Membership | None, coding: Coding, *, codes: bool) -> bool:
    """Settle quotes together, and the coding: its coders, owner and leads, after the reveal."""
    if coding.revealed_at is None or not may_code(member, coding.session):
        return False
    return codes or may_lead_interviews(member)
