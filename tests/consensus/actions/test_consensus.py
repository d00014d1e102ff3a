import pytest
from django.utils import timezone

from consensus import errors
from consensus.actions.consensus import decide_item
from consensus.actions.presence import away
from consensus.actions.votes import close_vote, open_vote
from consensus.models import AgendaItem, Decision, Participant
from rounds.errors import NotAllowed, TooShallow, UnknownCategory
from studies.models import Event
from tests import factories
from tests.kept import kept
from tests.worlds.meeting import held, stay

pytestmark = pytest.mark.django_db


def _world(*, members: int = 3, **fields):
    made = held(2, members=members, come="nobody", **({"quorum": 2} | fields))
    if made.meeting.kind == "together":
        made.arrive(*made.members)
    return made


@kept
def of_three():
    return _world(by_majority=True)


@pytest.fixture
def world(of_three):
    """Three volunteers are there, and the lead chairs without being there; the quorum is two."""
    return stay(of_three)


def test_all_who_vote_decide_without_a_rationale(world):
    item = world.items[0]
    vote = world.vote(item, "C.9", "C.9", "-")
    decision = world.decide(item, "C.9", "unanimity", rationale="")
    assert (decision.method, decision.how, decision.vote, decision.item) == (
        "meeting",
        "unanimity",
        vote,
        item,
    )
    assert (decision.number, decision.category, decision.decided_by) == (1, world.category("C.9"), world.lead)
    event = Event.objects.get(verb="meetings.decided")
    assert event.detail == {"meeting": world.meeting.name, "issue": item.issue_id, "number": 1}


@pytest.mark.parametrize(
    ("codes", "code", "how"),
    [
        ("C.9 C.9 C.1", "C.9", "unanimity"),  # one is against
        ("C.9 - -", "C.9", "unanimity"),  # more abstain
        ("C.9 C.9 C.9", "C.1", "unanimity"),  # another category
        ("- - -", "C.9", "unanimity"),
        ("C.9 C.1 -", "C.9", "majority"),  # one of three
        ("C.9 C.9 C.1", "C.1", "majority"),
        ("C.9 C.9 C.1 -", "C.9", "majority"),  # half of those present
    ],
)
@pytest.mark.slow(cases=3)
def test_votes_that_do_not_suffice(codes, code, how):
    world = _world(members=len(codes.split()), by_majority=True)
    world.vote(world.items[0], *codes.split())
    with pytest.raises(errors.VotesDoNotSuffice):
        world.decide(world.items[0], code, how)
    assert not Decision.objects.exists()


def test_more_than_half_of_those_present_decide_where_the_meeting_allows_it(world):
    world.vote(world.items[0], "C.9", "C.9", "C.1")
    assert world.decide(world.items[0], "C.9", "majority").how == "majority"
    strict = _world()
    strict.vote(strict.items[0], "C.9", "C.9", "C.1")
    with pytest.raises(errors.VotesDoNotSuffice):
        strict.decide(strict.items[0], "C.9", "majority")


@pytest.mark.parametrize("how", ["unanimity", "majority"])
def test_it_takes_a_closed_vote(world, how):
    with pytest.raises(errors.VoteMissing):
        world.decide(world.items[0], "C.9", how)
    vote = world.vote(world.items[0], "C.9", "C.9")
    for by in (how, "chair"):
        with pytest.raises(errors.VoteStillOpen):
            world.decide(world.items[0], "C.9", by)
    close_vote(vote=vote, by=world.lead)
    assert world.decide(world.items[0], "C.9", how).vote == vote


def test_the_last_vote_decides(world):
    world.vote(world.items[0], "C.9", "C.9", "C.9")
    second = world.vote(world.items[0], "C.1", "C.1", "C.1")
    with pytest.raises(errors.VotesDoNotSuffice):
        world.decide(world.items[0], "C.9", "unanimity")
    assert world.decide(world.items[0], "C.1", "unanimity").vote == second


def test_the_chair_decides_with_a_rationale_against_the_votes_too(world):
    item = world.items[0]
    vote = world.vote(item, "C.9", "C.9", "C.9")
    with pytest.raises(errors.RationaleMissing):
        world.decide(item, "C.1", rationale=" \n")
    decision = world.decide(item, "C.1", rationale=" The logs. ", cause="guideline")
    assert (decision.how, decision.rationale, decision.cause) == ("chair", "The logs.", "guideline")
    assert decision.vote == vote


def test_the_chair_decides_without_a_vote_while_the_quorum_is_there(world):
    for member in world.members[:2]:
        away(meeting=world.meeting, member=member)
    with pytest.raises(errors.NoQuorum) as refused:
        world.decide(world.items[0], "C.9")
    assert str(refused.value.message) == ("The meeting needs 2 people for a decision. Only 1 took part.")
    world.arrive(world.members[0])
    assert world.decide(world.items[0], "C.9").vote is None


