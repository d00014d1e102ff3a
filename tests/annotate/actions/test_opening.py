"""Opening a large round in steps: the same slots, seen by nobody before the end, whatever happens in between."""

import pytest

from annotate.actions import rounds as actions
from annotate.actions.rounds import open_round, open_round_in_steps, take_back_slots
from annotate.actions.turns import next_turn, skip_issue
from annotate.queries.turns import current_turn
from core import jobs
from core.models import Job
from ingest.models import Issue
from rounds.actions.slots import make_slots
from rounds.allocation import entrance
from rounds.errors import NotAllowed, RoundAlreadyOpen, RoundNotOpen, RoundRefused
from rounds.models import Assignment, Round, RoundVolunteer
from rounds.queries.rounds import OPENING
from studies.models import Membership
from tests import factories
from tests.races import at_once
from tests.worlds.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=10, members=3)]
SLOT = ("issue", "slot", "volunteer", "rank", "lease_until", "submitted_at")


class Killed(Exception):
    pass


@pytest.fixture(autouse=True)
def _steps_of_two_issues(monkeypatch) -> None:
    monkeypatch.setattr(actions, "SLOTS_IN_A_STEP", 6)


def slots(round_: Round) -> list[tuple]:
    return list(Assignment.objects.filter(round=round_).order_by("issue", "slot").values_list(*SLOT))


def nothing(*_told) -> None:
    pass


def killed_after(steps: int):
    """A report that kills the work after so many steps."""
    told = []

    def report(*step) -> None:
        told.append(step)
        if len(told) == steps:
            raise Killed

    return report


@pytest.mark.parametrize("order", Round.Order.values)
@pytest.mark.parametrize("k", [None, 2])
def test_steps_make_the_slots_that_one_transaction_makes(world, order, k):
    plan = {"order": order, "seed": 3, "opened": False}
    plan |= {"allocation": "k_of_n", "labels_per_issue": k} if k else {}
    at_once_, in_steps = world.round(**plan), world.round(**plan)
    open_round(round_=at_once_, by=world.lead)
    opened = open_round_in_steps(round_=in_steps, by=world.lead, report=nothing)
    assert opened.opened_at is not None
    assert slots(in_steps) == slots(at_once_)
    assert len(slots(in_steps)) == 10 * (k or 3)


def test_each_step_is_reported_and_nobody_sees_it(world):
    round_ = world.round(opened=False)
    member = world.members[0]
    told = []

    def report(done: int, total: int, step: str) -> None:
        told.append((done, total, step))
        assert Assignment.objects.filter(round=round_).count() == done
        now = Round.objects.get(pk=round_.pk)
        assert now.opened_at is None
        with pytest.raises(RoundNotOpen):
            next_turn(round_=now, member=member)

    open_round_in_steps(round_=round_, by=world.lead, report=report)
    assert told == [(done, 30, "Making the assignments") for done in (6, 12, 18, 24, 30)]
    assert current_turn(Round.objects.get(pk=round_.pk), member) is not None


@pytest.mark.parametrize(("steps", "is_ended_at_once"), [(1, False), (3, False), (5, False), (2, True)])
def test_killed_anywhere_and_run_again_it_is_as_if_undisturbed(world, steps, is_ended_at_once):
    undisturbed, round_ = world.round(seed=5), world.round(seed=5, opened=False)
    for _again in range(2):
        with pytest.raises(Killed):
            open_round_in_steps(round_=round_, by=world.lead, report=killed_after(steps))
    assert len(slots(round_)) == 6 * steps
    assert Round.objects.get(pk=round_.pk).opened_at is None
    if is_ended_at_once:
        open_round(round_=round_, by=world.lead)
    else:
        open_round_in_steps(round_=round_, by=world.lead, report=nothing)
    assert slots(round_) == slots(undisturbed)
    with pytest.raises(RoundAlreadyOpen):
        open_round_in_steps(round_=round_, by=world.lead, report=nothing)
    assert slots(round_) == slots(undisturbed)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_two_at_the_same_moment_open_it_once(world):
    round_ = world.round(opened=False, seed=5)

    def act() -> Round:
        return open_round_in_steps(round_=round_, by=world.lead, report=nothing)

    first, second = at_once(act, act)
    assert {type(first), type(second)} == {Round, RoundAlreadyOpen}
    assert len(slots(round_)) == 30
    assert slots(round_) == slots(world.round(seed=5))


