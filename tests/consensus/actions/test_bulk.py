import pytest
from django.utils import timezone

from consensus import errors
from consensus.actions.agendas import put_on_agenda
from consensus.actions.bulk import decide_alike, decide_majority, take_back
from consensus.models import BulkDecision, Decision, Meeting
from consensus.queries.bulk import bulk_decisions, forecast
from consensus.queries.disagreement_filters import Narrowing
from consensus.queries.disagreements import disagreement_counts
from rounds.errors import NotAllowed, TooShallow, TrainingHasAnswers, UnknownCategory
from rounds.models import Label, Round
from studies.models import Event, Role
from tests import factories
from tests.long import only_long
from tests.races import at_once
from tests.worlds.parted import give_labels
from tests.worlds.world import World, small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=6, members=5)]

ANY = Narrowing()
ROWS = (
    "C.2 C.2 C.2 C.3 C.3",  # 3 : 2
    "C.2 C.2 C.2 C.2 C.3",  # 4 : 1
    "C.9 C.9 C.9 C.9 C.2",  # 4 : 1
    "C.2 C.2 C.3 C.3 C.9",  # 2 : 2 : 1
    "C.2 C.2 C.2 C.2 C.2",  # unanimous
    "C.2 C.2 C.3 C.9 B.1",  # 2 : 1 : 1 : 1
)


def _round(world: World, **fields) -> Round:
    round_ = world.round(**fields)
    give_labels(world, round_, *ROWS)
    return round_


def _meeting(round_: Round, chair, **fields) -> Meeting:
    return factories.make_meeting(round_, chair, opened_at=timezone.now(), **fields)


def _there(meeting: Meeting, *members) -> None:
    for member in members:
        meeting.participants.create(member=member, joined_at=timezone.now())


def _standing(world: World, round_: Round) -> dict[int, tuple[str, str]]:
    """By the place of the issue: code and method of what stands."""
    places = {issue.pk: place for place, issue in enumerate(world.issues)}
    codes = {state.category_id: state.code for state in world.version.states.all()}
    found = Decision.objects.filter(round=round_, superseded_at=None).order_by("issue")
    return {places[one.issue_id]: (codes[one.category_id], one.method) for one in found}


def _majority(world: World, round_: Round, at_least: int = 3, narrowing: Narrowing = ANY, by=None):
    return decide_majority(round_=round_, by=by or world.lead, at_least=at_least, narrowing=narrowing)


def _alike(world: World, round_: Round, *places: int, by=None, **fields) -> BulkDecision:
    fields = {"category": world.category("C.2"), "rationale": "The log shows it."} | fields
    issues = [world.issues[place].pk for place in places]
    return decide_alike(round_=round_, by=by or world.lead, issues=issues, **fields)


# --- by majority


def test_what_is_foreseen_is_what_is_decided(world):
    round_ = _round(world)
    found = forecast(round_, world.lead, 4, ANY)
    codes = {one.category_id: one.code for one in world.version.states.all()}
    assert [(codes[id_], n) for id_, n in found.categories.items()] == [("C.2", 1), ("C.9", 1)]
    assert found.decided == {(4, 1): 2}
    assert list(found.left.items()) == [((3, 2), 1), ((2, 2, 1), 1), ((2, 1, 1, 1), 1)]
    assert (found.total, found.total_left, found.agenda) == (2, 3, 0)

    bulk = _majority(world, round_, 4)
    assert _standing(world, round_) == {
        1: ("C.2", "majority"),
        2: ("C.9", "majority"),
        4: ("C.2", "unanimous"),
    }
    assert (bulk.kind, bulk.at_least, bulk.asked, bulk.by) == ("majority", 4, {}, world.lead)
    assert set(bulk.decisions.values_list("decided_by", "rationale", "decided_at")) == {
        (world.lead.pk, "", bulk.at)
    }
    assert Event.objects.get(verb="decisions.majority").detail == {
        "round": round_.name, "at_least": 4, "decided": 2,
    }  # fmt: skip
    assert forecast(round_, world.lead, 4, ANY).categories == {}


def test_filters_narrow_what_is_decided_and_are_kept(world):
    round_ = _round(world)
    bulk = _majority(world, round_, 3, Narrowing(pair=("C.2", "C.3"), split=(4, 1)))
    assert list(_standing(world, round_)) == [1, 4]
    assert bulk.asked == {"pair": "C.2 C.3", "split": "4:1"}


@pytest.mark.world(issues=1, members=3)
def test_an_open_label_stands_for_itself(world):
    round_ = world.round()
    give_labels(world, round_, "?Farm C.2 C.2")
    assert forecast(round_, world.lead, 2, ANY).decided == {(2, 1): 1}
    _majority(world, round_, 2)
    assert _standing(world, round_) == {0: ("C.2", "majority")}