def test_who_must_not_see_the_issue_is_not_of_the_quorum(world):
    for member in world.members[:2]:
        factories.make_round(world.version, [world.issues[0]], [member])
    with pytest.raises(errors.NoQuorum) as refused:
        world.decide(world.items[0], "C.9")
    assert "Only 1 took part." in str(refused.value.message)
    assert world.decide(world.items[1], "C.9").pk


def test_votes_need_the_quorum_as_well(world):
    for member in world.members[1:]:
        away(meeting=world.meeting, member=member)
    vote = world.vote(world.items[0], "C.9")
    close_vote(vote=vote, by=world.lead)
    world.arrive(*world.members)
    with pytest.raises(errors.NoQuorum) as refused:
        world.decide(world.items[0], "C.9", "unanimity")
    assert "Only 1 took part." in str(refused.value.message)


def test_a_decision_counts_at_the_depth_of_the_round(world):
    assert world.decide(world.items[0], "A.1.ii").category == world.category("A.1")
    with pytest.raises(TooShallow):
        world.decide(world.items[1], "A")
    other = factories.make_version(factories.make_study(), ["X"])
    with pytest.raises(UnknownCategory):
        decide_item(
            item=world.items[1],
            by=world.lead,
            category=factories.category(other, "X"),
            how="chair",
            rationale="The logs.",
            seen_number=0,
        )
    with pytest.raises(ValueError, match="acclamation"):
        world.decide(world.items[1], "C.9", "acclamation")
    with pytest.raises(ValueError, match="weather"):
        world.decide(world.items[1], "C.9", cause="weather")


def test_only_the_chair_records_and_only_what_is_on_the_agenda(world):
    for member in world.members:
        with pytest.raises(NotAllowed):
            world.decide(world.items[0], "C.9", by=member)
    AgendaItem.objects.filter(pk=world.items[0].pk).update(released_at=timezone.now())
    with pytest.raises(errors.OffTheAgenda):
        world.decide(world.items[0], "C.9")
    planned = held(1, members=3, come="nobody", opened=False)
    with pytest.raises(errors.MeetingNotOpen):
        planned.decide(planned.items[0], "C.9")


def test_deciding_anew_supersedes_and_the_chain_stays(world):
    item = world.items[0]
    first = world.decide(item, "C.9")
    before = world.fresh().revision
    assert world.decide(item, "C.9") == first
    assert world.fresh().revision == before
    second = world.decide(item, "C.1", seen_number=1)
    first.refresh_from_db()
    assert (first.superseded_at, first.superseded_by) == (second.decided_at, None)
    assert (second.number, second.superseded_at) == (2, None)


def test_who_did_not_see_the_last_decision_is_told(world):
    first = world.decide(world.items[0], "C.9")
    with pytest.raises(errors.StaleDecision) as refused:
        world.decide(world.items[0], "A.1.i", rationale="Mine.")
    assert refused.value.standing == first
    assert refused.value.kept == {"category": "A.1", "rationale": "Mine."}


def test_a_decision_that_was_taken_back_keeps_its_number(world):
    world.decide(world.items[0], "C.9")
    Decision.objects.update(superseded_at=timezone.now(), superseded_by=world.lead, superseded_why="no")
    assert world.decide(world.items[0], "C.9").number == 2


def test_over_days_the_chair_decides_with_a_vote_that_had_its_quorum():
    world = _world(kind="apart")
    with pytest.raises(errors.VoteMissing):
        world.decide(world.items[0], "C.9")
    vote = world.vote(world.items[0], "C.9")
    close_vote(vote=vote, by=world.lead)
    with pytest.raises(errors.NoQuorum):
        world.decide(world.items[0], "C.9")
    open_vote(item=world.items[0], by=world.lead)
    again = world.vote(world.items[0], "C.9", "C.1")
    close_vote(vote=again, by=world.lead)
    assert world.decide(world.items[0], "C.9").vote == again


def test_nobody_decides_for_a_pair():
    world = held(1, members=2, come="nobody", kind="pair")
    world.vote(world.items[0], "C.9", "C.1")
    with pytest.raises(NotAllowed):
        world.decide(world.items[0], "C.9")
    with pytest.raises(errors.NobodyDecidesForAPair):
        world.decide(world.items[0], "C.9", by=world.members[0])
    with pytest.raises(errors.VotesDoNotSuffice):
        world.decide(world.items[0], "C.9", "unanimity", by=world.members[0])


def test_a_pair_gives_its_decision_a_reason_afterwards():
    world = held(1, members=2, come="nobody", kind="pair")
    world.vote(world.items[0], "C.9", "C.9")
    anew = world.decide(world.items[0], "C.9", "unanimity", by=world.members[0], seen_number=1, cause="slip")
    assert (anew.number, anew.cause) == (2, "slip")
    assert Participant.objects.filter(left_at=None, joined_at__isnull=False).count() == 2
