"""The page of people and what is posted from it, for strangers, every role, and programs that forge."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from accounts.models import User
from studies import actions
from studies.models import Event, Invitation, Membership, Role
from tests.factories import make_member, make_study, make_user

pytestmark = pytest.mark.django_db

INVITE = {"role": "volunteer", "note": "Hana", "lifetime": "14"}


@pytest.fixture
def owner(client) -> Membership:
    owner = make_member(make_study(slug="main"), Role.OWNER)
    client.force_login(owner.user)
    return owner


def as_role(study, role) -> Client:
    client = Client()
    client.force_login(make_member(study, role).user)
    return client


def posts(member: Membership, invitation: Invitation) -> dict[str, tuple[str, dict[str, str]]]:
    """Everything that the page of people posts: the URL name, its address and a form that would do."""
    slug = member.study.slug
    return {
        "invite": (reverse("invite", args=[slug]), INVITE),
        "revoke_invitation": (reverse("revoke_invitation", args=[slug, invitation.pk]), {}),
        "change_role": (reverse("change_role", args=[slug, member.pk]), {"role": "lead"}),
        "end_membership": (reverse("end_membership", args=[slug, member.pk]), {}),
        "rejoin": (reverse("rejoin", args=[slug, member.pk]), {}),
        "add_model": (reverse("add_model", args=[slug]), {"name": "model-7b"}),
        "make_model_token": (reverse("make_model_token", args=[slug, member.pk]), {}),
    }


NAMES = "invite revoke_invitation change_role end_membership rejoin add_model make_model_token".split()


@pytest.fixture
def target(owner) -> tuple[Membership, Invitation]:
    invitation, _token = actions.invite(study=owner.study, role=Role.LEAD, by=owner.user)
    return make_member(owner.study, pseudonym="R7"), invitation


def state() -> list[object]:
    return [
        list(Membership.objects.order_by("id").values_list("role", "left_at")),
        list(Invitation.objects.order_by("id").values_list("revoked_at", "accepted_at")),
        Event.objects.count(),
        AuthToken.objects.count(),
    ]


# --- who gets in


@pytest.mark.parametrize("name", NAMES)
def test_people_change_with_a_csrf_token_only(owner, target, name):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner.user)
    before = state()
    address, form = posts(*target)[name]
    assert client.post(address, form).status_code == 403
    assert state() == before


@pytest.mark.parametrize(
    "name", ["revoke_invitation", "change_role", "end_membership", "rejoin", "make_model_token"]
)
def test_what_is_in_another_study_is_not_found(client, target, name):
    elsewhere = make_member(make_study(), Role.OWNER)
    client.force_login(elsewhere.user)
    before = state()
    member, invitation = target
    address, form = posts(member, invitation)[name]
    assert client.post(address.replace("/main/", f"/{elsewhere.study.slug}/"), form).status_code == 404
    assert state() == before


# --- the page


def rows(answer) -> list[str]:
    """The texts of the table's rows, without tags."""
    body = re.search(r"<tbody>(.*?)</tbody>", answer.text, re.DOTALL).group(1)
    plain = [
        re.sub(r"<(script|select|style).*?</\1>|<[^>]+>", " ", row, flags=re.DOTALL)
        for row in body.split("</tr>")
    ]
    return [" ".join(row.split()) for row in plain if row.strip()]


def test_page_lists_everybody_in_a_fixed_order(owner):
    study = owner.study
    make_member(study, Role.VOLUNTEER, user=None, pseudonym="R2")
    make_member(study, Role.LEAD, user=make_user("Zoe"), pseudonym="R3", left_at=timezone.now())
    make_member(study, Role.VIEWER, user=make_user("Ada", seen_at=timezone.now() - timedelta(hours=3)))
    answer = as_role(study, Role.VOLUNTEER).get(reverse("people", args=["main"]))
    assert rows(answer) == [
        "R1 R1 Member R1 owner just now never",
        "R2 R2 imported, no account volunteer just now",
        "R3 R3 Zoe lead just now left just now",
        "R4 R4 Ada viewer just now 3 hours ago",
        "R5 R5 Member R5 you volunteer just now never Leave",
    ]