def test_decided_and_awaited_issues_are_left_alone(world):
    round_ = _round(world)
    world.settle(round_, world.issues[1], "C.3", rationale="It is one.")
    put_on_agenda(meeting=_meeting(round_, world.lead), by=world.lead, issues=[world.issues[2].pk])
    found = forecast(round_, world.lead, 3, ANY)
    assert (found.total, found.agenda) == (1, 1)
    _majority(world, round_)
    assert _standing(world, round_) == {
        0: ("C.2", "majority"), 1: ("C.3", "lead"), 4: ("C.2", "unanimous"),
    }  # fmt: skip


def test_what_the_lead_still_has_to_label_is_not_touched(world):
    round_ = _round(world)
    again = world.round(members=[world.lead, *world.members])
    assert forecast(round_, world.lead, 3, ANY).total == 0
    with pytest.raises(errors.NothingToDecide):
        _majority(world, round_)
    world.submit(again, world.issues[1], world.lead, "C.2")
    assert forecast(round_, world.lead, 3, ANY).total == 1
    bulk = _majority(world, round_)
    assert list(_standing(world, round_)) == [1, 4]
    owner = factories.make_member(world.study, Role.OWNER, pseudonym="Owner")
    _majority(world, round_, by=owner)
    assert [(one.issues, one.standing) for one in bulk_decisions(round_, world.lead)] == [(0, 0), (1, 1)]
    assert [(one.issues, one.standing) for one in bulk_decisions(round_, owner)] == [(2, 2), (1, 1)]
    # Taking back is whole; only what one may see of it is said.
    assert take_back(bulk=BulkDecision.objects.exclude(pk=bulk.pk).get(), by=world.lead) == 0
    assert list(_standing(world, round_)) == [1, 4]


@pytest.mark.parametrize("at_least", [-1, 0, 2, 6])
def test_less_than_half_or_more_than_all_is_no_majority(world, at_least):
    with pytest.raises(errors.NotAMajority):
        _majority(world, world.round(), at_least)


def test_where_no_majority_decides(world):
    with pytest.raises(errors.AMeetingDecides):
        _majority(world, _round(world, rule=Round.Rule.MEETING))
    with pytest.raises(TrainingHasAnswers):
        _majority(world, factories.make_round(world.version, world.issues, world.members, kind="training"))
    with pytest.raises(errors.NotRevealed):
        _majority(world, _round(world, reveal=Round.Reveal.ROUND_CLOSED))
    with pytest.raises(NotAllowed):
        _majority(world, world.round(opened=False))
    round_ = _round(world)
    for role in (Role.VOLUNTEER, Role.VIEWER, Role.MODEL):
        with pytest.raises(NotAllowed):
            _majority(world, round_, by=factories.make_member(world.study, role, pseudonym=f"A {role}"))
    with pytest.raises(NotAllowed):
        _majority(world, round_, by=small_world().lead)
    assert not BulkDecision.objects.exists()


def test_taken_back_everything_that_still_stands_is_open(world):
    round_ = _round(world)
    labels = list(Label.objects.order_by("pk").values())
    before = disagreement_counts(round_, world.lead)
    bulk = _majority(world, round_)
    world.settle(round_, world.issues[1], "C.3", rationale="It is one.", seen=1)
    assert [(one.issues, one.standing) for one in bulk_decisions(round_, world.lead)] == [(3, 2)]
    owner = factories.make_member(world.study, Role.OWNER, pseudonym="Owner")
    assert take_back(bulk=bulk, by=owner) == 2
    assert _standing(world, round_) == {1: ("C.3", "lead"), 4: ("C.2", "unanimous")}
    bulk.refresh_from_db()
    assert bulk.taken_back_by == owner
    superseded = bulk.decisions.filter(superseded_at=bulk.taken_back_at)
    assert set(superseded.values_list("superseded_by", "superseded_why")) == {(owner.pk, "")}
    assert disagreement_counts(round_, world.lead).open == before.open - 1
    assert list(Label.objects.order_by("pk").values()) == labels
    assert take_back(bulk=bulk, by=owner) == 0
    assert Event.objects.get(verb="decisions.bulk_taken_back").detail == {
        "round": round_.name, "reopened": 2,
    }  # fmt: skip

    _majority(world, round_)
    assert Decision.objects.get(issue=world.issues[0], superseded_at=None).number == 2


