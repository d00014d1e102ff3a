"""What the pages and endpoints of rounds share: the access check, a header, addresses of other pages."""

from collections.abc import Callable

from django.http import Http404, HttpRequest
from django.urls import reverse
from rest_framework.request import Request

from core.http import require
from rounds.models import Round
from rounds.queries.rounds import round_and_seat
from studies.models import Membership
from studies.pages import refuse_read_only

WITHHELD = "Crosscheck-Withheld"
"""The header of a file with the number of issues that are withheld from its reader."""


def example_url(round_: Round, issue_id: int) -> str:
    """The address of the form that makes an issue an example of a category of the round's taxonomy."""
    return reverse("draft_examples", args=[round_.version.taxonomy_id], query={"issue": issue_id})


def vote_url(round_: Round, issue_id: int) -> str:
    """The address of the form that puts the proposals for an issue to the vote."""
    taxonomy = round_.version.taxonomy_id
    return reverse("put_to_vote", args=[taxonomy], query={"round": round_.pk, "issue": issue_id})


def seat_in(
    request: HttpRequest | Request,
    round_id: int,
    may: Callable[[Membership | None, Round], bool] | None = None,
) -> tuple[Round, Membership]:
    """The round, and this user's membership of its study. Http404 if the user may not see the round. Raises
    PermissionDenied for a member whom the rule `may` does not allow.
    """
    found = round_and_seat(request.user, round_id)
    if found is None:
        raise Http404
    round_, member = found
    refuse_read_only(request, round_.study)
    require(may is None or may(member, round_))
    return round_, member
