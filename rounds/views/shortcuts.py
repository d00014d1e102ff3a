"""What most pages begin with: the study or the round that the address names, and the reader's seat in it."""

from typing import Any

from django.http import Http404

from accounts.http import AuthedRequest
from rounds.models import Round
from rounds.queries.rounds import round_and_seat
from studies.models import Membership


def seat_in(request: AuthedRequest, round_id: int) -> tuple[Round, Membership]:
    """A round of a study of this user's, and their seat in that study. Http404 for others."""
    found = round_and_seat(request.user, round_id)
    if found is None:
        raise Http404
    return found


def frame(round_: Round, member: Membership) -> dict[str, Any]:
    """The context that pages of a round share."""
    return {"round": round_, "study": round_.study, "membership": member}