def test_only_leads_take_back(world):
    round_ = _round(world)
    bulk = _majority(world, round_)
    for by in (world.members[0], small_world().lead):
        with pytest.raises(NotAllowed):
            take_back(bulk=bulk, by=by)
    assert not Decision.objects.filter(superseded_at__isnull=False).exists()


# --- alike


def test_alike_issues_get_one_category_each_in_a_row_of_its_own(world):
    round_ = _round(world)
    world.settle(round_, world.issues[1], "C.3", rationale="It is one.")
    bulk = _alike(world, round_, 0, 1, 3, 4, cause="guideline")
    assert (bulk.kind, bulk.at_least, bulk.asked) == ("alike", None, {"issues": 3})
    assert [
        (one.issue_id, one.method, one.number, one.rationale, one.cause, one.decided_by)
        for one in bulk.decisions.order_by("pk")
    ] == [
        (world.issues[place].pk, "lead", 1, "The log shows it.", "guideline", world.lead) for place in (0, 3)
    ]
    assert take_back(bulk=bulk, by=world.lead) == 2
    assert _alike(world, round_, 0).decisions.get().number == 2


def test_alike_is_refused_like_a_decision_of_a_lead(world):
    round_ = _round(world)
    with pytest.raises(errors.RationaleMissing):
        _alike(world, round_, 0, rationale=" ")
    with pytest.raises(TooShallow):
        _alike(world, round_, 0, category=world.category("C"))
    with pytest.raises(UnknownCategory):
        _alike(world, round_, 0, category=small_world().category("C.2"))
    with pytest.raises(errors.NothingToDecide):
        _alike(world, round_, 4)
    with pytest.raises(NotAllowed):
        _alike(world, round_, 0, by=world.members[0])
    with pytest.raises(errors.AMeetingDecides):
        _alike(world, _round(world, rule=Round.Rule.MEETING), 0)
    put_on_agenda(meeting=_meeting(round_, world.lead), by=world.lead, issues=[world.issues[0].pk])
    with pytest.raises(errors.NothingToDecide):
        _alike(world, round_, 0)
    assert not BulkDecision.objects.exists()


def test_a_chair_decides_alike_items_of_the_meeting(world):
    round_ = _round(world, rule=Round.Rule.MEETING)
    chair = world.members[0]
    meeting = _meeting(round_, chair, quorum=2)
    put_on_agenda(meeting=meeting, by=world.lead, issues=[world.issues[place].pk for place in (0, 1, 2)])
    revision = Meeting.objects.get(pk=meeting.pk).revision
    _there(meeting, chair)
    with pytest.raises(errors.NoQuorum):
        _alike(world, round_, 0, 1, by=chair, meeting=meeting)
    _there(meeting, world.members[1])
    meeting.votes.create(
        item=meeting.items.get(issue=world.issues[2]), number=1, opened_by=chair, opened_at=timezone.now()
    )
    with pytest.raises(NotAllowed):
        _alike(world, round_, 0, 1, by=world.lead, meeting=meeting)

    bulk = _alike(world, round_, 0, 1, 2, 3, by=chair, meeting=meeting)
    assert [(one.issue_id, one.method, one.how, one.item.issue_id) for one in bulk.decisions.order_by("pk")] == [
        (world.issues[place].pk, "meeting", "chair", world.issues[place].pk) for place in (0, 1)
    ]  # fmt: skip
    assert Meeting.objects.get(pk=meeting.pk).revision == revision + 1
    with pytest.raises(NotAllowed):
        take_back(bulk=bulk, by=world.members[1])
    assert take_back(bulk=bulk, by=chair) == 2

    Meeting.objects.filter(pk=meeting.pk).update(closed_at=timezone.now())
    for by in (chair, world.lead):  # that it is closed comes before who may chair it
        with pytest.raises(errors.MeetingClosed):
            _alike(world, round_, 0, by=by, meeting=meeting)


def test_who_must_not_see_an_issue_is_not_of_the_quorum_for_it(world):
    round_ = _round(world, rule=Round.Rule.MEETING)
    chair, second = world.members[:2]
    meeting = _meeting(round_, chair, quorum=2)
    put_on_agenda(meeting=meeting, by=world.lead, issues=[world.issues[place].pk for place in (0, 1)])
    _there(meeting, chair, second)
    world.waits_for(second, world.issues[0])
    bulk = _alike(world, round_, 0, 1, by=chair, meeting=meeting)
    assert [one.issue_id for one in bulk.decisions.all()] == [world.issues[1].pk]
    with pytest.raises(errors.NothingToDecide):
        _alike(world, round_, 0, by=chair, meeting=meeting)


