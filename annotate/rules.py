"""Who may label, and who may see their own labels."""

from rounds.models import Round, RoundVolunteer
from rounds.queries.training import training_to_pass
from rounds.rules import may_be_volunteer
from studies.models import Membership


def may_see_own_labels(member: Membership | None, round_: Round) -> bool:
    """May this member see their own labels, drafts and progress? A volunteer may, even after closing."""
    return (
        member is not None
        and may_be_volunteer(member, round_.study)
        and RoundVolunteer.objects.filter(round=round_, member=member).exists()
    )


def may_take_turns(member: Membership | None, round_: Round) -> bool:
    """May this member label in this round now? A volunteer may, while it is open, after its training."""
    if member is None or not round_.is_open or not may_be_volunteer(member, round_.study):
        return False
    found = RoundVolunteer.objects.filter(round=round_, member=member, left_at=None)
    volunteer = found.select_related("member").first()
    return volunteer is not None and training_to_pass(round_, volunteer) is None
