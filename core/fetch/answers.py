"""What a request brings back, and what it must not give away."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, Self
from urllib.parse import quote_plus

Cause = Literal["resolve", "connect", "tls", "timeout", "reset", "cut", "too_large", "encoding", "redirect"]
"""Why a request brought nothing: the last three are the same at every further try."""

FINAL: frozenset[Cause] = frozenset({"too_large", "encoding", "redirect"})

_SHORTEST = 8
"""Characters. A shorter text would occur in any answer by chance, and could not be hidden there."""


class Secret:
    """A text that no log, page or message shows; `reveal` is called where it is sent, and nowhere else."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        if len(text) < _SHORTEST or not text.isascii() or not text.isprintable() or " " in text:
            raise ValueError("a secret has at least 8 printable ASCII characters, and no space")
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "Secret(…)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> str:
        raise TypeError("a secret is not pickled")


@dataclass(frozen=True, slots=True)
class Secrets:
    """What is sent with one request beside what may be seen. `bearer` goes into the header Authorization,
    `query` holds parameters of the address.
    """

    bearer: Secret | None = None
    query: Mapping[str, Secret] = field(default_factory=dict)

    def hidden_in(self, text: str) -> str:
        """The text with *** for each secret: servers repeat the address of a request in their answers."""
        for secret in self._spellings():
            text = text.replace(secret, "***")
        return text

    def hidden_in_bytes(self, body: bytes) -> bytes:
        for secret in self._spellings():
            body = body.replace(secret.encode(), b"***")
        return body

    def _spellings(self) -> list[str]:
        secrets = [self.bearer, *self.query.values()]
        plain = [secret.reveal() for secret in secrets if secret]
        return list(dict.fromkeys([*plain, *map(quote_plus, plain)]))


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. Names of headers are in lower case, repeated ones joined by a comma; `body` is decoded.
    `url` is the address that answered, after redirects, without secrets.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str

    def header(self, name: str) -> str:
        return self.headers.get(name, "")


class FetchFailed(Exception):
    """No answer came, or not all of it. `url` and the text hold no secret."""

    def __init__(self, url: str, cause: Cause, detail: str) -> None:
        super().__init__(f"{url}: {detail}")
        self.url = url
        self.cause: Cause = cause
        self.detail = detail


class Fetching(Protocol):
    """What pure modules need of core.fetch.fetcher.Fetcher."""

    def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        secrets: Secrets | None = None,
        follow: frozenset[int] = frozenset(),
    ) -> Answer: ...

    def post(
        self,
        url: str,
        content: bytes,
        *,
        headers: Mapping[str, str] | None = None,
        secrets: Secrets | None = None,
    ) -> Answer: ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...
