"""The tokens of a study for forges, by name and host: never their texts."""

from collections import defaultdict

from django.db.models import QuerySet

from harvests.models import ForgeToken, HarvestedRepository
from harvests.queries.forge_clients import host_of
from studies.models import Study


def tokens_in(study: Study) -> QuerySet[ForgeToken]:
    """The tokens of a study, by host, without their sealed texts."""
    tokens = ForgeToken.objects.filter(study=study).select_related("study", "given_by")
    return tokens.defer("sealed").order_by("host", "pk")


def hosts_in_use(study: Study) -> list[str]:
    """The hosts that a token can be for: the public forges, and those that the study's harvests ask."""
    bases = HarvestedRepository.objects.filter(harvest__run__study=study).values_list("base_url", flat=True)
    return list(dict.fromkeys(["github.com", "gitee.com", *sorted(map(host_of, bases.distinct()))]))


def token_names(study: Study) -> dict[str, list[str]]:
    """The names of the tokens that forges have not refused, by host."""
    names: dict[str, list[str]] = defaultdict(list)
    working = ForgeToken.objects.filter(study=study, refused_at=None).order_by("pk")
    for host, name in working.values_list("host", "name"):
        names[host].append(name or host)
    return dict(names)
