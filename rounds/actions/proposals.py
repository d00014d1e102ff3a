"""Proposals: the categories that volunteers miss and name in place of a label's category."""

import unicodedata

from django.db import IntegrityError, transaction

from rounds import errors
from rounds.models import Round
from studies.models import Membership
from taxonomy.actions.answers import inherit
from taxonomy.models import Proposal, Version

NAME_LENGTH = 200
REASON_LENGTH = 1000


def require_lengths(name: str, reason: str) -> None:
    """Raises ProposalTooLong."""
    if len(name) > NAME_LENGTH or len(reason) > REASON_LENGTH:
        raise errors.ProposalTooLong


def open_proposal(*, round_: Round, member: Membership, name: str) -> Proposal:
    """`open_proposal_of` for a label in a round."""
    return open_proposal_of(version=round_.version, member=member, name=name)


def open_proposal_of(*, version: Version, member: Membership, name: str) -> Proposal:
    """The member's open proposal with this name, created if missing; all labels that want the name point to
    it. Names that differ only in case are the same. A proposal stays when its last label changes to a
    category, for the history of that label: only a proposal that a label points to is ever put to the vote.
    """
    own = Proposal.objects.filter(taxonomy=version.taxonomy_id, proposed_by=member, state=Proposal.State.OPEN)
    found = _named(list(own), name)
    if found is not None:
        return found
    try:
        with transaction.atomic():
            made = Proposal(
                taxonomy_id=version.taxonomy_id,
                version_id=version.pk,
                name=name,
                proposed_by=member,
            )
            inherit(made).save(force_insert=True)
            return made
    except IntegrityError:  # a label in another round stored it at the same moment
        found = _named(list(own.all()), name)
        if found is None:
            raise
        return found


def folded(name: str) -> str:
    """The form in which two names are compared: without case, and with accents written in one way."""
    return unicodedata.normalize("NFC", name).casefold()


def _named(proposals: list[Proposal], name: str) -> Proposal | None:
    return next((one for one in proposals if folded(one.name) == folded(name)), None)
