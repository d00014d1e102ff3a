"""Reads the names of repositories as people write them: owner/name, or any address of a forge."""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

Cause = Literal["shape", "host", "scheme", "secret", "forge", "path", "twice", "many", "base"]
"""Why a line is refused."""

MOST = 200
"""The most repositories of one harvest."""

_AROUND = " \t\r\n\v\f\u00a0\u200b\u2060\u3000\ufeff,;<>\"'`"
_SEGMENT = re.compile(r"[A-Za-z0-9._-]{1,100}")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")
_SSH = re.compile(r"[A-Za-z0-9_.-]+@([A-Za-z0-9.-]+):(?!//)/?(.+)")
_SHORT = re.compile(r"([A-Za-z0-9._-]+)/([A-Za-z0-9._-]+?)(?:\.git)?/?")
_BARE = re.compile(r"(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}(?::[0-9]+)?/[^/]+/")
_REST = re.compile(r"(?P<base>(?:/[^/]+)*?/api/v(?P<version>[35]))/repos/(?P<rest>.+)")
_BASES = {"github": "/api/v3", "gitee": "/api/v5"}
_OTHERS = {"gitlab": "GitLab", "codeberg.org": "Codeberg", "gitea": "Gitea", "bitbucket": "Bitbucket"}
_PUBLIC = {
    "github.com": "github",
    "api.github.com": "github",
    "redirect.github.com": "github",
    "gitee.com": "gitee",
}


@dataclass(frozen=True, slots=True)
class Named:
    """One repository of a list. `base_url` is that of the forge's REST interface, "" for the public one."""

    line: int
    forge: str
    host: str
    path: str
    base_url: str = ""

    @property
    def identity(self) -> str:
        return f"{self.host}/{self.path}".lower()


@dataclass(frozen=True, slots=True)
class Misnamed:
    """A line that names no repository. `about`: what the cause speaks of, such as the name of a forge."""

    line: int
    text: str
    cause: Cause
    about: str = ""


class _Bad(Exception):
    def __init__(self, cause: Cause, about: str = "") -> None:
        super().__init__(cause)
        self.cause: Cause = cause
        self.about = about


def read_names(text: str) -> tuple[list[Named], list[Misnamed]]:
    """The repositories that a text names, one a line, and the lines that name none. Empty lines and lines
    that begin with # count for nothing.
    """
    named: dict[str, Named] = {}
    bad: list[Misnamed] = []
    for number, line in enumerate(text.splitlines(), 1):
        word = line.strip(_AROUND)
        if not word or word.startswith("#"):
            continue
        try:
            forge, host, path, base = _read(word)
            found = Named(number, forge, host, path, base)
            if found.identity in named:
                raise _Bad("twice", str(named[found.identity].line))  # noqa: TRY301 - the refusal of a line
            if len(named) >= MOST:
                raise _Bad("many", str(MOST))  # noqa: TRY301 - the refusal of a line
        except _Bad as error:
            bad.append(Misnamed(number, _shown(word), error.cause, error.about))
        else:
            named[found.identity] = found
    return list(named.values()), bad


def read_base(host: str, text: str) -> str:
    """The base address of the REST interface of a host, as people write it, without a slash at its end.

    Raises ValueError for one that is no address, holds a secret, or leads to another host: a token is sent
    to its own host only.
    """
    try:
        parts = urlsplit(text.strip(_AROUND))
        there = _host(parts.hostname or "", parts.port, parts.scheme)
    except (_Bad, ValueError):
        raise ValueError(text) from None
    is_address = parts.scheme in {"https", "http"} and "@" not in parts.netloc
    if not is_address or parts.query or parts.fragment or there != host:
        raise ValueError(text)
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def forge_of_base(base: str) -> str:
    """The forge that a base address shows by its end; "" if it shows none."""
    return next((forge for forge, tail in _BASES.items() if base.endswith(tail)), "")


def _read(word: str) -> tuple[str, str, str, str]:
    """Forge, host, path and base address."""
    if ssh := _SSH.fullmatch(word):
        return _located("https", _host(ssh[1], None, "https"), f"/{ssh[2]}")
    if "://" not in word and not word.startswith("//"):
        if short := _SHORT.fullmatch(word):
            return "github", "github.com", _path([short[1], short[2]]), ""
        if not _BARE.match(f"{word}/"):
            raise _Bad("shape")
    return _of_address(word)


def _of_address(word: str) -> tuple[str, str, str, str]:
    text = word if "://" in word else f"https://{word.removeprefix('//')}"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise _Bad("host") from None
    scheme = parts.scheme.lower()
    if scheme not in {"https", "http", "ssh", "git"}:
        raise _Bad("scheme", scheme)
    if parts.password or (parts.username and scheme in {"https", "http"}):
        raise _Bad("secret")
    if scheme in {"ssh", "git"}:
        scheme, port = "https", None
    return _located(scheme, _host(parts.hostname or "", port, scheme), parts.path)


def _host(host: str, port: int | None, scheme: str) -> str:
    host = host.lower().rstrip(".").removeprefix("www.")
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            raise _Bad("host") from None
    if not _HOST.fullmatch(host) or len(host) > 240:
        raise _Bad("host")
    is_usual = port is None or port == {"https": 443, "http": 80}.get(scheme)
    return host if is_usual else f"{host}:{port}"


def _located(scheme: str, host: str, path: str) -> tuple[str, str, str, str]:
    if host in _PUBLIC:
        segments = _segments(path)
        if host == "api.github.com" or segments[:2] == ["api", "v5"]:
            segments = segments[segments.index("repos") + 1 :] if "repos" in segments else []
        forge = _PUBLIC[host]
        return forge, f"{forge}.com", _path(segments), ""
    if other := next((name for start, name in _OTHERS.items() if host.startswith(start)), ""):
        raise _Bad("forge", other)
    if rest := _REST.fullmatch(path):
        forge = "github" if rest["version"] == "3" else "gitee"
        return forge, host, _path(_segments(rest["rest"])), f"{scheme}://{host}{rest['base']}"
    forge = "gitee" if host.startswith("gitee.") else "github"
    return forge, host, _path(_segments(path)), f"{scheme}://{host}{_BASES[forge]}"


def _segments(path: str) -> list[str]:
    return [unquote(segment) for segment in path.split("/") if segment]


def _path(segments: list[str]) -> str:
    """owner/name; what follows in the address of a page of a repository counts for nothing."""
    if len(segments) < 2:
        raise _Bad("path")
    owner, name = segments[0], segments[1].removesuffix(".git")
    if not all(_SEGMENT.fullmatch(one) and one not in {".", ".."} for one in (owner, name)):
        raise _Bad("path")
    return f"{owner}/{name}"


def _shown(word: str) -> str:
    """The line as a message repeats it: shortened, and without user, password and query."""
    bare = re.sub(r"//[^/@\s]*@", "//", word).partition("?")[0]
    return bare if len(bare) <= 80 else f"{bare[:79]}…"
