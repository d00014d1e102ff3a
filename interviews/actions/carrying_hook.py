"""What happens to quotes when a transcript is corrected: interviews.actions.carrying carries them."""

from importlib import import_module
from importlib.util import find_spec

from interviews.models import Transcript
from studies.models import Membership

CARRYING = "interviews.actions.carrying"


def carry(*, old: Transcript, new: Transcript, by: Membership) -> None:
    """Carry the quotes of a version to the next one, in the transaction of the correction."""
    if find_spec(CARRYING):
        import_module(CARRYING).carry_quotes(old=old, new=new, by=by)
