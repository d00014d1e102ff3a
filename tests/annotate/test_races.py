"""What happens at the same moment: real threads, real transactions, a real PostgreSQL."""

# ruff: noqa: B023 - the threads end before the loop goes on

import random
from collections import Counter
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from annotate import errors
from annotate.actions.label_drafts import save_draft
from annotate.actions.labels import SubmittedLabel, change_label, submit_label
from annotate.actions.rounds import close_round, open_round
from annotate.actions.turns import next_turn, skip_issue
from annotate.models import Draft
from consensus.actions.decisions import settle_issue
from consensus.errors import StaleDecision
from consensus.models import Decision
from ingest.models import Issue
from rounds.errors import RoundAlreadyOpen, RoundClosed
from rounds.models import Assignment, Label, Round, RoundIssue
from tests import factories
from tests.long import only_long, sampled
from tests.races import at_once
from tests.worlds.world import World, small_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def _submit(world: World, round_, issue, member, category, **fields):
    fields = {"summary": f"by {member}", "unsure": False, "form_key": uuid4()} | fields
    return submit_label(
        round_=round_, issue=issue, member=member, given=factories.label_input(category=category, **fields)
    )


def _promises_hold(round_: Round) -> None:
    """What must be true of a round after anything at all has happened in it."""
    slots = Assignment.objects.filter(round=round_)
    labels = Label.objects.filter(round=round_)
    counted = labels.filter(surplus=False)
    assert (
        max(Counter(counted.values_list("issue", flat=True)).values(), default=0) <= round_.labels_per_issue
    )
    assert max(Counter(labels.values_list("issue", "volunteer")).values(), default=0) <= 1
    assert set(counted.values_list("assignment", "issue", "volunteer", "submitted_at")) == set(
        slots.exclude(submitted_at=None).values_list("pk", "issue", "volunteer", "submitted_at")
    )
    unfinished = set(slots.filter(submitted_at=None).values_list("issue", flat=True))
    places = RoundIssue.objects.filter(round=round_)
    assert set(places.filter(completed_at=None).values_list("issue", flat=True)) == unfinished


@only_long
def test_eight_volunteers_claim_and_submit_300_issues():
    world = small_world(issues=300, members=8)
    round_, category = world.k_of_n(2), world.category("C.2")

    def work(member):
        given = 0
        while (turn := next_turn(round_=round_, member=member)) is not None:
            assert _submit(world, round_, turn.issue, member, category).surplus is False
            given += 1
        return given

    given = at_once(*(lambda member=member: work(member) for member in world.members))
    assert sum(given) == 600
    assert Counter(Label.objects.values_list("issue", flat=True)) == {issue.pk: 2 for issue in world.issues}
    assert Label.objects.filter(surplus=True).count() == 0
    assert Decision.objects.count() == 300
    _promises_hold(round_)


@only_long
def test_eight_volunteers_with_skips_lost_leases_and_changes_of_mind():
    world = small_world(issues=60, members=8)
    round_ = world.k_of_n(2)
    categories = [world.category(code) for code in ("C.2", "C.3")]
    submitted = []

    def work(number, member):
        rng = random.Random(number)
        while (turn := next_turn(round_=round_, member=member)) is not None:
            if rng.random() < 0.1:
                skip_issue(round_=round_, issue=turn.issue, member=member, reason="later")
                continue
            if rng.random() < 0.2:
                Assignment.objects.filter(pk=turn.assignment.pk, volunteer=member, submitted_at=None).update(
                    lease_until=timezone.now() - timedelta(seconds=1)
                )
            result = _submit(world, round_, turn.issue, member, rng.choice(categories))
            submitted.append(result.label.pk)
        return "done"

    acts = [
        lambda number=number, member=member: work(number, member)
        for number, member in enumerate(world.members)
    ]
    assert at_once(*acts) == ["done"] * 8
    assert sorted(submitted) == sorted(Label.objects.values_list("pk", flat=True))
    assert Counter(Label.objects.filter(surplus=False).values_list("issue", flat=True)) == {
        issue.pk: 2 for issue in world.issues
    }
    _promises_hold(round_)


def test_the_race_for_one_last_slot():
    """Two volunteers hold drafts of an issue with one free slot; both submit at the same moment."""
    world = small_world(issues=sampled(200, 40), members=2)
    round_ = world.k_of_n(1)
    category = world.category("C.2")
    for issue in world.issues:
        for member in world.members:
            Draft.objects.create(round=round_, issue=issue, volunteer=member, summary="typed")
    for issue in world.issues:
        results = at_once(
            *(
                lambda member=member: _submit(world, round_, issue, member, category)
                for member in world.members
            )
        )
        assert sorted(result.surplus for result in results) == [False, True]
        assert [result.label.summary for result in results] == ["by R1", "by R2"]
    assert Label.objects.count() == 2 * len(world.issues)
    assert Counter(Label.objects.filter(surplus=False).values_list("issue", flat=True)) == {
        issue.pk: 1 for issue in world.issues
    }
    _promises_hold(round_)


