"""Issues that a study knows by their address only, and the forges that can tell what they are."""

from django.db.models import Q, QuerySet

from harvests.models import HarvestedRepository
from harvests.queries.forge_clients import FORGES
from ingest.models import Issue


def listed_only(study_id: int) -> QuerySet[Issue]:
    """Issues without text, or of which nobody knows whether they are pull requests, that no forge was asked
    about yet; on forges that can be asked.
    """
    hosts = [kind.default_host for kind in FORGES.values()]
    harvested = HarvestedRepository.objects.filter(harvest__run__study=study_id).values("host")
    known = Q(repository__host__in=hosts) | Q(repository__host__in=harvested)
    unknown = Q(current=None) | Q(is_pull_request=None)
    return Issue.objects.filter(known, unknown, repository__study=study_id, resolved_at=None)


def forge_at(study_id: int, host: str) -> tuple[str, str]:
    """The forge at a host and its REST interface: those that the study's latest harvest of it asked, else
    those of a public forge; "" for both if none is known. Addresses do not tell what a private server is.
    """
    harvested = HarvestedRepository.objects.filter(harvest__run__study=study_id, host=host)
    public = [(name, kind.default_base) for name, kind in FORGES.items() if kind.default_host == host]
    last = harvested.order_by("-pk").values_list("forge", "base_url").first()
    return last or next(iter(public), ("", ""))
