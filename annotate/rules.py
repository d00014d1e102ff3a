"""Who may label, and who may see their own labels."""

from core.once import once_a_page
from rounds.models import Round, RoundVolunteer
from rounds.queries.training import training_to_pass
from rounds.rules import may_be_volunteer
from studies.models import Membership


def may_see_own_labels(member: Membership | None, round_: Round) -> bool:
    """May this member see their own labels, drafts and progress? A volunteer may, even after closing."""
    return own_seat(member, round_) is not None


def may_take_turns(member: Membership | None, round_: Round) -> bool:
    """May this member label in this round now? A volunteer may, while it is open, after its training."""
    seat = own_seat(member, round_) if round_.is_open else None
    return seat is not None and seat.left_at is None and training_to_pass(round_, seat) is None


@once_a_page
def own_seat(member: Membership | None, round_: Round) -> RoundVolunteer | None:
    """This member's place in a round, also after they left it; None if they have none. One query."""
    if member is None or not may_be_volunteer(member, round_.study):
        return None
    return RoundVolunteer.objects.filter(round=round_, member=member).select_related("member").first()
