"""Pages of participants: pseudonyms for all who lead, names only after a look that the audit notes."""

from datetime import date

import pytest
from django.urls import reverse

from interviews.actions.consents import describe_interviewer, publish_consent_text, record_consent
from interviews.models import Audience, Consent, ConsentText, Identity, Interviewer, Participant
from interviews.queries.exports import permitting
from studies.models import Event
from tests.factories.interviews import make_participant, make_session
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.worlds.pages import client, queries_of

pytestmark = pytest.mark.django_db
NAME, CONTACT = "Zuzana Canaryová", "zuzana@canary.example"


@kept
def world() -> InterviewWorld:
    return interview_world()


def named(world, name=NAME, contact=CONTACT):
    address = reverse("name_identity", args=[world.participant.pk])
    return client(world.lead).post(address, {"secret_name": name, "secret_contact": contact})


def test_an_audience_is_added_and_renamed_and_its_prefix_stays_once_it_has_participants(world):
    lead, address = client(world.lead), reverse("audiences", args=[world.study.slug])
    assert lead.post(address, {"name": "Reviewers", "prefix": "rv"}).status_code == 302
    made = Audience.objects.get(name="Reviewers")
    assert (made.prefix, made.position) == ("RV", 1)
    refused = lead.post(address, {"name": "reviewers", "prefix": "X"})
    assert (refused.status_code, "already exists" in refused.text) == (422, True)
    users = world.participant.audience
    edit = reverse("edit_audience", args=[world.study.slug, users.pk])
    assert lead.post(edit, {"name": "Users", "prefix": "U"}).status_code == 302
    assert lead.post(edit, {"name": "Users", "prefix": "X"}).status_code == 422
    users.refresh_from_db()
    assert (users.name, users.prefix) == ("Users", "U")


def test_participants_get_the_next_number_of_their_audience(world):
    lead, address = client(world.lead), reverse("new_participant", args=[world.study.slug])
    users = world.participant.audience
    fields = {
        "audience": users.pk,
        "role": "Student",
        "attributes": "Gender: f\nTasks: fine-tuning, inference",
    }
    made = lead.post(address, fields)
    found = Participant.objects.get(number=2)
    assert (made.url, str(found), found.role) == (found.get_absolute_url(), "U2", "Student")
    assert found.attributes == {"Gender": "f", "Tasks": "fine-tuning, inference"}
    twice = lead.post(address, {"audience": users.pk, "number": "2"})
    assert (twice.status_code, "The participant U2 already exists." in twice.text) == (422, True)
    wrong = lead.post(address, {"audience": users.pk, "attributes": "no colon"})
    assert (wrong.status_code, "Line 1 is not" in wrong.text) == (422, True)
    event = Event.objects.get(verb="participants.added")
    assert event.detail == {"participant": "U2"}


def test_the_background_and_the_member_check_change(world):
    address = reverse("edit_participant", args=[world.participant.pk])
    fields = {
        "role": "Maintainer",
        "experience": "6 years",
        "member_check": "confirmed",
        "checked_on": "2025-06-01",
    }
    assert client(world.lead).post(address, fields).status_code == 302
    found = Participant.objects.get()
    assert (found.role, found.experience, found.context) == ("Maintainer", "6 years", "")
    assert (found.member_check, found.checked_on) == ("confirmed", date(2025, 6, 1))


def test_an_identity_is_encrypted_and_each_look_is_in_the_audit(world):
    assert named(world).status_code == 302
    kept = Identity.objects.get()
    assert NAME.encode() not in bytes(kept.name)
    page = client(world.lead).get(reverse("identity", args=[world.participant.pk]))
    assert NAME not in page.text
    assert not Event.objects.filter(verb="participants.looked_at").exists()
    shown = client(world.lead).post(reverse("show_identity", args=[world.participant.pk]))
    assert NAME in shown.text
    assert CONTACT in shown.text
    assert shown.headers["Cache-Control"] == "no-store"
    looked = Event.objects.get(verb="participants.looked_at")
    assert (looked.by, looked.detail) == (world.lead.user, {"participant": "U1"})
    for name in ("participants", "audit", "interviews"):
        assert "Canary" not in client(world.owner).get(reverse(name, args=[world.study.slug])).text


def test_empty_fields_delete_the_identity_and_a_contact_needs_a_name(world):
    named(world)
    refused = named(world, "", CONTACT)
    assert (refused.status_code, Identity.objects.count()) == (422, 1)
    assert named(world, "", "").status_code == 302
    assert Identity.objects.count() == 0


