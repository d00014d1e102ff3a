"""Making a study, and reading its audit."""

from uuid import uuid4

import pytest
from django.urls import reverse

from studies import actions
from studies.models import Membership, Study
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db

FORM = {"name": "LLM framework issues", "description": "Eleven repositories."}


@pytest.fixture
def maker(client):
    maker = make_user(may_create_studies=True)
    client.force_login(maker)
    return maker


def test_new_study_is_for_those_who_may(client):
    client.force_login(make_user())
    assert client.get(reverse("new_study")).status_code == 403
    assert client.post(reverse("new_study"), FORM).status_code == 403
    assert Study.objects.count() == 0


def test_new_study(client, maker):
    assert client.get(reverse("new_study")).status_code == 200
    answer = client.post(reverse("new_study"), FORM)
    assert answer.headers["Location"] == "/studies/llm-framework-issues/"
    seat = Membership.objects.get()
    found = (seat.user, seat.role, seat.pseudonym, seat.study.description)
    assert found == (maker, "owner", "R1", "Eleven repositories.")


def test_new_study_from_published_labels_leads_to_their_upload(client, maker):
    assert 'name="then"' in client.get(reverse("new_study")).content.decode()
    answer = client.post(reverse("new_study"), FORM | {"then": "published"})
    assert answer["Location"] == reverse("new_published_import", args=[Study.objects.get().slug])
    assert client.get(answer["Location"]).status_code == 200


@pytest.mark.parametrize("name", ["", "   ", "x" * 201, "a\x00b"])
def test_new_study_refuses_bad_input_and_keeps_the_text(client, maker, name):
    answer = client.post(reverse("new_study"), FORM | {"name": name})
    assert answer.status_code == 422
    assert b"Eleven repositories." in answer.content
    assert Study.objects.count() == 0


def test_new_study_sent_twice_makes_one(client, maker):
    form = FORM | {"form_key": str(uuid4())}
    client.post(reverse("new_study"), form)
    assert client.post(reverse("new_study"), form).headers["Location"] == reverse("home")
    assert Study.objects.count() == 1


# --- the audit


def test_audit_page(client, maker, django_assert_num_queries):
    study = actions.create_study(name="Main", by=maker)
    actions.record(study, "studies.imported", None, name="<b>bold</b>", issues=3)
    actions.record(make_study(), "studies.created", maker, name="Elsewhere")
    page = client.get(reverse("audit", args=["main"]))
    assert [(line.sentence, line.details) for line in page.context["lines"]] == [
        ("Imported the published study <b>bold</b>", [("issues", "3")]),
        ("Created the study Main", []),
    ]
    assert b"&lt;b&gt;bold&lt;/b&gt;" in page.content
    assert b"the server" in page.content
    for _more in range(60):
        actions.record(study, "people.joined", maker, member="R2", role="lead")
    # Session, user, study, seat, events, the newest round for the tabs.
    with django_assert_num_queries(6):
        client.get(reverse("audit", args=["main"]))


def test_audit_pages_by_key(client, maker):
    study = actions.create_study(name="Main", by=maker)
    for number in range(59):
        actions.record(study, "people.model_added", maker, member=f"M{number}", name="m")
    first = client.get(reverse("audit", args=["main"]))
    assert len(first.context["lines"]) == 50
    assert first.context["before_url"] == ""
    second = client.get(reverse("audit", args=["main"]) + first.context["after_url"])
    assert len(second.context["lines"]) == 10
    assert second.context["after_url"] == ""
    back = client.get(reverse("audit", args=["main"]) + second.context["before_url"])
    assert [line.event.pk for line in back.context["lines"]] == [
        line.event.pk for line in first.context["lines"]
    ]


@pytest.mark.parametrize("key", ["", "x", "-1", "0", "9" * 18, "9" * 40, "१", "1e3"])
def test_audit_with_a_key_that_is_none(client, maker, key):
    actions.create_study(name="Main", by=maker)
    assert client.get(reverse("audit", args=["main"]), {"before": key}).status_code == 200
    assert client.get(reverse("audit", args=["main"]), {"after": key}).status_code == 200


def test_audit_as_fragment(client, maker):
    actions.create_study(name="Main", by=maker)
    headers = {"HX-Request": "true", "HX-Target": "events"}
    answer = client.get(reverse("audit", args=["main"]), headers=headers)
    assert b'id="events"' in answer.content
    assert b"<html" not in answer.content
