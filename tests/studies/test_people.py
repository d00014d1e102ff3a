"""Seats: given, changed, left and taken again; and the owner that a study keeps."""

import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from knox.models import AuthToken

from core.sql.constraints import violated
from studies import actions
from studies.errors import AlreadyMember, LastOwner, NotInTheStudy, RoleIsFixed
from studies.models import Event, Invitation, Membership, Role, Study
from tests.database import as_owner
from tests.factories import make_member, make_user
from tests.races import at_once

pytestmark = pytest.mark.django_db


PART = {
    "leave": lambda owner, by: actions.end_membership(member=owner, by=by),
    "demote": lambda owner, by: actions.change_role(member=owner, role=Role.VIEWER, by=by),
}


def events(study):
    return [(event.verb, event.detail) for event in Event.objects.filter(study=study).order_by("id")]


def owned(name="Study") -> tuple[Study, Membership]:
    study = actions.create_study(name=name, by=make_user())
    return study, study.memberships.get()


# --- making a study


def test_create_study_makes_its_maker_the_owner():
    ada = make_user()
    study = actions.create_study(name=" LLM framework issues ", description="Eleven repositories", by=ada)
    found = (study.name, study.slug, study.description)
    assert found == ("LLM framework issues", "llm-framework-issues", "Eleven repositories")
    seats = Membership.objects.values_list("user", "role", "pseudonym", "left_at")
    assert list(seats) == [(ada.pk, "owner", "R1", None)]
    assert events(study) == [("studies.created", {"name": "LLM framework issues"})]


def test_create_study_by_the_server_has_no_members():
    assert actions.create_study(name="Imported", by=None).memberships.count() == 0


@pytest.mark.parametrize(
    ("name", "slugs"),
    [
        ("Main", ["main", "main-2", "main-3"]),
        ("大模型框架", ["study", "study-2", "study-3"]),
        ("LLM 框架", ["llm", "llm-2", "llm-3"]),
        ("Éclair à la crème", ["eclair-a-la-creme", "eclair-a-la-creme-2", "eclair-a-la-creme-3"]),
        ("New", ["new-2", "new-3", "new-4"]),
        ("x" * 200, ["x" * 70, "x" * 70 + "-2", "x" * 70 + "-3"]),
    ],
)
def test_create_study_slug(name, slugs):
    assert [actions.create_study(name=name, by=None).slug for _ in range(3)] == slugs


@pytest.mark.django_db(transaction=True)
def test_two_studies_of_one_name_at_a_time_get_two_slugs():
    made = at_once(*[lambda: actions.create_study(name="Main", by=None).slug] * 4)
    assert sorted(made) == ["main", "main-2", "main-3", "main-4"]


# --- pseudonyms


def test_pseudonyms_count_per_letter():
    study, _owner = owned()
    roles = [Role.LEAD, Role.VIEWER, Role.VOLUNTEER, Role.VIEWER]
    given = [actions.add_member(study=study, user=make_user(), role=role).pseudonym for role in roles]
    model, _token = actions.add_model(study=study, name="model-7b", by=None)
    assert [*given, model.pseudonym] == ["R2", "V1", "R3", "V2", "M1"]


def test_pseudonyms_go_on_after_imported_volunteers(study):
    for number in (1, 2, 10):
        make_member(study, pseudonym=f"r{number}", user=None)
    make_member(study, pseudonym="Referee", user=None)
    assert actions.add_member(study=study, user=make_user(), role=Role.LEAD).pseudonym == "R11"


@pytest.mark.django_db(transaction=True)
def test_many_who_join_at_a_time_get_different_pseudonyms(study):
    people = [make_user() for _ in range(8)]
    seats = at_once(
        *[lambda p=p: actions.add_member(study=study, user=p, role=Role.VOLUNTEER).pseudonym for p in people]
    )
    assert sorted(seats) == [f"R{number}" for number in range(1, 9)]


@pytest.mark.django_db(transaction=True)
def test_joining_while_an_import_takes_the_next_pseudonyms(study):
    def import_volunteers():
        with transaction.atomic():
            for number in range(1, 6):
                Membership.objects.create(study=study, role=Role.VOLUNTEER, pseudonym=f"R{number}")

    user = make_user()
    _none, seat = at_once(
        import_volunteers, lambda: actions.add_member(study=study, user=user, role=Role.LEAD).pseudonym
    )
    taken = sorted(Membership.objects.values_list("pseudonym", flat=True))
    # Either may come first; if the person does, the import fails whole and is told so.
    assert (seat, taken) in [("R6", [f"R{n}" for n in range(1, 7)]), ("R1", ["R1"])]


