"""Votes that are open, or closed and not used yet, when a new version is published."""

import pytest

from consensus import errors
from consensus.actions.votes import ClosedVotes, close_votes_with_quorum
from consensus.models import Decision, Vote
from rounds.models import RoundIssue
from taxonomy.tree.drafts import MERGE, RETIRE
from tests.annotate.actions.test_version_upgrade import change, publication
from tests.worlds.meeting import MeetingWorld, held

pytestmark = pytest.mark.django_db

GONE = {"merged": (MERGE, {"into": "C.1"}), "retired": (RETIRE, {})}


def apart() -> MeetingWorld:
    return held(4, members=3, come="nobody", kind="apart", quorum=2, by_majority=True)


def without(world: MeetingWorld, how: str) -> None:
    """Publish a version that lacks C.10, which no label has."""
    kind, values = GONE[how]
    change(world, kind, "C.10", **values)
    world.version = publication(world)
    world.fresh()


@pytest.mark.parametrize("how", GONE)
@pytest.mark.parametrize("codes", [("C.10", "C.10"), ("C.10",) * 4, ("C.10", "C.1")])
@pytest.mark.slow(cases=2)
def test_ballots_of_a_category_that_is_gone_do_not_suffice(how, codes):
    """The vote is open with two of four ballots, or closed with all of them."""
    world = apart()
    item = world.items[0]
    world.vote(item, *codes, of=[*world.members, world.lead])
    without(world, how)
    closed = close_votes_with_quorum(meeting=world.meeting, by=world.lead)
    assert closed == ClosedVotes(0 if len(codes) == 4 else 1, 0)
    assert Vote.objects.get(item=item).closed_at is not None
    for by in (Decision.How.UNANIMITY, Decision.How.MAJORITY):
        with pytest.raises(errors.VotesDoNotSuffice):
            world.decide(item, "C.1", by)
    assert RoundIssue.objects.get(round=world.round_, issue=item.issue_id).decided == 0
    assert world.decide(item, "C.1", Decision.How.CHAIR).version == world.version


@pytest.mark.parametrize("how", GONE)
def test_ballots_of_a_category_that_is_there_decide_beside_them(how):
    """C.1 has two of three ballots by itself; where C.10 was merged into it, it would have all three."""
    world = apart()
    item = world.items[0]
    world.vote(item, "C.1", "C.10", "C.1")
    without(world, how)
    assert close_votes_with_quorum(meeting=world.meeting, by=world.lead) == ClosedVotes(1, 1)
    decision = Decision.objects.get(item=item)
    assert (decision.category, decision.how) == (world.category("C.1"), Decision.How.MAJORITY)


def test_a_pair_votes_again_on_what_was_merged():
    world = held(2, members=2, come="nobody", kind="pair", quorum=2)
    item = world.items[0]
    world.ballot(item, world.members[0], "C.10")
    without(world, "merged")
    world.ballot(item, world.members[1], "C.1")
    assert not Decision.objects.exists()
    world.vote(item, "C.1", "C.1")
    assert Decision.objects.get().category == world.category("C.1")
