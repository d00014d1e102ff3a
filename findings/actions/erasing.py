"""What an erasure of a participant takes from findings."""

from findings.models import Evidence
from interviews.models import Participant


def erase_evidence(participant: Participant) -> None:
    """Notes on quotes of the participant may repeat what they said, and so may what was noted of them. The
    evidence stays, and says that the participant is erased. In the transaction of the erasure.
    """
    quotes = Evidence.objects.filter(quote__coding__session__participant=participant)
    quotes.update(note="", noted={})
