"""Which addresses may be asked: https and public, unless the administrator allowed the host."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Literal
from urllib.parse import quote, urlsplit

Reason = Literal["scheme", "credentials", "host", "inside", "forbidden"]
"""`inside`: a private address, which the administrator can allow by its host; `forbidden`: one nobody can."""

IP = IPv4Address | IPv6Address

_MAX_URL = 4000
_KEPT = "%/?:@!$&'()*+,;=~[]"
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
_BAD = re.compile(r"[\0-\x20\x7f-\x9f\\\u2028\u2029\ud800-\udfff]")


class Refused(Exception):
    """The address may not be asked. `host` is what the message shows."""

    def __init__(self, reason: Reason, host: str = "") -> None:
        super().__init__(f"{reason} {host}".strip())
        self.reason: Reason = reason
        self.host = host


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes. `host` is in lower case, an IPv6 address without its brackets."""

    scheme: str
    host: str
    port: int
    path: str
    is_allowed: bool

    @property
    def origin(self) -> tuple[str, str, int]:
        return (self.scheme, self.host, self.port)

    @property
    def netloc(self) -> str:
        """Host and port as a header names them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.path}"


_PORTS = {"http": 80, "https": 443}


def target_of(url: str, allowed: Collection[str] = ()) -> Target:
    """The target that `url` names; `allowed` are hosts, each with or without its port. Raises Refused.

    Nothing is resolved here: the addresses behind a name are checked where the connection is made.
    """
    if len(url) > _MAX_URL or _BAD.search(url):
        raise Refused("host")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise Refused("host") from None
    scheme = parts.scheme.lower()
    if scheme not in _PORTS:
        raise Refused("scheme", scheme)
    if "@" in parts.netloc:
        raise Refused("credentials")
    host = _host(host)
    port = port or _PORTS[scheme]
    shown = f"[{host}]" if ":" in host else host
    names = {name.strip().lower() for name in allowed}
    is_allowed = bool(names & {shown, f"{shown}:{port}"})
    if scheme != "https" and not is_allowed:
        raise Refused("scheme", host)
    path = quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), safe=_KEPT)
    target = Target(scheme, host, port, path, is_allowed)
    literal = _literal(host)
    if literal is not None and not (is_allowed or _is_public(literal)):
        raise Refused("inside" if _is_inside(literal) else "forbidden", host)
    return target


def _host(host: str) -> str:
    """The host in its one spelling. Numbers that only old libraries read as addresses are refused: 127.1,
    2130706433, 0x7f000001, 0177.0.0.1.
    """
    host = host.lower()
    if ":" in host:
        if "%" in host or _literal(host) is None:
            raise Refused("host")
        return str(IPv6Address(host))
    host = host.removesuffix(".")
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii").lower()
        except UnicodeError:
            raise Refused("host") from None
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise Refused("host")
    if _NUMERIC.fullmatch(labels[-1]) and _literal(host) is None:
        raise Refused("host", host)
    return host


def _literal(host: str) -> IP | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def checked(addresses: Iterable[str], target: Target) -> list[str]:
    """The addresses to which `target` may connect: all that its name has. Raises Refused if one of them is
    not allowed, even beside allowed ones: a name that mixes them is made to deceive.
    """
    good = []
    for text in addresses:
        address = _literal(text)
        if address is None:
            raise Refused("forbidden", target.host)
        if _is_public(address):
            good.append(text)
        elif not _is_inside(address):
            # An address that the administrator wrote down is meant; a name must not lead there.
            if not (target.is_allowed and _literal(target.host) == address):
                raise Refused("forbidden", target.host)
            good.append(text)
        elif target.is_allowed:
            good.append(text)
        else:
            raise Refused("inside", target.host)
    return good


def _networks(*texts: str) -> list[IPv4Network | IPv6Network]:
    return [ip_network(text) for text in texts]


# The special registries of IANA. Of IPv6 only 2000::/3 is in use for public addresses.
_INSIDE = _networks("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
_INSIDE_6 = _networks("::1/128", "fc00::/7")
_SPECIAL = _networks(
    "0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
)  # fmt: skip
_PUBLIC_6 = IPv6Network("2000::/3")
# Teredo, 6to4 and others carry an address of version 4 inside; documentation has none behind it.
_SPECIAL_6 = _networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
# Where clouds give a machine its own passwords.
_METADATA = frozenset(
    map(ip_address, ("168.63.129.16", "100.100.100.200", "169.254.169.254", "fd00:ec2::254", "fd20:ce::254"))
)
_NAT64 = IPv6Network("64:ff9b::/96")


def _embedded(address: IP) -> IP:
    """The address of version 4 that one of version 6 stands for, else the address."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return address.ipv4_mapped
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _is_public(address: IP) -> bool:
    address = _embedded(address)
    if address in _METADATA:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in (*_INSIDE, *_SPECIAL))
    return address in _PUBLIC_6 and not any(address in network for network in _SPECIAL_6)


def _is_inside(address: IP) -> bool:
    """Is it the machine itself or its private network, and no metadata service?"""
    address = _embedded(address)
    networks = _INSIDE if isinstance(address, IPv4Address) else _INSIDE_6
    return address not in _METADATA and any(address in network for network in networks)
