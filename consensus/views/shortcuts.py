"""Finds the round or the meeting of a page, and the reader's membership, or refuses the reader."""

from django.contrib import messages
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.http import AuthedRequest
from consensus import rules
from consensus.models import Meeting
from consensus.queries.meetings import meetings_for
from core.http import require
from core.templatetags.crosscheck import count
from rounds.models import Round
from rounds.pages import seat_in
from studies.models import Membership
from studies.pages import refuse_read_only
from studies.queries import membership_of


def round_to_read(request: AuthedRequest, round_id: int) -> tuple[Round, Membership]:
    """A round whose revealed labels the user may see. Http404 or 403 for others."""
    return seat_in(request, round_id, rules.may_see_disagreements)


def round_to_settle(request: AuthedRequest, round_id: int) -> tuple[Round, Membership]:
    """An opened round, for its owner and leads. Http404 or 403 for others."""
    round_, member = seat_in(request, round_id)
    require(rules.may_settle(member, round_), _("Only owners and leads can decide disagreements."))
    return round_, member


def tell_left_out(request: AuthedRequest, left: int) -> None:
    """Tell how many of the chosen issues were decided, or put on an agenda, meanwhile."""
    if left > 0:
        said = ngettext(
            "%(n)s issue was left out. This issue is already decided or on an agenda.",
            "%(n)s issues were left out. These issues are already decided or on an agenda.",
            left,
        )
        messages.info(request, said % {"n": count(left)})


def find_meeting(request: AuthedRequest, meeting_id: int) -> tuple[Meeting, Membership]:
    """A meeting that the user may see. Http404 or 403 for others."""
    found = get_object_or_404(meetings_for(request.user), pk=meeting_id)
    member = membership_of(request.user, found.round.study)
    require(rules.may_see_meeting(member, found))
    if member is None:
        raise Http404
    refuse_read_only(request, found.round.study)
    return found, member