@pytest.mark.parametrize("role", ["lead", "volunteer", "viewer"])
def test_page_of_others_is_a_list_to_read(owner, target, role):
    answer = as_role(owner.study, role).get(reverse("people", args=["main"]))
    forms = re.findall(rb'action="([^"]+)"', answer.content)
    own = Membership.objects.latest("id")
    assert set(forms) == {
        b"/accounts/logout/",
        b"/language/",
        reverse("end_membership", args=["main", own.pk]).encode(),
        reverse("set_digest", args=["main"]).encode(),
    }
    assert owner.user.email.encode() not in answer.content


def test_page_of_the_owner_has_addresses_but_not_those_of_models(client, owner):
    model, _token = actions.add_model(study=owner.study, name="model-7b", by=owner.user)
    answer = client.get(reverse("people", args=["main"]))
    assert owner.user.email.encode() in answer.content
    assert model.user.email.encode() not in answer.content


@pytest.mark.parametrize("role", ["owner", "volunteer"])
def test_page_costs_the_same_for_more_people(owner, role, django_assert_num_queries):
    reader = as_role(owner.study, role)
    User.objects.update(seen_at=timezone.now() + timedelta(hours=1))

    def queries(number):
        with django_assert_num_queries(number) as captured:
            assert reader.get(reverse("people", args=["main"])).status_code == 200
        return len(captured)

    # Session, user, study, seat, members, the newest round for the tabs; two for the owner's invitations.
    expected = 8 if role == "owner" else 6
    queries(expected)
    for _more in range(3):
        make_member(owner.study)
        actions.invite(study=owner.study, role=Role.LEAD, by=owner.user)
    queries(expected)


def test_fragments_are_given_by_name(client, owner):
    page = reverse("people", args=["main"])
    for name in ("members", "invitations", "models"):
        answer = client.get(page, headers={"HX-Request": "true", "HX-Target": name})
        assert f'id="{name}"' in answer.text
        assert b"<html" not in answer.content
    forged = as_role(owner.study, Role.VIEWER).get(
        page, headers={"HX-Request": "true", "HX-Target": "invitations"}
    )
    assert b"/invite/" not in forged.content


# --- invitations


def test_invite_shows_the_link_once(client, owner):
    answer = client.post(reverse("invite", args=["main"]), INVITE)
    assert answer.status_code == 200
    (link,) = re.findall(r'id="new-link">\s*http://testserver(\S+?)\s*<', answer.text)
    assert "Invitation link for: Hana" in answer.text
    assert Client().get(link).status_code == 200
    again = client.get(reverse("people", args=["main"]))
    assert link.encode() not in again.content
    assert b"Hana" in again.content


def test_invite_as_fragment(client, owner):
    headers = {"HX-Request": "true", "HX-Target": "invitations"}
    answer = client.post(reverse("invite", args=["main"]), INVITE, headers=headers)
    assert b'id="new-link"' in answer.content
    assert b"<html" not in answer.content


@pytest.mark.parametrize(
    "change", [{"role": "model"}, {"role": "king"}, {"lifetime": "3650"}, {"note": "x" * 201}]
)
def test_invite_refuses_bad_input(client, owner, change):
    answer = client.post(reverse("invite", args=["main"]), INVITE | change)
    assert answer.status_code == 422
    assert b'class="errorlist"' in answer.content
    assert Invitation.objects.count() == 0


def test_invite_sent_twice_makes_one(client, owner):
    form = INVITE | {"form_key": str(uuid4())}
    assert client.post(reverse("invite", args=["main"]), form).status_code == 200
    answer = client.post(reverse("invite", args=["main"]), form, follow=True)
    assert b"The form was sent twice" in answer.content
    assert Invitation.objects.count() == 1


def test_revoke(client, owner, target):
    _member, invitation = target
    answer = client.post(reverse("revoke_invitation", args=["main", invitation.pk]))
    assert answer.headers["Location"] == reverse("people", args=["main"])
    invitation.refresh_from_db()
    assert invitation.revoked_at is not None


def test_revoke_accepted_is_refused(client, owner):
    invitation, token = actions.invite(study=owner.study, role=Role.LEAD, by=owner.user)
    actions.accept_invitation(token=token, user=make_user())
    assert client.post(reverse("revoke_invitation", args=["main", invitation.pk])).status_code == 410


# --- roles