@only_long
def test_the_race_to_claim_one_last_slot():
    world = small_world(issues=sampled(100, 20), members=2)
    for issue in world.issues:
        round_ = world.k_of_n(1, issues=Issue.objects.filter(pk=issue.pk), name=f"Only {issue}")
        turns = at_once(
            *(lambda member=member: next_turn(round_=round_, member=member) for member in world.members)
        )
        assert sorted(turn is None for turn in turns) == [False, True]


@only_long
def test_a_lease_is_retaken_while_its_holder_submits():
    world = small_world(issues=sampled(100, 20), members=2)
    round_ = world.k_of_n(1)
    slow, quick = world.members
    category = world.category("C.2")
    for _ in world.issues:
        issue = next_turn(round_=round_, member=slow).issue
        # Only this claim has expired, and nothing else is free.
        Assignment.objects.filter(volunteer=slow, submitted_at=None).update(
            lease_until=timezone.now() - timedelta(seconds=1)
        )
        free = list(Assignment.objects.filter(volunteer=None).values_list("pk", flat=True))
        Assignment.objects.filter(pk__in=free).update(
            volunteer=slow, lease_until=None, submitted_at=timezone.now()
        )
        late, turn = at_once(
            lambda: _submit(world, round_, issue, slow, category),
            lambda: next_turn(round_=round_, member=quick),
        )
        assert isinstance(late, SubmittedLabel)
        assert late.surplus == (turn is not None)
        if turn is not None:
            assert turn.issue == issue
            assert _submit(world, round_, issue, quick, category).surplus is False
        Assignment.objects.filter(pk__in=free).update(volunteer=None, submitted_at=None)
    _promises_hold(round_)


def test_a_double_click_stores_once():
    world = small_world(issues=sampled(50, 15), members=1)
    round_, member = world.round(), world.members[0]
    category = world.category("C.2")
    for issue in world.issues:
        key = uuid4()
        results = at_once(*[lambda: _submit(world, round_, issue, member, category, form_key=key)] * 3)
        assert len({result.label.pk for result in results}) == 1
        assert sorted(result.repeated for result in results) == [False, True, True]
    assert Label.objects.count() == len(world.issues)


@only_long
def test_two_tabs_claim_one_issue():
    world = small_world(issues=sampled(50, 15), members=1)
    round_, member = world.k_of_n(1), world.members[0]
    category = world.category("C.2")
    for done in range(len(world.issues)):
        turns = at_once(*[lambda: next_turn(round_=round_, member=member)] * 3)
        assert len({turn.issue.pk for turn in turns}) == 1
        assert Assignment.objects.exclude(volunteer=None).count() == done + 1
        _submit(world, round_, turns[0].issue, member, category)


def test_two_tabs_submit_different_labels():
    world = small_world(issues=sampled(30, 10), members=1)
    round_, member = world.round(), world.members[0]
    categories = [world.category(code) for code in ("C.2", "C.3")]
    for issue in world.issues:
        results = at_once(
            *(
                lambda category=category: _submit(world, round_, issue, member, category)
                for category in categories
            )
        )
        refused = [result for result in results if isinstance(result, errors.AlreadyLabelled)]
        stored = [result for result in results if isinstance(result, SubmittedLabel)]
        assert (len(refused), len(stored)) == (1, 1)
        assert refused[0].label == stored[0].label
        assert refused[0].kept["summary"] == f"by {member}"


def test_two_tabs_save_different_drafts():
    world = small_world(issues=sampled(30, 10), members=1)
    round_, member = world.round(), world.members[0]

    def save(issue, summary):
        return world.draft(round_, issue, member, None, summary)

    for issue in world.issues:
        results = at_once(lambda: save(issue, "one"), lambda: save(issue, "two"))
        stale = [result for result in results if isinstance(result, errors.StaleDraft)]
        assert len(stale) == 1
        assert {stale[0].stored.summary, stale[0].kept["summary"]} == {"one", "two"}
        assert Draft.objects.get(issue=issue).summary == stale[0].stored.summary


