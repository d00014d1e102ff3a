"""Who may label, and see their own labels."""

from rounds.models import Round, RoundVolunteer
from rounds.queries.training import training_to_pass
from rounds.rules import may_be_volunteer
from studies.models import Membership


def may_see_own_labels(member: Membership | None, round_: Round) -> bool:
    """See one's own labels, drafts and progress: the round's volunteers, also after it is closed."""
    return (
        member is not None
        and may_be_volunteer(member, round_.study)
        and RoundVolunteer.objects.filter(round=round_, member=member).exists()
    )


def may_take_turns(member: Membership | None, round_: Round) -> bool:
    """Label in this round now: its volunteers, while it is open, who have passed the training it asks for."""
    if member is None or not round_.is_open or not may_be_volunteer(member, round_.study):
        return False
    found = RoundVolunteer.objects.filter(round=round_, member=member, left_at=None)
    volunteer = found.select_related("member").first()
    return volunteer is not None and training_to_pass(round_, volunteer) is None
