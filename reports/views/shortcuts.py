"""The first step of all pages that show a round's labels."""

from accounts.http import AuthedRequest
from core.http import require
from rounds.models import Round
from rounds.pages import seat_in
from studies.models import Membership
from studies.rules import may_read_revealed


def round_to_read(request: AuthedRequest, round_id: int) -> tuple[Round, Membership]:
    """A round, and a member who may read its revealed labels. Http404 for strangers."""
    round_, member = seat_in(request, round_id)
    require(may_read_revealed(member))
    return round_, member


def leaves_out_coached(request: AuthedRequest) -> bool:
    """Does `?coached=no` ask for a report without the issues that volunteers were coached on?"""
    return request.GET.get("coached") == "no"