def test_a_step_that_comes_too_late_adds_nothing_to_an_open_round(world):
    round_ = world.round()
    Assignment.objects.filter(round=round_, issue=world.issues[0]).delete()
    with pytest.raises(RoundAlreadyOpen):
        actions._make_some_slots(round_, world.lead, first=1, last=10)
    assert len(slots(round_)) == 27


@pytest.mark.parametrize("k", [None, 2])
def test_slots_of_a_plan_that_changed_since_are_made_anew(world, k):
    plan = {"allocation": "k_of_n", "labels_per_issue": k} if k else {}
    round_ = world.round(opened=False, seed=5, **plan)
    with pytest.raises(Killed):
        open_round_in_steps(round_=round_, by=world.lead, report=killed_after(3))
    if k:
        Round.objects.filter(pk=round_.pk).update(labels_per_issue=1)
    else:
        newcomer = factories.make_member(world.study, pseudonym="R9")
        take_back_slots(round_=round_)
        RoundVolunteer.objects.filter(round=round_, column=3).update(member=newcomer)
        make_slots(round_, first=1, last=2)
        Assignment.objects.filter(round=round_, slot=3).update(slot=4)
    open_round_in_steps(round_=round_, by=world.lead, report=nothing)
    made = Assignment.objects.filter(round=round_)
    assert made.count() == 10 * (1 if k else 3)
    assert set(made.values_list("slot", flat=True)) == ({1} if k else {1, 2, 3})


def test_taking_back_leaves_a_plan_without_slots_and_an_open_round_as_it_is(world):
    planned, opened = world.round(opened=False), world.round()
    make_slots(planned, first=1, last=4)
    assert take_back_slots(round_=planned) == 12
    assert slots(planned) == []
    with pytest.raises(RoundAlreadyOpen):
        take_back_slots(round_=opened)
    assert len(slots(opened)) == 30


def test_a_cancelled_opening_leaves_the_plan_as_it_was_and_can_be_asked_for_again(world, monkeypatch):
    monkeypatch.setattr(actions, "SLOTS_AT_ONCE", 11)
    round_ = world.round(opened=False)
    job = actions.begin_opening(round_=round_, by=world.lead)

    def cancel(done: int, _total: int | None, _step: str) -> None:
        if done == 30:
            Job.objects.filter(pk=job.pk).update(cancel_requested_at=job.created_at)

    assert jobs.run(job.pk, watch=cancel).state == "cancelled"
    round_.refresh_from_db()
    assert (round_.opened_at, slots(round_)) == (None, [])
    again = actions.begin_opening(round_=round_, by=world.lead)
    assert again != job
    done = jobs.run(again.pk)
    assert (done.state, done.done, done.total) == ("done", 30, 30)
    assert len(slots(round_)) == 30
    assert Job.objects.filter(kind=OPENING).count() == 2


def test_what_open_round_refuses_the_steps_refuse_and_make_nothing(world):
    round_ = world.round(opened=False)
    with pytest.raises(NotAllowed):
        open_round_in_steps(round_=round_, by=world.members[0], report=nothing)
    Membership.objects.filter(pk=world.members[1].pk).update(left_at="2025-01-01T00:00Z")
    with pytest.raises(RoundRefused, match="R2"):
        open_round_in_steps(round_=round_, by=world.lead, report=nothing)
    training = world.round(opened=False, kind="training", pass_mark=80, members=world.members[:1])
    with pytest.raises(RoundRefused, match="no right label"):
        open_round_in_steps(round_=training, by=world.lead, report=nothing)
    assert slots(round_) == []
    # Those of a training are there from its plan on, so that nobody reads its right labels elsewhere.
    assert len(slots(training)) == 10


