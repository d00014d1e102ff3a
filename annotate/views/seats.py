"""Who asks for a round: where most pages of one begin."""

from django.http import Http404

from accounts.http import AuthedRequest
from annotate.models import Round
from annotate.queries.rounds import round_and_seat
from studies.models import Membership


def seat_in(request: AuthedRequest, round_id: int) -> tuple[Round, Membership]:
    """A round of a study of this user's, and their seat in that study. Http404 for others."""
    found = round_and_seat(request.user, round_id)
    if found is None:
        raise Http404
    return found
