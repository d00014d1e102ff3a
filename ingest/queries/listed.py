"""Issues that a study knows by their address only, and the forges that can tell what they are."""

from django.db.models import Q, QuerySet

from ingest.models import HarvestedRepository, Issue
from ingest.queries.forge_clients import FORGES


def listed_only(study_id: int) -> QuerySet[Issue]:
    """Issues without text, or of which nobody knows whether they are pull requests, that no forge was asked
    about yet; on forges that can be asked.
    """
    hosts = [kind.default_host for kind in FORGES.values()]
    harvested = HarvestedRepository.objects.filter(harvest__run__study=study_id).values("host")
    known = Q(repository__host__in=hosts) | Q(repository__host__in=harvested)
    unknown = Q(current=None) | Q(is_pull_request=None)
    return Issue.objects.filter(known, unknown, repository__study=study_id, resolved_at=None)


def base_of(study_id: int, forge: str, host: str) -> str:
    """The REST interface for a host: the one that the study's latest harvest of it asked, else the usual one
    of a public forge; "" if none is known.
    """
    harvested = HarvestedRepository.objects.filter(harvest__run__study=study_id, host=host, forge=forge)
    last = harvested.order_by("-pk").values_list("base_url", flat=True).first()
    if last:
        return last
    kind = FORGES.get(forge)
    return kind.default_base if kind and kind.default_host == host else ""
