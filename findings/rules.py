"""Who may do what with findings."""

from findings.models import Finding
from studies import rules as studies_rules
from studies.models import Membership


def may_read_findings(member: Membership | None) -> bool:
    """Open the list of findings: every member but a model. Each sees the evidence that they may see."""
    return studies_rules.may_see_people(member)


def may_write_findings(member: Membership | None) -> bool:
    """Write, order, freeze and delete findings, and attach evidence: owner and leads."""
    return studies_rules.may_lead(member)


def may_read_finding(member: Membership | None, finding: Finding) -> bool:
    """Read a finding: owner and leads; other members once it is frozen. A draft could sway coders."""
    if member is None or member.study_id != finding.study_id or not may_read_findings(member):
        return False
    return may_write_findings(member) or (finding.frozen_at is not None and finding.deleted_at is None)
