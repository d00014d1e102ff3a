"""What pages and endpoints of a round begin with, and what several rooms tell about one."""

from collections.abc import Callable

from django.http import Http404, HttpRequest
from django.urls import reverse
from rest_framework.request import Request

from core.http import require
from rounds.models import Round
from rounds.queries.rounds import round_and_seat
from studies.models import Membership

WITHHELD = "Crosscheck-Withheld"
"""A file's header that gives the number of issues that the blindness of a round keeps from its reader."""


def example_url(round_: Round, issue_id: int) -> str:
    """Where an issue is taken as an example for a category of the round's taxonomy."""
    return reverse("draft_examples", args=[round_.version.taxonomy_id], query={"issue": issue_id})


def vote_url(round_: Round, issue_id: int) -> str:
    """Where what the labels of an issue miss is put to the vote."""
    taxonomy = round_.version.taxonomy_id
    return reverse("put_to_vote", args=[taxonomy], query={"round": round_.pk, "issue": issue_id})


def seat_in(
    request: HttpRequest | Request,
    round_id: int,
    may: Callable[[Membership | None, Round], bool] | None = None,
) -> tuple[Round, Membership]:
    """The round, if this user may see it (Http404 if not), and their seat in its study.

    Raises PermissionDenied for a seat that `may`, a rule, does not let.
    """
    found = round_and_seat(request.user, round_id)
    if found is None:
        raise Http404
    round_, member = found
    require(may is None or may(member, round_))
    return round_, member
