"""Erasing a person: nothing names them any more, and what they did stays under the pseudonym."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken

from accounts.actions import ask_for_address, make_sign_in_link, make_token
from accounts.models import User
from studies import actions
from studies.errors import LastOwner
from studies.models import Event, Invitation, Membership, Role
from tests.factories import add_label, make_issue, make_repository, make_round, make_user, make_version

pytestmark = pytest.mark.django_db

CANARY = "Canarybird"
EMAIL = "canarybird@example.org"


def rows_with(word: str) -> list[str]:
    """The tables of the database that have a row with this word, in any letter case."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        found = []
        for table in tables:
            cursor.execute(f'SELECT count(*) FROM "{table}" t WHERE t::text ILIKE %s', [f"%{word}%"])
            if cursor.fetchone()[0]:
                found.append(table)
    return found


@pytest.fixture
def person() -> Membership:
    """A volunteer who was invited by name, has a session, a token, a link and a label."""
    owner = make_user("Owner")
    study = actions.create_study(name="Study", by=owner)
    _invitation, token = actions.invite(study=study, role=Role.VOLUNTEER, by=owner, note=CANARY)
    return actions.join_with_new_account(
        token=token, name=f"Mei {CANARY}", email=EMAIL, password="correct horse battery"
    )


def test_nothing_names_an_erased_person(person):
    browser = Client()
    browser.force_login(person.user)
    browser.post(reverse("choose_language"), {"language": "zh-hans"})
    make_token(user=person.user, name=f"Harvest of {CANARY}")
    ask_for_address(user=person.user, email=f"{CANARY}@new.example")
    browser.post(reverse("choose_time_zone"), {"time_zone": "Asia/Shanghai"})
    make_sign_in_link(person.user)
    Client().post(reverse("account_reset_password"), {"email": EMAIL})
    assert set(rows_with(CANARY)) == {
        "account_emailaddress", "accounts_addresschange", "accounts_tokenterms", "accounts_user", "studies_event",
        "studies_invitation",
    }  # fmt: skip

    assert actions.erase_person(user=person.user) == 1

    assert rows_with(CANARY) == []
    user = User.objects.get(pk=person.user_id)
    assert (user.name, user.is_active, user.language, user.time_zone, user.seen_at) == (
        "—",
        False,
        "",
        "",
        None,
    )
    assert not user.has_usable_password()
    assert not AuthToken.objects.filter(user=user).exists()
    assert not user.sign_in_links.exists()
    assert browser.get(reverse("me")).status_code == 302
    notes = Event.objects.filter(verb="people.invited").values_list("detail", flat=True)
    assert list(notes) == [{"role": "volunteer", "note": ""}]


def test_labels_and_the_pseudonym_stay(person):
    study = person.study
    issue = make_issue(make_repository(study))
    round_ = make_round(make_version(study), [issue], [person])
    label = add_label(round_, issue, person, "C.1")
    actions.erase_person(user=person.user)
    label.refresh_from_db()
    seat = label.volunteer
    assert (seat.pseudonym, seat.left_at is None) == (person.pseudonym, False)
    assert seat.known_as == f"{person.pseudonym} · —"


def test_notes_of_others_stay(person):
    owner = User.objects.get(name="Owner")
    actions.invite(study=person.study, role=Role.VOLUNTEER, by=owner, note="Bo")
    actions.erase_person(user=person.user)
    assert set(Invitation.objects.values_list("note", flat=True)) == {"", "Bo"}
    assert [event.detail["note"] for event in Event.objects.filter(verb="people.invited").order_by("id")] == [
        "",
        "Bo",
    ]


def test_a_study_keeps_its_owner(person):
    owner = User.objects.get(name="Owner")
    with pytest.raises(LastOwner):
        actions.erase_person(user=owner)
    owner.refresh_from_db()
    assert (owner.name, owner.is_active) == ("Owner", True)
    assert Membership.objects.get(user=owner).left_at is None


def test_nobody_adds_an_erased_person_again(person):
    """Such a member would count as an owner of the study, or get issues, and nobody could sign in."""
    owner = Client()
    owner.force_login(User.objects.get(name="Owner"))
    people = reverse("people", args=[person.study.slug])
    assert "Add R2 again" not in owner.get(people).text
    actions.erase_person(user=person.user)
    shown = owner.get(people).text
    assert [words in shown for words in ("R2", "Add R2 again", "accounts.invalid")] == [True, False, False]
    answer = owner.post(reverse("rejoin", args=[person.study.slug, person.pk]))
    assert (answer.status_code, "The account of this member is closed." in answer.text) == (409, True)
    person.refresh_from_db()
    assert person.left_at is not None


def test_an_erased_address_can_have_an_account_again(person):
    actions.erase_person(user=person.user)
    assert make_user("Mei", email=EMAIL).pk != person.user_id


@pytest.mark.parametrize("typed", ["", "other@example.org", EMAIL.upper()])
def test_my_account_is_erased_once_i_typed_my_address(person, typed):
    browser = Client()
    browser.force_login(person.user)
    page = browser.get(reverse("erase_me"))
    assert "Study · R2 · volunteer" in page.text
    answer = browser.post(reverse("erase_me"), {"email": typed})
    is_erased = typed == EMAIL.upper()
    assert answer.status_code == (200 if is_erased else 422)
    assert User.objects.filter(email=EMAIL).exists() is not is_erased
    assert (browser.get(reverse("me")).status_code == 302) is is_erased


def test_command(person, capsys):
    with pytest.raises(CommandError, match="at least one owner"):
        call_command("erase_person", User.objects.get(name="Owner").email)
    with pytest.raises(CommandError, match="Nobody has the address"):
        call_command("erase_person", "nobody@example.org")
    call_command("erase_person", EMAIL)
    assert capsys.readouterr().out == "The person is erased. Studies with labels or a seat of theirs: 1.\n"
    assert rows_with(CANARY) == []
