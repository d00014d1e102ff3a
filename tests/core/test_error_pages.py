"""What visitors and programs get when there is nothing, when it is not for them, and when something broke."""

import json
import logging
import re
from contextlib import closing, contextmanager
from io import StringIO
from uuid import uuid4

import psycopg2
import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path

from config.logs import Refusals, formatter
from config.urls import handler400, handler403, handler404, handler500  # noqa: F401 - of this URLconf
from config.urls import urlpatterns as all_urls
from core.errors import DomainError
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def forbidden(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied(request.GET.get("why", ""))


def refused(request: HttpRequest) -> HttpResponse:
    raise DomainError("The round is <closed>.", kept={"summary": "typed <text>"})


def broken(request: HttpRequest) -> HttpResponse:
    raise ZeroDivisionError


def away(request: HttpRequest) -> HttpResponse:
    raise {"operational": OperationalError, "interface": InterfaceError}[request.GET["how"]]("inner secret")


def suspicious(request: HttpRequest) -> HttpResponse:
    raise SuspiciousOperation("inner secret")


def large(request: HttpRequest) -> HttpResponse:
    raise RequestDataTooBig("inner secret")


urlpatterns = [
    path("forbidden/", forbidden),
    path("refused/", refused),
    path("broken/", broken),
    path("away/", away),
    path("api/away/", away),
    path("suspicious/", suspicious),
    path("large/", large),
    path("api/forbidden/", forbidden),
    path("api/refused/", refused),
    path("api/broken/", broken),
    *all_urls,
]


@pytest.fixture
def client():
    client = Client(raise_request_exception=False)
    client.force_login(make_user())
    with override_settings(ROOT_URLCONF=__name__):
        yield client


HTMX = {"HX-Request": "true", "HX-Target": "x"}


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("/nowhere/", 404, "There is no page at this address"),
        ("/forbidden/", 403, "Your role in this study does not allow this"),
        ("/forbidden/?why=Ask+the+lead.", 403, "Ask the lead."),
        ("/refused/", 409, "The round is &lt;closed&gt;."),
        ("/suspicious/", 400, "could not read this request"),
        ("/large/", 400, "This request has more than 2 MB of text."),
        ("/broken/", 500, "The server had an error"),
    ],
)
def test_page(client, address, status, words):
    answer = client.get(address)
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert words in answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    assert "inner secret" not in answer.text


@pytest.mark.parametrize("announced", [900_000_000, (514 << 20) + 1, 514 << 20])
def test_too_large_is_said_before_the_body_is_read(client, announced):
    given = {"CONTENT_LENGTH": str(announced)}  # the client of tests has one byte, and fails if more is read
    page, toast, program = (
        client.generic("POST", address, b"-", **given, headers=headers)
        for address, headers in [("/healthz", {}), ("/healthz", HTMX), ("/api/v1/studies/", {})]
    )
    if announced == 514 << 20:  # is for the view to judge
        assert 413 not in {page.status_code, toast.status_code, program.status_code}
        return
    assert {page.status_code, toast.status_code, program.status_code} == {413}
    assert "The request is larger than 512 MB." in page.text
    assert "<html" not in toast.text
    assert program.json()["code"] == "too_large"


def test_refused_page_keeps_what_was_typed(client):
    assert "typed &lt;text&gt;" in client.get("/refused/").text


@pytest.mark.parametrize(
    ("address", "status"), [("/nowhere/", 404), ("/forbidden/", 403), ("/refused/", 409)]
)
def test_fragment_becomes_a_toast(client, address, status):
    answer = client.get(address, headers=HTMX)
    assert answer.status_code == status
    assert answer.headers["HX-Retarget"] == "#toasts"
    assert "<html" not in answer.text


@pytest.mark.parametrize(
    ("address", "status", "code"),
    [
        ("/api/nowhere/", 404, "404"),
        ("/api/forbidden/", 403, "403"),
        ("/api/refused/", 409, "DomainError"),
        ("/api/broken/", 500, "server_error"),
    ],
)
def test_program_gets_json(client, address, status, code):
    answer = client.get(address)
    assert answer.status_code == status
    assert answer.json()["code"] == code


@pytest.mark.parametrize("how", ["operational", "interface"])
def test_without_its_database_the_server_asks_for_patience_and_keeps_the_text(client, how):
    page = client.post(f"/away/?how={how}", {"summary": "typed <text>", "password": "c4n4ry"})
    toast = client.post(f"/away/?how={how}", {"summary": "typed"}, headers=HTMX)
    program = client.get(f"/api/away/?how={how}")
    for answer in (page, toast, program):
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
        assert "The database does not answer" in answer.text
        assert "inner secret" not in answer.text
    assert "typed &lt;text&gt;" in page.text
    assert "c4n4ry" not in page.text
    assert "<html" not in toast.text
    assert program.json()["code"] == "no_database"


