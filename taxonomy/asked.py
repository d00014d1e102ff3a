"""Which version of a taxonomy an address asks for."""

from django.http import Http404
from django.shortcuts import get_object_or_404

from accounts.http import AuthedRequest
from core.http import require
from studies.models import Membership
from studies.queries import membership_of
from taxonomy import queries, rules
from taxonomy.models import Taxonomy, Version


def version_asked_for(
    request: AuthedRequest, taxonomy_id: int
) -> tuple[Taxonomy, Membership | None, Version]:
    """A taxonomy, the reader's seat, and the version of `?version=`, or the newest published one."""
    found = get_object_or_404(queries.taxonomies_for(request.user), pk=taxonomy_id)
    member = membership_of(request.user, found.study)
    require(rules.may_read_taxonomies(member))
    asked = request.GET.get("version", "")
    if not asked:
        version = queries.published_version(found)
    else:
        number = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 10 else 0
        version = queries.published_versions(found).filter(number=number).first()
    if version is None:
        raise Http404
    return found, member, version
