"""Who takes part in a vote, and which decision its ballots suffice for."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q
from django.utils.translation import ngettext

from consensus.models import AgendaItem, Ballot, Decision, Meeting, Participant, Vote
from rounds.queries.blindness import withheld_from
from studies.models import Membership
from studies.rules import LABELLING

GRACE = timedelta(seconds=10)
"""How long a vote waits for a participant who left, for example to load the page again."""


NO_CATEGORY = 0
"""Among the choices of ballots: no category fits. The id of no category."""
NO_CATEGORY_CODE = "∅"
"""The same among the codes of ballots, where "" abstains."""


@dataclass(frozen=True)
class VoteTally:
    """The ballots of one closed vote, by category, most first; `none_fits` counts those that say that no
    category fits, `abstained` the others. `present` counts the participants at the close.
    """

    votes: Mapping[int, int]
    abstained: int
    present: int
    none_fits: int = 0

    def waits_for_a_category(self, *, by_majority: bool) -> bool:
        """Do the ballots suffice to say that no category fits? They decide nothing: the issue waits."""
        if by_majority and 2 * self.none_fits > self.present:
            return True
        return not self.votes and self.none_fits > self.abstained

    @property
    def unanimity(self) -> int | None:
        """The only category with ballots, if these are more than the abstentions; otherwise None. A ballot
        that no category fits is against each of them.
        """
        if len(self.votes) != 1 or self.none_fits:
            return None
        [(category, votes)] = self.votes.items()
        return category if votes > self.abstained else None

    @property
    def majority(self) -> int | None:
        """The category with ballots from more than half of those present; otherwise None."""
        return next((id_ for id_, votes in self.votes.items() if 2 * votes > self.present), None)


def choice(category: int | None, none_fits: bool) -> int | None:  # noqa: FBT001 - a row of ballots
    """What a ballot with these fields chooses: a category, NO_CATEGORY, or None to abstain."""
    return NO_CATEGORY if none_fits else category


def none_fit(n: int) -> str:
    """How many ballots say that no category fits, in words."""
    return ngettext("%(n)s votes that no category fits", "%(n)s vote that no category fits", n) % {"n": n}


def tally(choices: Iterable[int | None], present: int) -> VoteTally:
    """The counts of these choices."""
    counted = Counter(choices)
    abstained, none_fits = counted.pop(None, 0), counted.pop(NO_CATEGORY, 0)
    votes = {id_: votes for id_, votes in counted.most_common() if id_ is not None}
    return VoteTally(votes, abstained, present, none_fits)


def tally_of(vote: Vote) -> VoteTally:
    """The counts of a closed vote. One query."""
    ballots = vote.ballots.order_by("id").values_list("category", "none_fits")
    return tally((choice(*row) for row in ballots), vote.present or 0)


def last_closed_vote(item: AgendaItem) -> Vote | None:
    """The last closed vote on this item, on which a decision rests."""
    return Vote.objects.filter(item=item, closed_at__isnull=False).order_by("-number").first()


def open_vote_on(item: AgendaItem) -> Vote | None:
    return Vote.objects.filter(item=item, closed_at=None).first()


def present_in(meeting: Meeting) -> frozenset[int]:
    """The ids of the members who are present now. One query."""
    there = Participant.objects.filter(meeting=meeting, joined_at__isnull=False, left_at=None)
    return frozenset(there.values_list("member", flat=True))


def present_for(meeting: Meeting, issue_id: int) -> frozenset[int]:
    """The ids of the present members from whom this issue is not withheld. At most three queries."""
    there = present_in(meeting)
    return there - withheld_from(meeting.round, issue_id, there)


def awaited(meeting: Meeting, issue_id: int, now: datetime) -> frozenset[int]:
    """The ids of the members whose ballots the vote on this issue waits for. At most three queries.

    At one time: members who are present or left within GRACE. Over days: invited members who still label in
    the study. A vote does not wait for members from whom the issue is withheld, except in a pair.
    """
    asked = Participant.objects.filter(meeting=meeting)
    if meeting.kind == Meeting.Kind.TOGETHER:
        asked = asked.filter(Q(left_at=None) | Q(left_at__gt=now - GRACE), joined_at__isnull=False)
    elif meeting.kind == Meeting.Kind.APART:
        asked = asked.filter(member__left_at=None, member__role__in=LABELLING)
    members = frozenset(asked.values_list("member", flat=True))
    if meeting.kind == Meeting.Kind.PAIR:
        return members
    return members - withheld_from(meeting.round, issue_id, members)


def waits_for_ballot(members: Iterable[Membership]) -> Q:
    """A condition on items over days, or of a pair: they wait for a ballot of one of these members.

    The item is neither decided nor parked, and its vote is open or would open with the ballot: a pair whose
    ballots differed votes again.
    """
    standing = Decision.objects.filter(round=OuterRef("round"), issue=OuterRef("issue"), superseded_at=None)
    votes = Vote.objects.filter(item=OuterRef("pk"))
    own = Ballot.objects.filter(vote__item=OuterRef("pk"), vote__closed_at=None, member__in=members)
    can_vote = Q(meeting__kind=Meeting.Kind.PAIR) | ~Exists(votes) | Exists(votes.filter(closed_at=None))
    return Q(~Exists(standing), ~Exists(own), can_vote, released_at=None, parked_at=None)
