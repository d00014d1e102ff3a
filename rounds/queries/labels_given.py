"""Whether volunteers have labelled by a taxonomy."""

from rounds.models import Label, Round
from taxonomy.models import Taxonomy


def has_labels(*, taxonomy: Taxonomy, **_sent: object) -> bool:
    """Has anybody labelled by any version of the taxonomy, in a pilot or a main round?"""
    kinds = (Round.Kind.PILOT, Round.Kind.MAIN)
    return Label.objects.filter(round__version__taxonomy=taxonomy, round__kind__in=kinds).exists()
