"""What each role may do in a study, for pages, REST and commands; the `rules` of other rooms build on it.
`None` means somebody who is no member; a member who left may do nothing.
"""

from accounts.models import User
from studies.models import Membership, Role

LEADING = frozenset({Role.OWNER, Role.LEAD})
PEOPLE = frozenset({Role.OWNER, Role.LEAD, Role.VOLUNTEER, Role.VIEWER})
LABELLING = frozenset({Role.OWNER, Role.LEAD, Role.VOLUNTEER})


def _is(member: Membership | None, roles: frozenset[Role]) -> bool:
    return member is not None and member.left_at is None and member.role in roles


def may_create_studies(user: User) -> bool:
    """Make a study and own it: the first account, and accounts that the server's owner allows."""
    return user.is_active and user.may_create_studies


def may_manage_people(member: Membership | None) -> bool:
    """Invite, change roles, end memberships: owners."""
    return _is(member, frozenset({Role.OWNER}))


def may_end_membership(member: Membership | None, of: Membership) -> bool:
    """End the membership `of`: owners anybody's, every person their own."""
    if member is None or member.study_id != of.study_id:
        return False
    own = _is(member, PEOPLE) and member.pk == of.pk
    return may_manage_people(member) or own


def may_make_token_for(member: Membership | None, of: Membership) -> bool:
    """Make an API token for the member `of`: owners, for a model. People make their own."""
    if member is None or member.study_id != of.study_id:
        return False
    return may_manage_people(member) and _is(of, frozenset({Role.MODEL}))


def may_see_people(member: Membership | None) -> bool:
    """See the members, and how many labels each has given: every member but a model."""
    return _is(member, PEOPLE)


def may_see_names(member: Membership | None) -> bool:
    """See the person behind a pseudonym: owners, leads and volunteers. A viewer sees only pseudonyms."""
    return _is(member, LABELLING)


def may_lead(member: Membership | None) -> bool:
    """Run rounds, import issues, load taxonomies, settle disagreements, read the audit: owners and leads."""
    return _is(member, LEADING)


def may_delete_study(member: Membership | None) -> bool:
    """Ask for the deletion of the study: owners. Leads may undo it."""
    return may_manage_people(member)


def may_read_audit(member: Membership | None) -> bool:
    """Read the audit of the study: owners and leads."""
    return may_lead(member)


def may_label(member: Membership | None) -> bool:
    """Take part in a round: owners, leads and volunteers, and models over REST."""
    return _is(member, LABELLING | {Role.MODEL})


def may_read_revealed(member: Membership | None) -> bool:
    """See revealed labels, disagreements, agreement, exports: every member but a model."""
    return _is(member, PEOPLE)


def may_read_guideline(member: Membership | None) -> bool:
    """Read the guideline and its changes: every member but a model."""
    return _is(member, PEOPLE)


def may_edit_guideline(member: Membership | None) -> bool:
    """Publish a version of the guideline: owners and leads."""
    return may_lead(member)
