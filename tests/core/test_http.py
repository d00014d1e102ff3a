"""A page or its fragment, and never a fragment that the view did not offer."""

import uuid

import pytest
from django.contrib import messages
from django.core.exceptions import PermissionDenied

from core.http import form_key, go_to, is_fragment, render_page, require, typed

FRAGMENT = '<section id="panel">hello</section>'


def body(response) -> str:
    return response.text


def test_a_browser_gets_the_page(page, asking):
    response = render_page(asking(), page, {"word": "hello"}, partials=["panel"])
    assert body(response).startswith(f"<h1>Page</h1>\n{FRAGMENT}")
    assert response.status_code == 200
    assert response["Vary"] == "HX-Request, HX-Target"


def test_htmx_gets_the_fragment_that_it_targets(page, asking):
    response = render_page(asking(target="panel"), page, {"word": "hello"}, partials=["panel"], status=422)
    assert body(response) == FRAGMENT
    assert response.status_code == 422
    assert response["Vary"] == "HX-Request, HX-Target"
    assert "HX-Retarget" not in response


@pytest.mark.parametrize("target", ["secret", "nonesuch", "", "panel#secret", "../base.html"])
def test_a_target_that_the_view_does_not_list_gets_the_page(page, asking, target):
    response = render_page(asking(target=target), page, {"word": "hello"}, partials=["panel"])
    assert body(response).startswith("<h1>Page</h1>")
    assert "secret" not in body(response)
    assert response["HX-Retarget"] == "body"
    assert response["Vary"] == "HX-Request, HX-Target"


def test_the_target_alone_does_not_make_a_fragment(page, asking):
    response = render_page(asking(**{"HX-Target": "panel"}), page, {"word": "hello"}, partials=["panel"])
    assert body(response).startswith("<h1>Page</h1>")


@pytest.mark.parametrize("header", ["HX-Boosted", "HX-History-Restore-Request"])
def test_boosted_and_restored_pages_are_whole(page, asking, header):
    request = asking(target="panel", **{header: "true"})
    assert not is_fragment(request)
    assert body(render_page(request, page, {"word": "hello"}, partials=["panel"])).startswith("<h1>Page</h1>")


def test_messages_ride_along_with_a_fragment(page, asking):
    request = asking(target="panel")
    messages.success(request, "Stored <b>it</b>")
    answer = body(render_page(request, page, {"word": "hello"}, partials=["panel"]))
    assert answer.startswith(f'{FRAGMENT}<div id="toasts" hx-swap-oob="beforeend"><div class="toast ok"')
    assert answer.count("Stored &lt;b&gt;it&lt;/b&gt;") == 1


def test_without_messages_a_fragment_comes_alone(page, asking):
    assert body(render_page(asking(target="panel"), page, {"word": "hello"}, partials=["panel"])) == FRAGMENT


def test_go_to_redirects_a_browser_and_moves_htmx(asking):
    plain, moved = go_to(asking(), "/there/"), go_to(asking(target="panel"), "/there/")
    assert (plain.status_code, plain["Location"]) == (302, "/there/")
    assert (moved.status_code, moved["HX-Redirect"], moved.content) == (200, "/there/", b"")


def test_require():
    require(True, "never seen")
    with pytest.raises(PermissionDenied, match="Only owners invite"):
        require(False, "Only owners invite")
    with pytest.raises(PermissionDenied):
        require(False)


def test_form_key(asking):
    key = uuid.uuid4()
    assert form_key(asking(post={"form_key": str(key)})) == key
    assert form_key(asking(post={"form_key": "1; drop table"})) is None
    assert form_key(asking(post={})) is None


def test_typed_keeps_words_and_no_secrets(asking):
    request = asking(
        post={
            "summary": "KV blocks are not freed",
            "labels": ["a", "b"],
            "empty": " ",
            "form_key": "x",
            "csrfmiddlewaretoken": "x",
            "password1": "x",
            "api_token": "x",
        }
    )
    assert typed(request) == {"summary": "KV blocks are not freed", "labels": "a\nb"}
