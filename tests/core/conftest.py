"""A page with a partial, apart from the project's own templates, and requests as middleware leaves them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpRequest
from django.test import RequestFactory
from django_htmx.middleware import HtmxDetails

PAGE = """<h1>Page</h1>
{% partialdef panel inline %}<section id="panel">{{ word }}</section>{% endpartialdef %}
{% if secret %}{% partialdef secret inline %}<p id="secret">{{ secret }}</p>{% endpartialdef %}{% endif %}"""

Asking = Callable[..., HttpRequest]


@pytest.fixture
def page(tmp_path: Path, settings) -> str:
    (tmp_path / "page.html").write_text(PAGE)
    templates = settings.TEMPLATES[0]
    settings.TEMPLATES = [templates | {"DIRS": [tmp_path, *templates["DIRS"]]}]
    return "page.html"


@pytest.fixture
def asking(rf: RequestFactory) -> Asking:
    """`asking("/x/", target="panel")` is a GET as htmx sends it; `post={…}` makes it a POST."""

    def ask(path="/x/", *, target=None, post=None, htmx=None, cookies=None, **headers) -> HttpRequest:
        if target is not None or htmx:
            headers |= {"HX-Request": "true"}
        if target is not None:
            headers |= {"HX-Target": target}
        request = rf.get(path, headers=headers) if post is None else rf.post(path, post, headers=headers)
        request.COOKIES |= cookies or {}
        request.htmx = HtmxDetails(request)
        request._messages = CookieStorage(request)
        return request

    return ask