def test_what_was_put_off_and_is_decided_is_put_off_no_more(world):
    round_ = _round(world, rule=Round.Rule.MEETING)
    chair = world.members[0]
    meeting = _meeting(round_, chair)
    put_on_agenda(meeting=meeting, by=world.lead, issues=[world.issues[place].pk for place in (0, 1)])
    _there(meeting, chair)
    meeting.items.update(parked_at=timezone.now(), parked_why="Ask them.")
    bulk = _alike(world, round_, 0, by=chair, meeting=meeting)
    assert list(meeting.items.order_by("pk").values_list("parked_why", flat=True)) == ["", "Ask them."]
    take_back(bulk=bulk, by=chair)
    assert meeting.items.get(issue=world.issues[0]).parked_at is None


def test_over_days_a_chair_decides_alike_what_has_its_quorum(world):
    round_ = _round(world, rule=Round.Rule.MEETING)
    chair = world.members[0]
    meeting = _meeting(round_, chair, quorum=2, kind="apart")
    put_on_agenda(meeting=meeting, by=world.lead, issues=[world.issues[place].pk for place in (0, 1, 2)])
    _there(meeting, *world.members[:2])
    for place, present in ((0, 2), (1, 1)):
        now = timezone.now()
        item = meeting.items.get(issue=world.issues[place])
        vote = meeting.votes.create(item=item, number=1, opened_by=chair, opened_at=now)
        for member in world.members[:present]:
            meeting.ballots.create(vote=vote, member=member, category=world.category("C.3"), cast_at=now)
        meeting.votes.filter(pk=vote.pk).update(closed_at=now, present=present)
    bulk = _alike(world, round_, 0, 1, 2, by=chair, meeting=meeting)
    assert list(bulk.decisions.values_list("issue", "vote__number")) == [(world.issues[0].pk, 1)]
    pair = _meeting(round_, chair, quorum=2, kind="pair")
    _there(pair, chair, world.members[1])
    with pytest.raises(errors.NobodyDecidesForAPair):
        _alike(world, round_, 3, by=chair, meeting=pair)


# --- two at once


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@only_long
def test_two_leads_at_once_ask_for_one_majority():
    world = small_world(issues=6, members=5)
    round_ = _round(world)
    owner = factories.make_member(world.study, Role.OWNER, pseudonym="Owner")
    for _again in range(20):
        done = at_once(
            lambda: _majority(world, round_), lambda: _majority(world, round_, by=owner)
        )  # fmt: skip
        assert sorted(type(one).__name__ for one in done) == ["BulkDecision", "NothingToDecide"]
        (bulk,) = (one for one in done if isinstance(one, BulkDecision))
        assert bulk.decisions.filter(superseded_at=None).count() == 3
        back = at_once(
            lambda bulk=bulk: take_back(bulk=bulk, by=world.lead),
            lambda bulk=bulk: take_back(bulk=bulk, by=owner),
        )
        assert sorted(back) == [0, 3]


@only_long
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_majority_and_a_lead_at_once_leave_one_decision():
    world = small_world(issues=6, members=5)
    round_ = _round(world)
    for _again in range(20):
        number = Decision.objects.filter(issue=world.issues[0]).count()
        done = at_once(
            lambda: _majority(world, round_),
            lambda: world.settle(round_, world.issues[0], "C.3", rationale="It is one."),
        )  # fmt: skip
        standing = Decision.objects.get(round=round_, issue=world.issues[0], superseded_at=None)
        assert standing.number == number + 1
        if isinstance(done[1], errors.StaleDecision):
            assert standing.method == "majority"
        else:
            assert standing == done[1]
        take_back(bulk=done[0], by=world.lead)
        Decision.objects.filter(
            round=round_, issue=world.issues[0], superseded_at=None
        ).update(superseded_at=timezone.now(), superseded_by=world.lead)  # fmt: skip


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@only_long
def test_an_undo_and_a_lead_at_once_break_nothing():
    world = small_world(issues=6, members=5)
    round_ = _round(world)
    for again in range(20):
        bulk = _majority(world, round_)
        seen = Decision.objects.get(issue=world.issues[0], superseded_at=None).number
        done = at_once(
            lambda bulk=bulk: take_back(bulk=bulk, by=world.lead),
            lambda seen=seen, again=again: world.settle(round_, world.issues[0], "C.3", rationale=f"It is one, {again}.", seen=seen),
        )  # fmt: skip
        if isinstance(done[1], errors.StaleDecision):
            assert done[0] == 3
        else:
            assert (done[0], done[1].number) == (2, seen + 1)
        Decision.objects.filter(
            round=round_, issue=world.issues[0], superseded_at=None
        ).update(superseded_at=timezone.now(), superseded_by=world.lead)  # fmt: skip
