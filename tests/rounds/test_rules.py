import pytest
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.rules import may_see_own_labels, may_take_turns
from consensus.rules import may_see_disagreements, may_settle
from rounds import rules
from studies.models import Role
from tests import factories
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=1)]

OWNER, LEAD, VOLUNTEER, VIEWER, MODEL = Role.OWNER, Role.LEAD, Role.VOLUNTEER, Role.VIEWER, Role.MODEL
MAY = {
    rules.may_create_round: {OWNER, LEAD},
    rules.may_be_volunteer: {OWNER, LEAD, VOLUNTEER},
    rules.may_open: {OWNER, LEAD},
    rules.may_close: {OWNER, LEAD},
    may_settle: {OWNER, LEAD},
    rules.may_see_progress: {OWNER, LEAD, VOLUNTEER, VIEWER},
    may_see_disagreements: {OWNER, LEAD, VOLUNTEER, VIEWER},
}


@pytest.mark.parametrize("rule", MAY)
def test_each_role_may_what_the_design_says(rule):
    world, other = small_world(issues=1), small_world(issues=1)
    of_study = rule in {rules.may_create_round, rules.may_be_volunteer}
    about, about_other = (one.study if of_study else one.round() for one in (world, other))
    members = {role: factories.make_member(world.study, role, pseudonym=f"a {role}") for role in Role}
    assert {role for role, member in members.items() if rule(member, about)} == MAY[rule]
    assert not any(rule(member, about_other) for member in members.values())
    assert rule(None, about) is False
    for member in members.values():
        member.left_at = timezone.now()
        assert rule(member, about) is False


def test_turns_are_for_the_rounds_volunteers_while_it_is_open(world):
    planned, opened = world.round(opened=False), world.round()
    closed = close_round(round_=world.round(), by=world.lead)
    volunteer, bystander = world.members[0], factories.make_member(world.study, pseudonym="R9")
    assert [may_take_turns(volunteer, one) for one in (planned, opened, closed)] == [False, True, False]
    assert [may_see_own_labels(volunteer, one) for one in (planned, opened, closed)] == [True, True, True]
    for member in (bystander, world.lead, None, small_world(issues=1).members[0]):
        assert may_take_turns(member, opened) is False
        assert may_see_own_labels(member, opened) is False


def test_nothing_is_settled_before_the_round_opens(world):
    assert may_settle(world.lead, world.round(opened=False)) is False
