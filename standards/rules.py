"""Who may read and answer the standards of a study."""

from studies import rules as studies_rules
from studies.models import Membership


def may_read_standards(member: Membership | None) -> bool:
    """Read the items with their states and the files made of them: every member but a model."""
    return studies_rules.may_read_revealed(member)


def may_answer_standards(member: Membership | None) -> bool:
    """Answer items, and say how to cite the study: owner and leads."""
    return studies_rules.may_lead(member)


def may_tell_background(member: Membership | None) -> bool:
    """Write and delete one's own background: owner, leads and volunteers, who can be raters."""
    return studies_rules.may_see_names(member)