# --- the order


def mixed(world: World) -> dict[int, int]:
    """Give the world a second repository whose issues come between in the order of the round; id to repository."""
    other = factories.make_repository(world.study, "owner/other")
    factories.make_issues(other, 6)
    return dict(Issue.objects.values_list("pk", "repository"))


def test_by_repository_one_after_the_other_and_each_volunteer_in_an_order_of_their_own(world):
    repository = mixed(world)
    other = max(repository.values())
    issues = Issue.objects.order_by("-repository", "pk")
    round_ = world.round(order="by_repository", issues=issues)
    orders = [
        list(
            Assignment.objects.filter(round=round_, volunteer=member)
            .order_by("rank")
            .values_list("issue", flat=True)
        )
        for member in world.members
    ]
    walked = [other] * 6 + [world.repository.pk] * 10
    assert [[repository[issue] for issue in order] for order in orders] == [walked] * 3
    assert len({tuple(order[:6]) for order in orders}) > 1
    assert len({tuple(order[6:]) for order in orders}) == 3
    assert all(set(order) == set(repository) for order in orders)


def test_by_repository_follows_the_first_issue_of_each_in_the_round(world):
    repository = mixed(world)
    first = Issue.objects.filter(repository=max(repository.values())).order_by("pk")[0]
    mixed_up = sorted(repository, key=lambda pk: (pk != first.pk, pk))
    ordered = Issue.objects.extra(select={"place": "array_position(%s, id)"}, select_params=[mixed_up])
    round_ = world.round(order="by_repository", issues=ordered.order_by("place"))
    walked = Assignment.objects.filter(round=round_, volunteer=world.members[0]).order_by("rank")
    found = [repository[issue] for issue in walked.values_list("issue", flat=True)]
    assert found == [first.repository_id] * 6 + [world.repository.pk] * 10


def test_by_repository_k_of_n_walks_one_ring_after_the_other(world):
    repository = mixed(world)
    round_ = world.k_of_n(2, order="by_repository", seed=3)
    member, others = world.members[0], world.members[1:]
    walked = []
    while turn := next_turn(round_=round_, member=member):
        walked.append(turn.issue)
        world.submit(round_, turn.issue, member, "C.2")
    assert [repository[issue.pk] for issue in walked] == [world.repository.pk] * 10 + [
        max(repository.values())
    ] * 6
    assert len(set(walked)) == 16
    ranks = dict(Assignment.objects.filter(round=round_, slot=1).values_list("issue", "rank"))
    free = {issue.pk for issue in walked[:10]}
    for other in others:
        entered = entrance(0, RoundVolunteer.objects.get(round=round_, member=other).seed)
        given = next_turn(round_=round_, member=other).issue.pk
        assert given == min(free, key=lambda issue: (ranks[issue] < entered, ranks[issue]))
        free.remove(given)
    for stretch in (walked[:10], walked[10:]):
        of = [ranks[issue.pk] for issue in stretch]
        turned = of.index(min(of))
        assert of[turned:] + of[:turned] == sorted(of)


def test_by_repository_k_of_n_comes_back_for_what_was_given_back(world):
    repository = mixed(world)
    round_ = world.k_of_n(1, order="by_repository")
    first, second = world.members[:2]
    held = next_turn(round_=round_, member=first).issue
    assert repository[held.pk] == world.repository.pk
    while turn := next_turn(round_=round_, member=second):
        world.submit(round_, turn.issue, second, "C.2")
    skip_issue(round_=round_, issue=held, member=first, reason="later")
    assert next_turn(round_=round_, member=second).issue == held
