"""What an erasure of a participant takes from findings."""

from django.utils.translation import ngettext

from findings.models import Evidence
from interviews.models import Participant


def evidence_to_erase(participant: Participant) -> list[str]:
    """How much of findings an erasure would take, in a sentence."""
    quotes = Evidence.objects.filter(quote__coding__session__participant=participant)
    count = quotes.exclude(note="").count()
    return [
        ngettext(
            "%(n)s note on evidence of findings. The words of quotes leave all findings.",
            "%(n)s notes on evidence of findings. The words of quotes leave all findings.",
            count,
        )
        % {"n": count}
    ]


def erase_evidence(participant: Participant) -> None:
    """Notes on quotes of the participant may repeat what they said, and so may what was noted of them. The
    evidence stays, and says that the participant is erased. In the transaction of the erasure.
    """
    quotes = Evidence.objects.filter(quote__coding__session__participant=participant)
    quotes.update(note="", noted={})
