"""Who may read, make and change taxonomies, and who may propose changes."""

from studies.models import Membership
from studies.rules import LABELLING, may_lead, may_see_people
from taxonomy.tree import drafts

NEED_ALL = frozenset({drafts.ADD, drafts.SPLIT})
"""Kinds that make new categories: such a proposal is accepted only if all electors vote for it."""


def may_read_taxonomies(member: Membership | None) -> bool:
    """Read the trees of the study: every member but a model, which reads them over REST."""
    return may_see_people(member)


def may_create_taxonomies(member: Membership | None) -> bool:
    """Load a taxonomy into the study: owners and leads."""
    return may_lead(member)


def may_edit_taxonomies(member: Membership | None) -> bool:
    """Change a draft and publish it: owners and leads."""
    return may_lead(member)


def may_propose(member: Membership | None) -> bool:
    """Put a change to the vote, and vote on proposals opened since joining: owners, leads, volunteers."""
    return member is not None and member.left_at is None and member.role in LABELLING
