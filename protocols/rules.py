"""Who may do what with the protocol of a study."""

from studies import rules as studies_rules
from studies.models import Membership


def may_read_protocol(member: Membership | None) -> bool:
    """Read frozen versions and deviations: every member but a model."""
    return studies_rules.may_see_people(member)


def may_plan(member: Membership | None) -> bool:
    """Write and freeze the protocol, and explain deviations: owner and leads. A draft is theirs alone."""
    return studies_rules.may_lead(member)
