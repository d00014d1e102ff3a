"""Who may freeze a report, and who may set weights."""

from rounds.models import Round
from rounds.rules import is_of
from studies import rules as studies_rules
from studies.models import Membership
from taxonomy.models import Version


def may_freeze(member: Membership | None, round_: Round) -> bool:
    """Whether the member may freeze the agreement report of a round: owners and leads may."""
    return is_of(member, round_.study_id) and studies_rules.may_lead(member)


def may_set_weights(member: Membership | None, version: Version) -> bool:
    """Whether the member may set the weights for agreement with partial credit: owners and leads may."""
    return is_of(member, version.taxonomy.study_id) and studies_rules.may_lead(member)
