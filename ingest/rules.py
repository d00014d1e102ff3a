"""Who may import issues, and who may read them."""

from studies.models import Membership
from studies.rules import may_lead, may_see_people


def may_import(member: Membership | None) -> bool:
    """Upload files, start imports, read their reports, set keywords, save filters: owners and leads."""
    return may_lead(member)


def may_mark_similar(member: Membership | None) -> bool:
    """See the groups of similar reports, mark pairs and groups, read notes of marks: owners and leads."""
    return may_lead(member)


def may_read_issues(member: Membership | None) -> bool:
    """Read the issues of the study: every member but a model, which gets its issues from its rounds."""
    return may_see_people(member)
