"""A line of the log: as JSON and as text, with the id of its request, and without what nobody may read there."""

import json
import logging

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, OperationalError

from accounts.actions import make_sign_in_link
from accounts.models import User
from config.logs import formatter, said, without_secrets
from core.errors import DomainError
from core.watching.ids import under
from studies.actions.invitations import invite
from tests.core.watching.listening import logged
from tests.factories import (
    add_label,
    make_issue,
    make_member,
    make_repository,
    make_round,
    make_study,
    make_version,
)

TEXT = "canary words of a volunteer"
PERSON = "canary.person@example.org"
TOKEN = "0123456789abcdef" * 4  # as long as a token of the API
URL_TOKEN = "Zm9vYmFyYmF6-cXV4cXV1eDEy_MzQ1Njc4OTAxMjM0NTY"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (f"POST /accounts/link/{URL_TOKEN}/ refused", "POST /accounts/link/…/ refused"),
        (f"/accounts/password/reset/key/1-{URL_TOKEN}/", "/accounts/password/reset/key/…/"),
        (f"/invitations/{URL_TOKEN}", "/invitations/…"),
        (f"/accounts/address/{'a' * 43}/", "/accounts/address/…/"),
        (f"got {'Zm-_' * 10}abc twice", "got … twice"),
        ("of TheClassWithTheLongestNameOfAll", "of TheClassWithTheLongestNameOfAll"),
        ("Not Found: /studies/engines/issues/?q=canary+words", "Not Found: /studies/engines/issues/?…"),
        ("asked https://user:pw@git.corp:8080/o/r/issues?page=2.", "asked https://git.corp:8080/…"),
        (f"mail to {PERSON} refused", "mail to …@… refused"),
        (f"Authorization: Token {TOKEN}", "Authorization: Token …"),
        (
            "job 7 (ingest.keywords_searched_for_everything) failed",
            "job 7 (ingest.keywords_searched_for_everything) failed",
        ),
        ("Forbidden (CSRF cookie not set.): /studies/", "Forbidden (CSRF cookie not set.): /studies/"),
    ],
)
def test_what_may_stay_of_a_message(given, kept):
    assert without_secrets(given) == kept


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        (ValueError(TEXT), ""),
        (KeyError(TEXT), ""),
        (DomainError(TEXT), ""),
        (OSError(28, "No space left on device", f"/data/{TEXT}"), "No space left on device"),
        (TypeError("'NoneType' object is not iterable"), "'NoneType' object is not iterable"),
        (ImproperlyConfigured("DEBUG must not be set"), "DEBUG must not be set"),
        (OperationalError(f"canceling statement due to lock timeout\nCONTEXT: {TEXT}"), "canceling statement due to lock timeout"),
        (IntegrityError(f'violates check constraint "x"\nDETAIL: Failing row contains ({TEXT}).'), 'violates check constraint "x"'),
    ],
)  # fmt: skip
def test_what_may_be_told_of_an_error(error, kept):
    assert said(error) == kept


def failing():
    try:
        int(TEXT)
    except ValueError as error:
        raise KeyError(TEXT) from error


@pytest.mark.parametrize("form", ["json", "text"])
def test_a_traceback_names_places_and_classes_and_no_value(form):
    with logged(form) as stream, under("a1b2c3d4e5f6"):
        try:
            failing()
        except KeyError:
            logging.getLogger("tests").exception("it %s", "failed")
    line = stream.getvalue()
    assert "canary" not in line
    assert line.index("\nValueError" if form == "text" else "\\nValueError") < line.index("KeyError")
    assert "in failing" in line
    if form == "json":
        told = json.loads(line)
        found = [told[key] for key in ("level", "logger", "request", "message")]
        assert found == ["ERROR", "tests", "a1b2c3d4e5f6", "it failed"]
    else:
        assert "ERROR tests [a1b2c3d4e5f6] it failed\n" in line


def test_what_another_handler_made_of_an_error_does_not_come_along():
    record = logging.LogRecord("x", logging.ERROR, __file__, 1, "it failed", (), None)
    try:
        int(TEXT)
    except ValueError as error:
        record.exc_info = (type(error), error, error.__traceback__)
    logging.Formatter().format(record)
    assert TEXT in record.exc_text
    assert formatter("json").format(record).count("canary") == 0


def test_celery_tells_the_failure_of_a_task_without_its_words():
    data = {
        "name": "core.tasks.run_job",
        "id": "7",
        "description": "raised unexpected",
        "exc": f"ValueError('{TEXT}')",
    }
    record = logging.LogRecord(
        "celery.app.trace",
        logging.ERROR,
        __file__,
        1,
        "Task %(name)s[%(id)s] %(description)s: %(exc)s",
        (data,),
        None,
    )
    assert (
        json.loads(formatter("json").format(record))["message"]
        == "Task core.tasks.run_job[7] raised unexpected: …"
    )


# --- a run of many requests


@pytest.mark.django_db
def test_no_line_of_many_requests_has_a_text_a_person_or_a_token(client):
    member = make_member(make_study())
    lead = make_member(member.study, "owner")
    issue = make_issue(make_repository(member.study), title=f"{TEXT} in a title", body=f"{TEXT} in a body")
    round_ = make_round(make_version(member.study), [issue], [member])
    add_label(round_, issue, member, "C.1", summary=f"{TEXT} in a note")
    User.objects.filter(pk=lead.user.pk).update(email=PERSON)
    link = make_sign_in_link(lead.user)
    _invitation, invitation = invite(study=member.study, by=lead.user, role="volunteer", note=TEXT)
    client.raise_request_exception = False
    with logged("json") as stream:
        client.post("/accounts/login/", {"login": PERSON, "password": URL_TOKEN})
        client.post("/accounts/password/reset/", {"email": PERSON})
        client.get(f"/accounts/link/{link}/")
        client.post(f"/accounts/link/{link}/")
        client.get(f"/accounts/link/{link}/more/")
        client.get(f"/accounts/password/reset/key/1-{URL_TOKEN}/")
        for address in addresses(member.study, round_, issue):
            client.get(address)
            client.get(f"{address}?q={TEXT}&token={URL_TOKEN}", headers={"Authorization": f"Token {TOKEN}"})
            client.post(address, {"summary": TEXT, "name": PERSON})
        client.get(f"/api/v1/studies/?token={TOKEN}", headers={"Authorization": f"Token {TOKEN}"})
        client.get("/studies/", headers={"host": f"{URL_TOKEN}.example.org"})
    lines = stream.getvalue().splitlines()
    assert len(lines) > 40
    kept = [json.loads(line) for line in lines]
    assert all(one["request"] for one in kept)
    assert {one["level"] for one in kept} >= {"INFO", "WARNING"}
    for canary in ("canary", TOKEN, URL_TOKEN, link, invitation, "@example"):
        assert [line for line in lines if canary in line] == []


def addresses(study, round_, issue):
    slug = study.slug
    return [
        "/", "/accounts/me/", f"/studies/{slug}/", f"/studies/{slug}/people/", f"/studies/{slug}/issues/",
        f"/issues/{issue.pk}/", f"/rounds/{round_.pk}/", f"/rounds/{round_.pk}/label/", "/nothing/",
    ]  # fmt: skip
