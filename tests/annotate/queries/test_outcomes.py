"""What became of a member's own labels: only after reveal, only theirs, and nothing that is withheld."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.actions.rounds import close_round
from annotate.queries.labels import own_labels
from annotate.queries.outcomes import (
    KINDS,
    OutcomeCounts,
    OutcomeFilter,
    labels_by_outcome,
    outcome_counts,
    outcomes_of,
)
from rounds.models import Label, Round

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=5, members=2)]


@pytest.fixture
def labelled(world):
    """Issue by issue for the first member: decided otherwise, decided as labelled, unanimous, not decided,
    and not revealed.
    """
    round_ = world.round()
    for issue, codes in zip(
        world.issues,
        [("C.2", "C.9"), ("C.2", "C.9"), ("C.10", "C.10"), ("C.2", "C.10"), ("C.2",)],
        strict=True,
    ):
        for member, code in zip(world.members, codes, strict=False):
            world.submit(round_, issue, member, code)
    world.settle(round_, world.issues[0], "C.9", rationale="It is about the farm.")
    world.settle(round_, world.issues[1], "C.2")
    return round_


def of(world, round_, member):
    """Per issue: code of the decision, method, and whether the label stands; None where nothing is told."""
    told = outcomes_of(round_, member, Label.objects.filter(round=round_, volunteer=member))
    return [
        (one.state and one.state.code, one.decision and one.decision.method, one.stands) if one else None
        for one in map(told.get, [issue.pk for issue in world.issues])
    ]


def narrowed(world, round_, member, **asked):
    places = {issue.pk: place for place, issue in enumerate(world.issues)}
    found = own_labels(round_, member, among=OutcomeFilter(**asked).labels(round_, member))
    return sorted(places[row.label.issue_id] for row in found.rows)


def test_each_label_meets_its_decision(world, labelled):
    mine, other = world.members
    assert of(world, labelled, mine) == [
        ("C.9", "lead", False), ("C.2", "lead", True), ("C.10", "unanimous", True), (None, None, None), None,
    ]  # fmt: skip
    assert of(world, labelled, other)[:2] == [("C.9", "lead", True), ("C.2", "lead", False)]
    assert outcome_counts(labelled, mine) == OutcomeCounts(otherwise=1, stands=2, waits=1)
    assert [narrowed(world, labelled, mine, outcome=kind) for kind in KINDS] == [[0], [1, 2], [3]]
    assert narrowed(world, labelled, mine, category=world.category("C.10").pk) == [2]
    assert narrowed(world, labelled, mine, outcome="stands", category=world.category("C.2").pk) == [1]
    assert narrowed(world, labelled, mine) == [0, 1, 2, 3, 4]


def test_nothing_is_told_before_the_round_closes_if_it_reveals_then(world):
    round_ = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    for member in world.members:
        world.submit(round_, world.issues[0], member, "C.2")
    mine = world.members[0]
    assert of(world, round_, mine) == [None] * 5
    assert not outcome_counts(round_, mine)
    assert [narrowed(world, round_, mine, outcome=kind) for kind in KINDS] == [[], [], []]
    close_round(round_=round_, by=world.lead)
    round_.refresh_from_db()
    assert of(world, round_, mine)[0] == ("C.2", "unanimous", True)
    assert outcome_counts(round_, mine) == OutcomeCounts(stands=1)


def test_what_the_member_has_to_label_elsewhere_is_not_told(world, labelled):
    mine, other = world.members
    world.waits_for(mine, world.issues[0], world.issues[2])
    assert [place for place, one in enumerate(of(world, labelled, mine)) if one] == [1, 3]
    assert outcome_counts(labelled, mine) == OutcomeCounts(stands=1, waits=1)
    assert [narrowed(world, labelled, mine, outcome=kind) for kind in KINDS] == [[], [1], [3]]
    assert [place for place, one in enumerate(of(world, labelled, other)) if one] == [0, 1, 2, 3]


def test_a_training_tells_its_answers_in_its_own_way(world):
    round_ = world.round()
    round_.kind = Round.Kind.TRAINING
    assert outcome_counts(round_, world.members[0]) == OutcomeCounts()
    assert not labels_by_outcome(round_, world.members[0], "stands").exists()


@pytest.mark.parametrize("many", [1, 3])
def test_queries_do_not_grow(world, labelled, many):
    mine = world.members[0]
    labels = list(Label.objects.filter(round=labelled, volunteer=mine).order_by("pk")[:many])
    outcomes_of(labelled, mine, labels)
    with CaptureQueriesContext(connection) as asked:
        outcomes_of(labelled, mine, labels)
        outcome_counts(labelled, mine)
    assert len(asked) == 6
