"""What visitors and programs get when there is nothing, when it is not for them, and when something broke."""

import json
import re

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path

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


def suspicious(request: HttpRequest) -> HttpResponse:
    raise SuspiciousOperation("inner secret")


def large(request: HttpRequest) -> HttpResponse:
    raise RequestDataTooBig("inner secret")


urlpatterns = [
    path("forbidden/", forbidden),
    path("refused/", refused),
    path("broken/", broken),
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
