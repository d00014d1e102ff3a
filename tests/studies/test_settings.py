"""A study is renamed, archived, marked for deletion and kept; read-only it takes no writes, whoever writes."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from consensus.actions.threads import say
from core import clock
from core.errors import StudyIsReadOnly
from core.sql.constraints import READ_ONLY, violated
from studies import actions, reach
from studies.models import Event, Role, Study
from tests import factories
from tests.api.conftest import client_of
from tests.trust.test_routes import ROWS, address
from tests.trust.world import make_world
from tests.worlds.pages import client as signed_in
from tests.worlds.planned import text_of

pytestmark = [pytest.mark.django_db]

SAYS = "This study is read-only"


@pytest.fixture
def lead():
    study = factories.make_study("Engines", slug="engines")
    factories.make_member(study, Role.OWNER)
    return factories.make_member(study, Role.LEAD)


def post(member, route, **fields):
    return signed_in(member).post(reverse(route, args=[member.study.slug]), fields)


def home(member) -> str:
    return text_of(signed_in(member).get(reverse("home")))


def test_a_new_name_keeps_the_address_and_the_audit_the_old_name(lead):
    assert post(lead, "study_settings", name=" Motors ", description="Of 2024").status_code == 302
    study = Study.objects.get(pk=lead.study_id)
    assert (study.name, study.description, study.slug) == ("Motors", "Of 2024", "engines")
    told = text_of(signed_in(lead).get(reverse("audit", args=["engines"])))
    assert "Changed the name or the description of the study Motors before: Engines" in told
    assert post(lead, "study_settings", name="").status_code == 422
    before = Event.objects.count()
    post(lead, "study_settings", name="Motors", description="Of 2024")
    assert Event.objects.count() == before, "nothing changed"


def test_the_button_names_what_it_saves(lead):
    assert "Save name and description" in text_of(
        signed_in(lead).get(reverse("study_settings", args=["engines"]))
    )


def test_an_archived_study_leaves_the_way_and_comes_back(lead):
    assert "Archived studies" not in home(lead)
    assert post(lead, "archive_study").status_code == 302
    assert "Archived studies 1 Engines" in home(lead)
    shown = text_of(signed_in(lead).get(reverse("study", args=["engines"])))
    assert "This study is archived." in shown
    refused = post(lead, "study_settings", name="Motors")
    assert refused.status_code == 409
    assert SAYS in text_of(refused)
    with pytest.raises(StudyIsReadOnly):
        actions.describe_study(study=lead.study, name="Motors", description="", by=None)
    assert post(lead, "unarchive_study").status_code == 302
    assert "Archived studies" not in home(lead)
    assert post(lead, "study_settings", name="Motors").status_code == 302


def test_a_deletion_wants_the_name_and_leaves_thirty_days(lead, settings):
    settings.SENDS_MAIL = True
    owner = lead.study.memberships.get(role=Role.OWNER)
    assert post(lead, "delete_study", name="Engines").status_code == 403
    assert post(owner, "delete_study", name="Engine").status_code == 422
    assert Study.objects.get(pk=lead.study_id).delete_at is None
    assert post(owner, "delete_study", name="Engines").status_code == 302
    study = Study.objects.get(pk=lead.study_id)
    assert timedelta(days=29, hours=23) < study.delete_at - clock.now() <= timedelta(days=30)
    assert study.delete_asked_by == owner.user
    assert "This study will be deleted on" in text_of(signed_in(lead).get(reverse("study", args=["engines"])))
    assert post(lead, "unarchive_study").status_code == 409
    assert actions.remove_due_studies() == 0, "not yet"
    assert post(lead, "keep_study").status_code == 302
    study.refresh_from_db()
    assert (study.delete_at, study.delete_asked_by, study.is_read_only) == (None, None, False)


def test_owners_and_leads_get_a_mail(lead, settings, django_capture_on_commit_callbacks):
    owner = lead.study.memberships.get(role=Role.OWNER)
    factories.make_member(lead.study, Role.VOLUNTEER)
    for sends, mails in ((False, 0), (True, 2)):
        settings.SENDS_MAIL = sends
        with django_capture_on_commit_callbacks(execute=True):
            actions.ask_deletion(study=lead.study, by=owner.user, address="https://here/studies/engines/")
        assert len(mail.outbox) == mails
        actions.keep_study(study=lead.study, by=None)
    assert {one.to[0] for one in mail.outbox} == {owner.user.email, lead.user.email}
    assert "https://here/studies/engines/" in mail.outbox[0].body


@pytest.mark.world(issues=2, members=2)
def test_the_database_refuses_whoever_writes(world):
    round_ = world.round()
    other = factories.make_study()
    actions.publish_guideline(study=world.study, text="Stays.", by=None)
    Study.objects.filter(pk=world.study.pk).update(archived_at=clock.now())
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        world.submit(round_, world.issues[0], world.members[0], "C.9")
    assert violated(refused.value) == READ_ONLY
    for sql in (
        "UPDATE rounds_round SET name = 'x' WHERE study_id = %s",
        "DELETE FROM studies_guideline WHERE study_id = %s",
        "INSERT INTO studies_guideline (study_id, number, text, note, published_at) VALUES (%s, 9, 'x', '', now())",
    ):
        with pytest.raises(IntegrityError) as refused, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql, [world.study.pk])
        assert violated(refused.value) == READ_ONLY
    actions.publish_guideline(study=other, text="Another study goes on.", by=None)
    Study.objects.filter(pk=world.study.pk).update(archived_at=None)
    world.submit(round_, world.issues[0], world.members[0], "C.9")


@pytest.mark.slow
def test_no_route_changes_an_archived_study(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    world = make_world()
    actions.publish_guideline(study=world.study, text="Label the cause.", by=world.members["lead"].user)
    addresses = {(name, method): address(world, name) for name, method in ROWS if method != "get"}
    Study.objects.filter(pk=world.study.pk).update(archived_at=clock.now())
    before = contents()
    refused, worked = 0, set()
    for (name, method), where in addresses.items():
        if name in {"unarchive_study", "end_membership", "delete_study", "keep_study", "archive_study"}:
            continue
        for role in ("owner", "lead", "volunteer", "idle volunteer"):
            client = world.api(role) if name.startswith("api_") else world.client(role)
            with transaction.atomic():
                response = getattr(client, method)(where)
                told = b"".join(response) if response.streaming else response.content
                changed = contents() != before
                transaction.set_rollback(True)
            assert not changed, (name, role)
            refused += response.status_code == 409 and SAYS.encode() in told
            if response.status_code < 400 or response.status_code == 422:
                worked.add(name)
    assert {one for one in worked if not one.startswith(PERSONAL)} <= WORKS
    assert refused > 200


WORKS = {
    "make_agreement_file", "api_report_files", "make_package", "api_packages", "download_export", "cancel_job", "ahead", "accept_invitation", "next_issue",
}  # fmt: skip
PERSONAL = (
    "remove_background",
    "account_",
    "change_address",
    "confirm_address",
    "choose_time_zone",
    "me",
    "erase_me",
    "make_token",
    "sign_in",
    "new_study",
    "choose_language",
    "welcome",
)


def contents() -> dict[str, tuple]:
    """A digest of every table whose rows stay."""
    found = {}
    with connection.cursor() as cursor:
        for model in reach.guarded():
            table = model._meta.db_table
            cursor.execute(f"SELECT count(*), md5(string_agg(t::text, '' ORDER BY t::text)) FROM {table} t")
            found[table] = cursor.fetchone()
    return found


def test_both_forms_of_the_settings_have_their_own_field_for_a_name(lead):
    owner = lead.study.memberships.get(role=Role.OWNER)
    body = signed_in(owner).get(reverse("study_settings", args=["engines"])).text
    fields = re.findall(r'<(?:input|textarea)[^>]*\bid="([\w-]+)"', body)
    assert {"id_name", "id_description", "delete-name"} <= set(fields)
    assert len(fields) == len(set(fields))


def test_nothing_waits_in_an_archived_study_and_nobody_is_invited(lead):
    owner = lead.study.memberships.get(role=Role.OWNER)
    pages = [reverse(name, args=["engines"]) for name in ("study", "people")]
    before = [signed_in(owner).get(page).text for page in pages]
    post(lead, "archive_study")
    after = [signed_in(owner).get(page).text for page in pages]
    invites, roles, waits = reverse("invite", args=["engines"]), "/role/", 'class="waits"'
    for text, place, seen in (
        ("Invite people", 0, True),
        (waits, 0, True),
        (invites, 1, True),
        (roles, 1, True),
    ):
        assert (text in before[place], text in after[place]) == (seen, False), text
    assert f"/people/{lead.pk}/end/" in after[1], "people may still leave"


@pytest.mark.world(issues=2, members=2)
def test_a_comment_in_an_archived_study_waits_for_nobody(world):
    round_ = world.round()
    for member in world.members:
        world.submit(round_, world.issues[0], member, "C.9" if member == world.members[0] else "C.1")
    named = world.members[1]
    say(round_=round_, issue=world.issues[0], author=world.members[0], text=f"@{named.pseudonym}: why?")
    page = f"{reverse('disagreements', args=[round_.pk])}?issue={world.issues[0].pk}"
    seen = reverse("see_mentions", args=[round_.pk, world.issues[0].pk])
    assert "comment mentions you" in home(named)
    assert seen in signed_in(named).get(page).text
    Study.objects.filter(pk=world.study.pk).update(archived_at=clock.now())
    assert "comment mentions you" not in home(named)
    read = signed_in(named).get(page).text
    assert "why?" in read
    assert seen not in read


def test_home_costs_the_same_with_one_archived_study_and_with_three():
    user, counts = factories.make_user(), []
    for studies in (1, 2):
        for _nth in range(studies):
            factories.make_member(factories.make_study(archived_at=clock.now()), Role.LEAD, user=user)
        client = Client()
        client.force_login(user)
        client.get(reverse("home"))
        with CaptureQueriesContext(connection) as queries:
            body = client.get(reverse("home")).text
        counts.append((body.count('href="/studies/'), len(queries)))
    assert [links for links, _ in counts] == [1, 3]
    assert counts[0][1] == counts[1][1]


@pytest.mark.parametrize("archived", [False, True])
def test_the_settings_cost_the_same_with_one_lead_and_with_three(lead, archived):
    if archived:
        post(lead, "archive_study")
    client, counts = signed_in(lead), []
    for more in (0, 2):
        for _nth in range(more):
            factories.make_member(lead.study, Role.LEAD)
        client.get(reverse("study_settings", args=["engines"]))
        with CaptureQueriesContext(connection) as queries:
            assert client.get(reverse("study_settings", args=["engines"])).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_rest_tells_when_a_study_was_archived(lead):
    def told() -> dict:
        (found,) = client_of(lead).get("/api/v1/studies/").json()
        return found

    assert (told()["archived_at"], told()["delete_at"]) == (None, None)
    with clock.at(datetime(2027, 5, 3, 12, tzinfo=UTC)):
        actions.archive_study(study=lead.study, by=lead.user)
        assert told()["archived_at"] == "2027-05-03T12:00:00Z"
        actions.ask_deletion(study=lead.study, by=lead.user, address="https://here/")
    assert told()["delete_at"] == "2027-06-02T12:00:00Z"