# --- joining


def test_add_member_twice_is_refused():
    study, owner = owned()
    with pytest.raises(AlreadyMember):
        actions.add_member(study=study, user=owner.user, role=Role.VIEWER)
    assert study.memberships.get().role == Role.OWNER


def test_nobody_is_added_or_invited_as_a_model():
    study, owner = owned()
    with pytest.raises(RoleIsFixed):
        actions.add_member(study=study, user=make_user(), role=Role.MODEL)
    with pytest.raises(RoleIsFixed):
        actions.invite(study=study, role=Role.MODEL, by=owner.user)


@pytest.mark.parametrize("role", ["lead", "volunteer", "viewer", "model"])
def test_only_an_owner_manages_people(role):
    study, owner = owned()
    member, other = make_member(study, role), make_member(study)
    invitation, _token = actions.invite(study=study, role=Role.VIEWER, by=owner.user)
    by = member.user
    for act in (
        lambda: actions.add_member(study=study, user=make_user(), role=Role.VIEWER, by=by),
        lambda: actions.change_role(member=other, role=Role.LEAD, by=by),
        lambda: actions.end_membership(member=other, by=by),
        lambda: actions.rejoin(member=other, by=by),
        lambda: actions.invite(study=study, role=Role.VIEWER, by=by),
        lambda: actions.revoke_invitation(invitation=invitation, by=by),
        lambda: actions.add_model(study=study, name="m", by=by),
    ):
        with pytest.raises(PermissionDenied):
            act()
    assert study.memberships.count() == 3
    assert Invitation.objects.get().revoked_at is None


def test_owner_of_another_study_manages_nobody_here():
    study, _owner = owned()
    other = make_member(study)
    _elsewhere, stranger = owned("Elsewhere")
    with pytest.raises(PermissionDenied):
        actions.change_role(member=other, role=Role.LEAD, by=stranger.user)


# --- roles


def test_change_role():
    study, owner = owned()
    member = make_member(study)
    actions.change_role(member=member, role=Role.LEAD, by=owner.user)
    member.refresh_from_db()
    assert (member.role, member.pseudonym) == ("lead", "R2")
    assert events(study)[-1] == ("people.role_changed", {"member": "R2", "from": "volunteer", "to": "lead"})


def test_change_role_to_the_same_changes_nothing():
    study, owner = owned()
    before = events(study)
    actions.change_role(member=owner, role=Role.OWNER, by=owner.user)
    assert events(study) == before


@pytest.mark.parametrize(("former", "role"), [("viewer", "volunteer"), ("volunteer", "viewer")])
def test_who_has_ever_been_a_volunteer_has_a_volunteers_pseudonym(former, role):
    study, owner = owned()
    member = actions.add_member(study=study, user=make_user(), role=former)
    assert actions.change_role(member=member, role=role, by=owner.user).pseudonym == "R2"


@pytest.mark.parametrize(
    ("former", "role"), [("model", "volunteer"), ("volunteer", "model"), ("owner", "model")]
)
def test_change_role_between_person_and_model_is_refused(former, role):
    study, owner = owned()
    member = make_member(study, former)
    with pytest.raises(RoleIsFixed):
        actions.change_role(member=member, role=role, by=owner.user)
    member.refresh_from_db()
    assert member.role == former


def test_change_role_of_somebody_who_left_is_refused():
    study, owner = owned()
    member = make_member(study, left_at=timezone.now())
    with pytest.raises(NotInTheStudy):
        actions.change_role(member=member, role=Role.LEAD, by=owner.user)


# --- leaving and coming back


def test_end_membership_and_rejoin():
    study, owner = owned()
    member = make_member(study, Role.LEAD)
    actions.end_membership(member=member, by=member.user)
    member.refresh_from_db()
    assert member.left_at is not None
    actions.end_membership(member=member, by=owner.user)
    actions.rejoin(member=member, by=owner.user)
    actions.rejoin(member=member, by=owner.user)
    member.refresh_from_db()
    assert (member.left_at, member.role, member.pseudonym) == (None, "lead", "R2")
    assert events(study)[1:] == [
        ("people.left", {"member": "R2", "role": "lead"}),
        ("people.rejoined", {"member": "R2", "role": "lead"}),
    ]


def test_end_membership_of_a_model_ends_its_tokens():
    study, owner = owned()
    model, _token = actions.add_model(study=study, name="model-7b", by=owner.user)
    assert AuthToken.objects.filter(user=model.user).count() == 1
    actions.end_membership(member=model, by=owner.user)
    assert AuthToken.objects.count() == 0


