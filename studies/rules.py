"""What each role may do. The one place that says it; pages, REST and commands ask here.

A member who left may do nothing. `None` stands for somebody who is no member.
"""

from accounts.models import User
from studies.models import Membership, Role

LEADING = frozenset({Role.OWNER, Role.LEAD})
PEOPLE = frozenset({Role.OWNER, Role.LEAD, Role.VOLUNTEER, Role.VIEWER})
LABELLING = frozenset({Role.OWNER, Role.LEAD, Role.VOLUNTEER})


def _is(member: Membership | None, roles: frozenset[Role]) -> bool:
    return member is not None and member.left_at is None and member.role in roles


def may_create_studies(user: User) -> bool:
    """Make a study and own it: whom the server's owner lets; the first account may."""
    return user.is_active and user.may_create_studies


def may_manage_people(member: Membership | None) -> bool:
    """Invite, change roles, end memberships: the owner."""
    return _is(member, frozenset({Role.OWNER}))


def may_end_membership(member: Membership | None, of: Membership) -> bool:
    """End the membership `of`: the owner anybody's, every person their own."""
    if member is None or member.study_id != of.study_id:
        return False
    own = _is(member, PEOPLE) and member.pk == of.pk
    return may_manage_people(member) or own


def may_make_token_for(member: Membership | None, of: Membership) -> bool:
    """Make an API token for the member `of`: the owner, for a model. People make their own."""
    if member is None or member.study_id != of.study_id:
        return False
    return may_manage_people(member) and _is(of, frozenset({Role.MODEL}))


def may_see_people(member: Membership | None) -> bool:
    """See who takes part, and how many labels each has given: every member but a model."""
    return _is(member, PEOPLE)


def may_see_names(member: Membership | None) -> bool:
    """See who is behind a pseudonym: those who work together. A viewer reads pseudonyms only."""
    return _is(member, LABELLING)


def may_lead(member: Membership | None) -> bool:
    """Run rounds, import issues, load taxonomies, settle disagreements, read the audit: owner and leads."""
    return _is(member, LEADING)


def may_read_audit(member: Membership | None) -> bool:
    """Read who did what in the study: owner and leads."""
    return may_lead(member)


def may_label(member: Membership | None) -> bool:
    """Take part in a round: owner, leads and volunteers, and models over REST."""
    return _is(member, LABELLING | {Role.MODEL})


def may_read_revealed(member: Membership | None) -> bool:
    """See revealed labels, disagreements, agreement, exports: every member but a model."""
    return _is(member, PEOPLE)


def may_read_guideline(member: Membership | None) -> bool:
    """Read the guideline and what changed in it: every member but a model."""
    return _is(member, PEOPLE)


def may_edit_guideline(member: Membership | None) -> bool:
    """Publish a version of the guideline: owner and leads."""
    return may_lead(member)
