"""What most REST resources of a round begin with: the round, and a category by its code."""

from collections.abc import Callable

from django.http import Http404
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request

from rounds.models import Round
from rounds.queries.rounds import round_and_seat
from studies.models import Membership
from taxonomy.models import Category, Version
from taxonomy.queries.codebooks import codebook


def category_of(round_: Round, code: str, version: Version | None = None) -> Category:
    """The category with this code in the round's version, or in this one; else a 400 that names the field."""
    state = codebook(version or round_.version_id).by_code.get(code)
    if state is None:
        where = f"Version {version.number}" if version else "The round's version"
        raise ValidationError({"category": [f"{where} has no category {code!r}."]})
    return Category(pk=state.category_id, taxonomy_id=round_.version.taxonomy_id)


def round_of(
    request: Request, round_id: int, may: Callable[[Membership | None, Round], bool]
) -> tuple[Round, Membership]:
    """The round, if this user may see it (Http404) and do this (403), and their seat in its study."""
    found = round_and_seat(request.user, round_id)
    if found is None:
        raise Http404
    round_, member = found
    if not may(member, round_):
        raise PermissionDenied
    return round_, member