@only_long
def test_a_draft_is_saved_while_its_slot_is_retaken():
    """The order of locks: whoever retakes a slot leaves a draft behind, whoever saves one renews the slot."""
    world = small_world(issues=1, members=2)
    category = None
    for number in range(sampled(50, 15)):
        round_ = world.k_of_n(1, name=f"Round {number}")
        slow, quick = world.members
        issue = next_turn(round_=round_, member=slow).issue
        Assignment.objects.filter(round=round_).update(lease_until=timezone.now() - timedelta(seconds=1))
        draft, turn = at_once(
            lambda: save_draft(
                round_=round_,
                issue=issue,
                member=slow,
                given=factories.label_input(category=category, summary="typing", unsure=False, revision=0),
            ),
            lambda: next_turn(round_=round_, member=quick),
        )
        assert draft.summary == Draft.objects.get(round=round_, volunteer=slow).summary == "typing"
        holder = Assignment.objects.get(round=round_).volunteer
        assert holder == (slow if turn is None else quick)


def test_the_last_two_labels_at_the_same_moment_complete_the_issue_once():
    world = small_world(issues=sampled(100, 20), members=2)
    round_ = world.round()
    category = world.category("C.2")
    for issue in world.issues:
        results = at_once(
            *(
                lambda member=member: _submit(world, round_, issue, member, category)
                for member in world.members
            )
        )
        assert sorted(result.completed for result in results) == [False, True]
        assert [result.decision for result in results if not result.completed] == [None]
        assert Decision.objects.get(issue=issue) in [result.decision for result in results]
    assert (
        Decision.objects.count() == RoundIssue.objects.exclude(completed_at=None).count() == len(world.issues)
    )
    _promises_hold(round_)


@only_long
def test_a_submit_finishes_before_the_close_or_is_told_of_it():
    world = small_world(issues=1, members=2)
    category = world.category("C.2")
    for number in range(sampled(50, 15)):
        round_ = world.round(name=f"Round {number}")
        issue, (member, other) = world.issues[0], world.members
        _submit(world, round_, issue, other, category)
        result, closed = at_once(
            lambda: _submit(world, round_, issue, member, category),
            lambda: close_round(round_=round_, by=world.lead),
        )
        assert isinstance(closed, Round)
        if isinstance(result, SubmittedLabel):
            assert result.completed is True
            assert result.label.submitted_at <= closed.closed_at
            assert Decision.objects.filter(round=round_, method="unanimous").count() == 1
        else:
            assert isinstance(result, RoundClosed)
            assert Draft.objects.get(round=round_).summary == "by R1"
            assert Label.objects.filter(round=round_).count() == 1
            assert Decision.objects.filter(round=round_).count() == 0
        _promises_hold(round_)


@only_long
def test_a_change_finishes_before_the_issue_is_complete_or_is_told_of_it():
    world = small_world(issues=sampled(50, 15), members=2)
    round_ = world.round()
    first, second = world.members
    one, other = world.category("C.2"), world.category("C.3")
    for issue in world.issues:
        _submit(world, round_, issue, first, one)
        changed, last = at_once(
            lambda: change_label(
                round_=round_,
                issue=issue,
                member=first,
                given=factories.label_input(category=other, summary="changed", unsure=False),
            ),
            lambda: _submit(world, round_, issue, second, one),
        )
        assert last.completed is True
        stands = Label.objects.get(issue=issue, volunteer=first)
        if isinstance(changed, Label):
            assert (stands.category, last.decision) == (other, None)
        else:
            assert isinstance(changed, errors.LabelRevealed)
            assert (stands.category, last.decision.category) == (one, one)


@only_long
def test_two_leads_settle_one_issue():
    world = small_world(issues=sampled(30, 10), members=2)
    round_ = world.round()
    owner = factories.make_member(world.study, "owner", pseudonym="Owner")
    categories = [world.category(code) for code in ("C.2", "C.3")]
    for issue in world.issues:
        for member, category in zip(world.members, categories, strict=True):
            _submit(world, round_, issue, member, category)
        results = at_once(
            *(
                lambda by=by, category=category: settle_issue(
                    round_=round_,
                    issue=issue,
                    by=by,
                    category=category,
                    rationale=f"So says {by}.",
                    seen_number=0,
                )
                for by, category in zip((world.lead, owner), categories, strict=True)
            )
        )
        refused = [result for result in results if isinstance(result, StaleDecision)]
        assert len(refused) == 1
        assert refused[0].standing == Decision.objects.get(issue=issue)
    assert Decision.objects.count() == len(world.issues)


@only_long
def test_a_round_is_opened_once():
    world = small_world(issues=20, members=3)
    for number in range(10):
        round_ = world.round(opened=False, name=f"Round {number}")
        results = at_once(*[lambda: open_round(round_=round_, by=world.lead)] * 3)
        assert sorted(isinstance(result, RoundAlreadyOpen) for result in results) == [False, True, True]
        assert Assignment.objects.filter(round=round_).count() == 60
