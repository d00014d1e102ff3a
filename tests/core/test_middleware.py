"""Broken rules at the edge: status and words for people, htmx and programs, and nothing typed is lost."""

import json

import pytest
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext_lazy

from core.errors import DomainError
from core.middleware import DomainErrors, NoStore
from core.views import csrf_failure


class RoundClosed(DomainError):
    message = gettext_lazy("The round was closed.")


class Slow(DomainError):
    message = "Too many."
    status = 429


def answer(request, error):
    """What the middleware answers to a view that raised `error`."""
    return DomainErrors(lambda _: HttpResponse()).process_exception(request, error)


def test_an_error_carries_its_words_status_and_what_was_typed():
    found = (str(RoundClosed().message), RoundClosed().status, RoundClosed().kept)
    assert found == ("The round was closed.", 409, {})
    assert str(RoundClosed()) == "The round was closed."
    special = RoundClosed("Closed by R1.", status=423, kept={"summary": "x"})
    assert (special.message, special.status, special.kept) == ("Closed by R1.", 423, {"summary": "x"})
    assert DomainError("No.", kept="words").kept == {"": "words"}


def test_a_person_gets_a_page_with_what_was_typed(asking):
    response = answer(asking(post={"summary": "my <words>", "form_key": "k"}), RoundClosed())
    page = response.text
    assert response.status_code == 409
    assert page.count("<h1>") == 1
    assert "The round was closed." in page
    assert "readonly>my &lt;words&gt;</textarea>" in page
    assert "readonly>k</textarea>" not in page


def test_what_the_error_kept_is_shown_rather_than_the_form(asking):
    page = answer(asking(post={"summary": "posted"}), RoundClosed(kept={"summary": "kept"})).text
    assert "readonly>kept</textarea>" in page
    assert "posted" not in page


@pytest.mark.parametrize(
    ("referer", "back"),
    [
        ("http://testserver/rounds/7/label/", "http://testserver/rounds/7/label/"),
        ("https://evil.example/", "/"),
        ("javascript:alert(1)", "/"),
        ("", "/"),
    ],
)
def test_the_way_back_stays_on_this_site(asking, referer, back):
    page = answer(asking(post={}, Referer=referer), RoundClosed()).text
    assert f'<a class="btn primary" href="{back}">' in page


def test_htmx_gets_a_toast_and_the_form_stays(asking):
    response = answer(asking(target="room", post={"summary": "my words"}), RoundClosed())
    assert response.status_code == 409
    assert (response["HX-Retarget"], response["HX-Reswap"], response["HX-Push-Url"]) == (
        "#toasts",
        "beforeend",
        "false",
    )
    assert response.text.startswith('<div class="toast bad" role="alert">')
    assert "The round was closed." in response.text
    assert "<html" not in response.text


@pytest.mark.parametrize(
    ("path", "accept"),
    [("/api/v1/studies/", "*/*"), ("/api/v1/studies/", "text/html"), ("/x/", "application/json")],
)
def test_a_program_gets_json(asking, path, accept):
    response = answer(asking(path, post={}, Accept=accept), RoundClosed())
    assert response.status_code == 409
    assert json.loads(response.content) == {"detail": "The round was closed.", "code": "RoundClosed"}


def test_another_status_has_its_own_page(asking):
    response = answer(asking(), Slow())
    assert response.status_code == 429
    assert "Too many attempts" in response.text


def test_a_programming_error_is_left_alone(asking):
    assert answer(asking(), ValueError("x")) is None


SIGN_IN = ["/accounts/login/?next=/x/", "http://testserver/accounts/login/"]
REFUSING = [(DomainErrors(lambda _, to=to: HttpResponseRedirect(to)), 401) for to in SIGN_IN]


@pytest.mark.parametrize(("edge", "status"), [*REFUSING, (csrf_failure, 403)])
def test_a_form_posted_after_the_session_ended_or_in_an_earlier_one_keeps_its_text(asking, edge, status):
    page = edge(asking(post={"summary": "my words"}))
    assert page.status_code == status
    assert "readonly>my words</textarea>" in page.text
    toast = edge(asking(target="room", post={"summary": "my words"}))
    assert (toast.status_code, toast["HX-Retarget"]) == (status, "#toasts")


def test_other_redirects_pass(asking):
    login, elsewhere = HttpResponseRedirect("/accounts/login/"), HttpResponseRedirect("/studies/")
    assert DomainErrors(lambda _: login)(asking()) is login
    assert DomainErrors(lambda _: elsewhere)(asking(post={"a": "b"})) is elsewhere


@pytest.mark.parametrize(
    ("path", "own", "known", "expected"),
    [
        ("/x/", None, {}, "no-store"),
        ("/x/", None, {"cookies": {"sessionid": "s"}}, "no-store"),
        ("/x/", "public, max-age=600", {}, "public, max-age=600"),
        ("/x/", "public, max-age=600", {"cookies": {"sessionid": "s"}}, "no-store"),
        ("/x/", "public, max-age=600", {"Authorization": "Token t"}, "no-store"),
        ("/static/x.css", "public, immutable", {"cookies": {"sessionid": "s"}}, "public, immutable"),
    ],
)
def test_what_a_page_computes_is_not_stored(asking, path, own, known, expected):
    headers = {"Cache-Control": own} if own else {}
    response = NoStore(lambda _: HttpResponse(headers=headers))(asking(path, **known))
    assert response["Cache-Control"] == expected


def test_every_page_varies_on_what_chose_it(asking):
    assert NoStore(lambda _: HttpResponse())(asking())["Vary"] == "HX-Request, HX-Target"
    csv = NoStore(lambda _: HttpResponse(content_type="text/csv"))(asking())
    assert "Vary" not in csv