@pytest.mark.parametrize("part", sorted(PART))
def test_owner_who_parts_cannot_come_back_by_their_own_invitation(part):
    study, owner = owned()
    second = make_member(study, Role.OWNER)
    actions.invite(study=study, role=Role.OWNER, by=owner.user)
    kept, _token = actions.invite(study=study, role=Role.OWNER, by=second.user)
    PART[part](owner, second.user)
    assert list(Invitation.objects.filter(revoked_at=None)) == [kept]


# --- models


def test_add_model_makes_an_account_without_password():
    study, owner = owned()
    model, token = actions.add_model(study=study, name="model-7b", by=owner.user)
    assert (model.role, model.pseudonym, model.user.name) == ("model", "M1", "model-7b")
    assert not model.user.has_usable_password()
    assert model.user.email.endswith("@models.invalid")
    assert AuthToken.objects.get().token_key == token[:15]


def test_make_model_token_for_a_person_is_refused():
    study, owner = owned()
    with pytest.raises(NotInTheStudy):
        actions.make_model_token(member=make_member(study), by=owner.user)
    assert AuthToken.objects.count() == 0


# --- the last owner


@pytest.mark.parametrize("part", sorted(PART))
def test_last_owner_stays(part):
    study, owner = owned()
    make_member(study, Role.LEAD)
    make_member(study, Role.OWNER, user=None)
    make_member(study, Role.OWNER, left_at=timezone.now())
    with pytest.raises(LastOwner):
        PART[part](owner, owner.user)
    owner.refresh_from_db()
    assert (owner.role, owner.left_at) == ("owner", None)


def test_owner_who_is_not_the_last_may_leave():
    study, owner = owned()
    second = make_member(study, Role.OWNER)
    actions.end_membership(member=owner, by=owner.user)
    assert study.memberships.get(left_at=None) == second


def sql(statement, *values):
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE studies_membership SET role = 'lead' WHERE id = %s",
        "UPDATE studies_membership SET left_at = now() WHERE id = %s",
        "UPDATE studies_membership SET user_id = NULL WHERE id = %s",
        "DELETE FROM studies_membership WHERE id = %s",
    ],
)
def test_database_keeps_the_last_owner(change):
    _study, owner = owned()
    with pytest.raises(IntegrityError) as error:
        sql(change, owner.pk)
    assert violated(error.value) == "last_owner_stays"
    assert Membership.objects.get().role == Role.OWNER


@pytest.mark.django_db(transaction=True)
def test_database_lets_ownership_be_handed_over_in_any_order():
    study, owner = owned()
    member = make_member(study)
    with transaction.atomic():
        Membership.objects.filter(pk=owner.pk).update(role=Role.VIEWER)
        Membership.objects.filter(pk=member.pk).update(role=Role.OWNER)
    assert study.memberships.get(role=Role.OWNER) == member


@pytest.mark.django_db(transaction=True)
def test_database_lets_a_study_go_with_its_owner():
    study, _owner = owned()
    other, _other_owner = owned("Other")
    with as_owner():  # the audit of the study goes too
        study.delete()
    assert list(Study.objects.all()) == [other]


@pytest.mark.django_db(transaction=True)
def test_study_without_members_with_accounts_is_allowed(study):
    make_member(study, user=None).delete()
    assert study.memberships.count() == 0


@pytest.mark.django_db(transaction=True)
def test_two_owners_who_demote_each_other_leave_one():
    for _repetition in range(10):
        study, first = owned()
        second = make_member(study, Role.OWNER)
        results = at_once(
            lambda a=first, b=second: actions.change_role(member=a, role=Role.LEAD, by=b.user),
            lambda a=first, b=second: actions.change_role(member=b, role=Role.LEAD, by=a.user),
        )
        assert sorted(type(result).__name__ for result in results) == ["Membership", "PermissionDenied"]
        assert study.memberships.filter(role=Role.OWNER).count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("isolation", ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])
def test_database_lets_one_of_two_owners_go_at_a_time(isolation):
    """Without the actions' lock: the trigger alone holds, whatever the isolation."""

    def leave(member):
        with transaction.atomic():
            sql(f"SET TRANSACTION ISOLATION LEVEL {isolation}")
            Membership.objects.filter(pk=member.pk).update(left_at=timezone.now())

    for _repetition in range(10):
        study, first = owned()
        second = make_member(study, Role.OWNER)
        results = at_once(lambda a=first: leave(a), lambda b=second: leave(b))
        assert [type(result) for result in results].count(type(None)) == 1, results
        assert study.memberships.filter(left_at=None).count() == 1
