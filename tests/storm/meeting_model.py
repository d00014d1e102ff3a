"""A meeting as those who got an answer know it, in plain Python."""

from collections import Counter
from dataclasses import dataclass, field

from studies.models import Membership
from tests.storm.model import RoundModel

ABSTAIN = "abstain"


@dataclass
class MeetingModel:
    pk: int
    round: RoundModel
    chair: Membership
    invited: frozenset[int]
    quorum: int
    by_majority: bool
    items: dict[int, int]
    """Issue to the id of its item."""
    is_open: bool = False
    is_closed: bool = False
    ballots: dict[int, dict[int, str]] = field(default_factory=dict)
    """Issue to member to the name of a category, as answered."""
    perhaps: dict[int, dict[int, str]] = field(default_factory=dict)
    votes_closed: set[int] = field(default_factory=set)
    voted_now: set[int] = field(default_factory=set)
    """Issues on which a ballot was cast in this step."""
    counted: str = ""
    """Did the chair count in this step, `surely` or `perhaps`?"""
    decided: dict[int, tuple[str, str]] = field(default_factory=dict)
    """What the chair was answered to have decided in this step: issue to how, and as what."""

    def unanimous(self, issue: int) -> str | None:
        """The one category that is voted for, by more than abstain."""
        votes = Counter(self.ballots.get(issue, {}).values())
        abstained = votes.pop(ABSTAIN, 0)
        [first, *others] = votes.items() or [(None, 0)]
        return first[0] if not others and first[1] > abstained else None

    def by_more_than_half(self, issue: int) -> str | None:
        votes = Counter(self.ballots.get(issue, {}).values())
        present = sum(votes.values())
        del votes[ABSTAIN]
        return next((name for name, n in votes.items() if 2 * n > present), None)

    def suffices(self, issue: int, how: str) -> str | None:
        if how == "majority":
            return self.by_more_than_half(issue) if self.by_majority else None
        return self.unanimous(issue)

    def by_ballots(self, issue: int) -> str | None:
        return self.suffices(issue, "unanimity") or self.suffices(issue, "majority")
