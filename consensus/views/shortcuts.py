"""What pages of this room begin with: a round or a meeting that the reader may see, and their seat."""

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from accounts.http import AuthedRequest
from consensus import rules
from consensus.models import Meeting
from consensus.queries.meetings import meetings_for
from core.http import require
from rounds.models import Round
from rounds.views.shortcuts import seat_in
from studies.models import Membership
from studies.queries import membership_of


def round_to_read(request: AuthedRequest, round_id: int) -> tuple[Round, Membership]:
    """A round whose revealed labels the user may see. Http404 and 403 for others."""
    round_, member = seat_in(request, round_id)
    require(rules.may_see_disagreements(member, round_))
    return round_, member


def round_to_settle(request: AuthedRequest, round_id: int) -> tuple[Round, Membership]:
    """An opened round, for its leads. Http404 and 403 for others."""
    round_, member = seat_in(request, round_id)
    require(rules.may_settle(member, round_), _("An owner or a lead of the study settles disagreements."))
    return round_, member


def find_meeting(request: AuthedRequest, meeting_id: int) -> tuple[Meeting, Membership]:
    """A meeting that the user may see. Http404 and 403 for others."""
    found = get_object_or_404(meetings_for(request.user), pk=meeting_id)
    member = membership_of(request.user, found.round.study)
    require(rules.may_see_meeting(member, found))
    if member is None:
        raise Http404
    return found, member