def test_change_role(client, owner, target):
    member, _invitation = target
    answer = client.post(reverse("change_role", args=["main", member.pk]), {"role": "lead"})
    assert answer.headers["Location"] == reverse("people", args=["main"])
    member.refresh_from_db()
    assert member.role == "lead"


def test_change_role_as_fragment(client, owner, target):
    member, _invitation = target
    headers = {"HX-Request": "true", "HX-Target": "members"}
    answer = client.post(reverse("change_role", args=["main", member.pk]), {"role": "lead"}, headers=headers)
    assert answer.status_code == 200
    assert b'id="members"' in answer.content
    assert b"R7 now has the role lead." in answer.content


def test_owner_who_demotes_themselves_gets_the_page_anew(client, owner):
    make_member(owner.study, Role.OWNER)
    headers = {"HX-Request": "true", "HX-Target": "members"}
    answer = client.post(reverse("change_role", args=["main", owner.pk]), {"role": "viewer"}, headers=headers)
    assert answer.headers["HX-Redirect"] == reverse("people", args=["main"])


@pytest.mark.parametrize("role", ["model", "king", ""])
def test_change_role_refuses_bad_input(client, target, role):
    member, _invitation = target
    assert client.post(reverse("change_role", args=["main", member.pk]), {"role": role}).status_code == 422
    member.refresh_from_db()
    assert member.role == "volunteer"


@pytest.mark.parametrize("name", ["change_role", "end_membership"])
def test_last_owner_cannot_part(client, owner, name):
    before = state()
    answer = client.post(reverse(name, args=["main", owner.pk]), {"role": "lead"})
    assert answer.status_code == 409
    assert b"A study needs at least one owner" in answer.content
    assert state() == before


# --- leaving


def test_member_leaves(owner):
    member = make_member(owner.study)
    client = Client()
    client.force_login(member.user)
    answer = client.post(reverse("end_membership", args=["main", member.pk]))
    assert answer.headers["Location"] == reverse("home")
    assert client.get(reverse("people", args=["main"])).status_code == 404


def test_owner_takes_a_member_out_and_lets_them_back_in(client, target):
    member, _invitation = target
    answer = client.post(reverse("end_membership", args=["main", member.pk]))
    assert answer.headers["Location"] == reverse("people", args=["main"])
    member.refresh_from_db()
    assert member.left_at is not None
    client.post(reverse("rejoin", args=["main", member.pk]))
    member.refresh_from_db()
    assert member.left_at is None


# --- models


def token_in(answer) -> str:
    (token,) = re.findall(r'id="new-token">\s*(\w+)\s*<', answer.text)
    return token


def test_add_model_shows_its_token_once(client, owner):
    answer = client.post(reverse("add_model", args=["main"]), {"name": "model-7b"})
    assert answer.status_code == 200
    token = token_in(answer)
    assert AuthToken.objects.get().token_key == token[:15]
    again = client.get(reverse("people", args=["main"])).text
    assert token not in again
    assert "model-7b" in again


def test_add_model_sent_twice_adds_one(client, owner):
    form = {"name": "model-7b", "form_key": str(uuid4())}
    assert client.post(reverse("add_model", args=["main"]), form).status_code == 200
    assert client.post(reverse("add_model", args=["main"]), form).status_code == 302
    assert Membership.objects.filter(role=Role.MODEL).count() == 1


def test_add_model_refuses_bad_input(client, owner):
    assert client.post(reverse("add_model", args=["main"]), {"name": ""}).status_code == 422
    assert Membership.objects.filter(role=Role.MODEL).count() == 0


def test_make_model_token(client, owner):
    model, old = actions.add_model(study=owner.study, name="model-7b", by=owner.user)
    new = token_in(client.post(reverse("make_model_token", args=["main", model.pk])))
    assert new != old
    assert AuthToken.objects.get().token_key == new[:15]


@pytest.mark.parametrize(("role", "sees"), [("lead", True), ("volunteer", True), ("viewer", False)])
def test_who_reads_only_sees_pseudonyms_and_not_who_is_behind_them(owner, role, sees):
    answer = as_role(owner.study, role).get(reverse("people", args=["main"]))
    assert (owner.user.name.encode() in answer.content) is sees
    assert owner.pseudonym.encode() in answer.content
