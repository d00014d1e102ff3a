"""What a harvest would cost: requests and time, from the forges' own counts. Stores nothing but how long they
want to be left alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from core import clock
from core.errors import DomainError
from core.fetch.fetcher import Limits
from harvests.actions.quiet import asking_politely
from harvests.queries.forge_clients import RepositoryAsked, dialect_of, host_of, tokens_of
from ingest.forges.client import ForgeClient, Patience
from ingest.forges.pages import (
    EARLIEST,
    ForgeError,
    PageMissing,
    Paused,
    RepositoryGone,
    TokenRefused,
    Window,
)
from studies.models import Study

BUDGET = 20.0
"""Seconds for all questions together: somebody waits for the page."""

PER_PAGE = 100
SECONDS = 0.8
"""For one request and the storing of its page, as measured on GitHub."""

COMMENTS = 3
"""On an issue or pull request of GitHub, about; Gitee says how many it has."""

HOURLY, HOURLY_WITHOUT = 5000, 60
"""Requests that GitHub takes in an hour, with each token and without one."""

_HURRIED = Patience(faults=2, longest=2, limits=1, doubts=0)
_QUICK = Limits(connect=4, read=8, total=10)


@dataclass(frozen=True)
class RepositoryEstimate:
    """`issues` are those opened in the window, by the forge's count; None, and `trouble` in words, if it did
    not say it.
    """

    host: str
    path: str
    issues: int | None = None
    requests: int | None = None
    seconds: int | None = None
    trouble: str = ""


@dataclass(frozen=True)
class Estimate:
    """`seconds` has the waits for GitHub's hourly limit in it; a row has not."""

    requests: int
    seconds: int
    rows: tuple[RepositoryEstimate, ...]


def estimate(
    *,
    study: Study,
    repositories: Sequence[RepositoryAsked],
    opened_from: datetime | None,
    opened_before: datetime | None,
    with_pull_requests: bool,
    with_comments: bool,
) -> Estimate:
    """Requests and time of such a harvest, in about BUDGET seconds at most. Raises TokenUnreadable and
    AddressRefused.
    """
    now = clock.now().replace(microsecond=0)
    window = Window(opened_from or EARLIEST, opened_before or now)
    ends = clock.now() + timedelta(seconds=BUDGET)
    rows: dict[str, RepositoryEstimate] = {}
    waits = 0
    for key in dict.fromkeys((asked.host, asked.forge, asked.base) for asked in repositories):
        host, forge, base = key
        mine = [asked for asked in repositories if (asked.host, asked.forge, asked.base) == key]
        tokens = [token for _pk, token in tokens_of(study.pk, host_of(base)).values()]
        left = max((ends - clock.now()).total_seconds(), 0.001)
        with asking_politely(
            study.pk, dialect_of(forge, host, base), tokens, budget=left, patience=_HURRIED, limits=_QUICK
        ) as client:
            for asked in mine:
                rows[asked.identity] = _row(
                    client, asked, window, pulls=with_pull_requests, comments=with_comments
                )
        if forge == "github":
            hourly = HOURLY * len(tokens) or HOURLY_WITHOUT
            requests = sum(rows[asked.identity].requests or 0 for asked in mine)
            waits += 3600 * (max(requests - 1, 0) // hourly)
    found = tuple(rows[asked.identity] for asked in repositories)
    return Estimate(
        requests=sum(row.requests or 0 for row in found),
        seconds=waits + sum(row.seconds or 0 for row in found),
        rows=found,
    )


def _row(
    client: ForgeClient, asked: RepositoryAsked, window: Window, *, pulls: bool, comments: bool
) -> RepositoryEstimate:
    try:
        count = client.count(asked.path, window)
        told = _comments(client, asked, window, count.issues + (count.pulls or 0)) if comments else 0
    except ForgeError as error:
        return RepositoryEstimate(asked.host, asked.path, trouble=_trouble(error))
    except DomainError as error:
        return RepositoryEstimate(asked.host, asked.path, trouble=str(error.message))
    listed = count.issues + (count.pulls or 0)
    lists = 1 + comments + (pulls and asked.forge == "gitee")
    counts = 2 if asked.forge == "gitee" else 4
    # Each list, and one page more of it for what changed meanwhile.
    requests = max(-(-listed // PER_PAGE), 1) + -(-told // PER_PAGE) + lists + counts
    seconds = round(requests * max(SECONDS, client.forge.pace))
    return RepositoryEstimate(asked.host, asked.path, count.issues, requests, max(seconds, 1))


def _comments(client: ForgeClient, asked: RepositoryAsked, window: Window, listed: int) -> int:
    if asked.forge == "github":
        return listed * COMMENTS
    since = None if window.start == EARLIEST else window.start
    page = client.page("comments", client.forge.comments_url(asked.path, since, per_page=1))
    return (page.total if page else None) or 0


def _trouble(error: ForgeError) -> str:
    # GitHub's search answers 422 for a repository that it does not have, or does not show.
    is_unknown = isinstance(error, PageMissing) and error.cause.startswith("status 422")
    if isinstance(error, RepositoryGone) or is_unknown:
        return _("not found, or not visible with your tokens")
    if isinstance(error, TokenRefused):
        return _("the forge refused the token")
    if isinstance(error, Paused):
        return _("not asked: the forge accepts no more requests now")
    if isinstance(error, PageMissing):
        return _("no answer: %(cause)s") % {"cause": error.cause}
    return _("moved to another address")
