"""Computers of a deployment: network namespaces on one bridge, or, where these cannot be made, addresses of loopback."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

NET = "10.77.0"
BRIDGE = "ccrig"


@dataclass(frozen=True)
class Computer:
    """`inside` is put before a command that runs there."""

    address: str
    inside: tuple[str, ...] = ()


@cache
def has_namespaces() -> bool:
    """May this user make network namespaces here?"""
    if os.geteuid() != 0 or not shutil.which("ip"):
        return False
    made = _ip("netns", "add", f"{BRIDGE}-try", check=False) and _ip(
        "netns", "del", f"{BRIDGE}-try", check=False
    )
    if made and _ip("link", "add", f"{BRIDGE}t", "type", "bridge", check=False):
        return _ip("link", "del", f"{BRIDGE}t", check=False)
    return False


@contextmanager
def computers(*names: str) -> Iterator[tuple[Computer, dict[str, Computer]]]:
    """This computer, as the others reach it, and others by name. At most 200."""
    if not has_namespaces():
        yield (
            Computer("127.0.0.1"),
            {name: Computer(f"127.0.0.{place}") for place, name in enumerate(names, 2)},
        )
        return
    _clear(names)
    try:
        _ip("link", "add", BRIDGE, "type", "bridge")
        _ip("addr", "add", f"{NET}.1/24", "dev", BRIDGE)
        _ip("link", "set", BRIDGE, "up")
        made = {}
        for place, name in enumerate(names, 2):
            space, wire = f"{BRIDGE}-{name}", f"{BRIDGE}{place}"
            _ip("netns", "add", space)
            _ip("link", "add", wire, "type", "veth", "peer", "name", "eth0", "netns", space)
            _ip("link", "set", wire, "master", BRIDGE, "up")
            for words in (("addr", "add", f"{NET}.{place}/24", "dev", "eth0"), ("link", "set", "eth0", "up")):
                _ip("-n", space, *words)
            _ip("-n", space, "link", "set", "lo", "up")
            made[name] = Computer(f"{NET}.{place}", ("ip", "netns", "exec", space))
        yield Computer(f"{NET}.1"), made
    finally:
        _clear(names)


def _clear(names: tuple[str, ...]) -> None:
    """Remove what a killed run left, too."""
    for name in names:
        _ip("netns", "del", f"{BRIDGE}-{name}", check=False)
    _ip("link", "del", BRIDGE, check=False)


def _ip(*words: str, check: bool = True) -> bool:
    answer = subprocess.run(["ip", *words], check=False, capture_output=True, text=True)
    assert answer.returncode == 0 or not check, answer.stderr
    return answer.returncode == 0
