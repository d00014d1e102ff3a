import pytest
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.models import Draft
from consensus import errors
from consensus.actions.agendas import put_on_agenda
from consensus.actions.decisions import decide_all_by_rule, reopen
from consensus.models import Decision, Meeting
from rounds.errors import NotAllowed, NotYourTurn, TooShallow, UnknownCategory
from rounds.models import Assignment, Round
from studies.models import Event, Role
from tests import factories
from tests.long import only_long
from tests.races import at_once
from tests.worlds.pages import label_all
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=1)]


def _split(world, **fields):
    """A round whose first issue is a disagreement, and this issue."""
    round_ = world.round(**fields)
    label_all(world, round_, "C.2 C.2 C.3")
    return round_, world.issues[0]


def test_the_lead_settles_a_disagreement(world):
    round_, issue = _split(world)
    before = timezone.now()
    decision = world.settle(round_, issue, "C.2", rationale=" Two of three, and the log shows it. ")
    assert list(
        Decision.objects.values_list(
            "pk", "issue", "number", "category", "version", "method", "rationale", "decided_by"
        )
    ) == [
        (
            decision.pk,
            issue.pk,
            1,
            world.category("C.2").pk,
            world.version.pk,
            "lead",
            "Two of three, and the log shows it.",
            world.lead.pk,
        )
    ]
    assert before <= decision.decided_at <= timezone.now()
    assert decision.superseded_at is None


def test_a_newer_decision_supersedes_both_are_kept_and_a_double_click_decides_once(world):
    round_, issue = _split(world)
    first = world.settle(round_, issue, "C.2", rationale="Because.", cause="slip")
    assert world.settle(round_, issue, "C.2", rationale="Because.", cause="slip") == first
    second = world.settle(round_, issue, "C.2", rationale="Because.", cause="overlap", seen=1)
    third = world.settle(round_, issue, "C.9", rationale="Neither.", seen=2)
    made = Decision.objects.order_by("number")
    assert list(made.values_list("number", "category", "cause", "superseded_at")) == [
        (1, world.category("C.2").pk, "slip", second.decided_at),
        (2, world.category("C.2").pk, "overlap", third.decided_at),
        (3, world.category("C.9").pk, "", None),
    ]


def test_a_stale_decision_is_refused_and_shown(world):
    round_, issue = _split(world)
    owner = factories.make_member(world.study, Role.OWNER, pseudonym="Owner")
    standing = world.settle(round_, issue, "C.2", by=owner)
    with pytest.raises(errors.StaleDecision) as refusal:
        world.settle(round_, issue, "C.3", rationale="I think so.", seen=0)
    assert refusal.value.standing == standing
    assert refusal.value.kept == {"category": "C.3", "rationale": "I think so."}
    assert Decision.objects.count() == 1


@pytest.mark.world(issues=3)
def test_only_complete_and_revealed_disagreements_are_settled(world):
    round_, (half, agreed, _) = world.round(), world.issues
    label_all(world, round_, "C.2", "C.2 C.2 C.2")
    with pytest.raises(errors.NotRevealed):
        world.settle(round_, half, "C.2")
    with pytest.raises(errors.IssueIsUnanimous):
        world.settle(round_, agreed, "C.3", seen=1)
    close_round(round_=round_, by=world.lead)
    with pytest.raises(errors.NotRevealed):
        world.settle(round_, half, "C.2")
    assert list(Decision.objects.values_list("issue", "method")) == [(agreed.pk, "unanimous")]


def test_a_disagreement_is_settled_after_close_under_that_policy(world):
    round_, issue = _split(world, reveal=Round.Reveal.ROUND_CLOSED)
    with pytest.raises(errors.NotRevealed):
        world.settle(round_, issue, "C.2")
    close_round(round_=round_, by=world.lead)
    assert world.settle(round_, issue, "C.2").number == 1


def test_a_decision_needs_reason_depth_and_a_category_of_the_version():
    world, other = small_world(issues=1), small_world()
    round_, issue = _split(world)
    with pytest.raises(errors.RationaleMissing):
        world.settle(round_, issue, "C.2", rationale=" \n ")
    with pytest.raises(TooShallow):
        world.settle(round_, issue, "C")
    with pytest.raises(UnknownCategory):
        other.settle(round_, issue, "C.2", rationale="x", by=world.lead)
    with pytest.raises(NotYourTurn):
        world.settle(round_, other.issues[0], "C.2")
    assert Decision.objects.count() == 0


@pytest.mark.parametrize("role", [Role.VOLUNTEER, Role.VIEWER, Role.MODEL])
def test_others_do_not_settle(world, role):
    round_, issue = _split(world)
    for by in (factories.make_member(world.study, role, pseudonym="By"), small_world().lead):
        with pytest.raises(NotAllowed):
            world.settle(round_, issue, "C.2", by=by)
    assert Decision.objects.count() == 0


def test_settling_leaves_labels_and_audit_without_content(world):
    round_, issue = _split(world)
    labels = list(round_.labels.order_by("pk").values())
    world.settle(round_, issue, "C.9", rationale="canary")
    assert list(round_.labels.order_by("pk").values()) == labels
    event = Event.objects.order_by("id").last()
    assert (event.verb, event.by, event.detail) == (
        "decisions.settled",
        world.lead.user,
        {"round": round_.name, "issue": issue.pk, "number": 1},
    )


