from consensus.models import Meeting
from rounds.models import Round
from studies.models import Membership


def make_meeting(round_: Round, chair: Membership, **fields) -> Meeting:
    """A planned meeting with nobody there and nothing on its agenda; one person is its quorum."""
    fields = {"name": "Monday", "quorum": 1, "chair": chair, "created_by": chair} | fields
    return Meeting.objects.create(round=round_, **fields)
