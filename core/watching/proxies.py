"""Who asks: the address of the visitor, and whether they came by TLS. Only trusted proxies can tell."""

from collections.abc import Callable, Sequence
from functools import cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from core.watching.ids import HEADER

GetResponse = Callable[[HttpRequest], HttpResponseBase]
Network = IPv4Network | IPv6Network

UNIX = "unix"
"""Stands for a proxy that asks by a socket file: it has no address."""
FOR = "HTTP_X_FORWARDED_FOR"
REQUEST_ID = f"HTTP_{HEADER.upper().replace('-', '_')}"
TOLD_BY_PROXIES = (
    FOR,
    "HTTP_X_FORWARDED_PROTO",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PORT",
    "HTTP_X_FORWARDED_SSL",
    "HTTP_X_REAL_IP",
    "HTTP_FORWARDED",
    REQUEST_ID,
)


class TrustedProxies:
    """Drop what only a proxy may tell, unless a trusted one told it, and put the visitor's address into
    REMOTE_ADDR. The first middleware: all others, allauth's throttles too, read that address.

    Of X-Forwarded-For the last address counts that is no trusted proxy: all before it came from outside.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        peer = request.META.get("REMOTE_ADDR", "")
        if is_trusted(peer):
            request.META["REMOTE_ADDR"] = _visitor(request.META.get(FOR, ""), peer)
        else:
            for name in TOLD_BY_PROXIES:
                request.META.pop(name, None)
        return self.get_response(request)


def is_trusted(address: str) -> bool:
    """Is this the address of a proxy that the setting TRUSTED_PROXIES names?"""
    trusted = settings.TRUSTED_PROXIES
    return UNIX in trusted if not address else within(address, [one for one in trusted if one != UNIX])


def within(address: str, networks: Sequence[str]) -> bool:
    """Is the address in one of the networks? False for what is no address."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    found = getattr(found, "ipv4_mapped", None) or found
    return any(found in network for network in _networks(tuple(networks)))


def _visitor(told: str, peer: str) -> str:
    visitor = peer
    for one in reversed([part.strip() for part in told.split(",") if part.strip()]):
        try:
            visitor = str(ip_address(one))
        except ValueError:
            break
        if not is_trusted(visitor):
            break
    return visitor


@cache
def _networks(told: tuple[str, ...]) -> list[Network]:
    return [ip_network(one, strict=False) for one in told]
