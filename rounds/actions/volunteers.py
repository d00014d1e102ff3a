"""Lock the volunteers of a round before an action changes them."""

from django.utils.translation import gettext_lazy as _

from rounds import errors
from rounds.actions.locks import lock_round, require_open
from rounds.errors import VolunteerRefused
from rounds.models import Round, RoundVolunteer
from rounds.rules import may_change_round
from studies.models import Membership


def lock_to_change(round_: Round, by: Membership, *, opened: bool = True) -> Round:
    """Lock a round that `by` may change. Raises RoundClosed, NotAllowed, and RoundNotOpen if it must be
    `opened`. FOR NO KEY UPDATE: a claim can still write rows that refer to the round. For a second look the
    round of the first labels is locked first, as everywhere.
    """
    if round_.of_id is not None:
        lock_round(Round(pk=round_.of_id))
    locked = (
        Round.objects.select_for_update(no_key=True, of=("self",)).select_related("study").get(pk=round_.pk)
    )
    if locked.closed_at is not None:
        raise errors.RoundClosed(_("This round is closed. Nothing was changed."))
    if not may_change_round(by, locked):
        raise errors.NotAllowed
    if opened:
        require_open(locked)
    return locked


def lock_active(round_: Round, member: Membership, *beside: Membership | None) -> RoundVolunteer:
    """Lock the rows of a labelling volunteer and of `beside`, in the order of ids, or VolunteerRefused."""
    asked = [member.pk, *(one.pk for one in beside if one is not None)]
    locked = RoundVolunteer.objects.select_for_update(no_key=True).filter(round=round_, member__in=asked)
    found = {volunteer.member_id: volunteer for volunteer in locked.order_by("pk")}
    if member.pk not in found or found[member.pk].left_at is not None:
        raise VolunteerRefused(
            _("%(who)s does not label in this round. Nothing was changed.") % {"who": member}
        )
    return found[member.pk]


def require_no_look(round_: Round) -> None:
    """Raises VolunteerRefused for a second look: only the authors of the labels take part in it."""
    if round_.kind == Round.Kind.LOOK:
        raise VolunteerRefused(
            _("Only volunteers who gave the labels can take part in a second look."),
            field="member",
        )