@pytest.mark.parametrize(
    ("method", "given", "said"),
    [
        ("get", {}, "Nothing was changed. Try again in some seconds."),
        ("post", {"a": "b"}, "Look in some seconds whether they are, before you repeat them."),
        ("post", {"form_key": "no key"}, "Look in some seconds whether they are, before you repeat them."),
        ("post", {"form_key": str(uuid4())}, "Send the form again in some seconds: what is saved is not saved twice."),
        ("delete", {}, "Look in some seconds whether they are, before you repeat them."),
    ],
)  # fmt: skip
def test_without_its_database_the_server_never_promises_that_a_change_is_lost(client, method, given, said):
    for address in ("/away/", "/api/away/"):
        answer = getattr(client, method)(address, given, query_params={"how": "operational"})
        assert answer.status_code == 503
        assert said in answer.text
        assert ("Nothing was changed" in answer.text) == (method == "get")


def test_an_unexpected_error_promises_only_to_readers_that_nothing_was_changed(client):
    client.raise_request_exception = False
    read, sent = client.get("/broken/"), client.post("/broken/", {"a": "b"})
    assert (read.status_code, sent.status_code) == (500, 500)
    assert "Nothing was changed" in read.text
    assert "Nothing was changed" not in sent.text
    assert "Your changes may be saved or not." in sent.text


def test_htmx_gets_a_toast_also_where_the_database_is_away_before_its_middleware(client):
    client.force_login(make_user("Ada"))

    def gone(_execute, *_given):
        raise OperationalError("inner secret")

    with connection.execute_wrapper(gone):
        page, toast = client.get("/refused/"), client.get("/refused/", headers=HTMX)
    assert (page.status_code, toast.status_code) == (503, 503)
    assert "<html" in page.text
    assert toast.headers["HX-Retarget"] == "#toasts"
    assert "The database does not answer" in toast.text
    assert "<html" not in toast.text


@pytest.mark.django_db(transaction=True)
def test_who_waits_too_long_for_a_lock_gets_their_text_back():
    user = make_user("Ada")
    client = Client(raise_request_exception=False)
    client.force_login(user)
    with closing(psycopg2.connect(**psycopg2_parameters())) as other, other.cursor() as holder:
        holder.execute("SELECT FROM accounts_user WHERE id = %s FOR UPDATE", [user.pk])
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '100ms'")
        answer = client.post("/accounts/me/", {"name": "Ada Lovelace"})
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")
    assert (answer.status_code, "Ada Lovelace" in answer.text) == (503, True)
    user.refresh_from_db()
    assert user.name == "Ada"


@pytest.mark.parametrize(
    "path", ["/accounts/link/{}/", "/invitations/{}/", "/accounts/password/reset/key/1-{}/"]
)
def test_no_secret_of_a_link_stands_in_the_log(path):
    make_user()
    secret = "c4n4ry-s3cr3t"
    stream, client = StringIO(), Client(enforce_csrf_checks=True, raise_request_exception=False)
    with logged_to(stream):
        client.post(path.format(secret))
        logging.getLogger("django.request").error("%s", f"https://x.example{path.format(secret)}?next=/")
    assert "Forbidden (" in stream.getvalue()
    assert secret not in stream.getvalue()


def test_the_log_has_a_traceback_of_errors_and_of_no_refusal(client):
    stream = StringIO()
    with logged_to(stream):
        client.get("/forbidden/")
        assert "Forbidden (Permission denied): /forbidden/" in stream.getvalue()
        assert "Traceback" not in stream.getvalue()
        client.get("/broken/")
    assert "Traceback" in stream.getvalue()


@contextmanager
def logged_to(stream):
    """What the log of a server would have, written to `stream`."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter("text"))
    handler.addFilter(Refusals())
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)


def psycopg2_parameters():
    given = connection.get_connection_params()
    return {key: given[key] for key in ("dbname", "host", "user", "port", "password") if given.get(key)}


def test_unknown_host_is_refused_without_trusting_it(client):
    answer = client.get("/nowhere/", headers={"host": "evil.example"})
    assert answer.status_code == 400
    assert "evil.example" not in answer.text


def test_pages_tell_htmx_to_leave_inline_styles_alone(client):
    client.force_login(make_user())
    page = client.get("/accounts/me/")
    config = re.search(r"""<meta name="htmx-config"\s+content='([^']*)'""", page.text)

    assert "'unsafe-inline'" not in page["Content-Security-Policy"]
    assert json.loads(config[1])["attributesToSettle"] == ["class"]
