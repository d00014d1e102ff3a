"""Every rule for every role: what each may do, a member who left, and somebody who is no member."""

import pytest

from studies import rules
from studies.models import Membership, Role
from tests.factories import make_member, make_study, make_user

pytestmark = pytest.mark.django_db

EVERYBODY = {"owner", "lead", "volunteer", "viewer", "model"}
MAY = {
    "may_manage_people": {"owner"},
    "may_delete_study": {"owner"},
    "may_see_people": {"owner", "lead", "volunteer", "viewer"},
    "may_see_names": {"owner", "lead", "volunteer"},
    "may_lead": {"owner", "lead"},
    "may_read_audit": {"owner", "lead"},
    "may_label": {"owner", "lead", "volunteer", "model"},
    "may_read_revealed": {"owner", "lead", "volunteer", "viewer"},
    "may_read_guideline": {"owner", "lead", "volunteer", "viewer"},
    "may_edit_guideline": {"owner", "lead"},
}
OTHERS = {"may_create_studies", "may_end_membership", "may_make_token_for"}


def test_table_names_every_rule():
    assert {name for name in dir(rules) if name.startswith("may_")} == MAY.keys() | OTHERS


def test_table_names_every_role():
    assert set(Role.values) == EVERYBODY


@pytest.mark.parametrize("role", sorted(EVERYBODY))
@pytest.mark.parametrize("rule", sorted(MAY))
def test_rule_for_role(rule, role):
    member = Membership(role=role)
    assert getattr(rules, rule)(member) is (role in MAY[rule])


@pytest.mark.parametrize("role", sorted(EVERYBODY))
@pytest.mark.parametrize("rule", sorted(MAY))
def test_rule_for_member_who_left(rule, role, study):
    member = make_member(study, role, left_at=study.created_at)
    assert getattr(rules, rule)(member) is False


@pytest.mark.parametrize("rule", sorted(MAY))
def test_rule_for_stranger(rule):
    assert getattr(rules, rule)(None) is False


@pytest.mark.parametrize(
    ("may_create_studies", "is_active", "expected"),
    [(True, True, True), (False, True, False), (True, False, False), (False, False, False)],
)
def test_creating_studies(may_create_studies, is_active, expected):
    user = make_user(may_create_studies=may_create_studies, is_active=is_active)
    assert rules.may_create_studies(user) is expected


@pytest.mark.parametrize("role", sorted(EVERYBODY))
def test_ending_ones_own_membership(role, study):
    member = make_member(study, role)
    assert rules.may_end_membership(member, member) is (role != "model")


@pytest.mark.parametrize("of", sorted(EVERYBODY))
@pytest.mark.parametrize("role", sorted(EVERYBODY))
def test_ending_the_membership_of_somebody_else(role, of, study):
    member, other = make_member(study, role), make_member(study, of)
    assert rules.may_end_membership(member, other) is (role == "owner")


def test_ending_a_membership_from_outside(study):
    member = make_member(study)
    left = make_member(study, "owner", left_at=study.created_at)
    elsewhere = make_member(make_study(), "owner")
    assert [rules.may_end_membership(who, member) for who in (None, left, elsewhere)] == [False] * 3
    assert rules.may_end_membership(left, left) is False


@pytest.mark.parametrize("of", sorted(EVERYBODY))
@pytest.mark.parametrize("role", sorted(EVERYBODY))
def test_making_a_token_for_somebody(role, of, study):
    member, other = make_member(study, role), make_member(study, of)
    assert rules.may_make_token_for(member, other) is (role == "owner" and of == "model")


def test_making_a_token_from_outside_or_for_a_model_that_left(study):
    model = make_member(study, "model")
    owner = make_member(study, "owner")
    elsewhere = make_member(make_study(), "owner")
    gone = make_member(study, "model", left_at=study.created_at)
    assert rules.may_make_token_for(None, model) is False
    assert rules.may_make_token_for(elsewhere, model) is False
    assert rules.may_make_token_for(owner, gone) is False
    assert rules.may_make_token_for(owner, model) is True
