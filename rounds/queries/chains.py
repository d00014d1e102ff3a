"""The chains of all rounds, for the doctor."""

from itertools import islice

from django.utils.translation import gettext as _

from rounds.models import Round, Seal
from rounds.queries.seals import faults_of

NAMED = 5


def chains() -> tuple[bool, str]:
    """Are the chains whole, and all that they cover as it was sealed? Names the first rows that are not."""
    sealed = Round.objects.filter(pk__in=Seal.objects.values("round")).select_related("study").order_by("pk")
    rounds = 0
    found: list[str] = []
    for round_ in sealed:
        rounds += 1
        found += [
            f"{round_.study.slug}, {fault}" for fault in islice(faults_of(round_), NAMED + 1 - len(found))
        ]
    if not found:
        return True, _("%(n)d rounds are as they were sealed") % {"n": rounds}
    more = " …" if len(found) > NAMED else ""
    return False, "; ".join(found[:NAMED]) + more