@pytest.mark.world(issues=1, members=3)
def test_surplus_labels_do_not_decide(world):
    round_ = world.k_of_n(2)
    issue = world.issues[0]
    first, second, third = world.members
    world.submit(round_, issue, first, "C.2")
    Draft.objects.create(round=round_, issue=issue, volunteer=third)
    Assignment.objects.filter(round=round_, volunteer=None).update(volunteer=second)
    assert world.submit(round_, issue, third, "C.9").surplus is True
    assert world.submit(round_, issue, second, "C.2").decision.category == world.category("C.2")


@pytest.mark.world(issues=2)
def test_deciding_again_finds_nothing(world):
    round_ = world.round()
    label_all(world, round_, "C.2 C.2 C.2", "C.2 C.2 C.3")
    assert decide_all_by_rule(round_, timezone.now()) == 0


def test_an_issue_withheld_from_the_lead_is_not_settled_by_them(world):
    round_, issue = _split(world)
    again = world.round(members=[world.lead, *world.members])
    with pytest.raises(errors.HeldBack):
        world.settle(round_, issue, "C.2")
    world.submit(again, issue, world.lead, "C.3")
    assert world.settle(round_, issue, "C.2").number == 1


# --- opened again


def _reopen(world, round_, issue, seen, why=" The log was cut. ", by=None):
    return reopen(round_=round_, issue=issue, by=by or world.lead, why=why, seen_number=seen)


def test_a_decision_is_opened_again_and_stays_in_the_history(world):
    round_, issue = _split(world)
    world.settle(round_, issue, "C.2")
    before = timezone.now()
    stood = _reopen(world, round_, issue, 1)
    kept = Decision.objects.get()
    assert kept == stood
    assert (kept.superseded_by, kept.superseded_why) == (world.lead, "The log was cut.")
    assert before <= kept.superseded_at <= timezone.now()
    assert Event.objects.get(verb="decisions.reopened").detail == {
        "round": round_.name, "issue": issue.pk, "number": 1,
    }  # fmt: skip
    assert world.settle(round_, issue, "C.3").number == 2


@pytest.mark.world(issues=2)
def test_what_is_not_decided_like_this_is_not_opened_again(world):
    round_, (issue, agreed) = world.round(), world.issues
    label_all(world, round_, "C.2 C.2 C.3", "C.2 C.2 C.2")
    with pytest.raises(errors.StaleDecision) as refusal:
        _reopen(world, round_, issue, 0)
    assert (refusal.value.standing, refusal.value.kept) == (None, {"why": "The log was cut."})
    standing = world.settle(round_, issue, "C.2")
    with pytest.raises(errors.StaleDecision) as refusal:
        _reopen(world, round_, issue, 2)
    assert refusal.value.standing == standing
    with pytest.raises(errors.ReasonToReopenMissing):
        _reopen(world, round_, issue, 1, why=" \n ")
    with pytest.raises(errors.IssueIsUnanimous):
        _reopen(world, round_, agreed, 1)
    for by in (world.members[0], small_world().lead):
        with pytest.raises(NotAllowed):
            _reopen(world, round_, issue, 1, by=by)
    world.round(members=[world.lead, *world.members])
    with pytest.raises(errors.HeldBack):
        _reopen(world, round_, issue, 1)
    assert not Decision.objects.filter(superseded_at__isnull=False).exists()


def test_the_chair_opens_again_what_is_on_the_agenda_of_the_open_meeting(world):
    round_, issue = _split(world)
    chair = world.members[0]
    meeting = factories.make_meeting(round_, chair, opened_at=timezone.now())
    put_on_agenda(meeting=meeting, by=world.lead, issues=[issue.pk])
    world.settle(round_, issue, "C.2")
    revision = Meeting.objects.get().revision
    with pytest.raises(NotAllowed):
        _reopen(world, round_, issue, 1, by=world.members[1])
    _reopen(world, round_, issue, 1, by=chair)
    assert Meeting.objects.get().revision == revision + 1
    world.settle(round_, issue, "C.2")
    Meeting.objects.update(closed_at=timezone.now())
    with pytest.raises(NotAllowed):
        _reopen(world, round_, issue, 2, by=chair)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_two_leads_at_once_open_it_again_once():
    world = small_world(issues=1)
    round_, issue = _split(world)
    owner = factories.make_member(world.study, Role.OWNER, pseudonym="Owner")
    for number in range(1, 21):
        world.settle(round_, issue, "C.2", rationale=f"Because of {number}.")
        done = at_once(
            lambda number=number: _reopen(world, round_, issue, number),
            lambda number=number: _reopen(world, round_, issue, number, by=owner),
        )
        assert sorted(type(one).__name__ for one in done) == ["Decision", "StaleDecision"]


@only_long
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_of_a_decision_and_a_reopening_at_once_one_wins():
    world = small_world(issues=1)
    round_, issue = _split(world)
    owner = factories.make_member(world.study, Role.OWNER, pseudonym="Owner")
    number = world.settle(round_, issue, "C.2").number
    for again in range(20):
        done = at_once(
            lambda number=number: _reopen(world, round_, issue, number),
            lambda number=number, again=again: world.settle(
                round_, issue, "C.3", rationale=f"So says {again}.", seen=number, by=owner
            ),
        )
        assert sorted(type(one).__name__ for one in done) == ["Decision", "StaleDecision"]
        standing = Decision.objects.filter(superseded_at=None).first()
        number = (
            standing.number if standing else world.settle(round_, issue, "C.2", rationale=f"{again}").number
        )
