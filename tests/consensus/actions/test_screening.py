import pytest
from django.utils import timezone

from annotate.actions.rounds import close_round
from consensus.actions.bulk import decide_majority
from consensus.actions.decisions import decide_all_by_rule
from consensus.models import Decision
from consensus.queries.bulk import forecast
from consensus.queries.disagreement_filters import Narrowing
from rounds.models import Round
from studies.models import Role
from tests import factories
from tests.kept import kept
from tests.races import at_once
from tests.worlds.pages import label_all
from tests.worlds.screened import screening, screening_world
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db


@kept
def world() -> World:
    return screening_world()


def _standing(round_) -> list[tuple[int, str, str, int]]:
    codes = {state.category_id: state.code for state in round_.version.states.all()}
    found = Decision.objects.filter(round=round_, superseded_at=None).order_by("issue")
    return [(one.issue_id, codes[one.category_id], one.method, one.number) for one in found]


def _labelled(world, *rows, **fields) -> Round:
    """A main round with these labels, a row per issue."""
    round_ = world.round(**fields)
    label_all(world, round_, *rows)
    return round_


# --- the rule of the round


@pytest.mark.parametrize(
    ("row", "decided"),
    [
        ("C.2 C.2 C.2 C.2 C.2", ("C.2", "unanimous")),
        ("C.2 C.2 C.2 C.3 C.3", ("C.2", "majority")),
        ("C.1 C.1.i C.1.i C.3 C.3", ("C.1", "majority")),
        ("C.2 C.2 C.3 C.3 C.9", None),
        ("C.2 C.2 C.3 C.9 B.1", None),
        ("C.2 C.2 C.2 ?Missing ?Missing", ("C.2", "majority")),
        ("C.2 C.2 ?Missing ?Missing ?Missing", None),
    ],
)
def test_a_majority_of_three_decides(row, decided):
    world = small_world(issues=1, members=5)
    round_ = _labelled(world, row, rule=Round.Rule.MAJORITY, majority=3)
    made = [(code, method) for _issue, code, method, _number in _standing(round_)]
    assert made == ([decided] if decided else [])
    assert not Decision.objects.filter(decided_by__isnull=False).exists()


def test_a_tie_for_the_largest_group_decides_nothing():
    world = small_world(issues=2, members=4)
    fields = {"rule": Round.Rule.MAJORITY, "majority": 2}
    round_ = factories.make_round(world.version, world.issues, world.members, **fields)
    for issue, row in zip(world.issues, ("C.2 C.2 C.3 C.3", "C.2 C.2 C.3 C.9"), strict=True):
        for member, code in zip(world.members, row.split(), strict=True):
            factories.add_label(round_, issue, member, code)
    assert decide_all_by_rule(round_, timezone.now()) == 1
    assert _standing(round_) == [(world.issues[1].pk, "C.2", "majority", 1)]


def test_an_open_label_keeps_the_others_from_being_unanimous():
    world = small_world(issues=1)
    assert _standing(_labelled(world, "C.2 C.2 ?Missing")) == []


@pytest.mark.parametrize("rule", [Round.Rule.UNANIMOUS, Round.Rule.MEETING])
def test_without_the_rule_a_majority_decides_nothing(rule):
    world = small_world(issues=2)
    round_ = _labelled(world, "C.2 C.2 C.3", "C.2 C.2 C.2", rule=rule)
    assert _standing(round_) == [(world.issues[1].pk, "C.2", "unanimous", 1)]


def test_a_round_that_reveals_at_its_close_decides_then():
    world = small_world(issues=2)
    round_ = _labelled(
        world, "C.2 C.2 C.3", "C.2 C.2 -",
        rule=Round.Rule.MAJORITY, majority=2, reveal=Round.Reveal.ROUND_CLOSED,
    )  # fmt: skip
    assert _standing(round_) == []
    close_round(round_=round_, by=world.lead)
    assert _standing(round_) == [(world.issues[0].pk, "C.2", "majority", 1)]


def test_a_training_is_not_decided_by_its_labels():
    world = small_world(issues=1)
    round_ = factories.make_round(world.version, world.issues, world.members, kind=Round.Kind.TRAINING)
    for member in world.members:
        factories.add_label(round_, world.issues[0], member, "C.2")
    assert decide_all_by_rule(round_, timezone.now()) == 0


# --- a screening


def test_a_majority_settles_what_is_open_and_has_one(world):
    round_ = screening(world)
    excluded, kept = world.category("F").pk, world.category("T").pk
    assert forecast(round_, world.lead, 2, Narrowing()).categories == {excluded: 1, kept: 1}

    bulk = decide_majority(round_=round_, by=world.lead, at_least=2, narrowing=Narrowing())
    assert _standing(round_)[3:] == [
        (world.issues[3].pk, "T", "unanimous", 1),
        (world.issues[4].pk, "F", "majority", 1),
        (world.issues[5].pk, "T", "majority", 1),
    ]
    assert set(bulk.decisions.values_list("decided_by", "rationale")) == {(world.lead.pk, "")}
    assert forecast(round_, world.lead, 2, Narrowing()).categories == {}


def test_what_all_excluded_can_be_brought_back_and_the_chain_stays(world):
    round_ = screening(world, rule=Round.Rule.MEETING)
    back = world.settle(round_, world.issues[0], "T", rationale="A real one.", seen=1)
    assert (back.number, back.method) == (2, "lead")
    first = Decision.objects.get(round=round_, issue=world.issues[0], number=1)
    assert (first.method, first.superseded_at) == ("unanimous", back.decided_at)


# --- two at once


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_two_leads_at_once_bring_one_issue_back_once():
    world = screening_world()
    round_ = screening(world)
    owner = factories.make_member(world.study, Role.OWNER, pseudonym="Owner")

    def back(by):
        return world.settle(round_, world.issues[0], "T", rationale=f"{by.pseudonym} read it.", by=by, seen=1)

    done = at_once(lambda: back(world.lead), lambda: back(owner))
    assert sorted(type(one).__name__ for one in done) == ["Decision", "StaleDecision"]
    assert Decision.objects.filter(round=round_, issue=world.issues[0]).count() == 2
