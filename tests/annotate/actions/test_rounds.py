import pytest

from annotate.actions.rounds import close_round, create_round, open_round
from consensus.models import Decision
from ingest.models import Issue
from rounds.allocation import volunteer_seed
from rounds.errors import NotAllowed, RoundAlreadyClosed, RoundAlreadyOpen, RoundNotOpen
from rounds.models import Assignment, Round, RoundIssue, RoundVolunteer
from studies.models import Event, Role
from tests import factories
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=1)]


@pytest.mark.world(issues=3, members=3)
def test_a_round_keeps_the_order_of_issues_and_volunteers(world):
    made = world.round(
        opened=False, issues=Issue.objects.order_by("-pk"), members=world.members[::-1], seed=11
    )
    assert list(
        RoundIssue.objects.filter(round=made).order_by("position").values_list("position", "issue")
    ) == [(place, issue.pk) for place, issue in enumerate(reversed(world.issues), start=1)]
    assert list(RoundVolunteer.objects.order_by("column").values_list("column", "member", "seed")) == [
        (column, member.pk, volunteer_seed(11, column))
        for column, member in enumerate(reversed(world.members), start=1)
    ]
    assert (made.labels_per_issue, made.opened_at, Assignment.objects.count()) == (3, None, 0)


@pytest.mark.world(issues=4)
def test_a_round_takes_only_the_issues_asked_for(world):
    made = world.round(issues=Issue.objects.filter(pk__in=[world.issues[1].pk, world.issues[3].pk]))
    assert set(RoundIssue.objects.filter(round=made).values_list("issue", flat=True)) == {
        world.issues[1].pk,
        world.issues[3].pk,
    }


@pytest.mark.parametrize("role", [Role.VOLUNTEER, Role.VIEWER, Role.MODEL])
def test_only_owner_and_leads_plan_open_and_close(world, role):
    made = world.round(opened=False)
    by = factories.make_member(world.study, role, pseudonym="By")
    with pytest.raises(NotAllowed):
        create_round(
            study=world.study,
            by=by,
            name="Another",
            version=world.version,
            depth=2,
            issues=Issue.objects.all(),
            members=world.members,
        )
    for act in (open_round, close_round):
        with pytest.raises(NotAllowed):
            act(round_=made, by=by)
    stranger = small_world().lead
    with pytest.raises(NotAllowed):
        open_round(round_=made, by=stranger)
    made.refresh_from_db()
    assert (made.opened_at, made.closed_at) == (None, None)


@pytest.mark.world(issues=30)
def test_opening_a_crossed_round_gives_every_volunteer_every_issue_in_an_order_of_their_own(world):
    made = world.round()
    slots = Assignment.objects.filter(round=made)
    assert set(slots.values_list("issue", "slot", "volunteer")) == {
        (issue.pk, column, member.pk)
        for issue in world.issues
        for column, member in enumerate(world.members, start=1)
    }
    assert not slots.exclude(lease_until=None, submitted_at=None).exists()
    orders = [
        list(slots.filter(volunteer=member).order_by("rank").values_list("issue", flat=True))
        for member in world.members
    ]
    given = [issue.pk for issue in world.issues]
    assert all(sorted(order) == given and order != given for order in orders)
    assert len({tuple(order) for order in orders}) == 3


@pytest.mark.world(issues=10)
def test_the_same_seed_makes_the_same_order_again(world):
    ranks = [
        list(Assignment.objects.filter(round=one).order_by("issue", "slot").values_list("rank", flat=True))
        for one in (world.round(seed=5), world.round(seed=5), world.round(seed=6))
    ]
    assert ranks[0] == ranks[1]
    assert ranks[0] != ranks[2]
    assert world.round(opened=False).seed != world.round(opened=False).seed


@pytest.mark.world(issues=5)
def test_opening_a_k_of_n_round_makes_free_slots(world):
    made = world.k_of_n(2)
    assert set(Assignment.objects.filter(round=made).values_list("issue", "slot", "volunteer")) == {
        (issue.pk, slot, None) for issue in world.issues for slot in (1, 2)
    }


def test_opening_twice_changes_nothing(world):
    made = world.round()
    before = list(Assignment.objects.order_by("pk").values())
    with pytest.raises(RoundAlreadyOpen):
        open_round(round_=made, by=world.lead)
    assert list(Assignment.objects.order_by("pk").values()) == before


def test_closing_needs_an_open_round_and_happens_once(world):
    made = world.round(opened=False)
    with pytest.raises(RoundNotOpen):
        close_round(round_=made, by=world.lead)
    open_round(round_=made, by=world.lead)
    closed = close_round(round_=made, by=world.lead)
    assert closed.closed_at >= closed.opened_at
    with pytest.raises(RoundAlreadyClosed):
        close_round(round_=made, by=world.lead)
    with pytest.raises(RoundAlreadyClosed):
        open_round(round_=made, by=world.lead)


@pytest.mark.world(issues=4, members=2)
def test_closing_decides_what_is_complete_and_unanimous(world):
    made = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    first, second = world.members
    agreed, split, alike, half = world.issues
    for issue, one, other in ((agreed, "C.2", "C.2"), (split, "C.2", "C.3"), (alike, "A.1.i", "A.1.ii")):
        assert world.submit(made, issue, first, one).decision is None
        assert world.submit(made, issue, second, other).decision is None
    world.submit(made, half, first, "C.2")
    assert Decision.objects.count() == 0
    closed = close_round(round_=made, by=world.lead)
    assert set(
        Decision.objects.values_list(
            "round", "issue", "number", "category", "version", "method", "decided_by", "decided_at"
        )
    ) == {
        (made.pk, issue.pk, 1, world.category(code).pk, world.version.pk, "unanimous", None, closed.closed_at)
        for issue, code in ((agreed, "C.2"), (alike, "A.1"))
    }


@pytest.mark.world(issues=1, members=1)
def test_closing_decides_nothing_twice(world):
    made = world.round()
    world.submit(made, world.issues[0], world.members[0], "C.2")
    close_round(round_=made, by=world.lead)
    assert list(Decision.objects.values_list("issue", "number")) == [(world.issues[0].pk, 1)]


@pytest.mark.world(issues=2, members=2)
def test_the_audit_names_rounds_and_counts_and_no_label(world):
    made = world.round(name="Main")
    for member in world.members:
        world.submit(made, world.issues[0], member, "C.9", summary="canary")
    close_round(round_=made, by=world.lead)
    user = world.lead.user_id
    assert list(Event.objects.order_by("id").values_list("verb", "by", "detail")) == [
        ("rounds.created", user, {"round": "Main", "issues": 2, "volunteers": 2}),
        ("rounds.opened", user, {"round": "Main", "slots": 4}),
        ("rounds.closed", user, {"round": "Main", "decided": 0}),
    ]