def test_who_does_not_lead_gets_no_page_of_participants(world):
    named(world)
    pk, slug = world.participant.pk, world.study.slug
    pages = [reverse(name, args=[slug]) for name in ("participants", "audiences", "consents", "interviewers")]
    pages += [reverse(name, args=[pk]) for name in ("participant", "edit_participant", "identity")]
    for member, status in (
        (world.coder, 403),
        (world.viewer, 403),
        (world.stranger, 404),
        (world.owner, 200),
    ):
        assert {page: client(member).get(page).status_code for page in pages} == dict.fromkeys(pages, status)
        shown = client(member).post(reverse("show_identity", args=[pk]))
        assert shown.status_code == status
        assert (NAME in shown.text) == (status == 200)
    assert Event.objects.filter(verb="participants.looked_at").count() == 1


def test_consents_are_recorded_replaced_and_withdrawn(world):
    lead, texts = client(world.lead), reverse("consents", args=[world.study.slug])
    assert lead.post(texts, {"text": "You may **quote** me."}).status_code == 302
    assert lead.post(texts, {"text": "You may **quote** me."}).status_code == 422
    text = ConsentText.objects.get()
    new = reverse("new_consent", args=[world.participant.pk])
    given = {"text": text.pk, "given_on": "2025-05-01", "permits": ["quote", "share"]}
    assert lead.post(new, given).status_code == 302
    consent = Consent.objects.get()
    assert (consent.permits, consent.given_on, consent.recorded_by) == (
        ["quote", "share"],
        date(2025, 5, 1),
        world.lead,
    )
    asked = [("quote",), ("share",), ("quote", "share"), ("archive",), ("quote", "archive")]
    who = world.participant.pk
    assert [permitting([who], *one) for one in asked] == [{who}, {who}, {who}, set(), set()]
    assert lead.post(new, given | {"permits": ["sell"]}).status_code == 422
    assert lead.post(new, given | {"given_on": "2999-01-01"}).status_code == 422
    end = reverse("end_consent", args=[world.participant.pk, consent.pk])
    assert lead.post(end, {"withdrawn_on": "2025-04-30"}).status_code == 422
    assert lead.post(end, {"withdrawn_on": "2025-05-02"}).status_code == 302
    consent.refresh_from_db()
    assert consent.withdrawn_on == date(2025, 5, 2)
    assert permitting([who], "quote") == set()
    assert "withdrawn" in lead.get(reverse("participants", args=[world.study.slug])).text


def test_an_interviewer_is_described(world):
    address = reverse("interviewers", args=[world.study.slug])
    assert "not described" in client(world.lead).get(address).text
    fields = {
        "member": world.lead.pk,
        "role": "PhD student",
        "experience": "12 interviews",
        "bias": "Uses PyTorch.",
    }
    assert client(world.lead).post(address, fields).status_code == 302
    told = Interviewer.objects.get()
    assert (told.member, told.role, told.experience, told.bias) == (
        world.lead, "PhD student", "12 interviews", "Uses PyTorch.",
    )  # fmt: skip


def test_the_list_costs_the_same_at_one_participant_and_at_three(world):
    address, counts = reverse("participants", args=[world.study.slug]), []
    text = ConsentText.objects.create(study=world.study, number=1, text="Yes", published_by=world.lead)
    for wanted in (1, 3):
        while Participant.objects.count() < wanted:
            made = make_participant(world.study, world.lead, "D")
            make_session(made, world.lead)
            Consent.objects.create(
                participant=made, text=text, given_on=date(2025, 5, 1), recorded_by=world.lead
            )
        assert client(world.lead).get(address).text.count('<th scope="row"') == wanted
        counts.append(queries_of(client(world.lead), address))
    assert counts[0] == counts[1]


def test_a_background_with_a_listed_name_is_refused(world):
    named(world)
    address = reverse("edit_participant", args=[world.participant.pk])
    for fields in ({"role": f"Boss of {NAME}"}, {"attributes": f"Friend: {NAME.upper()}"}):
        page = client(world.lead).post(address, {"member_check": "sent", **fields})
        assert (page.status_code, "contains a listed name" in page.text) == (422, True)
    assert Participant.objects.get().role == "Engineer"


@pytest.mark.parametrize("name", ["audiences", "consents", "interviewers", "participant"])
def test_other_pages_cost_the_same_at_one_row_and_at_three(world, name):
    of = world.participant.pk if name == "participant" else world.study.slug
    address, counts = reverse(name, args=[of]), []
    for wanted in (1, 3):
        for number in range(ConsentText.objects.count(), wanted):
            text = publish_consent_text(study=world.study, text=f"Yes, {number}.", by=world.lead)
            record_consent(
                participant=world.participant,
                text=text,
                given_on=date(2025, 5, 1),
                permits=["quote"],
                by=world.lead,
            )
            member = (world.lead, world.owner, world.coder)[number]
            describe_interviewer(member=member, role="R", experience="", bias="", by=world.lead)
            make_session(world.participant, member)
            Audience.objects.create(study=world.study, name=f"More {number}", prefix="WXY"[number])
        counts.append(queries_of(client(world.lead), address))
    assert counts[0] == counts[1]
