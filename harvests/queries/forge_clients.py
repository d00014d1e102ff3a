"""Clients of the forges that a study asks, with the tokens that it keeps for them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from django.conf import settings

from core import clock
from core.fetch.fetcher import DEFAULT_LIMITS, Fetcher, Limits
from core.fetch.sealing import Unreadable, unseal
from core.version import version
from harvests.errors import TokenUnreadable
from harvests.models import ForgeToken
from ingest.forges.client import DEFAULT_PATIENCE, ForgeClient, Patience
from ingest.forges.dialects import Dialect
from ingest.forges.gitee import Gitee
from ingest.forges.github import GitHub
from ingest.forges.tokens import Token

FORGES: dict[str, type[GitHub | Gitee]] = {"github": GitHub, "gitee": Gitee}

_HOST_OF = {"api.github.com": "github.com"}


@dataclass(frozen=True, slots=True)
class RepositoryAsked:
    """A repository of a forge: github or gitee. `host` is that of its pages, such as github.com; `base_url`
    that of the REST interface, "" for the usual one.
    """

    forge: str
    host: str
    path: str
    base_url: str = ""

    @property
    def identity(self) -> str:
        return f"{self.host}/{self.path}".lower()

    @property
    def base(self) -> str:
        """The base address, also where none was given."""
        if self.base_url:
            return self.base_url.rstrip("/")
        kind = FORGES[self.forge]
        if self.host == kind.default_host:
            return kind.default_base
        return f"https://{self.host}/api/{'v3' if self.forge == 'github' else 'v5'}"


def host_of(base_url: str) -> str:
    """The host for which a token of this interface is kept: where it is sent, with the port if one is given;
    github.com for api.github.com.
    """
    host = urlsplit(base_url).netloc.lower()
    return _HOST_OF.get(host, host)


def tokens_of(study_id: int, host: str) -> dict[str, tuple[int, Token]]:
    """The tokens of a study for a host, by their names, each with its id: those that work first. Raises
    TokenUnreadable.
    """
    kept = ForgeToken.objects.filter(study=study_id, host=host)
    tokens: dict[str, tuple[int, Token]] = {}
    for row in sorted(kept.order_by("pk"), key=lambda row: row.refused_at is not None):
        name = f"{row.name or host} (#{row.pk})"
        try:
            tokens[name] = (row.pk, Token(name, unseal(row.sealed)))
        except Unreadable:
            raise TokenUnreadable(row.name, host) from None
    return tokens


def dialect_of(forge: str, host: str, base_url: str) -> Dialect:
    return FORGES[forge](base_url, host)


@contextmanager
def asking(
    forge: Dialect,
    tokens: Sequence[Token],
    *,
    sleep: Callable[[float], None] | None = None,
    budget: float | None = None,
    patience: Patience = DEFAULT_PATIENCE,
    limits: Limits = DEFAULT_LIMITS,
    quiet: Callable[[], datetime | None] | None = None,
    told: Callable[[datetime], None] | None = None,
) -> Iterator[ForgeClient]:
    """A client of the forge that asks over the one way out. `limits` are those of one request, the others
    those of ForgeClient.
    """
    with Fetcher(settings.FORGE_HOSTS, limits=limits, agent=f"Crosscheck/{version()}") as fetcher:
        yield ForgeClient(
            forge,
            fetcher,
            tokens,
            clock=clock.now,
            sleep=sleep or clock.sleep,
            budget=budget,
            patience=patience,
            quiet=quiet,
            told=told,
        )
