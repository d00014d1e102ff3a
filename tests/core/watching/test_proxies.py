"""Who asks, as trusted proxies tell it; what anybody else tells is not believed."""

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path

from core.watching.proxies import within

VISITOR = "203.0.113.7"


def told(request: HttpRequest) -> HttpResponse:
    names = (
        "REMOTE_ADDR",
        "HTTP_X_FORWARDED_FOR",
        "HTTP_X_FORWARDED_HOST",
        "HTTP_X_REAL_IP",
        "HTTP_FORWARDED",
    )
    return HttpResponse(
        "\n".join([str(request.is_secure()), *(request.META.get(name, "-") for name in names)])
    )


told.login_required = False
urlpatterns = [path("healthz", told)]


def asked(peer: str, trusted: list[str], **headers: str) -> list[str]:
    with override_settings(
        ROOT_URLCONF=__name__,
        TRUSTED_PROXIES=trusted,
        SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https"),
    ):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return Client(REMOTE_ADDR=peer).get("/healthz", headers=headers).text.split("\n")


SPOOFED = {
    "X_Forwarded_For": VISITOR,
    "X_Forwarded_Proto": "https",
    "X_Forwarded_Host": "evil.example",
    "X_Real_IP": VISITOR,
    "Forwarded": f"for={VISITOR};proto=https",
}


@pytest.mark.parametrize("trusted", [[], ["10.0.0.0/8"], ["unix"]])
def test_what_a_stranger_says_of_itself_is_dropped(trusted):
    assert asked("198.51.100.1", trusted, **SPOOFED) == ["False", "198.51.100.1", "-", "-", "-", "-"]


def test_a_trusted_proxy_tells_the_visitor_and_tls():
    found = asked("10.1.2.3", ["10.0.0.0/8"], X_Forwarded_For=VISITOR, X_Forwarded_Proto="https")
    assert found[:2] == ["True", VISITOR]


@pytest.mark.parametrize(
    ("chain", "visitor"),
    [
        (f"1.2.3.4, {VISITOR}", VISITOR),  # the visitor wrote the first part
        (f"{VISITOR}, 10.9.9.9, 10.8.8.8", VISITOR),  # two more proxies of ours
        (f"1.2.3.4, {VISITOR}, 10.9.9.9", VISITOR),
        ("10.9.9.9", "10.9.9.9"),  # somebody inside asks
        ("unknown", "10.1.2.3"),
        (f"{VISITOR}, <script>", "10.1.2.3"),
        ("", "10.1.2.3"),
        (" , ,", "10.1.2.3"),
        ("2001:db8::7", "2001:db8::7"),
    ],
)
def test_the_last_address_that_is_no_proxy_of_ours_counts(chain, visitor):
    assert asked("10.1.2.3", ["10.0.0.0/8"], X_Forwarded_For=chain)[1] == visitor


def test_a_proxy_at_a_socket_file_is_trusted_by_name():
    assert asked("", ["unix"], X_Forwarded_For=VISITOR)[1] == VISITOR
    assert asked("", ["10.0.0.0/8"], X_Forwarded_For=VISITOR)[1:3] == ["", "-"]


@pytest.mark.parametrize(
    ("address", "is_in"),
    [
        ("10.255.0.1", True),
        ("::ffff:10.0.0.1", True),
        ("11.0.0.1", False),
        ("fd00::1", True),
        ("fe80::1", False),
        ("", False),
        ("10.0.0.1, 1.1.1.1", False),
        ("localhost", False),
    ],
)
def test_networks(address, is_in):
    assert within(address, ["10.0.0.0/8", "fd00::/8"]) is is_in
