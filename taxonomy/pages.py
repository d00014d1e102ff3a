"""The first steps of pages and endpoints of a taxonomy: access, and the version."""

from collections.abc import Callable

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from core.http import require
from core.numbers import number_asked
from studies.models import Membership
from studies.pages import own_seat
from taxonomy import rules
from taxonomy.models import Taxonomy, Version
from taxonomy.queries.taxonomies import published_versions, taxonomies_for


def taxonomy_of(
    request: HttpRequest | Request, taxonomy_id: int, may: Callable[[Membership | None], bool] | None = None
) -> tuple[Taxonomy, Membership]:
    """The taxonomy and this user's seat in its study; Http404 if the user may not see the taxonomy. Raises
    PermissionDenied for a seat that the rule `may` does not allow.
    """
    taxonomy = get_object_or_404(taxonomies_for(request.user), pk=taxonomy_id)
    member = own_seat(request, taxonomy.study)
    require(may is None or may(member))
    return taxonomy, member


def version_asked_for(request: HttpRequest, taxonomy_id: int) -> tuple[Taxonomy, Membership, Version]:
    """A taxonomy, the reader's seat, and the version of `?version=` or the newest; Http404 without one."""
    taxonomy, member = taxonomy_of(request, taxonomy_id, rules.may_read_taxonomies)
    versions = published_versions(taxonomy)
    number = number_asked(request.GET, "version")
    if number is not None:
        versions = versions.filter(number=number)
    version = versions.first()
    if version is None:
        raise Http404
    return taxonomy, member, version
